package sqlitesnapshot

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/dsh-verify/dsh-verify/internal/regular"
)

// A wal is the committed part of a write-ahead log: where in it the newest image of
// each page is (file format, section 4).
type wal struct {
	file   *os.File // nil when there is none
	head   []byte   // its header, or what there is of one
	size   int      // of a page, 0 when the log is one that SQLite ignores
	frames map[uint32]int64
	pages  uint32 // of the database as of the last commit, 0 before the first
	end    int64  // of the last commit's frame
	last   [frameHeader]byte
	lost   Lost
}

// Lost says what of a write-ahead log is not read although it is there: frames of
// this log that follow one that is damaged. A crash leaves none, as frames are
// written in order.
type Lost struct {
	Frame   int64 // number of the damaged frame, from 1; 0 when there is none
	Commits int   // that follow it
}

const (
	walHeader   = 32
	frameHeader = 24
	atSalt      = 16 // in the header of a log; in that of a frame, 8
)

// openWAL opens the log at path. A log that SQLite would ignore has no frames.
func openWAL(path string, pageSize int) (*wal, error) {
	w := &wal{end: walHeader}
	file, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	if err != nil {
		return w, err
	}
	w.file = file
	in := bufio.NewReaderSize(file, 1<<16)
	head := make([]byte, walHeader)
	n, err := io.ReadFull(in, head)
	if w.head = head[:n]; err != nil {
		return w, ignoreEnd(err)
	}
	if sum, ok := startOf(head, pageSize); ok {
		w.size = pageSize
		return w, w.scan(in, sum)
	}
	return w, nil
}

// startOf returns the checksum of a log's header. It reports whether it is one, for
// pages of that size.
func startOf(head []byte, pageSize int) (sum checksum, ok bool) {
	switch binary.BigEndian.Uint32(head) {
	case 0x377f0682:
		sum.order = binary.LittleEndian
	case 0x377f0683:
		sum.order = binary.BigEndian
	default:
		return sum, false
	}
	sum.add(head[:24])
	return sum, sum.matches(head[24:]) && binary.BigEndian.Uint32(head[8:]) == uint32(pageSize)
}

func (w *wal) close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}

// ours reports whether a frame is of this round of the log.
func (w *wal) ours(frame []byte) bool { return string(frame[8:16]) == string(w.head[atSalt:atSalt+8]) }

// A frame is where in a log a page has an image.
type frame struct {
	page  uint32
	pages uint32 // of the database, if a transaction ends here
	at    int64  // of the image
}

// later yields the frames of this round of the log from an offset on, whatever
// their checksums.
func (w *wal) later(from int64) iter.Seq2[frame, error] {
	return func(yield func(frame, error) bool) {
		var head [frameHeader]byte
		for off := from; ; off += int64(frameHeader + w.size) {
			_, err := w.file.ReadAt(head[:], off)
			if err != nil && err != io.EOF {
				yield(frame{}, err)
				return
			}
			f := frame{binary.BigEndian.Uint32(head[:]), binary.BigEndian.Uint32(head[4:]), off + frameHeader}
			if err != nil || !w.ours(head[:]) || !yield(f, nil) {
				return
			}
		}
	}
}

// scan takes the frames up to the last commit.
func (w *wal) scan(in io.Reader, sum checksum) error {
	pending := map[uint32]int64{}
	frame := make([]byte, frameHeader+w.size)
	for off := int64(walHeader); ; off += int64(len(frame)) {
		if _, err := io.ReadFull(in, frame); err != nil {
			return ignoreEnd(err)
		}
		head, page := frame[:frameHeader], frame[frameHeader:]
		sum.add(head[:8])
		sum.add(page)
		if !w.ours(head) || !sum.matches(head[16:]) {
			return w.countLost(off)
		}
		pending[binary.BigEndian.Uint32(head)] = off + frameHeader
		if pages := binary.BigEndian.Uint32(head[4:]); pages != 0 {
			w.commit(pending, pages)
			w.end, w.last = off+int64(len(frame)), [frameHeader]byte(head)
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

// countLost counts the commits that follow a frame which does not fit. An earlier
// round of the log has another salt; a transaction that was given up has no commit.
func (w *wal) countLost(off int64) error {
	commits := 0
	for f, err := range w.later(off + int64(frameHeader+w.size)) {
		if err != nil {
			return err
		}
		if f.pages != 0 {
			commits++
		}
	}
	if commits > 0 {
		w.lost = Lost{Frame: (off-walHeader)/int64(frameHeader+w.size) + 1, Commits: commits}
	}
	return nil
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
