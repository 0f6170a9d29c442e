package source

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpool checks that standard input is read once, to a limit, and leaves no file.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	for _, c := range []struct {
		limit int64
		ok    bool
	}{{0, true}, {5, true}, {4, false}} {
		s, err := Spool(strings.NewReader("lamps"), c.limit)
		if (err == nil) != c.ok {
			t.Errorf("limit %d: %v", c.limit, err)
		}
		if err == nil {
			for range 2 {
				if text, _ := io.ReadAll(io.NewSectionReader(s, 0, s.Size)); string(text) != "lamps" {
					t.Errorf("limit %d: %q", c.limit, text)
				}
			}
		}
		s.Close()
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("a lamp"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.Seek(2, io.SeekStart)
	s, err := Spool(f, 1)
	if text, _ := io.ReadAll(io.NewSectionReader(s, 0, s.Size)); string(text) != "lamp" || err != nil {
		t.Errorf("a file with <: %q %v", text, err)
	}
}
