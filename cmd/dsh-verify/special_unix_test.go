//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSpecialFiles checks that a pipe in the place of a file that is found, and not
// named, is said to be one, and keeps no command waiting.
func TestSpecialFiles(t *testing.T) {
	session := map[string]string{"session.jsonl": "tools-sequential/session.jsonl"}
	store := map[string]string{"store.db": "sqlite-two-sessions/store.db"}
	both := map[string]string{"a/session.jsonl": "tools-sequential/session.jsonl", "store.db": "sqlite-two-sessions/store.db"}
	wire := map[string]string{"session.jsonl": "tools-sequential/session.jsonl", "wire/1.json": "tools-sequential/requests.jsonl"}
	authored := map[string]string{"session.jsonl": "authored/log-book/session.jsonl"}
	for _, c := range []struct {
		name  string
		files map[string]string // to fixtures
		pipe  string
		args  string // DIR is the folder
		code  int
		want  string
	}{
		{"wal", store, "store.db-wal", "replay DIR/store.db", exitUnreadable, "store.db-wal: it is a pipe"},
		{"wal in a root", both, "store.db-wal", "scan DIR", exitUnreadable, "store.db-wal: it is a pipe"},
		{"journal", store, "store.db-journal", "replay DIR/store.db", exitUnreadable, "store.db-journal: it is a pipe"},
		{"journal, one log", store, "store.db-journal", "requests DIR/store.db", exitUnreadable, "store.db-journal: it is a pipe"},
		{"recording", session, "requests.jsonl", "replay DIR/session.jsonl", exitUnreadable, "requests.jsonl: it is a pipe"},
		{"recording in a root", session, "requests.jsonl", "scan DIR", exitUnreadable, "requests.jsonl: it is a pipe"},
		{"recording of a report", session, "requests.jsonl", "report -o - DIR", exitUnreadable, "requests.jsonl: it is a pipe"},
		{"named recording", session, "other.jsonl", "replay --recorded DIR/other.jsonl DIR", exitUnreadable, "other.jsonl: it is a pipe"},
		{"log", nil, "session.jsonl", "replay DIR", exitUnreadable, "session.jsonl: it is a pipe"},
		{"log in a root", both, "b/session.jsonl.zstd", "scan DIR", exitUnreadable, "session.jsonl.zstd: it is a pipe"},
		{"store in a root", both, "b/store.db", "scan DIR", exitUnreadable, "it is a pipe"},
		{"archive in a root", both, "export.zip", "scan DIR", exitUnreadable, "it is a pipe"},
		{"policy", session, ".dsh-verify.yaml", "replay DIR", exitUnreadable, ".dsh-verify.yaml: it is a pipe"},
		{"policy, shown", session, ".dsh-verify.yaml", "config check DIR", exitUnreadable, ".dsh-verify.yaml: it is a pipe"},
		{"transcript", nil, "session.jsonl", "golden check DIR", exitUnreadable, "it is a pipe"},
		{"sum file", session, "requests.sum", "golden check DIR", exitUnreadable, "it is a pipe"},
		{"sum file to write", session, "requests.sum", "golden check --update DIR", exitUnreadable, "it is a pipe"},
		{"sidecar", authored, "tool-schemas.expected.json", "golden record DIR", exitUnreadable, "tool-schemas.expected.json: it is a pipe"},
		{"log as it was", session, "old/session.jsonl", "golden record --against DIR/old DIR/session.jsonl", exitOK, "1 written"},
		{"captured body", wire, "wire/2.json", "replay --recorded DIR/wire DIR/session.jsonl", exitOK, "2.json (it is a pipe"},
		{"index of bodies", wire, "wire/index.jsonl", "replay --recorded DIR/wire DIR/session.jsonl", exitUnreadable, "index.jsonl: it is a pipe"},
		{"index to write", session, "wire/index.jsonl", "record --to http://127.0.0.1:1 --out DIR/wire", exitUnreadable, "index.jsonl: it is a pipe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, fixture := range c.files {
				os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
				if err := os.WriteFile(filepath.Join(dir, name), readFixture(t, fixture), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			pipe := filepath.Join(dir, c.pipe)
			os.MkdirAll(filepath.Dir(pipe), 0o755)
			if err := syscall.Mkfifo(pipe, 0o644); err != nil {
				t.Fatal(err)
			}
			code, out, errs := runSoon(t, strings.Fields(strings.ReplaceAll(c.args, "DIR", dir))...)
			if code != c.code || !strings.Contains(out+errs, c.want) {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, c.code, c.want, out, errs)
			}
			if strings.HasPrefix(c.args, "scan") && c.files["a/session.jsonl"] != "" && !strings.Contains(out, "rebuilt") {
				t.Errorf("the other session is not checked\n%s", out)
			}
		})
	}
}

// TestNamedPipe checks that a pipe which is named is refused by that name, without
// waiting for what writes to it: standard input is there for streams.
func TestNamedPipe(t *testing.T) {
	for _, args := range []string{"replay PIPE", "requests PIPE", "scan PIPE", "golden check PIPE"} {
		pipe := filepath.Join(t.TempDir(), "session.jsonl")
		if err := syscall.Mkfifo(pipe, 0o644); err != nil {
			t.Fatal(err)
		}
		code, out, errs := runSoon(t, strings.Fields(strings.ReplaceAll(args, "PIPE", pipe))...)
		if code != exitUnreadable || !strings.Contains(out+errs, "it is a pipe, not a file") {
			t.Errorf("%s: exit code %d\n%s%s", args, code, out, errs)
		}
	}
}

// runSoon is runIn for what must not wait.
func runSoon(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		code, out, errs = runIn(context.Background(), args...)
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%v waits", args)
	}
	return code, out, errs
}
