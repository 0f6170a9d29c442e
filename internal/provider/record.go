// Package provider is a loopback reverse proxy that keeps the request bodies that go
// through it, byte for byte, with an index that [capture] reads. Responses are
// passed through as they come. Of the rest of a request only what tells what a body
// belongs to is kept, and of that only known words, numbers and the session's id: never
// credentials, cookies or keys, wherever a client puts them.
package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dsh-verify/dsh-verify/internal/protocol"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/visible"
)

// A Proxy records what it forwards.
type Proxy struct {
	dir     string
	forward *httputil.ReverseProxy
	note    func(string)

	mu     sync.Mutex
	count  int
	kept   int
	lost   int
	index  *os.File
	answer atomic.Int64 // answers under way

	uploads uploads
}

// Counts returns how many bodies were kept, and how many could not be.
func (p *Proxy) Counts() (kept, lost int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept, p.lost
}

// Answering returns how many answers are under way.
func (p *Proxy) Answering() int { return int(p.answer.Load()) }

// New returns a proxy to the given base URL that writes to dir, which is made if
// need be. An index that is there is continued. note gets a line per request and
// per failure.
func New(to *url.URL, dir string, note func(string)) (*Proxy, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "index.jsonl")
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: name, Err: &regular.NotFile{Mode: info.Mode()}}
	}
	index, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	p := &Proxy{dir: dir, note: note, index: index, uploads: uploads{max: MaxUploads}}
	p.forward = &httputil.ReverseProxy{
		FlushInterval: -1, // server-sent events go through as they come
		ErrorLog:      log.New(noteWriter(note), "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = to.Host
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			note("the upstream failed: " + err.Error())
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	return p, nil
}

// A noteWriter makes notes of what the standard library logs, which would otherwise
// reach standard error as it is.
type noteWriter func(string)

func (note noteWriter) Write(line []byte) (int, error) {
	note(strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// ErrorLog returns the log for a server in front of the proxy.
func (p *Proxy) ErrorLog() *log.Logger { return log.New(noteWriter(p.note), "", 0) }

// Close ends the recording.
func (p *Proxy) Close() error { return p.index.Close() }

// ServeHTTP keeps the request's body and forwards it. A body that cannot be kept
// is reported and forwarded all the same.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := p.uploads.read(w, r)
	defer p.uploads.release(body)
	p.answer.Add(1)
	defer p.answer.Add(-1)
	if err != nil {
		if isChat(r) {
			p.lose()
		}
		p.note("a body was not recorded: " + err.Error())
		refuse(w, err)
		return
	}
	if len(body) > 0 {
		if err := p.keep(r, body); err != nil {
			p.lose()
			p.note("not recorded: " + err.Error())
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	p.forward.ServeHTTP(w, r)
}

func (p *Proxy) lose() {
	p.mu.Lock()
	p.lost++
	p.mu.Unlock()
}

// isChat tells requests to a model from uploads and the like.
func isChat(r *http.Request) bool {
	return r.Method == http.MethodPost && protocol.ForPath(r.URL.Path) != nil
}

// An entry is a line of the index.
type entry struct {
	File      string            `json:"file"`
	SessionID string            `json:"sessionId,omitempty"`
	Purpose   string            `json:"purpose,omitempty"`
	Time      string            `json:"time"`
	Method    string            `json:"method"`
	Path      string            `json:"path"`
	Bytes     int               `json:"bytes"`
	SHA256    string            `json:"sha256"`
	Headers   map[string]string `json:"headers"`
}

func (p *Proxy) keep(r *http.Request, body []byte) error {
	if !isChat(r) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f, name, err := p.create()
	if err != nil {
		return err
	}
	if _, err := f.Write(body); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	e := entry{
		File: name, SessionID: storedSession(r.Header.Get("x-deepseek-harness-session-id")), Time: time.Now().UTC().Format(time.RFC3339Nano),
		Method: r.Method, Path: storedPath(r.URL.Path), Bytes: len(body), SHA256: hex.EncodeToString(sum[:]), Headers: storedHeaders(r.Header),
	}
	if r.Header.Get("x-deepseek-harness-compact") == "1" {
		e.Purpose = "compaction"
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := p.index.Write(append(visible.JSON(line), '\n')); err != nil {
		return err
	}
	p.kept++
	whose := ""
	if e.SessionID != "" {
		whose = " of session " + e.SessionID
	}
	p.note(fmt.Sprintf("%s: %d bytes%s", name, len(body), whose))
	return nil
}

// create makes the next body file; a folder that holds some is continued.
func (p *Proxy) create() (*os.File, string, error) {
	for {
		p.count++
		name := fmt.Sprintf("%04d.json", p.count)
		f, err := os.OpenFile(filepath.Join(p.dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if !os.IsExist(err) {
			return f, name, err
		}
	}
}

// IsLoopback reports whether a listen address stays on this machine.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
