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
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// The codes of archives.
const (
	CodeDamaged   logformat.Code = "zip/damaged"
	CodePath      logformat.Code = "zip/unsafe-path"
	CodeLink      logformat.Code = "zip/link"
	CodeDuplicate logformat.Code = "zip/duplicate-entry"
	CodeEncrypted logformat.Code = "zip/encrypted"
	CodeMethod    logformat.Code = "zip/unknown-method"
	CodeEntry     logformat.Code = "zip/entry-damaged"
	CodeNoSession logformat.Code = "zip/no-session"
)

// Codes describes the refusals of archives and their entries.
func Codes() []logformat.CodeInfo {
	const again = "Export the session again."
	const foreign = "No exporter writes this: do not unpack the archive, and ask where it comes from."
	return []logformat.CodeInfo{
		{Code: CodeDamaged, Class: logformat.Corrupt, Meaning: "the archive's directory cannot be read", Action: again},
		{Code: CodePath, Class: logformat.Corrupt, Meaning: "an entry's name leads out of the archive", Action: foreign},
		{Code: CodeLink, Class: logformat.Corrupt, Meaning: "an entry is a link or a special file", Action: foreign},
		{Code: CodeDuplicate, Class: logformat.Corrupt, Meaning: "two entries have the same name, so it is not clear which one counts", Action: foreign},
		{Code: CodeEncrypted, Class: logformat.Corrupt, Meaning: "an entry is encrypted", Action: "Export the session again, without encryption."},
		{Code: CodeMethod, Class: logformat.Corrupt, Meaning: "an entry is compressed by a method that no exporter uses", Action: again},
		{Code: CodeEntry, Class: logformat.Corrupt, Meaning: "an entry's bytes do not match what the directory says of their length or checksum", Action: again},
		{Code: CodeNoSession, Class: logformat.Corrupt, Meaning: "the archive holds no session.jsonl, so it is no session export", Action: "Check that it is the archive that the harness exported."},
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

// An Archive is an open export archive.
type Archive struct {
	name     string
	prefix   string // the folder that everything lies in, as "export/"; "" when nothing does
	files    map[string]*zip.File
	sessions []string
	refused  []*logformat.Refusal
}

// Open reads the directory of an archive. What is wrong with single entries is
// in Refused; an archive that cannot be read at all is an error of type
// *logformat.Refusal.
func Open(name string, r io.ReaderAt, size int64) (*Archive, error) {
	zr, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, refuse(CodeDamaged, err.Error())
	}
	a := &Archive{name: name, files: make(map[string]*zip.File)}
	for _, f := range zr.File {
		a.add(f)
	}
	a.prefix = commonFolder(a.files)
	for name := range a.files {
		if rest, ok := strings.CutPrefix(name, a.prefix); ok && (rest == rootSession || isSubagent(rest)) {
			a.sessions = append(a.sessions, name)
		}
	}
	slices.SortFunc(a.sessions, func(x, y string) int {
		if isRoot := x == a.prefix+rootSession; isRoot != (y == a.prefix+rootSession) {
			if isRoot {
				return -1
			}
			return 1
		}
		return strings.Compare(x, y)
	})
	if len(a.sessions) == 0 && len(a.refused) == 0 {
		detail := fmt.Sprintf("%d entries", len(zr.File))
		if len(zr.File) == 1 {
			detail = "1 entry"
		}
		return nil, refuse(CodeNoSession, detail)
	}
	return a, nil
}

// commonFolder returns the folder with a session.jsonl that every entry lies in,
// as in an export that was unpacked and packed again with its folder. What a
// packer adds of its own does not count.
func commonFolder(files map[string]*zip.File) string {
	prefix := ""
	for name := range files {
		dir, file := path.Split(name)
		if file == rootSession && dir != "" && (prefix == "" || len(dir) < len(prefix)) {
			prefix = dir
		}
	}
	for name := range files {
		if !strings.HasPrefix(name, prefix) && !strings.HasPrefix(name, "__MACOSX/") && path.Base(name) != ".DS_Store" {
			return ""
		}
	}
	if strings.HasPrefix(prefix, "subagents/") {
		return "" // of an export that lacks its root session
	}
	return prefix
}

const rootSession = "session.jsonl"

func refuse(code logformat.Code, detail string) *logformat.Refusal {
	return &logformat.Refusal{Code: code, Phase: logformat.PhaseContainer, Seq: -1, Detail: detail}
}

func (a *Archive) add(f *zip.File) {
	if code := fault(f); code != "" {
		a.refused = append(a.refused, refuse(code, fmt.Sprintf("entry %.200q", f.Name)))
		return
	}
	if strings.HasSuffix(f.Name, "/") {
		return
	}
	if _, twice := a.files[f.Name]; twice {
		a.refused = append(a.refused, refuse(CodeDuplicate, fmt.Sprintf("entry %.200q", f.Name)))
		return
	}
	a.files[f.Name] = f
}

func isSubagent(name string) bool {
	dir, file := path.Split(name)
	return file == rootSession && strings.HasPrefix(dir, "subagents/") && strings.Count(dir, "/") == 2
}

// fault returns why an entry is refused, "" when it is not.
func fault(f *zip.File) logformat.Code {
	switch name := f.Name; {
	case strings.HasPrefix(name, "/"), strings.ContainsAny(name, "\\\x00"), len(name) > 1 && name[1] == ':' && isLetter(name[0]),
		slices.Contains(strings.Split(name, "/"), ".."):
		return CodePath
	case f.Flags&1 != 0:
		return CodeEncrypted
	case f.Mode()&fs.ModeType&^fs.ModeDir != 0:
		return CodeLink
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return CodeMethod
	}
	return ""
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// Sessions returns the entries that hold a session, the root first.
func (a *Archive) Sessions() []string { return a.sessions }

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

// Media returns the archive's images as an object store.
func (a *Archive) Media() objectstore.Store { return media{a} }

type media struct{ a *Archive }

// Name returns the archive's name.
func (m media) Name() string { return m.a.name }

// Open opens an image by its digest, whatever its suffix says.
func (m media) Open(digest string) (*objectstore.Object, *objectstore.Failure) {
	for _, suffix := range []string{"png", "jpg", "webp", "gif"} {
		name := m.a.prefix + "media/sha256:" + digest + "." + suffix
		if f := m.a.files[name]; f != nil {
			rc, err := openEntry(f)
			if err != nil {
				return nil, &objectstore.Failure{Code: objectstore.CodeUnreadable, Detail: err.Error()}
			}
			return &objectstore.Object{ReadCloser: rc, Path: m.a.name + "/" + name}, nil
		}
	}
	return nil, &objectstore.Failure{Code: objectstore.CodeMissing, Detail: "the archive holds no such image"}
}

// OpenRequestImage says that archives hold no request images.
func (m media) OpenRequestImage(string) (*objectstore.Object, *objectstore.Failure) {
	return nil, &objectstore.Failure{Code: objectstore.CodeMissing, Detail: "archives hold no request images"}
}
