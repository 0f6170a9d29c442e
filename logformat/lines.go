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
	partial partialLine
	offset  int64 // of the next line in the decoded text
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
			if s.partial.size > 0 {
				s.partial.add(text)
				text = s.partial.join()
			}
			return s.emit(text, true), nil
		}
		if err := s.keep(); err != nil {
			return line{}, err
		}
		if err := s.advance(); err != nil {
			if errors.Is(err, io.EOF) && s.partial.size > 0 {
				return s.emit(s.partial.join(), false), nil
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
	return l
}

// keep moves what is left of the piece to the partial line.
func (s *lineSplitter) keep() error {
	if s.partial.size+len(s.rest) > maxLine {
		return &Refusal{
			Code: CodeLineTooLong, Phase: PhaseLines, Seq: -1,
			Pos: Position{Line: s.number + 1, Offset: s.offset, Frame: s.piece.frame},
		}
	}
	s.partial.add(s.rest)
	s.rest = nil
	return nil
}

// pass goes on to the first line in sight that may hold the word, and returns how many
// lines it left behind.
func (s *lineSplitter) pass(word string) (lines int64) {
	if s.partial.size > 0 {
		return 0
	}
	cut := bytes.LastIndexByte(s.rest[:wordAt(s.rest, word)], '\n') + 1
	lines = int64(bytes.Count(s.rest[:cut], []byte{'\n'}))
	s.rest = s.rest[cut:]
	s.offset += int64(cut)
	s.number += lines
	return lines
}

// wordAt returns where a word of JSON may be first in text, spelled out or hidden by an
// escape; its length when nowhere.
func wordAt(text []byte, word string) int {
	if at := bytes.IndexByte(text, '\\'); at >= 0 {
		text = text[:at]
	}
	if at := bytes.Index(text, []byte(word)); at >= 0 {
		return at
	}
	return len(text)
}

// skip reads on to the end without looking at the lines, which it counts. The
// error is what ended it, [io.EOF] too.
func (s *lineSplitter) skip() (lines int64, err error) {
	for err == nil {
		lines += int64(bytes.Count(s.rest, []byte{'\n'}))
		s.rest, s.partial = nil, partialLine{}
		err = s.advance()
	}
	s.number += lines
	return lines, err
}

func (s *lineSplitter) advance() error {
	p, err := s.src.next()
	if err != nil {
		return err
	}
	if p.torn && !s.piece.torn && s.partial.size > 0 {
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
