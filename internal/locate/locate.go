package locate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/exportzip"
	"github.com/dsh-verify/dsh-verify/logformat/sqlitestore"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A Log is one session's log, found but not yet read.
type Log struct {
	Name string // how reports call it: the argument, and what inside it
	// Recording is the path of a requests.jsonl beside the log, "" when there is none.
	Recording string
	// Dir is the folder that the log lies in, "" when it lies in none.
	Dir string
	// Once says that the log can be opened only once: standard input, a pipe.
	Once bool
	// StorePath is the folder below the store root, "" outside of one.
	StorePath string
	// Root is the store root, "" outside of one.
	Root string
	// Media is the store of the images that came with the log, nil when none did.
	Media objectstore.Store
	// Modified is when the log's file was last written, in Unix milliseconds; 0 unknown.
	Modified int64
	// ID is the session's id where the container says it, "" elsewhere.
	ID string

	open func(logformat.Options) (*logformat.Reader, io.Closer, error)
}

// Open opens the log for reading.
func (l *Log) Open(opts logformat.Options) (*logformat.Reader, io.Closer, error) {
	opts.StorePath = l.StorePath
	return l.open(opts)
}

// HasID reports whether the log is that of a session. Where the container does
// not say, the header line is read; a log that can be read once is taken.
func (l *Log) HasID(id string) bool {
	if l.ID != "" || l.Once {
		return l.ID == id || l.Once
	}
	r, closer, err := l.Open(logformat.Options{})
	if err != nil {
		return false
	}
	defer closer.Close()
	h, err := r.Header()
	return err == nil && h.ID == id
}

// A Place is what an argument names.
type Place struct {
	Logs     []*Log
	Findings []finding.Finding // about the place itself
	closers  []io.Closer
}

// Close lets go of what the place's logs are read from.
func (p *Place) Close() {
	for _, c := range p.closers {
		c.Close()
	}
}

// Find returns what an argument names. A *logformat.Refusal says that it is a
// container that cannot be trusted.
func Find(arg string, stdin io.Reader) (*Place, error) {
	if arg == "-" {
		return stream("-", stdin, nil)
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return inFolder(arg)
	case !info.Mode().IsRegular():
		f, err := os.Open(arg)
		if err != nil {
			return nil, err
		}
		return stream(arg, f, f)
	}
	return inFile(arg, info)
}

// maxStreamedArchive bounds what is held of an archive that comes through a pipe.
const maxStreamedArchive = 1 << 30

// stream is a log, or an archive, that can be read once.
func stream(name string, r io.Reader, closer io.Closer) (*Place, error) {
	head := make([]byte, 4)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	src := io.MultiReader(bytes.NewReader(head[:n]), r)
	if string(head[:n]) == exportzip.Magic {
		data, err := io.ReadAll(io.LimitReader(src, maxStreamedArchive))
		if err != nil {
			return nil, err
		}
		return archive(name, bytes.NewReader(data), int64(len(data)), nil)
	}
	return &Place{Logs: []*Log{{Name: name, Once: true, open: func(opts logformat.Options) (*logformat.Reader, io.Closer, error) {
		c := closer
		if c == nil {
			c = io.NopCloser(nil)
		}
		return logformat.NewReader(src, opts), c, nil
	}}}}, nil
}

func inFile(path string, info fs.FileInfo) (*Place, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	var head [4]byte
	n, _ := f.ReadAt(head[:], 0)
	if string(head[:n]) == exportzip.Magic {
		return archive(path, f, info.Size(), f)
	}
	if sqlitestore.IsStore(f) {
		f.Close()
		return store(path)
	}
	f.Close()
	return &Place{Logs: []*Log{fileLog(path)}}, nil
}

// File returns the log in a file that is known to be one.
func File(path string) *Log { return fileLog(path) }

func fileLog(path string) *Log {
	l := &Log{Name: path, Dir: filepath.Dir(path), open: func(opts logformat.Options) (*logformat.Reader, io.Closer, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		return logformat.NewReader(f, opts), f, nil
	}}
	if info, err := os.Stat(path); err == nil {
		l.Modified = info.ModTime().UnixMilli()
	}
	// A name that cannot be read counts too: it is said so, and not passed over.
	recording := filepath.Join(l.Dir, "requests.jsonl")
	if _, err := os.Lstat(recording); err == nil {
		l.Recording = recording
	}
	return l
}

func archive(name string, r io.ReaderAt, size int64, closer io.Closer) (*Place, error) {
	a, err := exportzip.Open(name, r, size)
	if err != nil {
		if closer != nil {
			closer.Close()
		}
		return nil, err
	}
	p := &Place{}
	if closer != nil {
		p.closers = append(p.closers, closer)
	}
	for _, refusal := range a.Refused() {
		f := finding.FromRefusal(refusal)
		f.Place.File = name
		p.Findings = append(p.Findings, f)
	}
	for _, session := range a.Sessions() {
		p.Logs = append(p.Logs, &Log{
			Name: name + "/" + session, Media: a.Media(),
			open: func(opts logformat.Options) (*logformat.Reader, io.Closer, error) {
				rc, err := a.OpenSession(session)
				if err != nil {
					return nil, nil, err
				}
				return logformat.NewReader(rc, opts), rc, nil
			},
		})
	}
	return p, nil
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
	for _, id := range ids {
		p.Logs = append(p.Logs, &Log{
			Name: path + "#" + id, Dir: filepath.Dir(path), ID: id,
			open: func(opts logformat.Options) (*logformat.Reader, io.Closer, error) {
				rows, err := s.Log(id)
				if err != nil {
					return nil, nil, err
				}
				return logformat.NewRowReader(rows, logformat.SQLite, opts), &rowsCloser{rows, s}, nil
			},
		})
	}
	return p, nil
}

// A rowsCloser tells at the end whether a writer moved the store under the reading.
type rowsCloser struct {
	rows  *sqlitestore.Rows
	store *sqlitestore.Store
}

// ErrMoved says that a store changed while a log of it was read.
var ErrMoved = errors.New("a writer changed the store while it was read, so what was read may not belong together; try again, or verify a copy")

// Close returns [ErrMoved] when what was read cannot be trusted.
func (c *rowsCloser) Close() error {
	c.rows.Close()
	if !c.store.Still() {
		return ErrMoved
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func noSession(dir string) error {
	return fmt.Errorf("%s: no session log below this folder", dir)
}
