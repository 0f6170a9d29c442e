package ecmajson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Eight bytes at a time: each constant has its byte in every lane.
const (
	lanes     = 0x0101010101010101
	highs     = 0x8080808080808080
	quotes    = '"' * lanes
	escapes   = '\\' * lanes
	spaces    = 0x20 * lanes
	laneCount = 8
)

// special returns a word whose lowest set bit is in the lane of the first byte
// of x that is a quote, a backslash, a control character or not ASCII; 0 when
// there is none. Lanes above that one may be wrong, because borrows carry up.
func special(x uint64) uint64 {
	q := x ^ quotes
	e := x ^ escapes
	return ((q-lanes)&^q | (e-lanes)&^e | (x-spaces)&^x | x) & highs
}

// ConsumeString checks the string literal that starts with the quote at
// src[at]. It returns the offset after its closing quote; when ok is false, the
// offset of the byte that cannot stand there.
func ConsumeString(src []byte, at int) (end int, form Form, ok bool) {
	i := at + 1
	for {
		for i+laneCount <= len(src) {
			stop := special(binary.LittleEndian.Uint64(src[i:]))
			if stop != 0 {
				i += bits.TrailingZeros64(stop) / 8
				break
			}
			i += laneCount
		}
		if i >= len(src) {
			return len(src), form, false
		}
		switch b := src[i]; {
		case b == '"':
			return i + 1, form, true
		case b == '\\':
			n, f := consumeEscape(src[i:])
			if n <= 0 {
				return i - n, form, false
			}
			form |= f
			i += n
		case b < 0x20:
			return i, form, false
		case b < utf8.RuneSelf:
			i++ // in the last bytes, which the word loop does not reach
		default:
			var f Form
			i, f = consumeMultibyte(src, i)
			form |= f
		}
	}
}

// consumeMultibyte skips a run of bytes that are not ASCII.
func consumeMultibyte(src []byte, i int) (int, Form) {
	form := Form(0)
	for i < len(src) && src[i] >= utf8.RuneSelf {
		b := src[i]
		// Three-byte characters except for the two lead bytes with odd ranges: most
		// of what is not Latin.
		if b >= 0xE1 && b <= 0xEF && b != 0xED && i+2 < len(src) && src[i+1]&0xC0 == 0x80 && src[i+2]&0xC0 == 0x80 {
			i += 3
			continue
		}
		n, ok := subpart(src[i:])
		if !ok {
			form |= NonCanonical | InvalidUTF8
		}
		i += n
	}
	return i, form
}

// subpart returns the length of the UTF-8 sequence at the start of b, or of the
// maximal subpart of one that a decoder replaces by one U+FFFD.
func subpart(b []byte) (n int, ok bool) {
	need := 0
	low, high := byte(0x80), byte(0xBF)
	switch lead := b[0]; {
	case lead < utf8.RuneSelf:
		return 1, true
	case lead < 0xC2 || lead > 0xF4:
		return 1, false
	case lead <= 0xDF:
		need = 1
	case lead <= 0xEF:
		need = 2
		switch lead {
		case 0xE0:
			low = 0xA0
		case 0xED:
			high = 0x9F
		}
	default:
		need = 3
		switch lead {
		case 0xF0:
			low = 0x90
		case 0xF4:
			high = 0x8F
		}
	}
	for n = 1; n <= need; n++ {
		if n >= len(b) || b[n] < low || b[n] > high {
			return n, false
		}
		low, high = 0x80, 0xBF
	}
	return n, true
}

// consumeEscape checks the escape at the start of b. The length is not positive
// when it is malformed: then its negative is where.
func consumeEscape(b []byte) (n int, form Form) {
	if len(b) < 2 {
		return -len(b), 0
	}
	switch b[1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return 2, 0
	case '/':
		return 2, NonCanonical
	case 'u':
		return consumeUnicodeEscape(b)
	}
	return -1, 0
}

func consumeUnicodeEscape(b []byte) (n int, form Form) {
	unit, bad := hexUnit(b)
	if bad > 0 {
		return -bad, 0
	}
	switch {
	case unit < 0x20:
		form = controlForm(b, unit)
	case unit >= 0xD800 && unit <= 0xDBFF:
		if low, bad := hexUnit(b[6:]); bad == 0 && low >= 0xDC00 && low <= 0xDFFF {
			return 12, NonCanonical // a pair prints as the raw character
		}
		form = LoneSurrogate | lowerCase(b)
	case unit >= 0xDC00 && unit <= 0xDFFF:
		form = LoneSurrogate | lowerCase(b)
	default:
		form = NonCanonical // prints raw
	}
	return 6, form
}

