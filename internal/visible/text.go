package visible

import (
	"unicode/utf8"
)

// Keep names characters that [Text] passes through although it would otherwise
// escape them, or, for [Backslash], the reverse.
type Keep uint8

const (
	// Newline keeps U+000A, for text that is printed over several lines.
	Newline Keep = 1 << iota
	// Tab keeps U+0009.
	Tab
	// Backslash doubles every backslash of the text. The result then has one
	// reading only; without it, text that spells out an escape looks like one.
	Backslash
)

// Text returns s in a form that can't drive a terminal or a CI job and hides nothing
// from a reader. Text from a log, a recording or a file name is printed through
// it and through nothing else.
//
//	\n \r \t     line feed, carriage return, tab
//	\u{1b}       any other character that is [Hidden]
//	\u{d83d}     a surrogate without its partner (as WTF-8 writes it)
//	\xff         a byte that is not UTF-8
//	\u{3a}       the last character of a CI service's command
//
// Everything else stays as it is. The result is valid UTF-8, at most six times
// as long as s, and s itself when nothing had to change. What was made visible once
// stays as it is, except under [Backslash].
func Text[T string | []byte](s T, keep ...Keep) string {
	var k Keep
	for _, one := range keep {
		k |= one
	}
	text := string(s)
	if at := plainPrefix(text, k); at < len(text) {
		dst := make([]byte, 0, len(text)+len(text)/4+16)
		dst = append(dst, text[:at]...)
		text = string(appendText(dst, text[at:], k))
	}
	return disarm(text)
}

// plainPrefix returns the length of the leading part that needs no escape. Only
// ASCII counts: it is where nearly all text ends up, and cheap to tell.
func plainPrefix(s string, keep Keep) int {
	for i := 0; i < len(s); i++ {
		if b := s[i]; b < 0x20 || b >= 0x7f || b == '\\' && keep&Backslash != 0 {
			return i
		}
	}
	return len(s)
}

func appendText(dst []byte, s string, keep Keep) []byte {
	for len(s) > 0 {
		if n := plainPrefix(s, keep); n > 0 {
			dst = append(dst, s[:n]...)
			s = s[n:]
			continue
		}
		r, size := decode(s)
		switch {
		case r < 0:
			dst = append(dst, '\\', 'x', hexDigits[s[0]>>4], hexDigits[s[0]&15])
		case r == '\\':
			dst = append(dst, '\\', '\\')
		case r == '\n' && keep&Newline == 0:
			dst = append(dst, '\\', 'n')
		case r == '\t' && keep&Tab == 0:
			dst = append(dst, '\\', 't')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case r == '\n', r == '\t', !Hidden(r):
			dst = append(dst, s[:size]...)
		default:
			dst = appendCodePoint(dst, r)
		}
		s = s[size:]
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// decode returns the first code point of s, a lone surrogate in its WTF-8 form
// included, or -1 and 1 for a byte that is not UTF-8.
func decode(s string) (r rune, size int) {
	r, size = utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || size != 1 {
		return r, size
	}
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && s[2]&0xc0 == 0x80 {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return -1, 1
}

func appendCodePoint(dst []byte, r rune) []byte {
	dst = append(dst, '\\', 'u', '{')
	shift := 4
	for r>>shift >= 16 {
		shift += 4
	}
	if r < 16 {
		shift = 0
	}
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[r>>shift&15])
	}
	return append(dst, '}')
}
