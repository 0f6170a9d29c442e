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

// maxWindow is the largest window that the harness's decoder accepts
// (zstd's ZSTD_WINDOWLOG_LIMIT_DEFAULT).
const maxWindow = 128 << 20

// zstdSource decodes a log frame by frame.
type zstdSource struct {
	walker  frameWalker
	decoder *zstd.Decoder
	out     []byte
	number  int
	plain   int // frames without a checksum
	stream  *zstd.Decoder
	offset  int64 // of the frame being streamed
	torn    *TornFrame
	done    bool

	tornStream bool // the frame being streamed is the incomplete last one
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
	if f.window > maxWindow {
		return piece{}, s.damaged(f.offset, fmt.Errorf("it needs a window of %d bytes", f.window))
	}
	if f.bound() > wholeFrame {
		return s.openStream(f)
	}
	text, err := s.decode(f.bytes)
	if err != nil {
		return piece{}, s.damaged(f.offset, err)
	}
	return piece{text: text, frame: s.number, ends: true}, nil
}

func (s *zstdSource) decode(frame []byte) ([]byte, error) {
	if s.decoder == nil {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		s.decoder = decoder
	}
	out, err := s.decoder.DecodeAll(frame, s.out[:0])
	if err == nil {
		s.out = out
	}
	return out, err
}

func (s *zstdSource) openStream(f *frame) (piece, error) {
	stream, err := zstd.NewReader(bytes.NewReader(f.bytes), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return piece{}, s.damaged(f.offset, err)
	}
	s.stream, s.offset = stream, f.offset
	return s.nextStreamed()
}

func (s *zstdSource) nextStreamed() (piece, error) {
	if cap(s.out) < 1<<20 {
		s.out = make([]byte, 1<<20)
	}
	n, err := io.ReadFull(s.stream, s.out[:1<<20])
	switch {
	case err == nil:
		return piece{text: s.out[:n], frame: s.number, torn: s.tornStream}, nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && n > 0 && s.streamEnded():
		s.stream.Close()
		s.stream = nil
		return piece{text: s.out[:n], frame: s.number, ends: true, torn: s.tornStream}, nil
	}
	return piece{}, s.damaged(s.offset, err)
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
	s.done = true
	s.torn = &TornFrame{Offset: f.offset, Bytes: int64(len(f.bytes))}
	p := piece{frame: s.number, ends: true, torn: true}
	whole := f.salvage()
	if whole == nil || f.window > maxWindow {
		return p, nil
	}
	if int64(f.blocks)*maxBlock > wholeFrame {
		return s.salvageStreamed(f, whole)
	}
	if text, err := s.decode(whole); err == nil {
		p.text = text
	}
	return p, nil
}

// salvageStreamed decodes a large incomplete frame twice: once to learn that
// all of it decodes, and then for its text.
func (s *zstdSource) salvageStreamed(f *frame, whole []byte) (piece, error) {
	probe := frame{bytes: whole, offset: f.offset}
	s.tornStream = true
	p, err := s.openStream(&probe)
	for err == nil && !p.ends {
		p, err = s.nextStreamed()
	}
	if err != nil {
		return piece{frame: s.number, ends: true, torn: true}, nil
	}
	return s.openStream(&probe)
}

func (s *zstdSource) damaged(offset int64, cause error) error {
	if s.stream != nil {
		s.stream.Close()
		s.stream = nil
	}
	return &Refusal{
		Code: CodeZstdFrame, Phase: PhaseContainer, Seq: -1,
		Detail: fmt.Sprintf("frame %d at byte %d of the file (%v)", s.number, offset, cause),
	}
}

func (s *zstdSource) close() {
	if s.decoder != nil {
		s.decoder.Close()
	}
	if s.stream != nil {
		s.stream.Close()
	}
}
