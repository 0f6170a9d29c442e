package locate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/exportzip"
	"github.com/dsh-verify/dsh-verify/logformat/sqlitestore"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

var logFiles = []string{"session.jsonl", "session.jsonl.zstd"}

// inFolder finds the logs in a folder, its own first, and all below it.
func inFolder(dir string) *Place {
	w := &walker{Place: &Place{}, ids: map[string]string{}, encodings: map[string]map[string]bool{}}
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
	ids       map[string]string          // root and id to the folder that has it
	encodings map[string]map[string]bool // by root
	links     []string                   // to folders, which are not followed
	deep      []string                   // folders below maxDepth
}

// folder adds what a folder holds, and then what those in it hold. The images of
// an unpacked export are passed down to its sub-agents.
func (w *walker) folder(dir string, depth int, media objectstore.Store) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.unreadable(dir, err)
	}
	var logs []*Log
	var folders, others []string
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(dir, name)
		switch mode, linked := kind(path, e); {
		case mode.IsDir() && linked:
			w.links = append(w.links, path)
		case mode.IsDir():
			folders = append(folders, name)
		case slices.Contains(logFiles, name): // a pipe too: it is said so, and not passed over
			logs = append(logs, w.found(path, depth))
		case mode.IsRegular() || mode != broken && isContainer(name):
			others = append(others, name)
		}
	}
	if len(logs) > 0 && slices.Contains(folders, "media") {
		media = objectstore.OpenMedia(filepath.Join(dir, "media"))
	}
	for _, l := range logs {
		l.Media = media
	}
	if len(logs) > 1 {
		w.find(finding.StoreTwoEncodings, "both session.jsonl and session.jsonl.zstd", dir)
	}
	w.Lead = w.Lead || depth == 0 && len(logs) == 1
	w.Logs = append(w.Logs, logs...)
	for _, name := range others {
		w.file(filepath.Join(dir, name), name, len(logs) > 0)
	}
	for _, name := range folders {
		if name == "attachments" || name == "node_modules" || name == ".git" || len(logs) > 0 && name == "media" {
			continue
		}
		path := filepath.Join(dir, name)
		switch {
		case depth == maxDepth:
			w.deep = append(w.deep, path)
		case name == "subagents" || len(logs) == 0:
			w.folder(path, depth+1, media)
		default:
			w.folder(path, depth+1, nil)
		}
	}
}

// broken is the kind of a link that leads nowhere.
const broken = fs.ModeIrregular

// kind returns what an entry is, behind a link too.
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

// found returns a log that a folder holds. In a store root its path must be what
// its header says; of a folder that is named itself nobody asks where it lies.
func (w *walker) found(path string, depth int) *Log {
	dir := filepath.Dir(path)
	l := fileLog(path)
	root, storePath, ok := inStoreRoot(dir)
	if !ok || depth == 0 {
		return l
	}
	l.Root, l.StorePath = root, storePath
	if w.encodings[root] == nil {
		w.encodings[root] = map[string]bool{}
	}
	w.encodings[root][filepath.Base(path)] = true
	id := root + "\x00" + filepath.Base(dir)
	if other, twice := w.ids[id]; twice && other != dir {
		w.find(finding.StoreDuplicate, "also in "+other, dir)
	}
	w.ids[id] = dir
	return l
}

// file adds what another file holds, or what is wrong with its being there.
func (w *walker) file(path, name string, besideLog bool) {
	switch {
	case isDatabase(name):
		w.database(path)
	case isArchive(name):
		w.archive(path)
	case besideLog && isLeftover(name):
		w.find(finding.StoreLeftover, name, path)
	case isFlat(path, name):
		w.find(finding.StoreFlatFile, name, path)
	}
}

// finish reports what is known when all was seen.
func (w *walker) finish(dir string) {
	var mixed []string
	for root, kinds := range w.encodings {
		if len(kinds) > 1 {
			mixed = append(mixed, root)
		}
	}
	slices.Sort(mixed)
	for _, root := range mixed {
		w.find(finding.StoreMixed, "session.jsonl and session.jsonl.zstd", root)
	}
	w.list(finding.InputLink, w.links, dir)
	w.list(finding.InputTooDeep, w.deep, dir)
}

// list reports paths that have one thing in common.
func (w *walker) list(code string, paths []string, dir string) {
	if len(paths) == 0 {
		return
	}
	const most = 20
	f := finding.New(code, fmt.Sprint(len(paths)), finding.Place{Seq: -1, File: dir})
	f.Detail = slices.Clip(paths[:min(most, len(paths))])
	if more := len(paths) - most; more > 0 {
		f.Detail = append(f.Detail, fmt.Sprintf("… and %d more", more))
	}
	w.Findings = append(w.Findings, f)
}

