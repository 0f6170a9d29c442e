// Package jsvalue holds JSON values as JavaScript holds them after JSON.parse: objects
// whose members have an order, numbers that are doubles, strings of UTF-16 units.
//
// Package ecmajson finds its way in the bytes of a value. An upgrade of a log builds new
// values from old ones, so it needs values that can be taken apart and put together. A
// [Value] is never changed once it was made; [Value.With] and [Value.Without] make a copy
// of the outer object that shares the members. A nil *Value is what JavaScript calls
// undefined: every method may be called on it.
package jsvalue
