package upgrade

import (
	"cmp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// compareUnits compares two texts as JavaScript does: by their UTF-16 units.
func compareUnits(a, b string) int {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if ra != rb {
			return cmp.Or(cmp.Compare(firstUnit(ra), firstUnit(rb)), cmp.Compare(ra, rb))
		}
		a, b = a[na:], b[nb:]
	}
	return cmp.Compare(len(a), len(b))
}

func firstUnit(r rune) rune {
	if high, _ := utf16.EncodeRune(r); high != utf8.RuneError {
		return high
	}
	return r
}

// joined returns text whose halves of surrogate pairs that met are pairs: a pair that chunks
// cut apart is one again when they are put together.
func joined(text string) string {
	const high, low = "\xed", 3
	if !strings.Contains(text, high) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		first, ok1 := surrogate(text[i:])
		if ok1 && first < 0xdc00 && i+low <= len(text) {
			if second, ok2 := surrogate(text[i+low:]); ok2 && second >= 0xdc00 {
				b.WriteRune(utf16.DecodeRune(first, second))
				i += 2 * low
				continue
			}
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// surrogate returns the half of a surrogate pair with which WTF-8 text begins.
func surrogate(text string) (rune, bool) {
	if len(text) < 3 || text[0] != 0xed || text[1] < 0xa0 || text[1] > 0xbf || text[2] < 0x80 || text[2] > 0xbf {
		return 0, false
	}
	return 0xd000 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f), true
}
