//go:build unix

package objectstore

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipe checks that a pipe in an object's place is a finding and no hang.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "objects", pebble.Digest()[:2], pebble.Digest())
	os.MkdirAll(filepath.Dir(at), 0o755)
	if err := syscall.Mkfifo(at, 0o644); err != nil {
		t.Skip(err)
	}
	if c := verify(t, dir, pebble); c.Failure == nil || c.Failure.Code != CodeNotAFile {
		t.Errorf("%+v", c.Failure)
	}
}
