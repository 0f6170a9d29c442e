package strictjson

import (
	"bytes"
	"unicode/utf8"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Parse checks that text is one JSON text, and returns its value and what is odd about
// it. Of members that stand twice, Lookup finds the last.
func Parse(text []byte) (ecmajson.Value, Oddities, error) {
	var odd Oddities
	form, err := ecmajson.Check(text)
	if err != nil {
		return nil, odd, err
	}
	trimmed := ecmajson.Value(bytes.TrimSpace(text))
	if form&ecmajson.InvalidUTF8 != 0 {
		odd.notUTF8(int64(invalidAt(text)))
	}
	odd.duplicates(trimmed, form&ecmajson.DuplicateKey != 0)
	return trimmed, odd, nil
}

// invalidAt returns the first byte that is part of no character.
func invalidAt(text []byte) int {
	at := 0
	for at < len(text) {
		c, n := utf8.DecodeRune(text[at:])
		if c == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}

// duplicates notes the members of the outermost object that stand twice in any
// spelling, and those further in where the check found one.
func (o *Oddities) duplicates(v ecmajson.Value, deep bool) {
	seen := make(map[string]bool)
	for key, value := range v.Members() {
		name := key.Text()
		if seen[name] {
			o.duplicate(name, -1)
		}
		seen[name] = true
		if deep {
			o.duplicates(value, deep)
		}
	}
	if deep {
		for e := range v.Elements() {
			o.duplicates(e, deep)
		}
	}
}
