package logformat

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
)

// frameMagic is the little-endian magic number of a Zstandard frame (RFC 8878,
// section 3.1.1). Skippable frames have another one and are not accepted here.
const frameMagic = 0xFD2FB528

const maxBlock = 128 << 10 // RFC 8878: Block_Maximum_Size

// A frame is the structure of one Zstandard frame, found by walking its block
// headers without decoding anything.
//
//	magic(4) descriptor(1) [window(1)] [dictionary(0,1,2,4)] [content size(0,1,2,4,8)] block… [checksum(4)]
//	block = header(3: last bit, type 2 bits, size 21 bits) payload
type frame struct {
	bytes      []byte // as read: the whole frame, or what there is of a torn one
	offset     int64  // of the magic number in the file
	header     int    // length of magic, descriptor and fields; 0 if not complete
	blocks     int    // complete blocks
	lastFull   int    // length of the frame up to the end of its last complete block
	rawTail    int    // payload bytes present of an incomplete raw block
	tornBlock  int    // payload bytes that the incomplete block claims
	odd        bool   // a block that a decoder may not take as it is: see rewrite
	lastBlock  bool   // the last block is complete
	emptyLast  bool   // and has no payload
	packed     bool   // a block is compressed
	complete   bool
	checksum   bool
	dictionary uint32
	declared   int64 // content size, -1 when not declared
	window     int64 // of a single segment its content size
}

// blockMax returns the most that a block of the frame may hold, packed or not.
func (f *frame) blockMax() int64 { return min(f.window, maxBlock) }

// bound returns the largest length that the blocks of a frame that is not decoded in
// one pass can decode to.
func (f *frame) bound() int64 {
	return int64(f.blocks)*f.blockMax() + int64(f.rawTail)
}

// A frameWalker reads a concatenation of frames.
type frameWalker struct {
	in     *bufio.Reader
	offset int64
	buf    []byte
	frame  frame
}

// next returns the next frame, valid until the following call. io.EOF ends the
// log on a frame boundary. A structurally incomplete frame is returned with
// complete unset; it is always the last.
func (w *frameWalker) next() (*frame, error) {
	w.buf = w.buf[:0]
	w.frame = frame{offset: w.offset, declared: -1}
	f := &w.frame
	complete, err := w.walk(f)
	f.bytes, f.complete = w.buf, complete
	w.offset += int64(len(w.buf))
	if err == nil && !complete && len(w.buf) == 0 {
		return nil, io.EOF
	}
	return f, err
}

func (w *frameWalker) walk(f *frame) (complete bool, err error) {
	if ok, err := w.take(4); !ok || err != nil {
		return false, err
	}
	if binary.LittleEndian.Uint32(w.buf) != frameMagic {
		return false, w.refuse(CodeZstdMagic, 0, "")
	}
	if ok, err := w.take(1); !ok || err != nil {
		return false, err
	}
	descriptor := w.buf[4]
	if descriptor&0x18 != 0 {
		return false, w.refuse(CodeZstdReserved, 4, "the frame header has a reserved bit set")
	}
	f.checksum = descriptor&4 != 0
	if ok, err := w.take(fieldBytes(descriptor)); !ok || err != nil {
		return false, err
	}
	f.header = len(w.buf)
	f.lastFull = f.header
	f.readFields(w.buf)
	return w.walkBlocks(f)
}

func (w *frameWalker) walkBlocks(f *frame) (complete bool, err error) {
	for last := false; !last; {
		at := len(w.buf)
		if ok, err := w.take(3); !ok || err != nil {
			return false, err
		}
		h := uint32(w.buf[at]) | uint32(w.buf[at+1])<<8 | uint32(w.buf[at+2])<<16
		kind, size := blockKind(h>>1&3), int(h>>3)
		last = h&1 != 0
		payload := size
		switch kind {
		case blockRLE: // one byte stands for size of them
			payload = 1
		case blockReserved:
			return false, w.refuse(CodeZstdReserved, at, "a block has the reserved type")
		}
		if ok, err := w.take(payload); !ok || err != nil {
			f.tornBlock = payload
			if kind == blockRaw {
				f.rawTail = len(w.buf) - at - 3
			}
			return false, err
		}
		f.odd = f.odd || int64(size) > f.blockMax() || kind == blockCompressed && size == 0
		f.emptyLast = payload == 0
		f.packed = f.packed || kind == blockCompressed
		f.blocks++
		f.lastFull = len(w.buf)
	}
	f.lastBlock = true
	if f.checksum {
		return w.take(4)
	}
	return true, nil
}

