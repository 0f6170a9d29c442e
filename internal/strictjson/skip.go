package strictjson

import (
	"unicode/utf8"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Skip reads the next value and keeps nothing of it.
func (r *Reader) Skip() error {
	var open []byte // the brackets that are to come, innermost last
	for {
		c, ok := r.peek()
		if !ok {
			return r.early()
		}
		opened, err := r.start(c, &open)
		if err != nil {
			return err
		}
		if opened {
			continue
		}
		if done, err := r.after(&open); err != nil || done {
			return err
		}
	}
}

// start reads a scalar, an empty object or array, or the opening of another one up to
// its first value.
func (r *Reader) start(c byte, open *[]byte) (opened bool, err error) {
	switch {
	case c == '"':
		return false, r.text()
	case c == '{' || c == '[':
		return r.enter(c+2, open) // the closing bracket in ASCII
	case c == '-' || c >= '0' && c <= '9':
		return false, r.number()
	case c == 't':
		return false, r.word("true")
	case c == 'f':
		return false, r.word("false")
	case c == 'n':
		return false, r.word("null")
	}
	return false, r.unexpected()
}

func (r *Reader) enter(closer byte, open *[]byte) (opened bool, err error) {
	if len(*open) == ecmajson.MaxDepth {
		return false, r.fail(&Error{Offset: r.Offset(), Deep: true})
	}
	r.at++
	c, ok := r.peek()
	if !ok {
		return false, r.early()
	}
	if c == closer {
		r.at++
		return false, nil
	}
	*open = append(*open, closer)
	if closer == '}' {
		return true, r.key()
	}
	return true, nil
}

// after reads what closes after a value, up to the next value; done when it was the
// outermost.
func (r *Reader) after(open *[]byte) (done bool, err error) {
	for {
		r.spill()
		n := len(*open)
		if n == 0 {
			return true, nil
		}
		c, ok := r.peek()
		if !ok {
			return false, r.early()
		}
		switch {
		case c == ',':
			r.at++
			if (*open)[n-1] == '}' {
				return false, r.key()
			}
			return false, nil
		case c != (*open)[n-1]:
			return false, r.unexpected()
		}
		r.at++
		*open = (*open)[:n-1]
	}
}

// key reads a member's name and colon inside of what is skipped.
func (r *Reader) key() error {
	c, ok := r.peek()
	if !ok {
		return r.early()
	}
	if c != '"' {
		return r.unexpected()
	}
	if err := r.text(); err != nil {
		return err
	}
	if c, ok = r.peek(); !ok {
		return r.early()
	}
	if c != ':' {
		return r.unexpected()
	}
	r.at++
	return nil
}

// spill stops keeping what is longer than asked for.
func (r *Reader) spill() {
	if r.mark >= 0 && r.at-r.mark > r.limit {
		r.mark = -1
	}
}

// plain are the bytes that stand in a string for themselves.
var plain = func() (t [256]bool) {
	for c := range utf8.RuneSelf {
		t[c] = c >= 0x20 && c != '"' && c != '\\'
	}
	return t
}()

// text reads a string.
func (r *Reader) text() error {
	r.at++
	for {
		for r.at < r.end && plain[r.buf[r.at]] {
			r.at++
		}
		if r.at == r.end {
			r.spill()
			if !r.fill() {
				return r.early()
			}
			continue
		}
		switch c := r.buf[r.at]; {
		case c == '"':
			r.at++
			return nil
		case c == '\\':
			if err := r.escape(); err != nil {
				return err
			}
		case c < 0x20:
			return r.unexpected()
		default:
			r.multibyte()
		}
	}
}

// multibyte reads a character that is not ASCII.
func (r *Reader) multibyte() {
	for !utf8.FullRune(r.buf[r.at:r.end]) && r.fill() {
	}
	c, n := utf8.DecodeRune(r.buf[r.at:r.end])
	if c == utf8.RuneError && n == 1 {
		r.odd.notUTF8(r.Offset())
	}
	r.at += n
}

func (r *Reader) escape() error {
	if !r.ensure(2) {
		r.at = r.end
		return r.early()
	}
	r.at++
	switch r.buf[r.at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		r.at++
		return nil
	case 'u':
		r.at++
		return r.hex()
	}
	return r.unexpected()
}

// hex reads four hexadecimal digits.
func (r *Reader) hex() error {
	for range 4 {
		if !r.ensure(1) {
			return r.early()
		}
		c := r.buf[r.at] | 0x20 // small letters; digits have the bit already
		if c < '0' || c > '9' && c < 'a' || c > 'f' || r.buf[r.at] < '0' {
			return r.unexpected()
		}
		r.at++
	}
	return nil
}

func (r *Reader) word(word string) error {
	for i := range len(word) {
		if !r.ensure(1) {
			return r.early()
		}
		if r.buf[r.at] != word[i] {
			return r.unexpected()
		}
		r.at++
	}
	return nil
}

// number reads a number: an integer without leading zeros, a fraction, an exponent.
func (r *Reader) number() error {
	if r.take('-') && !r.ensure(1) {
		return r.early()
	}
	if !r.take('0') {
		if err := r.digits(); err != nil {
			return err
		}
	}
	if r.take('.') {
		if err := r.digits(); err != nil {
			return err
		}
	}
	if !r.take('e') && !r.take('E') {
		return nil
	}
	if !r.take('+') {
		r.take('-')
	}
	return r.digits()
}

// take consumes the next byte if it is c.
func (r *Reader) take(c byte) bool {
	if !r.ensure(1) || r.buf[r.at] != c {
		return false
	}
	r.at++
	return true
}

// digits reads one digit or more.
func (r *Reader) digits() error {
	for n := 0; ; n++ {
		if !r.ensure(1) {
			if n > 0 {
				return r.err
			}
			return r.early()
		}
		if c := r.buf[r.at]; c < '0' || c > '9' {
			if n > 0 {
				return nil
			}
			return r.unexpected()
		}
		r.at++
		r.spill()
	}
}
