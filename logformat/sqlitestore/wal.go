package sqlitestore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// An overlay is a database file as of the last commit: the pages of the main
// file, and over them the committed pages of the write-ahead log.
type overlay struct {
	main     *os.File
	size     int64
	pageSize int64
	pages    map[int64][]byte // by page number, from 1
	salt     [8]byte          // of the log, to see that it was not restarted meanwhile
	walPath  string
	change   [4]byte // the main file's change counter
}

const (
	walHeader   = 32
	frameHeader = 24
	maxWAL      = 1 << 30 // larger logs are not held in memory
)

var errMoving = errors.New("a writer is changing the store; try again, or verify a copy")

func openOverlay(path string) (*overlay, error) {
	main, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	o := &overlay{main: main, walPath: path + "-wal"}
	if err := o.load(path); err != nil {
		main.Close()
		return nil, err
	}
	return o, nil
}

func (o *overlay) load(path string) error {
	info, err := o.main.Stat()
	if err != nil {
		return err
	}
	o.size = info.Size()
	var head [100]byte
	if _, err := o.main.ReadAt(head[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	o.pageSize = int64(binary.BigEndian.Uint16(head[16:]))
	if o.pageSize == 1 {
		o.pageSize = 65536
	}
	copy(o.change[:], head[24:28])
	if hot(path + "-journal") {
		return errors.New("a rollback journal lies beside the store: a writer is at work, or a crash left it half-written; open it once with the harness to roll it back, or verify a copy")
	}
	wal, err := os.Open(o.walPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer wal.Close()
	return o.readWAL(wal)
}

// hot reports whether a rollback journal holds something to roll back.
func hot(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [8]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && magic != [8]byte{}
}

// readWAL takes the frames up to the last commit (SQLite file format, section 4).
func (o *overlay) readWAL(wal *os.File) error {
	info, err := wal.Stat()
	if err != nil {
		return err
	}
	if info.Size() > maxWAL {
		return fmt.Errorf("the write-ahead log has %d bytes, more than can be held; let the harness checkpoint it", info.Size())
	}
	data, err := io.ReadAll(wal)
	if err != nil {
		return err
	}
	if len(data) < walHeader {
		return nil
	}
	var order binary.ByteOrder = binary.BigEndian
	switch binary.BigEndian.Uint32(data) {
	case 0x377f0682:
		order = binary.LittleEndian
	case 0x377f0683:
	default:
		return nil // not initialised: SQLite ignores it too
	}
	pageSize := int64(binary.BigEndian.Uint32(data[8:]))
	copy(o.salt[:], data[16:24])
	s0, s1 := checksum(order, data[:24], 0, 0)
	if s0 != binary.BigEndian.Uint32(data[24:]) || s1 != binary.BigEndian.Uint32(data[28:]) || pageSize != o.pageSize {
		return nil
	}
	return o.readFrames(data[walHeader:], order, s0, s1)
}

func (o *overlay) readFrames(data []byte, order binary.ByteOrder, s0, s1 uint32) error {
	pending := map[int64][]byte{}
	for int64(len(data)) >= frameHeader+o.pageSize {
		h, page := data[:frameHeader], data[frameHeader:frameHeader+o.pageSize]
		if string(h[8:16]) != string(o.salt[:]) {
			break
		}
		s0, s1 = checksum(order, h[:8], s0, s1)
		s0, s1 = checksum(order, page, s0, s1)
		if s0 != binary.BigEndian.Uint32(h[16:]) || s1 != binary.BigEndian.Uint32(h[20:]) {
			break
		}
		pending[int64(binary.BigEndian.Uint32(h))] = page
		if pages := binary.BigEndian.Uint32(h[4:]); pages != 0 { // a commit
			if o.pages == nil {
				o.pages = map[int64][]byte{}
			}
			for n, p := range pending {
				o.pages[n] = p
			}
			clear(pending)
			o.size = int64(pages) * o.pageSize
		}
		data = data[frameHeader+o.pageSize:]
	}
	return nil
}

// checksum is that of the write-ahead log, over 8-byte steps.
func checksum(order binary.ByteOrder, b []byte, s0, s1 uint32) (uint32, uint32) {
	for ; len(b) >= 8; b = b[8:] {
		s0 += order.Uint32(b) + s1
		s1 += order.Uint32(b[4:]) + s0
	}
	return s0, s1
}

// still reports whether the store is as it was when it was opened, so that what
// was read of it belongs together.
func (o *overlay) still() bool {
	var head [28]byte
	if _, err := o.main.ReadAt(head[:], 0); err != nil || string(head[24:28]) != string(o.change[:]) {
		return false
	}
	wal, err := os.Open(o.walPath)
	if err != nil {
		return o.pages == nil
	}
	defer wal.Close()
	var walHead [24]byte
	if _, err := io.ReadFull(wal, walHead[:]); err != nil {
		return o.pages == nil
	}
	return o.pages == nil && o.salt == [8]byte{} || string(walHead[16:24]) == string(o.salt[:])
}

// ReadAt reads as if the write-ahead log had been written back.
func (o *overlay) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		if off >= o.size {
			return n, io.EOF
		}
		step, err := o.readPage(p[n:], off)
		n += step
		off += int64(step)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func (o *overlay) readPage(p []byte, off int64) (int, error) {
	if o.pageSize < 512 {
		return o.patch(p, off, func(b []byte) (int, error) { return o.main.ReadAt(b, off) })
	}
	number, at := off/o.pageSize+1, off%o.pageSize
	p = p[:min(int64(len(p)), o.pageSize-at)]
	return o.patch(p, off, func(b []byte) (int, error) {
		if page := o.pages[number]; page != nil {
			return copy(b, page[at:]), nil
		}
		return o.main.ReadAt(b, off)
	})
}

// patch reads and turns the file's format versions to those of a database
// without a write-ahead log: there is none any more in what SQLite sees.
func (o *overlay) patch(p []byte, off int64, read func([]byte) (int, error)) (int, error) {
	n, err := read(p)
	for i := int64(18); i <= 19; i++ {
		if at := i - off; at >= 0 && at < int64(n) && p[at] == 2 {
			p[at] = 1
		}
	}
	return n, err
}

// Open, Stat, Read, Seek and Close make the overlay a file system of one file.
func (o *overlay) Open(name string) (fs.File, error) {
	if name != dbName {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &overlayFile{io.NewSectionReader(o, 0, o.size), o}, nil
}

const dbName = "store.db"

type overlayFile struct {
	*io.SectionReader
	o *overlay
}

func (f *overlayFile) Close() error               { return nil }
func (f *overlayFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *overlayFile) Name() string               { return dbName }
func (f *overlayFile) Mode() fs.FileMode          { return 0o444 }
func (f *overlayFile) ModTime() time.Time         { return time.Time{} }
func (f *overlayFile) IsDir() bool                { return false }
func (f *overlayFile) Sys() any                   { return nil }
