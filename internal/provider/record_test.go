package provider_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/provider"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
)

// TestProxy sends a request through the proxy to a server that streams: the first
// event must come out before the server has sent the second.
func TestProxy(t *testing.T) {
	const body = `{"model":"m","messages":[{"role":"user","content":"caf\u00e9 <b> 1e2"}]}`
	seen := make(chan string, 1)
	proceed := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ := io.ReadAll(r.Body)
		if r.Header.Get("authorization") != "Bearer secret-key" || r.URL.Path != "/base/chat/completions" {
			t.Errorf("the upstream saw %s with %q", r.URL.Path, r.Header.Get("authorization"))
		}
		seen <- string(got)
		w.Header().Set("content-type", "text/event-stream")
		io.WriteString(w, "data: one\n\n")
		w.(http.Flusher).Flush()
		<-proceed
		io.WriteString(w, "data: [DONE]\n\n")
	}))
	defer upstream.Close()
	to, _ := url.Parse(upstream.URL + "/base")
	dir := filepath.Join(t.TempDir(), "wire")
	proxy, err := provider.New(to, dir, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(proxy)
	defer server.Close()

	request, _ := http.NewRequest("POST", server.URL+"/chat/completions", strings.NewReader(body))
	request.Header.Set("authorization", "Bearer secret-key")
	request.Header.Set("cookie", "secret-cookie=1")
	request.Header.Set(traffic.SessionHeader, "ses-1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(response.Body)
	if line, err := lines.ReadString('\n'); line != "data: one\n" {
		t.Errorf("the first event is %q, %v", line, err)
	}
	close(proceed)
	io.Copy(io.Discard, lines)
	response.Body.Close()
	if got := <-seen; got != body {
		t.Errorf("the upstream got %q", got)
	}
	proxy.Close()

	recorded, err := traffic.Open(dir)
	if err != nil || len(recorded.Bodies) != 1 || recorded.Bodies[0].SessionID != "ses-1" {
		t.Fatalf("the recording reads as %+v, %v", recorded, err)
	}
	if got, _ := recorded.Bodies[0].Bytes(); string(got) != body {
		t.Errorf("recorded %q", got)
	}
	holdsNoSecret(t, dir)
}

// holdsNoSecret looks for what the test's requests call secret in all files of a folder.
func holdsNoSecret(t *testing.T, dir string) {
	filepath.WalkDir(dir, func(path string, d os.DirEntry, _ error) error {
		if !d.IsDir() {
			if text, _ := os.ReadFile(path); strings.Contains(string(text), "secret") {
				t.Errorf("%s holds a secret: %s", d.Name(), text)
			}
		}
		return nil
	})
}

func TestIsLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:0": true, "[::1]:8080": true, "localhost:1": true, "127.9.9.9:1": true,
		":8080": false, "0.0.0.0:1": false, "[::]:1": false, "192.168.1.2:1": false, "example.test:1": false, "x": false,
	} {
		if got := provider.IsLoopback(address); got != want {
			t.Errorf("IsLoopback(%q) is %v", address, got)
		}
	}
}
