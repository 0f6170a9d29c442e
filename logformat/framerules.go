package logformat

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The harness decodes a log's frames with libzstd, which takes more than RFC
// 8878 allows, and takes it in two ways:
//
//   - in one pass, when the frame is complete and states a content size that
//     fits into the harness's output buffer. Then the window is not looked at, a
//     raw block or a run may be longer than a block may be, and the content must
//     have the stated size.
//   - streamed, otherwise. Then the window is limited, every block must keep to
//     its size, a block without payload is empty whatever its type says, and the
//     stated size is compared at the end of the last block, so never when that
//     block is empty.
//
// Either way a dictionary id of 0 is none, and a match may reach back as far as the
// content that the decoder still holds, whatever the window. A log is judged as the harness judges
// it, so both ways are followed here: what libzstd takes and the decoder of this
// package does not is rewritten first, and what it refuses is refused.

// outputBuffer is what the harness gives the decoder to write to at a time.
const outputBuffer = 1 << 20

// largestWindow is what the decoder of this package is let have: a rewritten frame
// asks for no more than its content.
const largestWindow = 1 << 28

// maxWindow is the largest window that libzstd streams with
// (ZSTD_MAXWINDOWSIZE_DEFAULT), maxOnePassWindow the largest that it knows
// (ZSTD_WINDOWLOG_MAX, with the largest mantissa).
const (
	maxWindow        = 1<<27 + 1
	maxOnePassWindow = 1<<31 + 1<<31/8*7
)

func (f *frame) onePass() bool { return f.complete && f.declared >= 0 && f.declared <= outputBuffer }

// fault returns why libzstd takes no frame with this header, whatever it holds.
func (f *frame) fault() error {
	switch {
	case f.dictionary != 0:
		return fmt.Errorf("it needs the dictionary %d, which nobody has", f.dictionary)
	case f.onePass() && f.window <= maxOnePassWindow:
		return nil
	case f.window > maxWindow:
		return fmt.Errorf("it needs a window of %d bytes", f.window)
	}
	return nil
}

// plain reports whether a frame decodes to the same with any decoder.
func (f *frame) plain() bool {
	return f.complete && f.declared < 0 && !f.odd && f.bytes[4]&3 == 0
}

// rewrite returns a frame of the same content that keeps to RFC 8878, or why
// libzstd does not decode f. Of an incomplete frame it keeps what libzstd
// decodes: the complete blocks, and what is there of a raw one.
func (f *frame) rewrite() ([]byte, error) {
	out := append(make([]byte, 0, len(f.bytes)+16), f.bytes[:4]...)
	if f.onePass() {
		out = append(out, 0x80, windowDescriptor(outputBuffer))
		out = binary.LittleEndian.AppendUint32(out, uint32(f.declared))
	} else {
		out = append(out, 0, windowDescriptor(f.reach()))
	}
	if f.complete && f.checksum {
		out[4] |= 4
	}
	for b := range f.each() {
		if err := f.check(b); err != nil {
			return nil, err
		}
		b.last = b.last && f.complete
		out = b.appendTo(out)
	}
	if f.complete {
		return append(out, f.bytes[f.lastFull:]...), nil
	}
	return f.endTorn(out)
}

// reach returns how far back a match of a streamed frame may reach: to the start of
// what libzstd's buffer holds. It is no more than the content.
func (f *frame) reach() int64 {
	if f.window < maxBlock && f.bound() > wholeFrame {
		return f.window // no look is taken at the blocks of so long a frame
	}
	return max(min(f.bound(), f.window+2*f.blockMax()+64), maxBlock)
}

// rewrittenHeader returns the length of the header that rewrite gives a frame.
func rewrittenHeader(b []byte) int { return 5 + fieldBytes(b[4]) }

