package exportzip

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// The codes of archives.
const (
	CodeDamaged   logformat.Code = "zip/damaged"
	CodePath      logformat.Code = "zip/unsafe-path"
	CodeBackslash logformat.Code = "zip/backslash"
	CodeLink      logformat.Code = "zip/link"
	CodeDuplicate logformat.Code = "zip/duplicate-entry"
	CodeEncrypted logformat.Code = "zip/encrypted"
	CodeMethod    logformat.Code = "zip/unknown-method"
	CodeEntry     logformat.Code = "zip/entry-damaged"
	CodeMany      logformat.Code = "zip/too-many-entries"
	CodeOverlap   logformat.Code = "zip/overlapping-entries"
	CodeNoSession logformat.Code = "zip/no-session"
)

// Codes describes the refusals of archives and their entries.
func Codes() []logformat.CodeInfo {
	const again = "Export the session again."
	const foreign = "No exporter writes this: do not unpack the archive, and ask where it comes from."
	return []logformat.CodeInfo{
		{Code: CodeDamaged, Class: logformat.Corrupt, Meaning: "the archive's directory cannot be read", Action: again},
		{Code: CodePath, Class: logformat.Corrupt, Meaning: "an entry's name leads out of the archive", Action: foreign},
		{Code: CodeBackslash, Class: logformat.Corrupt, Meaning: "entries have backslashes between the parts of their names, as Windows PowerShell 5 and old .NET programs pack them, so it is not clear which folders they belong to", Action: "Pack the folder again with another program, or name the folder that it was packed from."},
		{Code: CodeLink, Class: logformat.Corrupt, Meaning: "an entry is a link or a special file", Action: foreign},
		{Code: CodeDuplicate, Class: logformat.Corrupt, Meaning: "two entries have the same name, so it is not clear which one counts", Action: foreign},
		{Code: CodeEncrypted, Class: logformat.Corrupt, Meaning: "an entry is encrypted", Action: "Export the session again, without encryption."},
		{Code: CodeMethod, Class: logformat.Corrupt, Meaning: "an entry is compressed by a method that no exporter uses", Action: again},
		{Code: CodeEntry, Class: logformat.Corrupt, Meaning: "an entry's bytes do not match what the directory says of their length or checksum", Action: again},
		{Code: CodeMany, Class: logformat.Corrupt, Meaning: fmt.Sprintf("the archive's directory is longer than %d entries or %d bytes, and is not read further", MaxEntries, maxDirectory), Action: "Unpack it, and name the folder."},
		{Code: CodeOverlap, Class: logformat.Corrupt, Meaning: "entries lie over each other in the archive, so that a few bytes stand for many", Action: foreign},
		{Code: CodeNoSession, Class: logformat.Corrupt, Meaning: "the archive holds neither a session.jsonl nor a session.vN.jsonl, so there is no session in it", Action: "Check that it is the archive that the harness exported."},
	}
}

// How ZIP files start: with an entry, or with the directory when there is none.
const (
	magicEntry = "PK\x03\x04"
	magicEmpty = "PK\x05\x06"
)

// IsArchive reports whether a file starts as a ZIP file does.
func IsArchive(r io.ReaderAt) bool {
	var head [4]byte
	_, err := r.ReadAt(head[:], 0)
	return (err == nil || err == io.EOF) && (string(head[:]) == magicEntry || string(head[:]) == magicEmpty)
}

// An Archive is an open archive.
type Archive struct {
	name    string
	root    string // the folder of the root session, as "export/" or ""; absent where there is none
	hasRoot bool
	files   map[string]*zip.File
	folders map[string][]string // names of files by folder
	refused []*logformat.Refusal
	images  images

	faults map[logformat.Code]*faulty
}

// Open reads the directory of an archive. What is wrong with single entries is
// in Refused; an archive that cannot be read at all is an error of type
// *logformat.Refusal. One without a session is too, with the code [CodeNoSession], and
// is returned all the same: what is in it may say where the session is.
func Open(name string, r io.ReaderAt, size int64) (*Archive, error) {
	zr, err := readDirectory(r, size)
	if err != nil {
		return nil, err
	}
	a := &Archive{name: name, files: make(map[string]*zip.File), folders: make(map[string][]string), faults: make(map[logformat.Code]*faulty)}
	for _, f := range zr.File {
		a.add(f)
	}
	a.countFaults()
	a.root, a.hasRoot = a.findRoot()
	a.images = newImages(a.files)
	if len(a.Sessions()) == 0 && len(a.refused) == 0 {
		detail := fmt.Sprintf("%d entries", len(zr.File))
		if len(zr.File) == 1 {
			detail = "1 entry"
		}
		return a, refuse(CodeNoSession, detail)
	}
	return a, nil
}

// findRoot returns the folder of the session that the archive is about, if there is
// one: the shortest one with a log, when every other log lies in it or in a folder
// below. A packer may have put an export into a folder; a session in a store root that
// was packed is no export.
func (a *Archive) findRoot() (folder string, ok bool) {
	for _, dir := range a.Folders() {
		switch {
		case len(a.logs(dir)) == 0:
		case !ok:
			folder, ok = dir, true
		case !strings.HasPrefix(dir, folder):
			return "", false
		}
	}
	return folder, ok && !isSubagent(folder) && !logformat.IsProjectFolder(path.Base(path.Dir(strings.TrimSuffix(folder, "/"))))
}

