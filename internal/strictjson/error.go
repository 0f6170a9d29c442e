package strictjson

import (
	"errors"
	"fmt"
	"io"
)

// ErrTooLong says that a value is longer than its reader keeps.
var ErrTooLong = errors.New("a value is too long")

// An Error says where a text is not JSON. Early ones wrap io.ErrUnexpectedEOF.
type Error struct {
	Offset int64 // of the byte that cannot stand there
	Early  bool  // the text ends there
	Behind bool  // the text has ended before it
	Deep   bool  // it nests deeper than this package reads
	Found  byte
}

func (e *Error) Error() string {
	switch {
	case e.Early:
		return fmt.Sprintf("it ends too early, at byte %d", e.Offset)
	case e.Behind:
		return fmt.Sprintf("something follows its end, at byte %d", e.Offset)
	case e.Deep:
		return fmt.Sprintf("it nests too deep at byte %d", e.Offset)
	}
	return fmt.Sprintf("it is not JSON at byte %d: unexpected %q", e.Offset, []byte{e.Found})
}

// Unwrap tells an early end from other faults.
func (e *Error) Unwrap() error {
	if e.Early {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// fail keeps the first error.
func (r *Reader) fail(err error) error {
	if r.err == nil {
		r.err = err
	}
	return r.err
}

func (r *Reader) early() error { return r.fail(&Error{Offset: r.Offset(), Early: true}) }

// unexpected is the error of the byte that comes.
func (r *Reader) unexpected() error {
	return r.fail(&Error{Offset: r.Offset(), Found: r.buf[r.at]})
}