// check returns why libzstd does not take a block.
func (f *frame) check(b block) error {
	n := int64(b.size)
	switch {
	case b.kind != blockCompressed && f.onePass():
		return nil // too much of it is found by the stated size
	case b.kind == blockCompressed && n == 0 && f.onePass():
		return errors.New("a compressed block is empty")
	case n > f.blockMax():
		return fmt.Errorf("a block of %d bytes is longer than the %d that it may have", n, f.blockMax())
	case b.kind == blockCompressed && literals(b.payload) > f.blockMax():
		return fmt.Errorf("a block has more literals than the %d bytes that it may decode to", f.blockMax())
	}
	return nil
}

// literals returns how many literals a compressed block says it has (RFC 8878,
// section 3.1.1.3.1.1).
func literals(payload []byte) int64 {
	var h [8]byte
	copy(h[:], payload)
	bits := int64(binary.LittleEndian.Uint64(h[:]))
	if h[0]&3 < 2 { // raw or a run: 5, 12 or 20 bits
		switch h[0] >> 2 & 3 {
		case 1:
			return bits >> 4 & (1<<12 - 1)
		case 3:
			return bits >> 4 & (1<<20 - 1)
		}
		return bits >> 3 & (1<<5 - 1)
	}
	switch h[0] >> 2 & 3 {
	case 2:
		return bits >> 4 & (1<<14 - 1)
	case 3:
		return bits >> 4 & (1<<18 - 1)
	}
	return bits >> 4 & (1<<10 - 1)
}

// appendTo writes the block, in parts where it is longer than a block may be.
func (b block) appendTo(out []byte) []byte {
	if b.kind == blockCompressed && b.size == 0 {
		return appendBlock(out, blockRaw, 0, b.last, nil)
	}
	if b.kind == blockCompressed {
		return appendBlock(out, b.kind, b.size, b.last, b.payload)
	}
	for b.size > maxBlock {
		part := b.payload
		if b.kind == blockRaw {
			part, b.payload = b.payload[:maxBlock], b.payload[maxBlock:]
		}
		out = appendBlock(out, b.kind, maxBlock, false, part)
		b.size -= maxBlock
	}
	return appendBlock(out, b.kind, b.size, b.last, b.payload)
}

func appendBlock(out []byte, kind blockKind, size int, last bool, payload []byte) []byte {
	h := uint32(size)<<3 | uint32(kind)<<1
	if last {
		h |= 1
	}
	return append(append(out, byte(h), byte(h>>8), byte(h>>16)), payload...)
}

// endTorn ends the rewritten blocks of an incomplete frame.
func (f *frame) endTorn(out []byte) ([]byte, error) {
	if int64(f.tornBlock) > f.blockMax() {
		return nil, fmt.Errorf("the block that is cut claims %d bytes", f.tornBlock)
	}
	rest := f.bytes[f.lastFull:]
	if f.rawTail > 0 {
		return appendBlock(out, blockRaw, f.rawTail, true, rest[3:3+f.rawTail]), nil
	}
	return appendBlock(out, blockRaw, 0, true, nil), nil
}

// windowDescriptor returns the descriptor of the smallest window of at least n bytes.
func windowDescriptor(n int64) byte {
	for d := 0; d < 255; d++ {
		if base := int64(1) << (10 + d>>3); base+base/8*int64(d&7) >= n {
			return byte(d)
		}
	}
	return 255
}

// A ring is the buffer that libzstd streams through, which it keeps from frame
// to frame and only ever lets grow.
type ring int64

// sizeFault returns why libzstd does not end a frame with this much content.
func (r *ring) sizeFault(f *frame, content int64) error {
	if !f.onePass() {
		needed := f.window + 2*f.blockMax() + 64
		if f.declared >= 0 {
			needed = min(needed, f.declared)
		}
		*r = max(*r, ring(needed))
	}
	switch {
	case f.declared < 0 || content == f.declared:
		return nil
	case f.onePass(), f.lastBlock && !f.emptyLast:
	case content > f.declared && int64(*r) >= f.declared && content > int64(*r): // the ring is not begun again
	default:
		return nil
	}
	return fmt.Errorf("it states a content of %d bytes and has %d", f.declared, content)
}
