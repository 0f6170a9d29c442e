package logformat

import (
	"errors"
	"io"
	"iter"
)

// A RawLine is a complete line of a log, before a format reads it.
type RawLine struct {
	Text  []byte // without its line feed; valid until the next one
	Pos   Position
	Whole bool // lies in a complete Zstandard frame
}

// Lines yields the complete lines of a log in order, the header line first, whatever the
// log's format is: for a caller that has rules of its own. It is used in place of Header and
// Records. What follows the last line feed of plain text, or of a structurally incomplete last
// frame, is left out. An error that is a *[Refusal] is damage of the file: a frame that does
// not decode, a first frame that is not exactly the header line, complete frames that end
// inside a line, a first line without line feed. Another error is a failure to read.
func (r *Reader) Lines() iter.Seq2[RawLine, error] {
	return func(yield func(RawLine, error) bool) {
		l, err := r.headerLine()
		for err == nil && yield(RawLine{Text: l.text, Pos: l.pos, Whole: r.encoding == Zstandard && !l.torn}, nil) {
			l, err = r.nextLine()
			switch {
			case err == nil && l.fault != nil:
				err = l.fault
			case err == nil && !l.terminated && r.encoding == Zstandard && !l.torn:
				err = r.lines.tornRecord()
			case err == nil && !l.terminated:
				err = io.EOF
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			yield(RawLine{}, err)
		}
	}
}