func controlForm(b []byte, unit uint16) Form {
	form := lowerCase(b)
	switch unit {
	case 0:
		form |= NUL
	case '\b', '\t', '\n', '\f', '\r':
		form |= NonCanonical // has a short escape
	}
	return form
}

func lowerCase(b []byte) Form {
	for _, d := range b[2:6] {
		if d >= 'A' && d <= 'F' {
			return NonCanonical
		}
	}
	return 0
}

// hexUnit reads a \uXXXX escape; bad is the offset of what is wrong in it, 0
// when nothing is.
func hexUnit(b []byte) (unit uint16, bad int) {
	for i := range 6 {
		if i >= len(b) {
			return 0, max(i, 1)
		}
		var digit byte
		switch c := b[i]; {
		case i == 0 && c == '\\', i == 1 && c == 'u':
			continue
		case i < 2:
			return 0, max(i, 1)
		case c >= '0' && c <= '9':
			digit = c - '0'
		case c >= 'a' && c <= 'f':
			digit = c - 'a' + 10
		case c >= 'A' && c <= 'F':
			digit = c - 'A' + 10
		default:
			return 0, i
		}
		unit = unit<<4 | uint16(digit)
	}
	return unit, 0
}

// appendUnescaped appends the text of the string literal lit, quotes included,
// as WTF-8. Invalid UTF-8 becomes U+FFFD.
func appendUnescaped(dst, lit []byte) []byte {
	body := lit[1 : len(lit)-1]
	for i := 0; i < len(body); {
		switch b := body[i]; {
		case b == '\\':
			var n int
			dst, n = appendEscape(dst, body[i:])
			i += n
		case b < utf8.RuneSelf:
			dst = append(dst, b)
			i++
		default:
			n, ok := subpart(body[i:])
			if ok {
				dst = append(dst, body[i:i+n]...)
			} else {
				dst = append(dst, "\uFFFD"...)
			}
			i += n
		}
	}
	return dst
}

func appendEscape(dst, b []byte) ([]byte, int) {
	switch b[1] {
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'u':
		unit, _ := hexUnit(b)
		if unit >= 0xD800 && unit <= 0xDBFF {
			if low, bad := hexUnit(b[6:]); bad == 0 && low >= 0xDC00 && low <= 0xDFFF {
				return utf8.AppendRune(dst, (rune(unit)-0xD800)<<10+(rune(low)-0xDC00)+0x10000), 12
			}
		}
		return appendUnit(dst, unit), 6
	}
	return append(dst, b[1]), 2
}

// appendUnit appends one UTF-16 code unit as WTF-8.
func appendUnit(dst []byte, unit uint16) []byte {
	if unit >= 0xD800 && unit <= 0xDFFF {
		return append(dst, 0xED, 0x80|byte(unit>>6&0x3F), 0x80|byte(unit&0x3F))
	}
	return utf8.AppendRune(dst, rune(unit))
}

const hexDigits = "0123456789abcdef"

// AppendString appends text, which is WTF-8, as the string literal that
// JSON.stringify prints (ECMA-262, QuoteJSONString). A surrogate becomes an
// escape; other bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); {
		b := text[i]
		if b >= 0x20 && b != '"' && b != '\\' && b < utf8.RuneSelf {
			i++
			continue
		}
		dst = append(dst, text[from:i]...)
		var n int
		dst, n = appendQuoted(dst, text[i:])
		i += n
		from = i
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"')
}

// appendQuoted appends the character at the start of s, which is special.
func appendQuoted(dst []byte, s string) ([]byte, int) {
	switch b := s[0]; b {
	case '"', '\\':
		return append(dst, '\\', b), 1
	case '\b':
		return append(dst, `\b`...), 1
	case '\f':
		return append(dst, `\f`...), 1
	case '\n':
		return append(dst, `\n`...), 1
	case '\r':
		return append(dst, `\r`...), 1
	case '\t':
		return append(dst, `\t`...), 1
	default:
		if b < 0x20 {
			return append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15]), 1
		}
	}
	if unit, ok := surrogate(s); ok {
		return append(dst, '\\', 'u', 'd', hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15]), 3
	}
	n, ok := subpart([]byte(s[:min(len(s), utf8.UTFMax)]))
	if !ok {
		return append(dst, "\uFFFD"...), n
	}
	return append(dst, s[:n]...), n
}

// surrogate reads the WTF-8 form of a surrogate at the start of s.
func surrogate(s string) (uint16, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | uint16(s[1]&0x3F)<<6 | uint16(s[2]&0x3F), true
}