// take appends n more bytes to the buffer; false when the file ends first.
func (w *frameWalker) take(n int) (bool, error) {
	at := len(w.buf)
	for n > 0 {
		step := min(n, 1<<20) // a lying size must not allocate what is not there
		w.buf = append(w.buf, make([]byte, step)...)
		got, err := io.ReadFull(w.in, w.buf[at:at+step])
		at += got
		n -= got
		if err != nil {
			w.buf = w.buf[:at]
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return false, nil
			}
			return false, err
		}
	}
	return true, nil
}

func (w *frameWalker) refuse(code Code, at int, detail string) error {
	where := fmt.Sprintf("at byte %d of the file", w.offset+int64(at))
	if detail != "" {
		where = detail + " " + where
	}
	return &Refusal{Code: code, Phase: PhaseContainer, Seq: -1, Detail: where}
}

// fieldBytes returns the length of the frame header's fields after the descriptor.
func fieldBytes(descriptor byte) int {
	n := 0
	if descriptor&0x20 == 0 {
		n++ // window descriptor, absent in a single segment
	}
	return n + dictionaryBytes(descriptor) + contentSizeBytes(descriptor)
}

func dictionaryBytes(descriptor byte) int { return [4]int{0, 1, 2, 4}[descriptor&3] }

func contentSizeBytes(descriptor byte) int {
	if flag := descriptor >> 6; flag != 0 {
		return 1 << flag
	}
	if descriptor&0x20 != 0 {
		return 1
	}
	return 0
}

func (f *frame) readFields(b []byte) {
	descriptor := b[4]
	var field [8]byte
	n := contentSizeBytes(descriptor)
	copy(field[:], b[f.header-n:f.header])
	if size := binary.LittleEndian.Uint64(field[:]); n > 0 && size != math.MaxUint64 { // which says that it is not known
		if n == 2 {
			size += 256
		}
		f.declared = int64(min(size, 1<<62))
	}
	field = [8]byte{}
	copy(field[:], b[f.header-n-dictionaryBytes(descriptor):f.header-n])
	f.dictionary = binary.LittleEndian.Uint32(field[:4])
	if descriptor&0x20 != 0 {
		f.window = f.declared
		if f.declared < 0 {
			f.window = math.MaxInt64
		}
		return
	}
	exponent, mantissa := b[5]>>3, int64(b[5]&7)
	base := int64(1) << (10 + exponent)
	f.window = base + base/8*mantissa
}

// A blockKind is how a block's payload stands for its content.
type blockKind uint8

const (
	blockRaw blockKind = iota
	blockRLE
	blockCompressed
	blockReserved
)

// A block is one of a frame.
type block struct {
	kind    blockKind
	last    bool
	size    int // of the payload; of a run, of what it stands for
	payload []byte
}

// each yields the frame's complete blocks.
func (f *frame) each() iter.Seq[block] { return eachBlock(f.bytes[f.header:f.lastFull]) }

// eachBlock yields blocks up to the last of a frame, or as far as there are any.
func eachBlock(b []byte) iter.Seq[block] {
	return func(yield func(block) bool) {
		for len(b) >= 3 {
			h := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
			k := block{kind: blockKind(h >> 1 & 3), last: h&1 != 0, size: int(h >> 3)}
			n := k.size
			if k.kind == blockRLE {
				n = 1
			}
			k.payload = b[3 : 3+n]
			if b = b[3+n:]; !yield(k) || k.last {
				return
			}
		}
	}
}
