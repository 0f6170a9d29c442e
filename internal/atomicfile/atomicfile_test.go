package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/atomicfile"
)

func TestOnlyWholeFilesTakeTheirPlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.xml")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("half")
	f.Close()
	holds(t, path, "old")

	if err := atomicfile.Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new")
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v: it should stay what it was", info.Mode())
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files were left beside it: %v", entries)
	}
}

func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	os.WriteFile(target, []byte("old"), 0o644)
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := atomicfile.Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, target, "new")
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "such", "folder")} {
		if f, err := atomicfile.Create(path); err == nil {
			f.Close()
			t.Errorf("%s: no error", path)
		}
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", path, got, err, want)
	}
}

func TestDropAll(t *testing.T) {
	dir := t.TempDir()
	f, err := atomicfile.Create(filepath.Join(dir, "report.xml"))
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("half")
	f.File.Close() // where open files cannot be removed
	atomicfile.DropAll()
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}
