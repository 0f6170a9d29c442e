package logformat

import "runtime"

// Decoding and parsing cost about the same, so a long log is decoded by a
// goroutine of its own, a few batches ahead. The pieces and their order are the
// same as without it. Short logs never start it.

const (
	aheadAfter  = 256 << 10 // decoded bytes after which decoding goes ahead
	batchBytes  = 128 << 10 // decoded bytes in a batch, at least, if there are more
	batchPieces = 64        // pieces in a batch, at most
	batchCount  = 4         // batches in flight
)

// A batch is a run of pieces whose texts lie one after the other in buf.
type batch struct {
	buf    []byte
	pieces []batchPiece
	err    error // what ended the source after the pieces; nil while it goes on
}

type batchPiece struct {
	end   int // of its text in buf
	piece piece
}

// An aheadSource yields the pieces of another source: at first by asking it
// directly, and once it has proved long, from a goroutine that runs ahead.
//
// The goroutine owns the other source from its start until the batch with the
// error has been received.
type aheadSource struct {
	src     pieceSource
	seen    int64
	full    chan *batch
	free    chan *batch
	stop    chan struct{}
	stopped bool
	current *batch
	at      int // in the pieces of current
	start   int // of the next piece's text in current
}

func (s *aheadSource) next() (piece, error) {
	if s.full == nil {
		if s.seen < aheadAfter || runtime.GOMAXPROCS(0) < 2 {
			p, err := s.src.next()
			s.seen += int64(len(p.text))
			return p, err
		}
		s.begin()
	}
	for s.current == nil || s.at == len(s.current.pieces) {
		if s.current != nil {
			if err := s.current.err; err != nil {
				return piece{}, err
			}
			s.free <- s.current
		}
		s.current, s.at, s.start = <-s.full, 0, 0
	}
	bp := &s.current.pieces[s.at]
	p := bp.piece
	p.text = s.current.buf[s.start:bp.end]
	s.at, s.start = s.at+1, bp.end
	return p, nil
}

func (s *aheadSource) begin() {
	s.full = make(chan *batch, batchCount)
	s.free = make(chan *batch, batchCount)
	s.stop = make(chan struct{})
	for range batchCount {
		s.free <- new(batch)
	}
	go decodeAhead(s.src, s.full, s.free, s.stop)
}

// close ends the goroutine of a source that is not read to its end.
func (s *aheadSource) close() {
	if s.stop != nil && !s.stopped {
		s.stopped = true
		close(s.stop)
	}
}

func decodeAhead(src pieceSource, full chan<- *batch, free <-chan *batch, stop <-chan struct{}) {
	for {
		var b *batch
		select {
		case b = <-free:
		case <-stop:
			return
		}
		b.fill(src)
		ended := b.err != nil
		select {
		case full <- b:
		case <-stop:
			return
		}
		if ended {
			return
		}
	}
}

func (b *batch) fill(src pieceSource) {
	if cap(b.buf) > wholeFrame {
		b.buf = nil // a huge frame's buffer is not kept
	}
	b.buf, b.pieces = b.buf[:0], b.pieces[:0]
	for len(b.buf) < batchBytes && len(b.pieces) < batchPieces {
		p, err := src.next()
		if err != nil {
			b.err = err
			return
		}
		b.buf = append(b.buf, p.text...)
		p.text = nil
		b.pieces = append(b.pieces, batchPiece{len(b.buf), p})
	}
}
