//go:build unix

package regular_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/regular"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.WriteFile(at("file"), []byte("text"), 0o644))
	check(os.Symlink("file", at("to-file")))
	check(syscall.Mkfifo(at("pipe"), 0o644))
	check(os.Symlink("pipe", at("to-pipe")))
	check(os.Symlink(os.DevNull, at("to-device")))
	socket, err := net.Listen("unix", at("socket"))
	check(err)
	defer socket.Close()
	for name, want := range map[string]string{
		"file": "", "to-file": "", ".": "folder", "pipe": "pipe", "to-pipe": "pipe", "to-device": "device", "socket": "socket",
	} {
		f, err := regular.Open(at(name))
		var other *regular.NotFile
		switch {
		case err == nil && want == "":
			f.Close()
		case !errors.As(err, &other) || regular.Describe(other.Mode) != want:
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := regular.Open(at("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	if text, err := regular.ReadFile(at("file"), 4); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := regular.ReadFile(at("file"), 3); err == nil {
		t.Error("a file that is too long is read")
	}
}
