package logformat

import (
	"bytes"
	"errors"
	"io"
)

// maxLine is the longest line that the harness can hold: the longest string of
// its JavaScript engine.
const maxLine = 1<<29 - 24

// A line is one stretch of decoded text up to a line feed.
type line struct {
	text       []byte // without the line feed; valid until the next call
	pos        Position
	terminated bool
	torn       bool     // from the incomplete last frame: the plain rules of leniency hold
	fault      *Refusal // of a store's row that gives no line
}

// lineSplitter cuts the pieces of a source into lines.
type lineSplitter struct {
	src     pieceSource
	rest    []byte // of the current piece
	piece   piece
	partial []byte // a line that began in an earlier piece
	offset  int64  // of the next line in the decoded text
	number  int64
	started bool
	read    int64 // decoded bytes read so far
	limit   int64 // of decoded bytes; 0: none
}

// next returns the next line. The last one may be unterminated; io.EOF follows.
func (s *lineSplitter) next() (line, error) {
	for {
		if at := bytes.IndexByte(s.rest, '\n'); at >= 0 {
			text := s.rest[:at]
			s.rest = s.rest[at+1:]
			if len(s.partial) > 0 {
				s.partial = append(s.partial, text...)
				text = s.partial
			}
			return s.emit(text, true), nil
		}
		if err := s.keep(); err != nil {
			return line{}, err
		}
		if err := s.advance(); err != nil {
			if errors.Is(err, io.EOF) && len(s.partial) > 0 {
				return s.emit(s.partial, false), nil
			}
			return line{}, err
		}
	}
}

func (s *lineSplitter) emit(text []byte, terminated bool) line {
	s.number++
	l := line{
		text:       text,
		pos:        Position{Line: s.number, Offset: s.offset, Frame: s.piece.frame},
		terminated: terminated,
		torn:       s.piece.torn,
	}
	s.offset += int64(len(text)) + 1
	s.partial = s.partial[:0]
	return l
}

// keep moves what is left of the piece to the partial line.
func (s *lineSplitter) keep() error {
	if len(s.partial)+len(s.rest) > maxLine {
		return &Refusal{
			Code: CodeLineTooLong, Phase: PhaseLines, Seq: -1,
			Pos: Position{Line: s.number + 1, Offset: s.offset, Frame: s.piece.frame},
		}
	}
	s.partial = append(s.partial, s.rest...)
	s.rest = nil
	return nil
}

// skip reads on to the end without looking at the lines, which it counts. The
// error is what ended it, [io.EOF] too.
func (s *lineSplitter) skip() (lines int64, err error) {
	for err == nil {
		lines += int64(bytes.Count(s.rest, []byte{'\n'}))
		s.rest, s.partial = nil, nil
		err = s.advance()
	}
	s.number += lines
	return lines, err
}

func (s *lineSplitter) advance() error {
	// The line buffer is kept for reuse, but not one that a single huge line left.
	if len(s.partial) == 0 && cap(s.partial) > 4<<20 {
		s.partial = nil
	}
	p, err := s.src.next()
	if err != nil {
		return err
	}
	if p.torn && len(s.partial) > 0 {
		return s.tornRecord()
	}
	s.piece, s.rest, s.started = p, p.text, true
	s.read += int64(len(p.text))
	if s.limit > 0 && s.read > s.limit {
		return &Refusal{Code: CodeSizeLimit, Phase: PhaseContainer, Seq: -1, Pos: Position{Line: s.number + 1, Offset: s.offset}}
	}
	return nil
}

// tornRecord is the fault of complete frames that end inside a line.
func (s *lineSplitter) tornRecord() error {
	return &Refusal{
		Code: CodeZstdTornRecord, Phase: PhaseLines, Seq: -1,
		Pos: Position{Line: s.number + 1, Offset: s.offset, Frame: s.piece.frame},
	}
}
