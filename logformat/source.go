package logformat

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// A piece is a stretch of decoded log text, in order.
type piece struct {
	text  []byte // valid until the next call
	frame int    // 1-based; 0 in plain text
	ends  bool   // the piece ends its frame
	torn  bool   // from the structurally incomplete last frame
}

// A pieceSource yields the decoded text of a log; io.EOF ends it. A *Refusal is
// physical damage.
type pieceSource interface {
	next() (piece, error)
}

// plainSource reads plain text.
type plainSource struct {
	in  io.Reader
	buf []byte
}

func (s *plainSource) next() (piece, error) {
	if s.buf == nil {
		s.buf = make([]byte, lookAhead)
	} else if len(s.buf) == lookAhead { // it is no short log
		s.buf = make([]byte, 128<<10)
	}
	for {
		n, err := s.in.Read(s.buf)
		if n > 0 {
			return piece{text: s.buf[:n]}, nil // the error, if any, comes again
		}
		if err != nil {
			return piece{}, err
		}
	}
}

// wholeFrame is the decoded size up to which a frame is decoded in one go; a
// larger one is streamed, so that a small file cannot ask for gigabytes.
const wholeFrame = 16 << 20

// zstdSource decodes a log frame by frame.
type zstdSource struct {
	walker  frameWalker
	decoder *zstd.Decoder
	blocks  blockwise
	out     []byte
	number  int
	plain   int // frames without a checksum
	stream  *zstd.Decoder
	frame   *frame // being streamed
	content int64  // of it, so far
	ring    ring
	torn    *TornFrame
	done    bool
}

// A TornFrame describes a structurally incomplete last frame.
type TornFrame struct {
	Offset int64 // of the frame in the file
	Bytes  int64 // that are there of it
}

func newZstdSource(in *bufio.Reader) *zstdSource {
	return &zstdSource{walker: frameWalker{in: in}}
}

func (s *zstdSource) next() (piece, error) {
	if s.stream != nil {
		return s.nextStreamed()
	}
	if s.done {
		return piece{}, io.EOF
	}
	f, err := s.walker.next()
	if err != nil {
		return piece{}, err
	}
	s.number++
	if !f.complete {
		return s.salvage(f)
	}
	if !f.checksum {
		s.plain++
	}
	if !f.onePass() && f.bound() > wholeFrame {
		return s.openStream(f)
	}
	text, err := s.decode(f)
	if err != nil {
		return piece{}, s.damaged(f, err)
	}
	return piece{text: text, frame: s.number, ends: true}, nil
}

// decode decodes a frame in one go. One that any decoder takes is rewritten only if
// it does not decode as it is.
func (s *zstdSource) decode(f *frame) ([]byte, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	if f.plain() {
		if out, err := s.decodeAll(f.bytes); err == nil {
			return out, s.ring.sizeFault(f, int64(len(out)))
		}
	}
	src, err := f.rewrite()
	if err != nil {
		return nil, err
	}
	decode := s.decodeAll
	if f.mayExceed() {
		decode = func(src []byte) ([]byte, error) { return s.blocks.decode(f, src) }
	}
	out, err := decode(src)
	if err != nil {
		return nil, err
	}
	return out, s.ring.sizeFault(f, int64(len(out)))
}

func (s *zstdSource) decodeAll(src []byte) ([]byte, error) {
	if s.decoder == nil {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(largestWindow))
		if err != nil {
			return nil, err
		}
		s.decoder = decoder
	}
	out, err := s.decoder.DecodeAll(src, s.out[:0])
	if err == nil {
		s.out = out
	}
	return out, err
}

func (s *zstdSource) openStream(f *frame) (piece, error) {
	if err := f.fault(); err != nil {
		return piece{}, s.damaged(f, err)
	}
	src, err := f.rewrite()
	if err != nil {
		return piece{}, s.damaged(f, err)
	}
	stream, err := zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(largestWindow))
	if err != nil {
		return piece{}, s.damaged(f, err)
	}
	s.stream, s.frame, s.content = stream, f, 0
	return s.nextStreamed()
}

func (s *zstdSource) nextStreamed() (piece, error) {
	if cap(s.out) < 1<<20 {
		s.out = make([]byte, 1<<20)
	}
	n, err := io.ReadFull(s.stream, s.out[:1<<20])
	s.content += int64(n)
	p := piece{text: s.out[:n], frame: s.number, torn: !s.frame.complete}
	switch {
	case err == nil:
		return p, nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && n > 0 && s.streamEnded():
		if err = s.ring.sizeFault(s.frame, s.content); err == nil {
			s.closeStream()
			p.ends = true
			return p, nil
		}
	}
	return piece{}, s.damaged(s.frame, err)
}

// streamEnded tells a short last read from a frame that does not decode.
func (s *zstdSource) streamEnded() bool {
	var one [1]byte
	n, err := s.stream.Read(one[:])
	return n == 0 && errors.Is(err, io.EOF)
}

// salvage decodes what an incomplete last frame still holds. As in the
// harness, a frame whose present blocks do not decode gives nothing.
func (s *zstdSource) salvage(f *frame) (piece, error) {
	s.done, s.ring = true, 0 // the harness takes another decoder for it
	s.torn = &TornFrame{Offset: f.offset, Bytes: int64(len(f.bytes))}
	p := piece{frame: s.number, ends: true, torn: true}
	if f.header == 0 {
		return p, nil
	}
	if f.bound() > wholeFrame {
		return s.salvageStreamed(f)
	}
	if text, err := s.decode(f); err == nil {
		p.text = text
	}
	return p, nil
}

// salvageStreamed decodes a large incomplete frame twice: once to learn that
// all of it decodes, and then for its text.
func (s *zstdSource) salvageStreamed(f *frame) (piece, error) {
	p, err := s.openStream(f)
	for err == nil && !p.ends {
		p, err = s.nextStreamed()
	}
	if err != nil {
		return piece{frame: s.number, ends: true, torn: true}, nil
	}
	return s.openStream(f)
}

func (s *zstdSource) damaged(f *frame, cause error) error {
	s.closeStream()
	return &Refusal{
		Code: CodeZstdFrame, Phase: PhaseContainer, Seq: -1,
		Detail: fmt.Sprintf("frame %d at byte %d of the file (%v)", s.number, f.offset, cause),
	}
}

func (s *zstdSource) closeStream() {
	if s.stream != nil {
		s.stream.Close()
		s.stream = nil
	}
}

func (s *zstdSource) close() {
	if s.decoder != nil {
		s.decoder.Close()
	}
	s.blocks.close()
	s.closeStream()
}
