package strictjson

import (
	"errors"
	"io"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Reader reads one JSON text from a stream. After an error every call returns it.
//
// Invariant: buf[at:end] was read and not consumed; buf[0] is at offset base; when mark
// is not negative, what was consumed from buf[mark] on is kept.
type Reader struct {
	in      io.Reader
	buf     []byte
	at, end int
	base    int64
	mark    int
	limit   int // of what is kept
	ended   bool
	err     error
	odd     Oddities
}

// chunk is how much is read at once, and what the buffer shrinks to.
const chunk = 256 << 10

// NewReader returns a reader of the text in a stream. A byte order mark in front of it
// is skipped, as decoders of JavaScript do.
func NewReader(in io.Reader) *Reader { return NewReaderSize(in, chunk) }

// NewReaderSize is NewReader for a text of about a size.
func NewReaderSize(in io.Reader, size int) *Reader {
	r := &Reader{in: in, mark: -1, buf: make([]byte, size)}
	if r.ensure(3) && string(r.buf[r.at:r.at+3]) == "\xef\xbb\xbf" {
		r.at += 3
	}
	return r
}

// Offset returns how many bytes of the stream were consumed.
func (r *Reader) Offset() int64 { return r.base + int64(r.at) }

// Oddities returns what was noted so far.
func (r *Reader) Oddities() Oddities { return r.odd }

// fill reads more. It is false at the end of the stream, and after an error.
func (r *Reader) fill() bool {
	if r.ended || r.err != nil {
		return false
	}
	r.slide()
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, max(chunk, len(r.buf)))...)
	}
	for range 100 { // as many empty reads as bufio allows
		n, err := r.in.Read(r.buf[r.end:])
		r.end += n
		if errors.Is(err, io.EOF) {
			r.ended = true
		} else if err != nil {
			r.err = err
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	r.err = io.ErrNoProgress
	return false
}

// slide drops what was consumed and is not kept, when that makes room.
func (r *Reader) slide() {
	from := r.at
	if r.mark >= 0 {
		from = r.mark
	}
	if from == 0 || from < r.end && r.end < len(r.buf) {
		return
	}
	r.end = copy(r.buf, r.buf[from:r.end])
	r.at -= from
	r.base += int64(from)
	if r.mark >= 0 {
		r.mark = 0
	} else if len(r.buf) > 8*chunk && r.end < chunk {
		r.buf = append(make([]byte, 0, chunk), r.buf[:r.end]...)[:chunk]
	}
}

// ensure reads until n bytes are there; false when the stream has fewer.
func (r *Reader) ensure(n int) bool {
	for r.end-r.at < n {
		if !r.fill() {
			return false
		}
	}
	return true
}

// peek returns the next byte that is not white space; false at the end.
func (r *Reader) peek() (byte, bool) {
	for {
		for r.at < r.end {
			switch c := r.buf[r.at]; c {
			case ' ', '\t', '\n', '\r':
				r.at++
			default:
				return c, true
			}
		}
		if !r.fill() {
			return 0, false
		}
	}
}

// Kind returns what the next value is, by its first byte.
func (r *Reader) Kind() (ecmajson.Kind, error) {
	c, ok := r.peek()
	if !ok {
		return ecmajson.Absent, r.early()
	}
	return ecmajson.Value([]byte{c}).Kind(), nil
}

// Object reads an object: member is called with the name of each of its members, and
// reads the value or leaves it to be skipped. A name whose value it read before is
// noted as one that stands twice.
func (r *Reader) Object(member func(name string) error) error {
	if err := r.open('{'); err != nil {
		return err
	}
	var seen map[string]bool
	for first := true; ; first = false {
		more, err := r.next('}', first)
		if err != nil || !more {
			return err
		}
		start := r.Offset()
		name, err := r.name()
		if err != nil {
			return err
		}
		read, err := r.child(func() error { return member(name) })
		if err != nil {
			return err
		}
		if read && seen[name] {
			r.odd.duplicate(name, start)
		}
		if read && seen == nil {
			seen = make(map[string]bool)
		}
		if read {
			seen[name] = true
		}
	}
}

// Array reads an array: element is called for each of its elements, and reads the
// value or leaves it to be skipped.
func (r *Reader) Array(element func() error) error {
	if err := r.open('['); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := r.next(']', first)
		if err != nil || !more {
			return err
		}
		if _, err := r.child(element); err != nil {
			return err
		}
	}
}

// child lets do read the value that comes, and skips it otherwise.
func (r *Reader) child(do func() error) (read bool, err error) {
	if _, ok := r.peek(); !ok {
		return false, r.early()
	}
	start := r.Offset()
	if err := do(); err != nil {
		return false, err
	}
	if r.Offset() != start {
		return true, nil
	}
	return false, r.Skip()
}

// open consumes the bracket that opens an object or array.
func (r *Reader) open(bracket byte) error {
	c, ok := r.peek()
	if !ok {
		return r.early()
	}
	if c != bracket {
		return r.unexpected()
	}
	r.at++
	return nil
}

// next moves to the next member or element; it is false at the end of them.
func (r *Reader) next(closer byte, first bool) (bool, error) {
	c, ok := r.peek()
	switch {
	case !ok:
		return false, r.early()
	case c == closer:
		r.at++
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, r.unexpected()
	}
	r.at++
	return true, nil
}

// nameLimit bounds a member's name. Longer ones read as "".
const nameLimit = 64 << 10

// name reads a member's name and the colon after it.
func (r *Reader) name() (string, error) {
	c, ok := r.peek()
	if !ok {
		return "", r.early()
	}
	if c != '"' {
		return "", r.unexpected()
	}
	raw, err := r.Value(nameLimit)
	if err != nil && !errors.Is(err, ErrTooLong) {
		return "", err
	}
	if c, ok = r.peek(); !ok {
		return "", r.early()
	}
	if c != ':' {
		return "", r.unexpected()
	}
	r.at++
	return raw.Text(), nil
}

// Value reads the next value whatever it is, and returns a copy of its bytes. One that
// is longer than limit is skipped, and the error is [ErrTooLong].
func (r *Reader) Value(limit int) (ecmajson.Value, error) {
	if _, ok := r.peek(); !ok {
		return nil, r.early()
	}
	if r.mark >= 0 {
		panic("strictjson: a value inside of one that is kept")
	}
	r.mark, r.limit = r.at, limit
	err := r.Skip()
	from := r.mark
	r.mark = -1
	switch {
	case err != nil:
		return nil, err
	case from < 0 || r.at-from > limit:
		return nil, ErrTooLong
	}
	return append(ecmajson.Value(nil), r.buf[from:r.at]...), nil
}

// End reads what follows the text, which may be white space only.
func (r *Reader) End() error {
	if _, ok := r.peek(); ok {
		return r.fail(&Error{Offset: r.Offset(), Behind: true})
	}
	return r.err
}