// isSubagent recognises the folder of a sub-agent's log.
func isSubagent(dir string) bool {
	_, ok := parentFolder(dir)
	return ok
}

// parentFolder returns the folder of the session that a sub-agent's belongs to.
func parentFolder(dir string) (parent string, ok bool) {
	above := path.Dir(strings.TrimSuffix(dir, "/"))
	if path.Base(above) != "subagents" {
		return "", false
	}
	return strings.TrimSuffix(above, "subagents"), true
}

// Folders returns the folders, each with a slash at its end and "" for
// the archive's own: in the order of their names, so that none comes before those
// above it. What packers add of their own is left out.
func (a *Archive) Folders() []string {
	dirs := make([]string, 0, len(a.folders))
	for dir := range a.folders {
		if dir != "__MACOSX/" && !strings.HasPrefix(dir, "__MACOSX/") {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// Files returns the names of the files in a folder, in their order in the archive.
func (a *Archive) Files(folder string) []string { return a.folders[folder] }

// logs returns a folder's log, twice where it is there in both encodings.
func (a *Archive) logs(folder string) []string {
	newest, _ := logformat.Generations(a.folders[folder])
	return newest
}

// Root returns the folder of the session that the archive is about: an export's, with
// its sub-agents below. ok is false for an archive of several sessions.
func (a *Archive) Root() (folder string, ok bool) { return a.root, a.hasRoot }

func refuse(code logformat.Code, detail string) *logformat.Refusal {
	return &logformat.Refusal{Code: code, Phase: logformat.PhaseContainer, Seq: -1, Detail: detail}
}

// A faulty is what is wrong with some entries: one refusal for all, as a packer does the
// same to every name, and an archive may have many.
type faulty struct {
	refusal *logformat.Refusal // names the first
	entries int
}

func (a *Archive) refuseEntry(code logformat.Code, name string) {
	if a.faults[code] == nil {
		a.faults[code] = &faulty{refusal: refuse(code, fmt.Sprintf("entry %.200q", name))}
		a.refused = append(a.refused, a.faults[code].refusal)
	}
	a.faults[code].entries++
}

// countFaults completes the refusals.
func (a *Archive) countFaults() {
	for _, f := range a.faults {
		if f.entries > 1 {
			f.refusal.Detail += fmt.Sprintf(" and %d more", f.entries-1)
		}
	}
}

func (a *Archive) add(f *zip.File) {
	if code := fault(f); code != "" {
		a.refuseEntry(code, f.Name)
		return
	}
	if strings.HasSuffix(f.Name, "/") {
		if _, seen := a.folders[f.Name]; !seen {
			a.folders[f.Name] = nil // it may be empty
		}
		return
	}
	if _, twice := a.files[f.Name]; twice {
		a.refuseEntry(CodeDuplicate, f.Name)
		return
	}
	a.files[f.Name] = f
	dir, file := path.Split(f.Name)
	a.folders[dir] = append(a.folders[dir], file)
}

// fault returns why an entry is refused, "" when it is not.
func fault(f *zip.File) logformat.Code {
	switch name := f.Name; {
	case leadsOut(strings.ReplaceAll(name, "\\", "/")), strings.Contains(name, "\x00"):
		return CodePath
	case strings.Contains(name, "\\"):
		return CodeBackslash
	case f.Flags&1 != 0:
		return CodeEncrypted
	case f.Mode()&fs.ModeType&^fs.ModeDir != 0:
		return CodeLink
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return CodeMethod
	}
	return ""
}

// leadsOut recognises a name of a file that lies outside of where an archive is
// unpacked.
func leadsOut(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':' && isLetter(name[0]) ||
		slices.Contains(strings.Split(name, "/"), "..")
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// Sessions returns the entries that hold a session's log, in the order of their
// folders. Of each folder that is the newest generation, as [logformat.Generations]
// has it.
func (a *Archive) Sessions() (entries []string) {
	for _, dir := range a.Folders() {
		for _, name := range a.logs(dir) {
			entries = append(entries, dir+name)
		}
	}
	return entries
}

// Refused returns what is wrong with single entries.
func (a *Archive) Refused() []*logformat.Refusal { return a.refused }

// OpenSession opens a session's log. Damage of the entry is a *logformat.Refusal
// from Read.
func (a *Archive) OpenSession(name string) (io.ReadCloser, error) {
	f := a.files[name]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	return openEntry(f)
}

func openEntry(f *zip.File) (io.ReadCloser, error) {
	rc, err := f.Open()
	if err != nil {
		return nil, refuse(CodeEntry, fmt.Sprintf("entry %.200q: %v", f.Name, err))
	}
	return &entryReader{rc, f}, nil
}

// An entryReader turns what archive/zip says of a damaged entry into a refusal.
type entryReader struct {
	io.ReadCloser
	file *zip.File
}

func (e *entryReader) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = refuse(CodeEntry, fmt.Sprintf("entry %.200q: %v", e.file.Name, err))
	}
	return n, err
}