// inStoreRoot tells a session's folder in a store root by the name of the
// project's folder above it.
func inStoreRoot(dir string) (root, storePath string, ok bool) {
	project := filepath.Base(filepath.Dir(dir))
	if project != logformat.NoCwdFolder && !(len(project) > 4 && strings.HasPrefix(project, "--") && strings.HasSuffix(project, "--")) {
		return "", "", false
	}
	return filepath.Dir(filepath.Dir(dir)), project + "/" + filepath.Base(dir), true
}

func isDatabase(name string) bool {
	switch filepath.Ext(name) {
	case ".db", ".sqlite", ".sqlite3":
		return true
	}
	return false
}

func isArchive(name string) bool { return strings.EqualFold(filepath.Ext(name), ".zip") }

func isContainer(name string) bool { return isDatabase(name) || isArchive(name) }

// database adds the sessions of a store below a walked folder; other databases
// are left alone.
func (w *walker) database(path string) {
	f, err := regular.Open(path)
	if err != nil {
		w.unreadable(path, err)
		return
	}
	ours := sqlitestore.HasApplicationID(f)
	f.Close()
	if !ours {
		return
	}
	inner, err := store(path)
	if err != nil {
		w.unreadable(path, err)
		return
	}
	w.add(inner)
}

// archive adds the sessions of an export archive below a walked folder; other
// archives are left alone. An archive is opened for each read, as there may be
// more of them than files can be open.
func (w *walker) archive(path string) {
	f, err := regular.Open(path)
	if err != nil {
		w.unreadable(path, err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !exportzip.IsArchive(f) {
		return
	}
	inner, err := archive(path, onDemand(path), info.Size(), nil)
	if err == nil && len(inner.Logs) > 0 {
		w.add(inner)
		return
	}
	refusal, refused := errors.AsType[*logformat.Refusal](err)
	switch {
	case refused && refusal.Code == exportzip.CodeNoSession:
	case !mentions(f, info.Size(), logFiles[0]):
		if refused {
			w.find(finding.InputForeignArchive, refusal.Detail, path)
		}
	case err != nil:
		w.unreadable(path, err)
	default:
		w.add(inner)
	}
}

// An onDemand reads a file that is open only while it is read.
type onDemand string

// ReadAt reads from the file as it is now.
func (path onDemand) ReadAt(p []byte, off int64) (int, error) {
	f, err := regular.Open(string(path))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(p, off)
}

// mentions reports whether the start or the end of a file, where an archive names
// its entries, holds a text.
func mentions(f *os.File, size int64, text string) bool {
	buf := make([]byte, 64<<10)
	for _, off := range []int64{0, max(0, size-int64(len(buf)))} {
		n, _ := f.ReadAt(buf, off)
		if strings.Contains(string(buf[:n]), text) {
			return true
		}
	}
	return false
}

// add takes over what a file of the folder holds.
func (w *walker) add(inner *Place) {
	w.Logs = append(w.Logs, inner.Logs...)
	w.Findings = append(w.Findings, inner.Findings...)
	w.closers = append(w.closers, inner.closers...)
}

// isFlat tells a log of the layout that was given up: a file of its own in a
// project's folder.
func isFlat(path, name string) bool {
	project := filepath.Base(filepath.Dir(path))
	return (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.zstd")) && name != "requests.jsonl" &&
		(project == logformat.NoCwdFolder || strings.HasPrefix(project, "--") && strings.HasSuffix(project, "--"))
}

// isLeftover tells a temporary file in a session's folder.
// policyFile is this tool's own file.
const policyFile = ".dsh-verify.yaml"

func isLeftover(name string) bool {
	if name == policyFile {
		return false
	}
	return strings.HasSuffix(name, ".tmp") || strings.HasPrefix(name, ".dsh-") || strings.HasPrefix(name, "session.jsonl")
}

// unreadable reports what could not be opened, by its own code where it has one.
func (p *Place) unreadable(path string, err error) {
	if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
		f := finding.FromRefusal(refusal)
		f.Place.File = path
		p.Findings = append(p.Findings, f)
		return
	}
	reason := err.Error()
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		reason = inner.Err.Error()
		if inner.Path != path { // what lies beside it
			reason = filepath.Base(inner.Path) + ": " + reason
		}
	}
	p.find(finding.InputUnreadable, reason, path)
}

func (p *Place) find(code, detail, path string) {
	p.Findings = append(p.Findings, finding.New(code, detail, finding.Place{Seq: -1, File: path}))
}
