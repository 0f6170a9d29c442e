package main

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unpack writes the files of an archive below a folder, the colon of an image's name
// replaced as on Windows.
func unpack(t *testing.T, archive []byte, dir string) {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		to := filepath.Join(dir, strings.ReplaceAll(f.Name, ":", "_"))
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		text.ReadFrom(rc)
		rc.Close()
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOddNames checks that every command gives for an export in a folder what it gives
// in any other, whatever the folder is called: no path is a pattern.
func TestOddNames(t *testing.T) {
	export := readFixture(t, "export-zip-family/export.zip")
	commands := [][]string{
		{"replay", "--strict", "DIR"},
		{"replay", "--strict", "DIR/session.jsonl"},
		{"attachments", "--strict", "DIR"},
		{"attachments", "--unreferenced", "DIR"},
		{"audit", "DIR"},
		{"scan", "--strict", "DIR"},
		{"requests", "--digests", "DIR"},
		{"show", "DIR", "1"},
		{"cache", "DIR"},
		{"check-upgrade", "DIR"},
		{"report", "-o", "DIR/report.html", "DIR"},
		{"seal", "-o", "DIR/seal.json", "DIR"},
		{"check-seal", "DIR/seal.json", "DIR"},
		{"golden", "check", "DIR"},
		{"golden", "record", "DIR"},
		{"golden", "check", "--against", "DIR", "DIR"},
		{"golden", "check", "DIR/session.jsonl"},
		{"replay", "--config", "DIR/policy.yaml", "DIR"},
	}
	run := func(name string) (results []string) {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Skipf("%q: %v", name, err)
		}
		unpack(t, export, dir)
		if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte("ignore:\n  - {code: lineage/*, path: '**', reason: no parent}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, command := range commands {
			args := make([]string, len(command))
			for i, arg := range command {
				args[i] = strings.ReplaceAll(arg, "DIR", dir)
			}
			code, out, errs := runIn(context.Background(), args...)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			results = append(results, strings.Join(command, " ")+": exit "+string(rune('0'+code))+", "+lines[len(lines)-1]+strings.ReplaceAll(errs, dir, "DIR"))
		}
		return results
	}
	want := run("plain")
	for _, name := range []string{"export[1]", "[", "[a-z]", "what*", "who?", `back\slash`, "{a,b}", "%5B", "-o", "# 1", "a b", "é", "~"} {
		t.Run(name, func(t *testing.T) {
			for i, got := range run(name) {
				if got != want[i] {
					t.Errorf("%s\nwant %s", got, want[i])
				}
			}
		})
	}
}
