package provider_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/provider"
)

// canaries are keys and tokens in the forms that services hand them out in, and
// passwords that have no form.
var canaries = []string{
	"sk-4f0c2a9be1d84c7f93a5", "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "hunter2", "correct-horse", "SECRET", "9f86d081884c7d659a2feaa0c55ad015",
	"ghp_16C7e42F292c6912E7710c838347Ae178B4a", "github_pat_11ABCDEFG0", "glpat-XXXXXXXXXXXXXXXXXXXX", "xoxb-123-456-abc", "AKIAIOSFODNN7EXAMPLE",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "dXNlcjpwYXNzd29yZA==", "v1.secret", "00000000-0000-4000-8000-000000000000",
}

// TestNoSecretIsStored puts a secret in each place of a request except its body, one at a
// time, and checks that it is in no file of the recording.
func TestNoSecretIsStored(t *testing.T) {
	for _, canary := range canaries {
		q := url.PathEscape(canary)
		for place, request := range map[string]*http.Request{
			"path":            post("/"+q+"/v1/chat/completions", nil),
			"path, inside":    post("/api/deployments/"+q+"/chat/completions", nil),
			"query":           post("/v1/chat/completions?key="+url.QueryEscape(canary), nil),
			"parameter":       post("/v1;key="+q+"/chat/completions", nil),
			"user agent":      post("/chat/completions", http.Header{"User-Agent": {"deepseek-harness/0.1.2 (key " + canary + ") " + canary}}),
			"product":         post("/chat/completions", http.Header{"User-Agent": {canary + "/1.0"}}),
			"version":         post("/chat/completions", http.Header{"User-Agent": {"deepseek-harness/" + canary}}),
			"media type":      post("/chat/completions", http.Header{"Content-Type": {"application/" + canary}}),
			"type parameter":  post("/chat/completions", http.Header{"Content-Type": {`application/json; charset=utf-8; key="` + canary + `"`}}),
			"parameter name":  post("/chat/completions", http.Header{"Content-Type": {"application/json; " + strings.Trim(canary, "=") + "=1"}}),
			"charset":         post("/chat/completions", http.Header{"Content-Type": {`application/json; charset="` + canary + `"`}}),
			"no type":         post("/chat/completions", http.Header{"Content-Type": {canary}}),
			"coding":          post("/chat/completions", http.Header{"Content-Encoding": {canary}}),
			"compact":         post("/chat/completions", http.Header{"X-Deepseek-Harness-Compact": {canary}}),
			"session":         post("/chat/completions", http.Header{"X-Deepseek-Harness-Session-Id": {"Bearer " + canary}}),
			"session, a name": post("/chat/completions", http.Header{"X-Deepseek-Harness-Session-Id": {"ses token=" + canary}}),
			"user":            post("/chat/completions", http.Header{"X-Deepseek-Harness-User-Id": {canary}}),
			"another":         post("/chat/completions", http.Header{"X-Api-Key": {canary}, "Cookie": {canary}, "Authorization": {canary}, "Referer": {canary}, "Origin": {canary}}),
			"repeated":        post("/chat/completions", http.Header{"User-Agent": {"node", canary}, "Content-Type": {"application/json", canary}}),
		} {
			if text := recorded(t, request); strings.Contains(text, canary) || strings.Contains(strings.ToLower(text), strings.ToLower(canary)) {
				t.Errorf("%s in the %s is stored: %s", canary, place, text)
			}
		}
	}
	for _, id := range []string{"sk-4f0c2a9be1d84c7f93a5", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "AKIAIOSFODNN7EXAMPLE"} {
		if text := recorded(t, post("/chat/completions", http.Header{"X-Deepseek-Harness-Session-Id": {id}})); strings.Contains(text, id) {
			t.Errorf("%s is stored as the id of a session: %s", id, text)
		}
	}
}

// TestWhatIsStored holds what the index keeps, which tells a reader what a body is.
func TestWhatIsStored(t *testing.T) {
	for _, c := range []struct{ header, value, want string }{
		{"User-Agent", "deepseek-harness/0.1.2-rc.1 (+https://example.test/key)", "deepseek-harness/0.1.2-rc.1 [withheld]"},
		{"User-Agent", "node", "node"},
		{"User-Agent", "Mozilla/5.0 (X11) curl/8.5.0", "[withheld] curl/8.5.0"},
		{"Content-Type", "application/json", "application/json"},
		{"Content-Type", "Application/JSON; Charset=UTF-8", "application/json; charset=utf-8"},
		{"Content-Type", "application/json; charset=utf-8; x=1", "application/json; charset=utf-8; [withheld]"},
		{"Content-Type", "application/json; x=1; x=2", "[withheld]"},
		{"Content-Encoding", "gzip, BR", "gzip, br"},
		{"Content-Encoding", "gzip, aes", "gzip, [withheld]"},
		{"X-Deepseek-Harness-Compact", "1", "1"},
		{"X-Deepseek-Harness-Compact", "2", "[withheld]"},
		{"X-Deepseek-Harness-Session-Id", "ses/curator 01", "ses/curator 01"},
		{"X-Deepseek-Harness-Session-Id", "0197b7ab-1c4f-7c8a-8f7e-0a6a1c1f2a3b", "0197b7ab-1c4f-7c8a-8f7e-0a6a1c1f2a3b"},
		{"X-Deepseek-Harness-Session-Id", "task-sk-2-key", "task-sk-2-key"},
	} {
		var line struct{ Headers map[string]string }
		text := recorded(t, post("/chat/completions", http.Header{c.header: {c.value}}))
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		if got := line.Headers[strings.ToLower(c.header)]; got != c.want {
			t.Errorf("%s: %s is stored as %q, want %q", c.header, c.value, got, c.want)
		}
	}
	for path, want := range map[string]string{
		"/chat/completions":                         "/chat/completions",
		"/api/v1beta/chat/completions?x=1":          "/api/v1beta/chat/completions",
		"/deployments/gpt%2F4//v2/chat/completions": "/deployments/[withheld]/[withheld]//v2/chat/completions",
	} {
		var line struct{ Path string }
		if err := json.Unmarshal([]byte(recorded(t, post(path, nil))), &line); err != nil || line.Path != want {
			t.Errorf("%s is stored as %q, want %q", path, line.Path, want)
		}
	}
}

// post is a request as a server gets it.
func post(target string, header http.Header) *http.Request {
	r := httptest.NewRequest("POST", target, strings.NewReader(`{"messages":[]}`))
	for name, values := range header {
		r.Header[name] = values
	}
	return r
}

// recorded sends a request through a proxy and returns all that it stored except the
// body, whose bytes are not its own.
func recorded(t *testing.T, r *http.Request) string {
	t.Helper()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }))
	defer upstream.Close()
	to, _ := url.Parse(upstream.URL)
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := provider.New(to, dir, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	proxy.ServeHTTP(httptest.NewRecorder(), r)
	proxy.Close()
	text, err := os.ReadFile(filepath.Join(dir, "index.jsonl"))
	if files, _ := os.ReadDir(dir); err != nil || len(text) == 0 || len(files) != 2 {
		t.Fatalf("nothing was recorded: %v %q", err, text)
	}
	return string(text)
}
