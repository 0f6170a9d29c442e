package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/exportzip"
	"github.com/dsh-verify/dsh-verify/logformat/container/sqlitestore"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A Log is one session's log, found but not yet read.
type Log struct {
	Name string // how reports call it: the argument, and what inside it
	// Recording is the path of a requests.jsonl beside the log, "" when there is none.
	Recording string
	// Dir is the folder that the log lies in, "" when it lies in none.
	Dir string
	// Stream says that the log is no file: it came through standard input.
	Stream bool
	// StorePath is the folder below the store root, "" outside of one.
	StorePath string
	// Root is the store root, "" outside of one.
	Root string
	// Follows says that the log was found with another that the argument is about, as
	// a sub-agent's is with its session's.
	Follows bool
	// Media is the store of the images that came with the log, nil when none did.
	Media objectstore.Store
	// Modified is when the log's file was last written, in Unix milliseconds; 0 unknown.
	Modified int64
	// ID is the session's id where the container says it, "" elsewhere.
	ID string
	// Older names the files of older generations that lie beside the log. None of them
	// is read in its place.
	Older []string
	// Newer names the file of a newer generation that lies beside a log that was named
	// itself, "" when there is none: the newer one is the session.
	Newer string
	// Absent says why a log of [Place.Absent] is not there.
	Absent finding.Finding

	judged bool // the place in the store root must be what the header says
	open   func(logformat.Options) (*logformat.Reader, io.Closer, error)
}

// Open opens the log for reading.
func (l *Log) Open(opts logformat.Options) (*logformat.Reader, io.Closer, error) {
	if l.open == nil {
		return nil, nil, errors.New(l.Absent.Message())
	}
	if l.judged {
		opts.StorePath, opts.SamePlace = l.StorePath, l.samePlace
	}
	return l.open(opts)
}

// SessionID returns the id of the log's session, "" when it cannot be told. Where
// the container does not say it, the header line is read.
func (l *Log) SessionID() string {
	if l.ID != "" {
		return l.ID
	}
	r, closer, err := l.Open(logformat.Options{})
	if err != nil {
		return ""
	}
	defer closer.Close()
	defer r.Close()
	h, err := r.Header()
	if err != nil {
		return ""
	}
	return h.ID
}

// HasID reports whether the log is that of a session. A log that cannot be read
// counts when it lies where that session's does.
func (l *Log) HasID(id string) bool {
	if own := l.SessionID(); own != "" {
		return own == id
	}
	return l.StorePath != "" && path.Base(l.StorePath) == logformat.EncodeID(id)
}

// IsAt reports whether a path names the log or its folder: as reports do, or from
// the argument that it was found by.
func (l *Log) IsAt(name, arg string) bool {
	for _, candidate := range []string{name, filepath.Join(arg, name)} {
		if candidate = filepath.Clean(candidate); candidate == filepath.Clean(l.Name) || candidate == filepath.Dir(l.Name) {
			return true
		}
	}
	return false
}

// A Place is what an argument names.
type Place struct {
	Logs []*Log
	// Absent are sessions of which there is a folder, and no log that could be read.
	// They count as sessions, and only their names and findings mean something.
	Absent   []*Log
	Findings []finding.Finding // about the place itself
	// Lead says that the first log is what the place is about, and the others
	// belong to it: an export, a session's folder.
	Lead    bool
	closers []io.Closer
}

// Close lets go of what the place's logs are read from.
func (p *Place) Close() {
	for _, c := range p.closers {
		c.Close()
	}
}

// Find returns what an argument names. A *logformat.Refusal says that it is a
// container that cannot be trusted. A place without logs has a finding that says
// why it has none.
func Find(arg string, stdin Spooled) (*Place, error) {
	p, err := find(arg, stdin)
	if err == nil && len(p.Logs) == 0 && !p.fails() {
		p.find(finding.InputNoSession, "", arg)
	}
	if err == nil && p.Lead && len(p.Logs) > 0 {
		for _, l := range p.Logs[1:] {
			l.Follows = true
		}
	}
	return p, err
}

// fails reports whether it was said already why the place has no log.
func (p *Place) fails() bool {
	return slices.ContainsFunc(p.Findings, finding.Finding.Fails) ||
		slices.ContainsFunc(p.Absent, func(l *Log) bool { return l.Absent.Fails() })
}

func find(arg string, stdin Spooled) (*Place, error) {
	if arg == "-" {
		return stream("-", stdin)
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return inFolder(arg), nil
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: arg, Err: &regular.NotFile{Mode: info.Mode()}}
	}
	return inFile(arg, info)
}

