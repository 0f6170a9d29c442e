package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// A notes is a standard error that another goroutine reads.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

func (n *notes) await(t *testing.T, words string) {
	for range 500 {
		if strings.Contains(n.String(), words) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%q is not printed: %s", words, n)
}

// startRecord runs record and returns its address, its standard error and what its
// exit status comes from.
func startRecord(t *testing.T, ctx context.Context, upstream, out string) (string, *notes, <-chan int) {
	r, w := io.Pipe()
	errs, code := new(notes), make(chan int, 1)
	a := &app{stdin: strings.NewReader(""), stdout: w, stderr: errs, env: func(string) string { return "" }}
	go func() { code <- a.run(ctx, []string{"dsh-verify", "record", "--to", upstream, "--out", out}) }()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err, errs)
	}
	return strings.TrimSpace(line), errs, code
}

func post(t *testing.T, url string) *http.Response {
	response, err := http.Post(url+"/chat/completions", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// TestRecordLoses checks that a recording that lacks a body is no success, and says
// how much it lacks.
func TestRecordLoses(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer upstream.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := filepath.Join(t.TempDir(), "wire")
	address, errs, code := startRecord(t, ctx, upstream.URL, out)
	post(t, address).Body.Close()
	if err := os.Rename(out, out+".gone"); err != nil {
		t.Skip(err) // systems that hold open files in place
	}
	post(t, address).Body.Close()
	cancel()
	if got := <-code; got != exitUnreadable || !strings.Contains(errs.String(), "1 of 2 bodies could not be kept") {
		t.Errorf("exit %d: %s", got, errs)
	}
	if strings.Contains(errs.String(), "of session \n") || !strings.Contains(errs.String(), "set the base URL") {
		t.Errorf("printed %s", errs)
	}
}

// TestRecordEnds checks that a second interruption cuts an answer that does not end,
// and that this is said.
func TestRecordEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt itself there")
	}
	started, hang := make(chan bool, 1), make(chan bool)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		started <- true
		<-hang
	}))
	defer upstream.Close()
	defer close(hang)
	out := filepath.Join(t.TempDir(), "wire")
	address, errs, code := startRecord(t, context.Background(), upstream.URL, out)
	defer post(t, address).Body.Close()
	<-started
	self, _ := os.FindProcess(os.Getpid())
	begin := time.Now()
	self.Signal(os.Interrupt)
	errs.await(t, "waiting 5s for 1 answer to end")
	self.Signal(os.Interrupt)
	select {
	case got := <-code:
		if got != exitOK || time.Since(begin) > 4*time.Second {
			t.Errorf("exit %d after %s", got, time.Since(begin))
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
	for _, want := range []string{"1 answer cut before the end", "kept 1 request; compare with: dsh-verify replay --recorded " + out} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("%q is not printed: %s", want, errs)
		}
	}
}
