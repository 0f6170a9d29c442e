package logformat

import (
	"bytes"
	"testing"
)

// TestPartialLine gathers lines of lengths around those of the parts from pieces of
// several lengths.
func TestPartialLine(t *testing.T) {
	var p partialLine
	for _, piece := range []int{1 << 18, 1<<18 - 7, partBytes, 3*partBytes + 1} {
		for _, length := range []int{1, piece, partBytes - 1, partBytes, partBytes + 1, 2 * partBytes, 3*partBytes + 5} {
			want := make([]byte, length)
			for i := range want {
				want[i] = byte(i * 7)
			}
			for rest := want; len(rest) > 0; {
				n := min(piece, len(rest))
				p.add(rest[:n])
				rest = rest[n:]
			}
			if got := p.join(); !bytes.Equal(got, want) || p.size != 0 {
				t.Errorf("%d bytes in pieces of %d: %d bytes", length, piece, len(got))
			}
		}
	}
}
