package logformat

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// A block may not decode to more than the window or 128 KiB, whichever is less. The
// decoder of this package holds a frame to it by its window; but libzstd lets a match
// reach back beyond the window, so a frame with a small window is decoded with a
// larger one, and the length of its blocks is looked at here.

// overlength is by how much libzstd lets a packed block exceed its limit in one pass
// (WILDCOPY_OVERLENGTH).
const overlength = 32

// mayExceed reports whether the length of the frame's blocks has to be looked at.
func (f *frame) mayExceed() bool {
	return f.packed && f.window < maxBlock && (!f.onePass() || f.declared > f.window)
}

// A blockwise decodes frames and keeps the lengths of what each block decodes to.
type blockwise struct {
	decoder *zstd.Decoder
	out     []byte
	lengths map[int]int // how often a block had this length
}

// Write takes the content of one block.
func (w *blockwise) Write(content []byte) (int, error) {
	w.out = append(w.out, content...)
	w.lengths[len(content)]++
	return len(content), nil
}

// decode decodes src, what f is rewritten to.
func (w *blockwise) decode(f *frame, src []byte) ([]byte, error) {
	var err error
	if w.decoder == nil {
		if w.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(largestWindow)); err != nil {
			return nil, err
		}
	}
	w.out, w.lengths = w.out[:0], make(map[int]int)
	if err := w.decoder.Reset(bytes.NewReader(src)); err != nil {
		return nil, err
	}
	if _, err := w.decoder.WriteTo(w); err != nil {
		return nil, err
	}
	// What raw blocks and runs decode to is known, and what is left is of packed ones.
	for b := range eachBlock(src[rewrittenHeader(src):]) {
		if b.kind != blockCompressed {
			w.lengths[b.size]--
		}
	}
	limit := int(f.blockMax())
	if f.onePass() {
		limit += overlength
	}
	for length, blocks := range w.lengths {
		if blocks > 0 && length > limit {
			return nil, fmt.Errorf("a block decodes to more than the %d bytes that it may", f.blockMax())
		}
	}
	return w.out, nil
}

func (w *blockwise) close() {
	if w.decoder != nil {
		w.decoder.Close()
	}
}
