package jsvalue

import (
	"math"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Same reports whether a === b in JavaScript: strings and numbers by their value, arrays
// and objects only when they are the same one.
func Same(a, b *Value) bool {
	if a == b {
		f, number := a.Float()
		return !number || !math.IsNaN(f)
	}
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case ecmajson.Number:
		return a.number == b.number
	case ecmajson.String:
		return a.text == b.text
	case ecmajson.Null, ecmajson.True, ecmajson.False:
		return true
	}
	return false
}

// Equal reports whether two values have the same structure; the order of members does
// not matter. Numbers compare as === does.
func Equal(a, b *Value) bool { return equal(a, b, false) }

// DeepEqual is Equal, but that -0 differs from 0, as Node's isDeepStrictEqual has it.
func DeepEqual(a, b *Value) bool { return equal(a, b, true) }

func equal(a, b *Value, zeros bool) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case ecmajson.Number:
		return a.number == b.number && (!zeros || math.Signbit(a.number) == math.Signbit(b.number))
	case ecmajson.Array:
		return equalItems(a, b, zeros)
	case ecmajson.Object:
		return equalMembers(a, b, zeros)
	}
	return Same(a, b)
}

func equalItems(a, b *Value, zeros bool) bool {
	if len(a.items) != len(b.items) {
		return false
	}
	for i := range a.items {
		if !equal(a.items[i], b.items[i], zeros) {
			return false
		}
	}
	return true
}

func equalMembers(a, b *Value, zeros bool) bool {
	if len(a.members) != len(b.members) {
		return false
	}
	lookup := b.Get
	if len(b.members) > manyMembers {
		index := make(map[string]*Value, len(b.members))
		for _, m := range b.members {
			index[m.Key] = m.Value
		}
		lookup = func(key string) *Value { return index[key] }
	}
	for _, m := range a.members {
		if other := lookup(m.Key); other == nil || !equal(m.Value, other, zeros) {
			return false
		}
	}
	return true
}
