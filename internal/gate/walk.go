package gate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/golden"
	"github.com/dsh-verify/dsh-verify/logformat/authored"
)

// A transcript is a log that is kept, and where its sum file is.
type transcript struct {
	dir string // as the report calls it
	log string // file name, "" when only the sum file is there
	sum string // file name
	// twice says that the session's log is there in both encodings.
	twice bool
	named bool // by itself, and not found in a folder
}

func (t *transcript) name() string {
	if t.log == "" {
		return join(t.dir, t.sum)
	}
	return join(t.dir, t.log)
}

// key names the transcript the same way wherever it is named from.
func (t *transcript) key() string {
	dir := t.dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Join(dir, t.sum)
}

func join(dir, name string) string { return filepath.ToSlash(filepath.Join(dir, name)) }

const compressed = "session.jsonl.zstd"

var sumName = regexp.MustCompile(`^requests(\.[0-9]{1,9})?\.sum$`)

// sumOf returns the name of a log's sum file, "" when the file is no log.
func sumOf(log string) string {
	if log == compressed {
		return golden.FileName
	}
	number, ok := authored.Number(log)
	switch {
	case !ok:
		return ""
	case number == "":
		return golden.FileName
	}
	return "requests." + number + ".sum"
}

// find returns the transcripts that an argument names: a log, or all below a
// folder, in the order of their paths; and the links to folders, which are not
// followed.
func find(arg string) (found []*transcript, links []string, err error) {
	info, err := os.Stat(arg)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		dir, log := filepath.Split(filepath.Clean(arg))
		sum := sumOf(log)
		if sum == "" {
			sum = log + ".sum"
		}
		return []*transcript{{dir: filepath.Clean(dir), log: log, sum: sum, named: true}}, nil, nil
	}
	// A folder that is named is walked, by whatever link; links in it are not.
	err = fs.WalkDir(os.DirFS(arg), ".", func(below string, d fs.DirEntry, err error) error {
		path := filepath.Join(arg, filepath.FromSlash(below))
		skipped := below != "." && slices.Contains([]string{".git", "node_modules", "attachments"}, d.Name()) ||
			// The files that a scenario starts from.
			below != "." && d.Name() == "workspace" && isFile(filepath.Join(filepath.Dir(path), "session.jsonl"))
		switch {
		case err != nil:
			return withPath(err, path)
		case !d.IsDir():
			if d.Type()&fs.ModeSymlink != 0 && !skipped && isFolder(path) {
				links = append(links, filepath.ToSlash(path))
			}
			return nil
		case skipped:
			return fs.SkipDir
		}
		in, err := inFolder(path)
		found = append(found, in...)
		return err
	})
	return found, links, err
}

// withPath names a file in an error as the report does.
func withPath(err error, path string) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: pathErr.Op, Path: path, Err: pathErr.Err}
	}
	return err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// inFolder returns the transcripts of one folder: session.jsonl first, then its
// children by number, then sum files without a log.
func inFolder(dir string) (found []*transcript, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	bySum := make(map[string]*transcript)
	var orphans []string
	for _, e := range entries {
		name := e.Name()
		if sumName.MatchString(name) {
			orphans = append(orphans, name)
		}
		sum := sumOf(name)
		if sum == "" || e.IsDir() {
			continue
		}
		if t := bySum[sum]; t != nil { // session.jsonl comes before session.jsonl.zstd
			t.twice = true
			continue
		}
		bySum[sum] = &transcript{dir: dir, log: name, sum: sum}
		found = append(found, bySum[sum])
	}
	for _, sum := range orphans {
		if bySum[sum] == nil {
			found = append(found, &transcript{dir: dir, sum: sum})
		}
	}
	slices.SortStableFunc(found, func(a, b *transcript) int {
		if n := len(a.sum) - len(b.sum); n != 0 {
			return n
		}
		return strings.Compare(a.sum, b.sum)
	})
	return found, nil
}
