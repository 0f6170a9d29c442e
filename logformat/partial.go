package logformat

import "runtime"

// partBytes is the length of the parts in which a long line is gathered. A line up to
// that length is gathered in place, in a buffer that is used again.
const partBytes = 4 << 20

// hugeLine is the length from which on memory is collected when a line is begun, as
// what is left of one before it is garbage, and when it is put together: the collector
// would let as much garbage pile up as there is in use.
const hugeLine = 64 << 20

// A partialLine gathers a line that comes in pieces. A long one is gathered in parts and
// put together once its length is known, so that it never costs more than twice its
// length here: a buffer that grows would cost more.
type partialLine struct {
	buf   []byte   // the part that is being filled
	parts [][]byte // full ones before it
	size  int      // of all
}

// add appends a piece.
func (p *partialLine) add(text []byte) {
	if p.size <= hugeLine && p.size+len(text) > hugeLine {
		runtime.GC()
	}
	p.size += len(text)
	for len(p.buf)+len(text) > partBytes {
		n := partBytes - len(p.buf)
		p.parts = append(p.parts, append(p.buf, text[:n]...))
		p.buf, text = make([]byte, 0, partBytes), text[n:]
	}
	p.buf = append(p.buf, text...)
}

// join returns the line and begins another one. The line is valid until the next add.
func (p *partialLine) join() []byte {
	line := p.buf
	if len(p.parts) > 0 {
		line = make([]byte, 0, p.size)
		for i, part := range p.parts {
			line = append(line, part...)
			p.parts[i] = nil
		}
		line = append(line, p.buf...)
		p.parts = nil
	}
	if p.size > hugeLine {
		p.buf = nil
		runtime.GC()
	}
	p.buf, p.size = p.buf[:0], 0
	return line
}
