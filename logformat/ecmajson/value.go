package ecmajson

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
)

// A Value is the bytes of one value of a text that [Check] accepted, with no
// space around it. The zero Value is absent.
type Value []byte

// Kind is what a value is.
type Kind uint8

// The kinds.
const (
	Absent Kind = iota
	Null
	False
	True
	Number
	String
	Array
	Object
)

// Kind returns what v is.
func (v Value) Kind() Kind {
	if len(v) == 0 {
		return Absent
	}
	switch v[0] {
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	case 't':
		return True
	case 'f':
		return False
	case 'n':
		return Null
	}
	return Number
}

// Skip returns the offset after the value that starts at src[at], in a text
// that [Check] accepted.
func Skip(src []byte, at int) int {
	switch src[at] {
	case '"':
		return skipString(src, at)
	case '{', '[':
		return skipContainer(src, at)
	}
	for at < len(src) {
		switch src[at] {
		case ',', ']', '}', ' ', '\t', '\n', '\r':
			return at
		}
		at++
	}
	return at
}

func skipString(src []byte, at int) int {
	i := at + 1
	for {
		for i+laneCount <= len(src) {
			x := binary.LittleEndian.Uint64(src[i:])
			q, e := x^quotes, x^escapes
			if stop := ((q-lanes)&^q | (e-lanes)&^e) & highs; stop != 0 {
				i += bits.TrailingZeros64(stop) / 8
				break
			}
			i += laneCount
		}
		switch src[i] {
		case '"':
			return i + 1
		case '\\':
			i += 2
		default:
			i++
		}
	}
}

func skipContainer(src []byte, at int) int {
	depth := 0
	for {
		switch src[at] {
		case '"':
			at = skipString(src, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
		at++
	}
}

func skipSpace(src []byte, at int) int {
	for src[at] <= ' ' {
		at++
	}
	return at
}

// Members yields the keys and values of an object in the order of the text,
// repeated keys included; nothing when v is no object.
func (v Value) Members() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if v.Kind() != Object {
			return
		}
		for at := skipSpace(v, 1); v[at] != '}'; {
			end := skipString(v, at)
			key := v[at:end:end]
			at = skipSpace(v, end) + 1 // the colon
			at = skipSpace(v, at)
			end = Skip(v, at)
			if !yield(key, v[at:end:end]) {
				return
			}
			if at = skipSpace(v, end); v[at] == ',' {
				at = skipSpace(v, at+1)
			}
		}
	}
}

// Elements yields the elements of an array; nothing when v is no array.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		for at := skipSpace(v, 1); v[at] != ']'; {
			end := Skip(v, at)
			if !yield(v[at:end:end]) {
				return
			}
			if at = skipSpace(v, end); v[at] == ',' {
				at = skipSpace(v, at+1)
			}
		}
	}
}

// Lookup returns the value of an object's member, the last one when the key is
// repeated; absent when there is none or v is no object.
func (v Value) Lookup(key string) Value {
	var found Value
	for k, value := range v.Members() {
		if k.Is(key) {
			found = value
		}
	}
	return found
}

// Len returns the number of elements or members; repeated keys count each time.
func (v Value) Len() int {
	n := 0
	for range v.Elements() {
		n++
	}
	for range v.Members() {
		n++
	}
	return n
}

// Is reports whether v is a string whose text is s.
func (v Value) Is(s string) bool {
	if v.Kind() != String {
		return false
	}
	if len(v)-2 == len(s) && string(v[1:len(v)-1]) == s {
		return bytes.IndexByte(v, '\\') < 0
	}
	return bytes.IndexByte(v, '\\') >= 0 && string(appendUnescaped(nil, v)) == s
}

// Text returns the text of a string as WTF-8; "" when v is none.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	if _, form, _ := ConsumeString(v, 0); form&InvalidUTF8 == 0 && bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	return string(appendUnescaped(nil, v))
}

// AppendText appends the text of a string as WTF-8.
func (v Value) AppendText(dst []byte) []byte {
	if v.Kind() != String {
		return dst
	}
	return appendUnescaped(dst, v)
}

// Float returns a number as JavaScript reads it: 1e400 is an infinity.
func (v Value) Float() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	return parseNumber(v), true
}

// maxSafe is Number.MAX_SAFE_INTEGER.
const maxSafe = 1<<53 - 1

// SafeInt returns a number for which Number.isSafeInteger holds: 1.0 and 1e3
// are, and so is -0, as 0.
func (v Value) SafeInt() (int64, bool) {
	if n, ok := v.smallInt(); ok {
		return n, true
	}
	f, ok := v.Float()
	if !ok || f != math.Trunc(f) || math.Abs(f) > maxSafe {
		return 0, false
	}
	return int64(f), true
}

// smallInt reads a plain integer literal without going through a double.
func (v Value) smallInt() (int64, bool) {
	digits := v
	negative := len(v) > 0 && v[0] == '-'
	if negative {
		digits = v[1:]
	}
	if len(digits) == 0 || len(digits) > exactDigits {
		return 0, false
	}
	n := int64(0)
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int64(d-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// IsNegativeZero reports whether v is a number -0.
func (v Value) IsNegativeZero() bool {
	f, ok := v.Float()
	return ok && f == 0 && math.Signbit(f)
}
