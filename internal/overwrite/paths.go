package overwrite

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/policy"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// sameFile reports whether two paths lead to one file that is there.
func sameFile(a, b string) bool {
	at, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(at, other)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// sameName reports whether two paths name one file. File systems exist for which
// case is no difference, so it is none here.
func sameName(a, b string) bool { return strings.EqualFold(resolved(a), resolved(b)) }

// hasIndex reports whether a file lies in a folder of captured bodies.
func hasIndex(path string) bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(resolved(path)), "index.jsonl"))
	return err == nil
}

// isObjectFile tells the objects of a store and the images of an export by their
// place.
func isObjectFile(path string) bool {
	dir := filepath.Dir(resolved(path))
	store := strings.ToLower(filepath.Base(filepath.Dir(dir)))
	return store == "objects" || store == "request-images" || strings.EqualFold(filepath.Base(dir), "media")
}

// isLogFile tells the files that are read below a folder of logs by their names,
// in any case.
func isLogFile(path string) bool {
	name := strings.ToLower(filepath.Base(resolved(path)))
	if _, _, isLog := logformat.ParseFileName(name); isLog || name == "requests.jsonl" {
		return true
	}
	switch filepath.Ext(name) {
	case ".jsonl":
		return strings.HasPrefix(name, "session.")
	case ".zstd", ".zip", ".db", ".sqlite", ".sqlite3":
		return true
	case ".sum":
		return strings.HasPrefix(name, "requests.")
	}
	return name == policy.FileName
}

// resolved returns a path without links and relative parts. Of a file that is not
// there, its folder is resolved.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// isInFolder reports whether a file lies below what is a folder.
func isInFolder(path, dir string) bool { return isFolder(dir) && isBelow(path, dir) }

// isBelow reports whether a file lies below a folder, links resolved, whatever the
// case of its path.
func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(strings.ToLower(resolved(dir)), strings.ToLower(resolved(path)))
	return err == nil && filepath.IsLocal(rel)
}
