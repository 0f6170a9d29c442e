package source

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// inFolder finds the logs in a folder, its own first, and all below it.
func inFolder(dir string) *Place {
	w := &walker{Place: &Place{}, roots: newRoots()}
	w.folder(filepath.Clean(dir), 0, nil)
	w.finish(dir)
	return w.Place
}

// maxDepth is how deep below a named folder sessions are looked for: a home
// holds them four levels down.
const maxDepth = 16

// A walker looks for logs in a folder and those below it.
type walker struct {
	*Place
	roots roots
	links []string // to folders, which are not followed
	deep  []string // folders below maxDepth
}

// A listing is what lies in one folder.
type listing struct {
	dir     string
	folders []string
	files   []string // what is no folder, whatever it is
	kinds   map[string]fs.FileMode
	fault   error // why a session's folder cannot be listed
}

// list reads a folder. In a session's folder of a store root a folder under a log's
// name counts as the log, as it does for the harness, which cannot read it.
func (w *walker) list(dir string) *listing {
	entries, err := os.ReadDir(dir)
	_, inRoot := locationOf(dir)
	in := &listing{dir: dir, kinds: make(map[string]fs.FileMode)}
	switch {
	case err != nil && inRoot:
		in.fault = err // of the session
	case err != nil:
		w.unreadable(dir, err)
	}
	for _, e := range entries {
		name := e.Name()
		mode, linked := kind(filepath.Join(dir, name), e)
		in.kinds[name] = mode
		if _, _, isLog := logformat.ParseFileName(name); !mode.IsDir() || inRoot && isLog {
			in.files = append(in.files, name)
		}
		switch {
		case mode.IsDir() && linked:
			w.links = append(w.links, filepath.Join(dir, name))
		case mode.IsDir():
			in.folders = append(in.folders, name)
		}
	}
	return in
}

// folder adds what a folder holds, and then what those in it hold. The images of
// an unpacked export are passed down to its sub-agents.
func (w *walker) folder(dir string, depth int, media objectstore.Store) {
	in := w.list(dir)
	s := Choose(in.files)
	before := len(w.Logs)
	if len(s.Logs) > 0 && slices.Contains(in.folders, "media") {
		media = objectstore.OpenMedia(filepath.Join(dir, "media"))
	}
	for _, l := range w.session(dir, &s) {
		l.Media = media
		w.Logs = append(w.Logs, l)
	}
	w.Lead = w.Lead || depth == 0 && len(s.Logs) == 1
	for _, name := range in.files {
		w.file(dir, name, in.kinds[name])
	}
	w.below(in, depth, len(s.Logs) > 0, media)
	if _, inRoot := locationOf(dir); s.Absent != "" || inRoot && len(w.Logs) == before {
		w.absent(in, &s)
		return
	}
	w.beside(dir, in.files, &s)
}

// below adds what the folders of a folder hold.
func (w *walker) below(in *listing, depth int, isSession bool, media objectstore.Store) {
	for _, name := range in.folders {
		path := filepath.Join(in.dir, name)
		switch {
		case logformat.IsProjectFolder(filepath.Base(in.dir)): // every folder in it is a session's, whatever its id
			w.folder(path, depth+1, nil)
		case name == "attachments" || name == "node_modules" || name == ".git" || isSession && name == "media":
		case depth == maxDepth:
			w.deep = append(w.deep, path)
		case name == "subagents" || !isSession:
			w.folder(path, depth+1, media)
		default:
			w.folder(path, depth+1, nil)
		}
	}
}

// broken is the kind of a link that leads nowhere.
const broken = fs.ModeIrregular

// kind returns what an entry is, through a link too.
func kind(path string, e fs.DirEntry) (mode fs.FileMode, linked bool) {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type(), false
	}
	info, err := os.Stat(path)
	if err != nil {
		return broken, true
	}
	return info.Mode().Type(), true
}

// session returns the logs that a folder holds.
func (w *walker) session(dir string, s *Files) (logs []*Log) {
	for _, name := range s.Logs {
		l := fileLog(filepath.Join(dir, name))
		l.Older = s.Older
		logs = append(logs, l)
	}
	if at, ok := locationOf(dir); ok {
		w.roots.note(w.Place, at.root, dir, s)
	}
	return logs
}

// file adds what another file holds, or what is wrong with its being there.
func (w *walker) file(dir, name string, mode fs.FileMode) {
	path := filepath.Join(dir, name)
	switch {
	case mode.IsDir() || mode == broken || !mode.IsRegular() && !isContainer(name):
	case isDatabase(name):
		w.database(path)
	case isArchive(name):
		w.archive(path)
	}
}

// absent adds a session's folder in which the session's log is not.
func (w *walker) absent(in *listing, s *Files) {
	l := absent(in.dir, in.files, s)
	l.Dir, l.Modified = in.dir, lastWritten(in.dir)
	at, _ := locationOf(in.dir)
	l.Root, l.StorePath = at.root, at.storePath
	if in.fault != nil {
		l.Absent = finding.New(finding.InputUnreadable, finding.Plain(reason(in.dir, in.fault)), l.Absent.Place)
	}
	w.Absent = append(w.Absent, l)
}

// finish reports what is known when all was seen.
func (w *walker) finish(dir string) {
	w.roots.finish(w.Place)
	w.report(finding.InputLink, w.links, dir)
	w.report(finding.InputTooDeep, w.deep, dir)
}

// list reports paths that have one thing in common.
func (w *walker) report(code finding.Code, paths []string, dir string) {
	if len(paths) == 0 {
		return
	}
	const most = 20
	f := finding.New(code, finding.Plain(fmt.Sprint(len(paths))), finding.Place{Seq: -1, File: dir})
	for _, path := range paths[:min(most, len(paths))] {
		f.Detail = append(f.Detail, finding.Plain(path))
	}
	if more := len(paths) - most; more > 0 {
		f.Detail = append(f.Detail, finding.Say("… and %d more", more))
	}
	w.Findings = append(w.Findings, f)
}

// listed names the first of some files.
func listed(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}
