package sqlitefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/dsh-verify/dsh-verify/internal/regular"
)

// Magic is how a SQLite file starts.
const Magic = "SQLite format 3\x00"

// Damage says what in a file is not as the file format has it. Page is the
// number of the page, from 1; 0 when it is the file as a whole or its header.
type Damage struct {
	Page   uint32
	Detail string
}

func (d *Damage) Error() string {
	if d.Page == 0 {
		return d.Detail
	}
	return fmt.Sprintf("page %d: %s", d.Page, d.Detail)
}

func damage(page uint32, format string, args ...any) error {
	return &Damage{page, fmt.Sprintf(format, args...)}
}

// Unsupported says why a sound file cannot be read by this package, or is not
// one that has what is asked for.
type Unsupported struct{ Detail string }

func (u *Unsupported) Error() string { return u.Detail }

// A File is a database as of its last commit. Its tables may be read by several
// goroutines at once.
type File struct {
	main     *os.File
	wal      wal
	walPath  string
	pageSize int
	usable   int    // bytes of a page that hold content
	pages    uint32 // how many the database has
	change   uint32 // the change counter of the main file
	schema   func() (map[string]*Table, error)

	applicationID, userVersion uint32
}

// ErrJournal says that a rollback journal lies beside the database, so that its
// pages may be those of a transaction that never ended.
var ErrJournal = errors.New("a rollback journal lies beside the store: a writer is at work, or a crash left it half-written; open it once with the harness to roll it back, or verify a copy")

// Open opens the database at path, and the write-ahead log beside it when there
// is one. The error is a *[Damage], an *[Unsupported],
// [ErrJournal], or that of the file system.
func Open(path string) (*File, error) {
	main, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{main: main, walPath: path + "-wal"}
	f.schema = sync.OnceValues(f.readSchema)
	if err := f.load(path); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close closes the files.
func (f *File) Close() error { return errors.Join(f.wal.close(), f.main.Close()) }

// ApplicationID returns the number that says whose file this is.
func (f *File) ApplicationID() uint32 { return f.applicationID }

// UserVersion returns the number that the application gives its schema.
func (f *File) UserVersion() uint32 { return f.userVersion }

// Still reports whether no writer has moved pages since the file was opened:
// otherwise what was read may not belong together.
func (f *File) Still() bool {
	var head [28]byte
	if _, err := f.main.ReadAt(head[:], 0); err != nil || binary.BigEndian.Uint32(head[24:]) != f.change {
		return false
	}
	return f.wal.still(f.walPath)
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

const (
	fileHeader = 100
	maxPages   = 1<<32 - 2
)

func (f *File) load(path string) error {
	var head [fileHeader]byte
	if _, err := f.main.ReadAt(head[:], 0); err == io.EOF {
		return damage(0, "the file ends within its header")
	} else if err != nil {
		return err
	}
	if hot, err := hot(path + "-journal"); err != nil {
		return err
	} else if hot {
		return ErrJournal
	}
	if err := f.layout(head[:]); err != nil {
		return err
	}
	f.change = binary.BigEndian.Uint32(head[24:])
	if err := f.wal.open(f.walPath, f.pageSize); err != nil {
		return err
	}
	info, err := f.main.Stat()
	if err != nil {
		return err
	}
	held := (info.Size() + int64(f.pageSize) - 1) / int64(f.pageSize)
	if f.wal.frames != nil {
		held = int64(f.wal.pages)
	}
	f.pages = uint32(min(held, maxPages))
	// The first page may have a newer image in the log.
	if err := f.readPart(1, head[:]); err != nil {
		return err
	}
	return f.header(head[:])
}

// layout reads what the header says of the pages, section 1.3.
func (f *File) layout(head []byte) error {
	if string(head[:len(Magic)]) != Magic {
		return damage(0, "the file does not start as a SQLite database does")
	}
	f.pageSize = int(binary.BigEndian.Uint16(head[16:]))
	if f.pageSize == 1 {
		f.pageSize = 65536
	}
	if f.pageSize < 512 || f.pageSize&(f.pageSize-1) != 0 {
		return damage(0, "the header gives %d as the size of a page", f.pageSize)
	}
	f.usable = f.pageSize - int(head[20])
	if f.usable < 480 {
		return damage(0, "the header leaves %d bytes of a page to use", f.usable)
	}
	return nil
}

// header reads the rest of the header, as of the last commit.
func (f *File) header(head []byte) error {
	pageSize, usable := f.pageSize, f.usable
	if err := f.layout(head); err != nil {
		return err
	}
	if f.pageSize != pageSize || f.usable != usable {
		return damage(1, "the write-ahead log changes the size of a page")
	}
	if head[19] > 2 || head[21] != 64 || head[22] != 32 || head[23] != 32 {
		return damage(0, "the header gives a format version or payload fractions that no SQLite writes")
	}
	if format := binary.BigEndian.Uint32(head[44:]); format > 4 {
		return damage(0, "the header gives %d as the schema format, where the highest is 4", format)
	}
	if encoding := binary.BigEndian.Uint32(head[56:]); encoding > 1 {
		return &Unsupported{fmt.Sprintf("the text is encoded in UTF-16 (%d), where a store has UTF-8", encoding)}
	}
	// The count is to be trusted only when the last writer kept it (offset 92).
	if count := binary.BigEndian.Uint32(head[28:]); count != 0 && string(head[24:28]) == string(head[92:96]) {
		if count > f.pages {
			return damage(0, "the header counts %d pages, the file holds %d: it is cut off", count, f.pages)
		}
		f.pages = count
	}
	f.applicationID = binary.BigEndian.Uint32(head[68:])
	f.userVersion = binary.BigEndian.Uint32(head[60:])
	return nil
}

// readPart reads the start of a page. Bytes past the end of the file are zero.
func (f *File) readPart(number uint32, b []byte) error {
	if number < 1 || number > f.pages {
		return damage(0, "page %d is wanted, and there are %d", number, f.pages)
	}
	in, off := f.main, int64(number-1)*int64(f.pageSize)
	if at, ok := f.wal.frames[number]; ok {
		in, off = f.wal.file, at
	}
	n, err := in.ReadAt(b, off)
	if err == io.EOF {
		clear(b[n:])
		return nil
	}
	return err
}
