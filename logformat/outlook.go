package logformat

import (
	"bytes"
	"errors"
	"io"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// An outlook collects what a reader needs from the start of a log and only the rest of it
// tells: how much was inherited, which the last marker of a seed says, and who wrote a
// lifetime, which any row of it can show. Such a log is read twice.
type outlook interface {
	// wants reports whether a line may say something. Others are not parsed.
	wants(line []byte) bool
	// see takes the next row; it is nil where the row was not wanted.
	see(row *outlookRow)
	// tell writes into the header what was seen.
	tell(h *SessionHeader)
}

// onlySeed is the outlook of formats of which only the seed is looked for.
func onlySeed() outlook { return nil }

// nothingElse is the outlook where only the seed is looked for.
type nothingElse struct{}

func (nothingElse) wants([]byte) bool   { return false }
func (nothingElse) see(*outlookRow)     {}
func (nothingElse) tell(*SessionHeader) {}

// An outlookRow is a row that was not held to the rules.
type outlookRow struct {
	typ, data ecmajson.Value
	seq       int64
}

// lookAhead reads the log to its end if its version asks for that, and a reader can be
// had that starts again.
func (r *Reader) lookAhead() error {
	if r.version.outlook == nil || r.looking {
		return nil
	}
	o := r.version.outlook()
	switch {
	case r.again == nil && r.header.Seeded:
		return ErrNotAgain
	case r.again == nil, o == nil && !r.header.Seeded:
		return nil
	}
	src, err := r.again()
	if err != nil {
		return err
	}
	defer src.Close()
	first := NewReader(src, Options{FileName: r.opts.FileName, MaxSize: r.opts.MaxSize, KnownTypes: r.opts.KnownTypes})
	defer first.Close()
	first.looking = true
	if o == nil {
		o = nothingElse{}
	}
	if r.header.Seeded {
		first.lookAtRecords(o)
		r.header.SeedLength = first.seedLength()
	} else {
		first.lookAtLines(o)
	}
	o.tell(r.header)
	return nil
}

// lookAtRecords reads a log by its rules, up to what refuses it.
func (r *Reader) lookAtRecords(o outlook) {
	for rec, err := range r.Records() {
		if err != nil {
			return
		}
		if e := rec.Event; e != nil {
			typ := ecmajson.AppendString(nil, e.Type)
			o.see(&outlookRow{typ: typ, data: e.Data, seq: e.Seq})
		}
	}
}

// seedLength is what the log inherited, as far as it was read.
func (r *Reader) seedLength() int64 {
	if r.header == nil {
		return 0
	}
	return r.header.SeedLength
}

// lookAtLines reads the lines of a log, up to one that is no row.
func (r *Reader) lookAtLines(o outlook) {
	if _, err := r.headerLine(); err != nil {
		return
	}
	for {
		l, err := r.nextLine()
		if err != nil || !l.terminated {
			return
		}
		if !o.wants(l.text) {
			o.see(nil)
			continue
		}
		text, _, err := ecmajson.Canonical(bytes.Clone(l.text))
		row := ecmajson.Value(text)
		seq, counted := count(row.Lookup("seq"))
		if err != nil || !counted {
			return
		}
		o.see(&outlookRow{typ: row.Lookup("type"), data: row.Lookup("data"), seq: seq})
	}
}

// startAgain returns how a log is read from its start again, nil where it cannot be.
func startAgain(src io.Reader, opts Options) func() (io.ReadCloser, error) {
	if opts.Again != nil {
		return opts.Again
	}
	seeker, ok := src.(io.ReadSeeker)
	if !ok {
		return nil
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil // a pipe
	}
	return func() (io.ReadCloser, error) {
		at, err := seeker.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		_, err = seeker.Seek(start, io.SeekStart)
		return &secondReading{seeker, at}, err
	}
}

// A secondReading reads what is read already, and goes back to where it was.
type secondReading struct {
	io.ReadSeeker
	at int64
}

func (s *secondReading) Close() error {
	_, err := s.Seek(s.at, io.SeekStart)
	return err
}

// ErrNotAgain is returned where a log has to be read twice and its source cannot be.
var ErrNotAgain = errors.New("what the session inherited shows only at the end of its log, which cannot be read twice: read it from a file")
