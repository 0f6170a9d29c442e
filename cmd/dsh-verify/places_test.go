package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/storetest"
)

// runIn runs a command line and returns its exit code and its output.
func runIn(ctx context.Context, args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, env: func(string) string { return "" }}
	code = a.run(ctx, append([]string{"dsh-verify"}, args...))
	return code, stdout.String(), stderr.String()
}

func readFixture(t *testing.T, name string) []byte {
	text, err := os.ReadFile(filepath.Join("../../fixtures", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestEmptyStore checks that no command takes a store without sessions for checked.
func TestEmptyStore(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store.db")
	storetest.Write(t, store, storetest.Schema)
	for _, place := range []string{store, filepath.Dir(store)} {
		for _, args := range [][]string{
			{"replay"},
			{"scan"},
			{"audit"},
			{"attachments"},
			{"report", "-o", "-"},
			{"requests"},
			{"cache"},
			{"show"},
			{"seal", "-o", "-"},
		} {
			code, out, errs := runIn(context.Background(), append(args, place)...)
			if code != exitUnreadable || !strings.Contains(out+errs, finding.InputNoSession.String()) {
				t.Errorf("%s %s: exit code %d\n%.500s%s", args[0], filepath.Base(place), code, out, errs)
			}
		}
	}
}

// TestUnreadableFolder checks that a folder that cannot be opened makes the verdict,
// whatever stands beside it.
func TestUnreadableFolder(t *testing.T) {
	r := newRoot(t)
	r.add("a", "a", nil)
	closed := filepath.Join(r.dir, "sessions", "closed")
	if err := os.Mkdir(closed, 0o000); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(closed, 0o755) })
	if _, err := os.ReadDir(closed); err == nil {
		t.Skip("this user may open any folder")
	}
	for _, args := range [][]string{{"scan"}, {"replay"}, {"audit"}, {"requests"}, {"cache"}} {
		code, out, errs := runIn(context.Background(), append(args, r.dir)...)
		if code != exitUnreadable || !strings.Contains(out+errs, closed) {
			t.Errorf("%s: exit code %d\n%s%s", args[0], code, out, errs)
		}
	}
}

// TestArchivesInFolder holds which archives below a folder count, and that an
// export that was cut is no foreign one.
func TestArchivesInFolder(t *testing.T) {
	export := readFixture(t, "export-zip-family/export.zip")
	var foreign bytes.Buffer
	w := zip.NewWriter(&foreign)
	h := &zip.FileHeader{Name: "link"}
	h.SetMode(fs.ModeSymlink | 0o777)
	f, err := w.CreateHeader(h)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "elsewhere")
	w.Close()
	for _, c := range []struct {
		name string
		zip  []byte
		code int
		says string
	}{
		{"a foreign archive", foreign.Bytes(), exitOK, "1 session,"},
		{"no archive", []byte("text"), exitOK, "1 session,"},
		{"an empty archive", []byte("PK\x05\x06" + strings.Repeat("\x00", 18)), exitOK, "1 session,"},
		{"an export", export, exitOK, "3 sessions,"},
		{"an export that was cut", export[:len(export)/2], exitRefused, "zip/damaged"},
	} {
		r := newRoot(t)
		r.add("a", "a", nil)
		os.WriteFile(filepath.Join(r.dir, "x.zip"), c.zip, 0o644)
		code, out, _ := runIn(context.Background(), "scan", r.dir)
		if code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%s: exit code %d\n%s", c.name, code, out)
		}
	}
}

