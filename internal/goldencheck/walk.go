package goldencheck

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/golden"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/authored"
)

// A transcript is a log that is kept, and where its sum file is.
type transcript struct {
	dir string // as the report calls it
	log string // file name, "" when only the sum file is there
	sum string // file name
	// files are the session's, of which log is the first of the newest generation; zero
	// for the children of an authored transcript.
	files source.Files
	newer string // file of a newer generation beside a log that was named, "" when there is none
	named bool   // by itself, and not found in a folder
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

var sumName = regexp.MustCompile(`^requests(\.[0-9]{1,9})?\.sum$`)

// sumOf returns the name of a log's sum file, "" when the file is no log. Every
// generation of a session has the same one: the newest is the session.
func sumOf(log string) string {
	if _, _, ok := logformat.ParseFileName(log); ok {
		return golden.FileName
	}
	if number, ok := authored.Number(log); ok {
		return "requests." + number + ".sum"
	}
	return ""
}

// find returns the transcripts that an argument names: a log, or all below a
// folder, in the order of their paths; and the links to folders, which are not
// followed.
func find(arg string) (*walker, error) {
	info, err := os.Stat(arg)
	if err != nil {
		return nil, err
	}
	w := &walker{}
	if !info.IsDir() {
		dir, log := filepath.Split(filepath.Clean(arg))
		sum := sumOf(log)
		if sum == "" {
			sum = log + ".sum"
		}
		files := source.FilesOf(filepath.Clean(dir))
		w.found = []*transcript{{dir: filepath.Clean(dir), log: log, sum: sum, newer: files.NewerThan(log), named: true}}
		return w, nil
	}
	return w, w.folder(filepath.Clean(arg))
}

// A walker looks for transcripts in a folder and those below it, each in the order of
// their names. A folder that is named is walked, by whatever link; links in it are not.
type walker struct {
	found []*transcript
	links []string
	stray []finding.Finding // about files that look like logs, where no session is
}

func (w *walker) folder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	in, copies := inFolder(dir, entries)
	w.found = append(w.found, in...)
	if len(copies) > 0 && (len(in) == 0 || !in[0].isSession()) {
		w.stray = append(w.stray, finding.New(finding.StoreNoGeneration, finding.Plain(listed(copies)), finding.Place{Seq: -1, File: filepath.ToSlash(dir)}))
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case slices.Contains([]string{".git", "node_modules", "attachments"}, e.Name()):
		case e.Name() == "workspace" && len(in) > 0 && in[0].isSession(): // the files that a scenario starts from
		case e.IsDir():
			if err := w.folder(path); err != nil {
				return err
			}
		case e.Type()&fs.ModeSymlink != 0 && isFolder(path):
			w.links = append(w.links, filepath.ToSlash(path))
		}
	}
	return nil
}

// isSession tells a session from the children of one, and from a lone sum file.
func (t *transcript) isSession() bool { return t.log != "" && t.sum == golden.FileName }

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// inFolder returns the transcripts of one folder: the session first, then its
// children by number, then sum files without a log. copies only look like logs.
func inFolder(dir string, entries []fs.DirEntry) (found []*transcript, copies []string) {
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	bySum := make(map[string]*transcript)
	add := func(t *transcript) {
		bySum[t.sum] = t
		found = append(found, t)
	}
	files := source.Choose(names)
	// A copy that a tool keeps of a file that it changes is in nobody's way here.
	isBackup := func(name string) bool { return filepath.Ext(name) != ".jsonl" && filepath.Ext(name) != ".zstd" }
	files.Copies = slices.DeleteFunc(files.Copies, isBackup)
	switch {
	case len(files.Logs) > 0:
		add(&transcript{dir: dir, log: files.Logs[0], sum: golden.FileName, files: files})
	case files.Absent != "":
		add(&transcript{dir: dir, log: files.Absent, sum: golden.FileName, files: files})
	}
	for _, name := range names {
		if sum := sumOf(name); sum != "" && sum != golden.FileName {
			add(&transcript{dir: dir, log: name, sum: sum})
		}
	}
	for _, e := range entries { // a folder too: it lies where a sum file should
		if name := e.Name(); sumName.MatchString(name) && bySum[name] == nil {
			add(&transcript{dir: dir, sum: name})
		}
	}
	slices.SortStableFunc(found, func(a, b *transcript) int {
		return cmp.Or(cmp.Compare(len(a.sum), len(b.sum)), strings.Compare(a.sum, b.sum))
	})
	return found, files.Copies
}
