package ecmajson

import (
	"strconv"
	"strings"
)

// At returns the value that an RFC 6901 pointer leads to, as part of v.
func (v Value) At(pointer string) (Value, bool) {
	_, value, ok := v.Find(pointer)
	return value, ok
}

// Find is At, and tells also where in v the value starts.
func (v Value) Find(pointer string) (start int, value Value, ok bool) {
	if pointer == "" {
		return 0, v, len(v) > 0
	}
	if pointer[0] != '/' {
		return 0, nil, false
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		at, child := v.child(token)
		if child == nil {
			return 0, nil, false
		}
		start += at
		v = child
	}
	return start, v, true
}

// child returns the child of a token and where in v it starts; of a repeated key
// the last value.
func (v Value) child(token string) (start int, child Value) {
	kind := v.Kind()
	if kind != Array && kind != Object {
		return 0, nil
	}
	key := unescapeToken(token)
	index := 0
	for at := skipSpace(v, 1); v[at] != closer(kind == Object); index++ {
		var matches bool
		if kind == Object {
			end := skipString(v, at)
			matches = v[at:end].Is(key)
			at = skipSpace(v, skipSpace(v, end)+1)
		} else {
			matches = strconv.Itoa(index) == token
		}
		end := Skip(v, at)
		if matches {
			start, child = at, v[at:end:end]
			if kind == Array {
				return start, child
			}
		}
		if at = skipSpace(v, end); v[at] == ',' {
			at = skipSpace(v, at+1)
		}
	}
	return start, child
}

// PointerAt returns the pointer of the innermost value whose bytes hold v[offset],
// and that value. A byte of a key counts to its member; one of punctuation to
// the array or object around it.
func (v Value) PointerAt(offset int) (pointer string, leaf Value) {
	pointer, _, leaf = v.Locate(offset)
	return pointer, leaf
}

// Locate is PointerAt, and tells also where in v the value starts: after
// offset when the byte is of its key.
func (v Value) Locate(offset int) (pointer string, start int, leaf Value) {
	var b strings.Builder
	leaf = v
	for offset >= start && offset < start+len(leaf) {
		token, at, child := leaf.childAt(offset - start)
		if child == nil {
			break
		}
		b.WriteByte('/')
		b.WriteString(token)
		leaf = child
		start += at
	}
	return b.String(), start, leaf
}

// childAt returns the child that holds v[offset]: its token, where its value
// starts in v, and its value.
func (v Value) childAt(offset int) (token string, start int, child Value) {
	kind := v.Kind()
	if kind != Array && kind != Object {
		return "", 0, nil
	}
	index := 0
	for at := skipSpace(v, 1); v[at] != closer(kind == Object); index++ {
		first := at
		token = strconv.Itoa(index)
		if kind == Object {
			end := skipString(v, at)
			token = EscapeToken(v[at:end].Text())
			at = skipSpace(v, skipSpace(v, end)+1)
		}
		end := Skip(v, at)
		if offset >= first && offset < end {
			return token, at, v[at:end:end]
		}
		if at = skipSpace(v, end); v[at] == ',' {
			at = skipSpace(v, at+1)
		}
	}
	return "", 0, nil
}

// EscapeToken returns a key as a token of an RFC 6901 pointer.
func EscapeToken(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

func unescapeToken(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