// TestInterruptedReports checks that no format of a scan that was interrupted looks
// complete.
func TestInterruptedReports(t *testing.T) {
	r := newRoot(t)
	for _, id := range []string{"a", "b", "c"} {
		r.add(id, id, nil)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, format := range []string{"text", "json", "ndjson", "junit", "markdown", "sarif"} {
		code, out, _ := runIn(ctx, "scan", "--format", format, r.dir)
		if code != exitUnreadable || !strings.Contains(out, finding.ScanInterrupted.String()) || !strings.Contains(out, " of 3 sessions not checked") {
			t.Errorf("%s: exit code %d\n%s", format, code, out)
		}
		var report result.Report
		if format == "json" && (json.Unmarshal([]byte(out), &report) != nil || report.Verdict != finding.Unreadable) {
			t.Errorf("the verdict is %s:\n%s", report.Verdict, out)
		}
	}
}

// TestInterruptedBesideUnreadable checks that a root that cannot be opened does not
// count as one of the sessions that were checked.
func TestInterruptedBesideUnreadable(t *testing.T) {
	r := newRoot(t)
	r.add("a", "a", nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, out, _ := runIn(ctx, "scan", filepath.Join(r.dir, "nowhere"), r.dir)
	if !strings.Contains(out, finding.ScanInterrupted.String()) && !strings.Contains(out, "sessions/_no-cwd/a") {
		t.Errorf("neither is the session checked nor is it said that it was not:\n%s", out)
	}
}

// TestFailFastSaysWhatIsLeft checks that a scan that stops says so.
func TestFailFastSaysWhatIsLeft(t *testing.T) {
	r := newRoot(t)
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		r.add(id, id, nil)
	}
	r.add("a", "a", func([]byte) []byte { return nil })
	code, out, _ := runIn(context.Background(), "scan", "--fail-fast", "-j", "1", "--format", "json", r.dir)
	if code != exitRefused || !strings.Contains(out, finding.ScanStopped.String()) {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestTornFirstFrame checks that the beginning of a log is not called empty.
func TestTornFirstFrame(t *testing.T) {
	log := readFixture(t, "text-multi-turn-packed-zstd/session.jsonl.zstd")
	path := filepath.Join(t.TempDir(), "session.jsonl.zstd")
	for n := 1; n <= 60; n++ {
		os.WriteFile(path, log[:n], 0o644)
		code, out, _ := runIn(context.Background(), "replay", path)
		if code != exitRefused || strings.Contains(out, "log/empty") || !strings.Contains(out, "header/unterminated") {
			t.Errorf("%d bytes: exit code %d\n%s", n, code, out)
		}
	}
}

// TestEmptyArchive checks that a ZIP without entries is one, as a file and as a stream.
func TestEmptyArchive(t *testing.T) {
	empty := "PK\x05\x06" + strings.Repeat("\x00", 18)
	path := filepath.Join(t.TempDir(), "empty.zip")
	os.WriteFile(path, []byte(empty), 0o644)
	for _, arg := range []string{path, "-"} {
		var out bytes.Buffer
		a := &app{stdin: strings.NewReader(empty), stdout: &out, stderr: &out, env: func(string) string { return "" }}
		if code := a.run(context.Background(), []string{"dsh-verify", "replay", arg}); code != exitRefused || !strings.Contains(out.String(), "zip/no-session") {
			t.Errorf("%s: exit code %d\n%s", arg, code, out.String())
		}
	}
}

// TestStoreLogs holds what is said of stores by their write-ahead logs, named and in
// a folder: a log that has everything, one that is gone, and one that is damaged.
func TestStoreLogs(t *testing.T) {
	live := filepath.Join(t.TempDir(), "store.db")
	db := storetest.Open(t, live, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"+storetest.Schema)
	for _, id := range []string{"a", "b", "c"} {
		if err := storetest.Session(db, id, readFixture(t, "text-one-turn/session.jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	file, log := readAll(t, live), readAll(t, live+"-wal")
	flipped := bytes.Clone(log)
	flipped[len(flipped)*4/5] ^= 1
	for _, c := range []struct {
		name   string
		log    []byte
		strict bool
		code   int
		says   string
	}{
		{"whole", log, true, exitOK, "rebuilt"},
		{"none", nil, false, exitRefused, "copy the -wal file too"},
		{"flipped", flipped, false, exitOK, finding.StoreLogDamaged.String()},
		{"flipped", flipped, true, exitUnverifiable, finding.StoreLogDamaged.String()},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "store.db")
		os.WriteFile(path, file, 0o644)
		if c.log != nil {
			os.WriteFile(path+"-wal", c.log, 0o644)
		}
		for _, args := range [][]string{{"replay", path}, {"scan", dir}} {
			if c.strict {
				args = append(args, "--strict")
			}
			code, out, errs := runIn(context.Background(), args...)
			if code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("%s, %v: exit code %d\n%s%s", c.name, args, code, out, errs)
			}
		}
	}
}

func readAll(t *testing.T, path string) []byte {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
