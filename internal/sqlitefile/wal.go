package sqlitefile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/dsh-verify/dsh-verify/internal/regular"
)

// A wal is the committed part of a write-ahead log: where in it the newest
// image of each page lies (file format, section 4).
type wal struct {
	file   *os.File         // nil when there is none to read
	frames map[uint32]int64 // page number to the offset of its image
	pages  uint32           // of the database as of the last commit, 0 before the first
	salt   [8]byte          // changes when a writer starts the log anew
}

const (
	walHeader   = 32
	frameHeader = 24
)

func (w *wal) close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}

// open reads the log at path. A log that SQLite would ignore is ignored.
func (w *wal) open(path string, pageSize int) error {
	file, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	w.file = file
	in := bufio.NewReaderSize(file, 1<<16)
	var head [walHeader]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return ignoreEnd(err)
	}
	var order binary.ByteOrder
	switch binary.BigEndian.Uint32(head[:]) {
	case 0x377f0682:
		order = binary.LittleEndian
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return nil
	}
	copy(w.salt[:], head[16:24])
	sum := checksum{order: order}
	sum.add(head[:24])
	if !sum.matches(head[24:]) || binary.BigEndian.Uint32(head[8:]) != uint32(pageSize) {
		return nil
	}
	return w.scan(in, sum, pageSize)
}

// scan takes the frames up to the last commit.
func (w *wal) scan(in io.Reader, sum checksum, pageSize int) error {
	pending := map[uint32]int64{}
	frame := make([]byte, frameHeader+pageSize)
	for off := int64(walHeader); ; off += int64(len(frame)) {
		if _, err := io.ReadFull(in, frame); err != nil {
			return ignoreEnd(err)
		}
		head, page := frame[:frameHeader], frame[frameHeader:]
		sum.add(head[:8])
		sum.add(page)
		if string(head[8:16]) != string(w.salt[:]) || !sum.matches(head[16:]) {
			return nil // what an earlier round of the log left behind
		}
		pending[binary.BigEndian.Uint32(head)] = off + frameHeader
		if pages := binary.BigEndian.Uint32(head[4:]); pages != 0 {
			w.commit(pending, pages)
		}
	}
}

func (w *wal) commit(pending map[uint32]int64, pages uint32) {
	if w.frames == nil {
		w.frames = map[uint32]int64{}
	}
	for number, off := range pending {
		w.frames[number] = off
	}
	clear(pending)
	w.pages = pages
}

func ignoreEnd(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// A checksum is that of the write-ahead log, over steps of 8 bytes.
type checksum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

func (c *checksum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		c.s0 += c.order.Uint32(b) + c.s1
		c.s1 += c.order.Uint32(b[4:]) + c.s0
	}
}

// matches reports whether the sum is the one stored in b.
func (c *checksum) matches(b []byte) bool {
	return c.s0 == binary.BigEndian.Uint32(b) && c.s1 == binary.BigEndian.Uint32(b[4:])
}

// still reports whether the log at path is the one that was read, or still
// missing or unused when it was.
func (w *wal) still(path string) bool {
	file, err := regular.Open(path)
	if err != nil {
		return w.frames == nil
	}
	defer file.Close()
	var head [24]byte
	if _, err := io.ReadFull(file, head[:]); err != nil {
		return w.frames == nil
	}
	return w.frames == nil && w.salt == [8]byte{} || string(head[16:]) == string(w.salt[:])
}
