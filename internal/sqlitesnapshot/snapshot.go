package sqlitesnapshot

import (
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dsh-verify/dsh-verify/internal/regular"
)

// A Snapshot is a database as of its last commit. It may be read by several
// goroutines at once.
type Snapshot struct {
	path     string
	main     *os.File
	wal      *wal
	head     header // of the database as of the last commit
	own      header // of the database file
	info     fs.FileInfo
	pageSize int
	pages    uint32

	seed  maphash.Seed
	read  []atomic.Uint64 // digests of the pages that were read from the database; nil without a log
	moved atomic.Bool
	pool  sync.Pool // of pages
}

// ErrJournal says that a rollback journal lies beside the database, so that its
// pages may be those of a transaction that never ended.
var ErrJournal = errors.New("a rollback journal lies beside the store: a writer is at work, or a crash left it half-written; open it once with the harness to roll it back, or verify a copy")

// ErrMoved says that pages have moved while the database was read.
var ErrMoved = errors.New("a writer changed the store while it was read, so what was read may not belong together; try again, or verify a copy")

// tries is how often a snapshot is taken until none of its pages moves meanwhile.
const tries = 5

// Open takes a snapshot of the database at path. The error is a *[Damage],
// [ErrJournal], [ErrMoved], or that of the file system.
func Open(path string) (*Snapshot, error) {
	for range tries {
		s, err := open(path)
		if s == nil || errors.Is(err, ErrJournal) {
			return nil, err
		}
		if s.Still() {
			if err != nil {
				s.Close()
				return nil, err
			}
			return s, nil
		}
		s.Close()
	}
	return nil, &fs.PathError{Op: "read", Path: path, Err: ErrMoved}
}

// open takes a snapshot. With an error it has what there is to tell whether the
// database was at rest; it is nil when there is nothing.
func open(path string) (*Snapshot, error) {
	main, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{path: path, main: main, wal: &wal{}, seed: maphash.MakeSeed()}
	if hot, err := hot(path + "-journal"); err != nil || hot {
		s.Close()
		if err == nil {
			err = ErrJournal
		}
		return nil, err
	}
	if err := s.stat(); err != nil {
		s.Close()
		return nil, err
	}
	return s, s.load()
}

// stat notes what a writer would change of the database file. A file that was
// written within the clock's last tick could be written again in it, unseen.
func (s *Snapshot) stat() (err error) {
	if s.info, err = s.main.Stat(); err != nil {
		return err
	}
	const tick = 20 * time.Millisecond
	if age := time.Since(s.info.ModTime()); age >= 0 && age < tick {
		time.Sleep(tick - age)
		if s.info, err = s.main.Stat(); err != nil {
			return err
		}
	}
	_, err = s.main.ReadAt(s.own[:], 0)
	return ignoreEnd(err)
}

func (s *Snapshot) load() (err error) {
	if s.info.Size() < headerSize {
		return damage("the file ends within its header")
	}
	if s.pageSize, err = s.own.pageSize(); err != nil {
		return err
	}
	if err := s.openLog(); err != nil {
		return err
	}
	const most = 1<<32 - 2
	s.pages = uint32(min((s.info.Size()+int64(s.pageSize)-1)/int64(s.pageSize), most))
	if s.wal.frames != nil {
		s.pages = min(s.wal.pages, most)
	}
	if s.wal.file != nil {
		s.read = make([]atomic.Uint64, s.pages)
	}
	// The first page may have a newer image in the log.
	if err := s.readPage(1, s.head[:], 0); err != nil {
		return err
	}
	if size, err := s.head.pageSize(); err != nil || size != s.pageSize {
		return errors.Join(err, damage("the write-ahead log changes the size of a page"))
	}
	s.pages, err = s.head.pages(s.pages)
	return err
}

// openLog opens the log beside the database. A frame that seemed damaged may have
// been one that was just being written: it is looked at again.
func (s *Snapshot) openLog() (err error) {
	for range 2 {
		s.wal.close()
		if s.wal, err = openWAL(s.path+"-wal", s.pageSize); err != nil || s.wal.lost == (Lost{}) {
			return err
		}
	}
	return nil
}

// Close closes the files.
func (s *Snapshot) Close() error { return errors.Join(s.wal.close(), s.main.Close()) }

// ApplicationID returns the number that says whose database this is.
func (s *Snapshot) ApplicationID() uint32 { return s.head.number(atApplicationID) }

// UserVersion returns the number that the application gives its schema.
func (s *Snapshot) UserVersion() uint32 { return s.head.number(atUserVersion) }

// LeftBehind reports whether the database is one that is written through a log, has
// nothing in it, and has no log beside it.
func (s *Snapshot) LeftBehind() bool {
	return s.head[atReadVersion] == walVersion && s.wal.frames == nil && s.pages == 1
}

// Lost says what of the write-ahead log is not read although it is there.
func (s *Snapshot) Lost() Lost { return s.wal.lost }

// Size returns the length of the database.
func (s *Snapshot) Size() (int64, error) { return int64(s.pages) * int64(s.pageSize), nil }

// ReadAt reads the database. Its header says that it is written without a log, as
// what is in the log is among its pages.
func (s *Snapshot) ReadAt(b []byte, off int64) (n int, err error) {
	size, _ := s.Size()
	for n < len(b) {
		at := off + int64(n)
		if at < 0 || at >= size {
			return n, io.EOF
		}
		number, from := uint32(at/int64(s.pageSize))+1, int(at%int64(s.pageSize))
		part := b[n:min(n+s.pageSize-from, len(b))]
		if err := s.readPage(number, part, from); err != nil {
			return n, err
		}
		if number == 1 {
			hideLog(part, from)
		}
		n += len(part)
	}
	return n, nil
}

// hideLog clears the mark of a log in a part of the first page.
func hideLog(part []byte, from int) {
	for _, at := range []int{atWriteVersion, atReadVersion} {
		if i := at - from; i >= 0 && i < len(part) && part[i] == walVersion {
			part[i] = rollbackVersion
		}
	}
}

// readPage reads a part of a page. Bytes past the end of the file are zero.
func (s *Snapshot) readPage(number uint32, part []byte, from int) error {
	if at, ok := s.wal.frames[number]; ok {
		return readFull(s.wal.file, part, at+int64(from))
	}
	start := int64(number-1) * int64(s.pageSize)
	if s.read == nil {
		return readFull(s.main, part, start+int64(from))
	}
	buffer, _ := s.pool.Get().(*[]byte)
	if buffer == nil {
		buffer = new(make([]byte, s.pageSize))
	}
	defer s.pool.Put(buffer)
	page := *buffer
	if err := readFull(s.main, page, start); err != nil {
		return err
	}
	copy(part, page[from:])
	return s.note(number, s.digest(page))
}

// note keeps the digest of a page that was read. It is the same whenever the page
// is read again.
func (s *Snapshot) note(number uint32, digest uint64) error {
	known := &s.read[number-1]
	if known.CompareAndSwap(0, digest) || known.Load() == digest {
		return nil
	}
	s.moved.Store(true)
	return ErrMoved
}

// digest returns the digest of a page. It is never 0.
func (s *Snapshot) digest(page []byte) uint64 { return maphash.Bytes(s.seed, page) | 1 }

func readFull(f *os.File, b []byte, off int64) error {
	n, err := f.ReadAt(b, off)
	if err == io.EOF {
		clear(b[n:])
		return nil
	}
	return err
}

// hot reports whether a rollback journal holds something to roll back. One that
// cannot be looked into may.
func hot(path string) (bool, error) {
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	var magic [8]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && magic != [8]byte{}, ignoreEnd(err)
}
