package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// A root is a store root that a test makes: sessions without a cwd, copies of a
// recorded one under other ids.
type root struct {
	t    *testing.T
	dir  string
	text []byte
}

func newRoot(t *testing.T) *root {
	text, err := os.ReadFile("../../fixtures/text-one-turn/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	_, events, _ := bytes.Cut(text, []byte("\n"))
	return &root{t, t.TempDir(), events}
}

func (r *root) path(id string) string {
	return filepath.Join(r.dir, "sessions", "_no-cwd", id, "session.jsonl")
}

// add writes a session whose header has the given id.
func (r *root) add(folder, id string, edit func([]byte) []byte) {
	text := append([]byte(fmt.Sprintf(`{"type":"session","version":0,"id":%q,"createdAt":1,"delegationDepth":0}`+"\n", id)), r.text...)
	if edit != nil {
		text = edit(text)
	}
	path := r.path(folder)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// scan runs the command and returns its exit code and its sessions by folder.
func (r *root) scan(args ...string) (code int, logs map[string]*result.Log, last string) {
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, env: func(string) string { return "" }}
	code = a.run(context.Background(), append(append([]string{"dsh-verify", "scan", "--format", "ndjson"}, args...), r.dir))
	logs = make(map[string]*result.Log)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, line := range lines[:len(lines)-1] {
		log := new(result.Log)
		if err := json.Unmarshal([]byte(line), log); err != nil {
			r.t.Fatalf("%v in %s", err, line)
		}
		logs[filepath.Base(filepath.Dir(log.File))] = log
	}
	return code, logs, lines[len(lines)-1]
}

// TestScanRoot scans 2,000 sessions, ten of them damaged: each is named, none
// stops the others, the exit code is that of the worst, and the reports are not
// kept.
func TestScanRoot(t *testing.T) {
	r := newRoot(t)
	const total = 2000
	for i := range total - 10 {
		id := fmt.Sprintf("ses-%04d", i)
		r.add(id, id, nil)
	}
	damage := map[string]func([]byte) []byte{
		"gap":     func(b []byte) []byte { return bytes.Replace(b, []byte(`"seq":3,`), []byte(`"seq":4,`), 1) },
		"cut":     func(b []byte) []byte { return b[:40] },
		"newer":   func(b []byte) []byte { return bytes.Replace(b, []byte(`"version":0`), []byte(`"version":9`), 1) },
		"empty":   func([]byte) []byte { return nil },
		"binary":  func([]byte) []byte { return bytes.Repeat([]byte{0, 255, 7}, 100) },
		"role":    func(b []byte) []byte { return bytes.Replace(b, []byte(`"role":"user"`), []byte(`"role":"boss"`), -1) },
		"type":    func(b []byte) []byte { return bytes.Replace(b, []byte(`"turn/start"`), []byte(`"turn/stark"`), 1) },
		"surface": func(b []byte) []byte { return bytes.Replace(b, []byte(`,"surfaceOp":"append"`), nil, 1) },
		"legacy": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"reason":"initial"`), []byte(`"reason":"fallback"`), 1)
		},
	}
	for id, edit := range damage {
		r.add(id, id, edit)
	}
	r.add("moved", "another-id", nil)

	code, logs, last := r.scan()
	if code != exitRefused {
		t.Errorf("exit code %d", code)
	}
	if len(logs) != total {
		t.Errorf("%d sessions are reported: %s", len(logs), last)
	}
	for id, log := range logs {
		_, damaged := damage[id]
		if want := damaged || id == "moved"; want != (log.Verdict == finding.Refused) {
			t.Errorf("%s is %s: %+v", id, log.Verdict, log.Findings)
		}
	}
	logs = nil
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 48<<20 {
		t.Errorf("%d MB are held after the scan", m.HeapAlloc>>20)
	}
}

func TestScanFailFast(t *testing.T) {
	r := newRoot(t)
	for i := range 200 {
		id := fmt.Sprintf("ses-%04d", i)
		r.add(id, id, nil)
	}
	r.add("ses-0000", "ses-0000", func([]byte) []byte { return nil })
	code, logs, _ := r.scan("--fail-fast", "--jobs", "1")
	if code != exitRefused || len(logs) > 3 {
		t.Errorf("exit code %d after %d sessions", code, len(logs))
	}
}

func TestScanFilters(t *testing.T) {
	r := newRoot(t)
	r.add("a", "a", nil)
	if code, logs, _ := r.scan("--since", "1h"); code != exitOK || len(logs) != 1 {
		t.Errorf("since an hour ago: exit code %d, %d sessions", code, len(logs))
	}
	code, logs, last := r.scan("--since", "2099-01-01")
	if code != exitUnreadable || len(logs) != 1 || !strings.Contains(last, `"verdict":"nothing"`) {
		t.Errorf("since 2099: exit code %d, %d reports, %s", code, len(logs), last)
	}
	for _, log := range logs {
		if !log.Place {
			t.Errorf("since 2099: a session, %s", log.File)
		}
	}
	if _, logs, _ := r.scan("--project", "no-cwd"); len(logs) != 1 {
		t.Errorf("project no-cwd: %d sessions", len(logs))
	}
	for _, when := range []string{"soon", "99999999999d", "99999999999999999999d", "365001d", "9999999999999h", "-1d", "d"} {
		if code, _, _ := r.scan("--since", when); code != exitUsage {
			t.Errorf("--since %s: exit code %d", when, code)
		}
	}
	if code, logs, _ := r.scan("--since", "365000d", "--jobs", "99999999999"); code != exitOK || len(logs) != 1 {
		t.Errorf("since a thousand years ago: exit code %d, %d sessions", code, len(logs))
	}
}

// TestScanInterrupted checks that a scan that is cancelled says what it has and is
// no success.
func TestScanInterrupted(t *testing.T) {
	r := newRoot(t)
	for i := range 20 {
		id := fmt.Sprintf("ses-%04d", i)
		r.add(id, id, nil)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, env: func(string) string { return "" }}
	if code := a.run(ctx, []string{"dsh-verify", "scan", r.dir}); code != exitUnreadable || !strings.Contains(errs.String(), "interrupted: ") {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
	if !strings.Contains(out.String(), " sessions, ") {
		t.Errorf("no summary: %q", out.String())
	}
}

// TestStoreFindings holds what is said of a root itself.
func TestStoreFindings(t *testing.T) {
	r := newRoot(t)
	r.add("a", "a", nil)
	r.add("b", "b", nil)
	dir := filepath.Dir(r.path("a"))
	for _, name := range []string{"session.jsonl.zstd", "session.jsonl.tmp-1"} {
		os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644)
	}
	other := filepath.Join(r.dir, "sessions", "--other--", "b")
	os.MkdirAll(other, 0o755)
	text, _ := os.ReadFile(r.path("b"))
	os.WriteFile(filepath.Join(other, "session.jsonl"), text, 0o644)
	var out bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &out, env: func(string) string { return "" }}
	a.run(context.Background(), []string{"dsh-verify", "scan", r.dir})
	for _, code := range []string{"store/mixed-encodings", "store/duplicate-id", "header/path"} {
		if !strings.Contains(out.String(), code) {
			t.Errorf("%s is not reported:\n%s", code, out.String())
		}
	}
}
