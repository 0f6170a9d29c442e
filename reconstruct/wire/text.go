package wire

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Literal is a JSON string as pieces of its inside, without the quotes: the
// texts of several blocks joined, each piece a slice of the log's own bytes.
type Literal [][]byte

// Add appends the text of a JSON string in canonical form.
func (l *Literal) Add(v ecmajson.Value) {
	inside := []byte(v[1 : len(v)-1])
	if len(inside) == 0 {
		return
	}
	if n := len(*l); n > 0 {
		if joined, ok := joinSurrogates((*l)[n-1], inside); ok {
			(*l)[n-1] = (*l)[n-1][:len((*l)[n-1])-escapeLength]
			*l = append(*l, joined)
			inside = inside[escapeLength:]
		}
	}
	if len(inside) > 0 {
		*l = append(*l, inside)
	}
}

const escapeLength = len(`\ud800`)

// joinSurrogates returns the character that arises where one text ends in the
// first half of a surrogate pair and the next starts with the second half: joined,
// JSON.stringify prints them as the character.
func joinSurrogates(before, after []byte) ([]byte, bool) {
	low, ok := surrogate(after)
	if !ok || low < 0xdc00 || len(before) < escapeLength {
		return nil, false
	}
	tail := before[len(before)-escapeLength:]
	high, ok := surrogate(tail)
	if !ok || high >= 0xdc00 || escaped(before[:len(before)-escapeLength]) {
		return nil, false
	}
	return utf8.AppendRune(nil, utf16.DecodeRune(high, low)), true
}

// surrogate reads the escape of a surrogate at the start of text.
func surrogate(text []byte) (rune, bool) {
	if len(text) < escapeLength || !bytes.HasPrefix(text, []byte(`\ud`)) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:escapeLength]), 16, 16)
	return rune(n), err == nil && n >= 0xd800
}

// escaped reports whether the byte after text is escaped by its last backslash.
func escaped(text []byte) bool {
	n := len(text) - len(bytes.TrimRight(text, `\`))
	return n%2 == 1
}
