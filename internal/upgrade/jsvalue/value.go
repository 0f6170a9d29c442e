package jsvalue

import (
	"math"
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// maxSafe is the largest safe integer of ECMA-262 (Number.MAX_SAFE_INTEGER).
const maxSafe = 1<<53 - 1

// A Value is one JSON value. The zero Value is not valid; a nil *Value is absent.
type Value struct {
	kind    ecmajson.Kind
	number  float64
	text    string
	items   []*Value
	members []Member
}

// A Member is a key of an object with its value.
type Member struct {
	Key   string // WTF-8
	Value *Value
}

var (
	null = &Value{kind: ecmajson.Null}
	yes  = &Value{kind: ecmajson.True}
	no   = &Value{kind: ecmajson.False}
)

// String returns a string value; text is WTF-8.
func String(text string) *Value { return &Value{kind: ecmajson.String, text: text} }

// Number returns a number value.
func Number(f float64) *Value { return &Value{kind: ecmajson.Number, number: f} }

// Int returns a number value.
func Int(n int64) *Value { return Number(float64(n)) }

// Bool returns true or false.
func Bool(b bool) *Value {
	if b {
		return yes
	}
	return no
}

// Null returns null.
func Null() *Value { return null }

// Array returns an array of the items.
func Array(items ...*Value) *Value { return &Value{kind: ecmajson.Array, items: items} }

// Object returns an object of the members, in their order; one whose value is absent is
// left out. No key may appear twice, and none may be an array index.
func Object(members ...Member) *Value {
	members = slices.DeleteFunc(members, func(m Member) bool { return m.Value == nil })
	return &Value{kind: ecmajson.Object, members: members}
}

// Kind returns what the value is.
func (v *Value) Kind() ecmajson.Kind {
	if v == nil {
		return ecmajson.Absent
	}
	return v.kind
}

// IsObject reports whether the value is an object, which an array is not.
func (v *Value) IsObject() bool { return v.Kind() == ecmajson.Object }

// IsArray reports whether the value is an array.
func (v *Value) IsArray() bool { return v.Kind() == ecmajson.Array }

// IsString reports whether the value is a string.
func (v *Value) IsString() bool { return v.Kind() == ecmajson.String }

// IsTrue reports whether the value is true.
func (v *Value) IsTrue() bool { return v.Kind() == ecmajson.True }

// IsBool reports whether the value is true or false.
func (v *Value) IsBool() bool { return v.IsTrue() || v.Kind() == ecmajson.False }

// Text returns the text of a string as WTF-8, and "" of anything else.
func (v *Value) Text() string {
	if v == nil {
		return ""
	}
	return v.text
}

// Is reports whether the value is the string with this text.
func (v *Value) Is(text string) bool { return v.IsString() && v.text == text }

// Filled reports whether the value is a string that is not empty.
func (v *Value) Filled() bool { return v.IsString() && v.text != "" }

// Float returns a number; ok is false for anything else.
func (v *Value) Float() (f float64, ok bool) {
	if v.Kind() != ecmajson.Number {
		return 0, false
	}
	return v.number, true
}

// SafeInt returns a number that is a safe integer and not -0.
func (v *Value) SafeInt() (int64, bool) {
	f, ok := v.Float()
	if !ok || f != math.Trunc(f) || math.Abs(f) > maxSafe || f == 0 && math.Signbit(f) {
		return 0, false
	}
	return int64(f), true
}

// Count returns a number that is a safe integer, not negative and not -0.
func (v *Value) Count() (int64, bool) {
	n, ok := v.SafeInt()
	return n, ok && n >= 0
}

// Items returns the elements of an array, and nothing of anything else. They are not to
// be changed.
func (v *Value) Items() []*Value {
	if v == nil {
		return nil
	}
	return v.items
}

// Item returns an element of an array, absent where there is none.
func (v *Value) Item(i int) *Value {
	if items := v.Items(); i < len(items) {
		return items[i]
	}
	return nil
}

// Members returns the members of an object in their order. They are not to be changed.
func (v *Value) Members() []Member {
	if v == nil {
		return nil
	}
	return v.members
}

// Get returns the value of a member, absent where there is none or v is no object.
func (v *Value) Get(key string) *Value {
	if v == nil {
		return nil
	}
	for i := range v.members {
		if v.members[i].Key == key {
			return v.members[i].Value
		}
	}
	return nil
}

// Has reports whether an object has a member.
func (v *Value) Has(key string) bool { return v.Get(key) != nil }

// With returns the object with a member set: in its place where the object has it, at the
// end where not. Setting an absent value changes nothing.
func (v *Value) With(key string, value *Value) *Value {
	if value == nil {
		return v
	}
	members := slices.Clone(v.Members())
	for i := range members {
		if members[i].Key == key {
			members[i].Value = value
			return &Value{kind: ecmajson.Object, members: members}
		}
	}
	return &Value{kind: ecmajson.Object, members: append(members, Member{key, value})}
}

// Without returns the object without the members of these keys, and v itself when it has
// none of them.
func (v *Value) Without(keys ...string) *Value {
	if !slices.ContainsFunc(v.Members(), func(m Member) bool { return slices.Contains(keys, m.Key) }) {
		return v
	}
	rest := make([]Member, 0, len(v.members))
	for _, m := range v.members {
		if !slices.Contains(keys, m.Key) {
			rest = append(rest, m)
		}
	}
	return &Value{kind: ecmajson.Object, members: rest}
}

// Lossless reports whether JSON holds the whole value: no number in it is -0 or beyond
// the doubles.
func (v *Value) Lossless() bool {
	switch v.Kind() {
	case ecmajson.Number:
		return !math.IsInf(v.number, 0) && (v.number != 0 || !math.Signbit(v.number))
	case ecmajson.Array:
		return !slices.ContainsFunc(v.items, func(item *Value) bool { return !item.Lossless() })
	case ecmajson.Object:
		return !slices.ContainsFunc(v.members, func(m Member) bool { return !m.Value.Lossless() })
	}
	return true
}
