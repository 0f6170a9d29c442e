package visible

import (
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns JSON text in which every [Hidden] character of a string is an escape, and
// no string holds a CI service's command. The value read back is the same. It returns
// text itself when nothing had to change.
func JSON(text []byte) []byte {
	e := jsonEscaper{}
	out, rest := e.escape(text)
	if len(rest) > 0 {
		return append(out, `\ufffd`...)
	}
	return out
}

// A JSONWriter passes on JSON text as [JSON] returns it, for exact bytes that happen to
// go to a terminal. Close writes what a character cut at the end leaves.
type JSONWriter struct {
	w    io.Writer
	e    jsonEscaper
	rest []byte // of a character
}

// NewJSONWriter returns a writer that writes to w.
func NewJSONWriter(w io.Writer) *JSONWriter { return &JSONWriter{w: w} }

func (j *JSONWriter) Write(p []byte) (int, error) {
	text := p
	if len(j.rest) > 0 {
		text = append(j.rest, p...)
	}
	out, rest := j.e.escape(text)
	j.rest = append([]byte(nil), rest...)
	if _, err := j.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes what is left. It does not close the writer below.
func (j *JSONWriter) Close() error {
	if len(j.rest) == 0 {
		return nil
	}
	j.rest = nil
	_, err := io.WriteString(j.w, `\ufffd`)
	return err
}

// A jsonEscaper escapes JSON text piece by piece.
type jsonEscaper struct{ commands commands }

// escape returns text with its escapes, and the start of a character that text ends in.
func (e *jsonEscaper) escape(text []byte) (out, rest []byte) {
	if n := len(text) - cutRune(text); n < len(text) {
		text, rest = text[:n], text[n:]
	}
	from := 0
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		var escaped bool
		if r < utf8.RuneSelf {
			escaped = e.commands.completes(text, i) || r < ' ' && r != '\n' && r != '\t' || r == 0x7f
		} else {
			r, size = utf8.DecodeRune(text[i:])
			escaped = Hidden(r) || r == utf8.RuneError && size == 1
		}
		if escaped {
			out = appendUnits(append(out, text[from:i]...), r)
			from = i + size
		}
		i += size
	}
	e.commands.end(text)
	if out == nil {
		return text, rest
	}
	return append(out, text[from:]...), rest
}

// cutRune returns how many bytes of a character that goes on are at the end of text.
func cutRune(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if at := text[len(text)-n:]; utf8.RuneStart(at[0]) {
			if utf8.FullRune(at) {
				return 0
			}
			return n
		}
	}
	return 0
}

// appendUnits appends JSON's escape of a character.
func appendUnits(dst []byte, r rune) []byte {
	units := []uint16{uint16(r)}
	if r > 0xffff {
		units = utf16.AppendRune(nil, r)
	}
	for _, u := range units {
		dst = append(dst, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
	}
	return dst
}