// stream is a log, or an archive, that comes as a file without a name: standard input,
// once it is spooled.
func stream(name string, src Spooled) (*Place, error) {
	switch {
	case src.ReaderAt == nil:
		return nil, fmt.Errorf("%s: there is no such input", name)
	case sqlitestore.IsStore(src):
		return nil, fmt.Errorf("%s: this is a SQLite store, which is read at many places at once: it must be a file, not a stream", name)
	case exportzip.IsArchive(src):
		return archive(name, src, src.Size, nil)
	}
	return &Place{Logs: []*Log{{Name: name, Stream: true, open: func(opts logformat.Options) (*logformat.Reader, io.Closer, error) {
		return logformat.NewReader(io.NewSectionReader(src, 0, src.Size), opts), io.NopCloser(nil), nil
	}}}}, nil
}

func inFile(path string, info fs.FileInfo) (*Place, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	if exportzip.IsArchive(f) {
		return archive(path, f, info.Size(), f)
	}
	if sqlitestore.IsStore(f) {
		f.Close()
		return store(path)
	}
	f.Close()
	l := fileLog(path)
	files := FilesOf(l.Dir)
	l.Newer = files.NewerThan(filepath.Base(path))
	return &Place{Logs: []*Log{l}}, nil
}

// File returns the log in a file that is known to be one.
func File(path string) *Log { return fileLog(path) }

func fileLog(path string) *Log {
	l := &Log{Name: path, Dir: filepath.Dir(path), open: func(opts logformat.Options) (*logformat.Reader, io.Closer, error) {
		f, err := regular.Open(path)
		if err != nil {
			return nil, nil, err
		}
		opts.FileName = filepath.Base(path)
		return logformat.NewReader(f, opts), f, nil
	}}
	if info, err := os.Stat(path); err == nil {
		l.Modified = info.ModTime().UnixMilli()
	}
	if _, _, ok := logformat.ParseFileName(filepath.Base(path)); ok {
		at, _ := locationOf(l.Dir)
		l.Root, l.StorePath, l.judged = at.root, at.storePath, at.judged
	}
	// A name that cannot be read counts too: it is said so, and not passed over.
	recording := filepath.Join(l.Dir, "requests.jsonl")
	if _, err := os.Lstat(recording); err == nil {
		l.Recording = recording
	}
	return l
}

func archive(name string, r io.ReaderAt, size int64, closer io.Closer) (*Place, error) {
	p := &Place{}
	a, err := exportzip.Open(name, r, size)
	if a != nil {
		p.inArchive(a, name)
	}
	if err != nil && len(p.Absent)+len(p.Findings) == 0 {
		if closer != nil {
			closer.Close()
		}
		return nil, err
	}
	if closer != nil {
		p.closers = append(p.closers, closer)
	}
	for _, refusal := range a.Refused() {
		f := finding.FromRefusal(refusal)
		f.Place.File = name
		p.Findings = append(p.Findings, f)
	}
	return p, nil
}

// lastWritten is when the latest of some files was written, in Unix milliseconds.
func lastWritten(paths ...string) (latest int64) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			latest = max(latest, info.ModTime().UnixMilli())
		}
	}
	return latest
}

func store(path string) (*Place, error) {
	s, err := sqlitestore.Open(path)
	if err != nil {
		return nil, err
	}
	ids, err := s.Sessions()
	if err != nil {
		s.Close()
		return nil, err
	}
	p := &Place{closers: []io.Closer{s}}
	if lost := s.Lost(); lost.Frame > 0 {
		p.find(finding.StoreLogDamaged, fmt.Sprintf("frame %d does not fit, and %d commits follow it", lost.Frame, lost.Commits), path+"-wal")
	}
	modified := lastWritten(path, path+"-wal")
	for _, id := range ids {
		p.Logs = append(p.Logs, &Log{
			Name: path + "#" + id, Dir: filepath.Dir(path), ID: id, Modified: modified,
			open: func(opts logformat.Options) (*logformat.Reader, io.Closer, error) {
				rows, err := s.Log(id)
				if err != nil {
					return nil, nil, err
				}
				return logformat.NewRowReader(rows, logformat.SQLite, opts), rows, nil
			},
		})
	}
	return p, nil
}

// ErrMoved is what closing a log of a store returns when a writer changed the store
// while it was read, so that what was read may not belong together.
var ErrMoved = sqlitestore.ErrMoved
