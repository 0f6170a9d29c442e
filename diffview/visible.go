package diffview

import (
	"unicode"
	"unicode/utf8"
)

// Keep names characters that [Visible] passes through although it would
// otherwise escape them, or, for [Backslash], the reverse.
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

// Visible returns s in a form that can't drive a terminal and hides nothing
// from a reader. Text from a log, a recording or a file name is printed through
// it and through nothing else.
//
//	\n \r \t     line feed, carriage return, tab
//	\u{1b}       any other control, format, private or unassigned code point, a
//	             space other than U+0020 and U+3000, and what has no ink: bidi
//	             overrides and isolates, zero-width characters, U+FEFF, variation
//	             selectors, tags, fillers
//	\u{d83d}     a surrogate without its partner (as WTF-8 writes it)
//	\xff         a byte that is not UTF-8
//
// Everything else stays as it is. The result is valid UTF-8, at most six times
// as long as s, and s itself when nothing had to change.
func Visible[T string | []byte](s T, keep ...Keep) string {
	var k Keep
	for _, one := range keep {
		k |= one
	}
	text := string(s)
	at := plainPrefix(text, k)
	if at == len(text) {
		return text
	}
	dst := make([]byte, 0, len(text)+len(text)/4+16)
	dst = append(dst, text[:at]...)
	return string(appendVisible(dst, text[at:], k))
}

// AppendVisible appends to dst what [Visible] returns for s.
func AppendVisible[T string | []byte](dst []byte, s T, keep Keep) []byte {
	return appendVisible(dst, string(s), keep)
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

func appendVisible(dst []byte, s string, keep Keep) []byte {
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
		case r == '\n', r == '\t', hasInk(r):
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

// hasInk reports whether a reader sees that r is there and what it is.
func hasInk(r rune) bool {
	switch {
	case r == 0x3000: // the ideographic space is as wide as the characters around it
		return true
	case r == 0x034f, // combining grapheme joiner
		r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, // Hangul fillers
		r == 0x17b4, r == 0x17b5, // Khmer inherent vowels
		r >= 0x180b && r <= 0x180f, // Mongolian selectors
		r == 0x2800,                // blank Braille pattern
		r >= 0xfe00 && r <= 0xfe0f, // variation selectors
		r >= 0xe0000 && r <= 0xe0fff:
		return false
	}
	return unicode.IsPrint(r)
}
