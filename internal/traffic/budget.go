package traffic

import (
	"errors"
	"io"
)

// A budget bounds what the compressed bodies of one capture decode to, together. A
// compressor makes a gigabyte of spaces a megabyte, and a capture may hold many.
//
// What adapters post is text and pictures: text compresses to a tenth and pictures
// not at all, so a capture of a real deployment stays far below its budget.
type budget struct {
	hold int64 // bytes that may still be kept
	work int64 // bytes that may still be decoded, kept or not
}

// The bounds: a fixed part, and a multiple of what the capture takes on disk.
const (
	budgetBase  = 64 << 20
	budgetRatio = 32
	budgetWork  = 4 // times what may be kept
)

// errBudget says that the bound was reached.
var errBudget = errors.New("the compressed bodies of the capture decode to more than 64 MiB and 32 times its size")

// newBudget returns the budget of a capture that takes some bytes on disk.
func newBudget(stored int64) *budget {
	hold := budgetBase + budgetRatio*min(stored, maxCapture)
	return &budget{hold: hold, work: budgetWork * hold}
}

// measure decodes a body without keeping it and returns its length.
func (b *budget) measure(r io.Reader) (int64, error) {
	most := min(b.hold, b.work, maxBody)
	n, err := io.Copy(io.Discard, io.LimitReader(r, most+1))
	b.work -= min(n, b.work)
	switch {
	case err != nil:
		return 0, err
	case n > maxBody:
		return 0, errors.New("it inflates to more than 1 GiB")
	case n > most:
		return 0, errBudget
	}
	return n, nil
}

// keep decodes a body of a length that was measured.
func (b *budget) keep(r io.Reader, n int64) ([]byte, error) {
	out := make([]byte, n)
	_, err := io.ReadFull(r, out)
	b.hold -= n
	b.work -= min(n, b.work)
	return out, err
}
