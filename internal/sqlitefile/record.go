package sqlitefile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
)

// A Kind is a storage class, in the order in which SQLite sorts them; integers
// and reals sort together by value.
type Kind uint8

// The storage classes.
const (
	Null Kind = iota
	Integer
	Real
	Text
	Blob
)

func (k Kind) String() string {
	return [...]string{"null", "integer", "real", "text", "blob"}[k]
}

// A Value is one column of one row. Which of the members counts is said by
// Kind; Bytes is that of a text (not checked to be UTF-8) or of a blob.
type Value struct {
	Kind  Kind
	Int   int64
	Real  float64
	Bytes []byte
}

// uvarint reads a varint of 1 to 9 bytes, big-endian, the ninth byte whole. n is
// 0 when b ends within it.
func uvarint(b []byte) (v uint64, n int) {
	for n < min(len(b), 8) {
		c := b[n]
		n++
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, n
		}
	}
	if n == 8 && len(b) > 8 {
		return v<<8 | uint64(b[8]), 9
	}
	return 0, 0
}

const maxColumns = 32767 // what SQLite can be built for, it is 2,000 as a rule

// decodeRecord appends the first values of a record to values, all for limit 0.
// Their bytes are those of b.
func decodeRecord(b []byte, limit int, values []Value) ([]Value, string) {
	size, n := uvarint(b)
	if n == 0 || size < uint64(n) || size > uint64(len(b)) {
		return nil, "the header of a record does not fit"
	}
	head, body := b[n:size], b[size:]
	for len(head) > 0 && (limit == 0 || len(values) < limit) {
		serial, n := uvarint(head)
		if n == 0 {
			return nil, "the header of a record ends within a type"
		}
		head = head[n:]
		if len(values) == maxColumns {
			return nil, "a record has more values than a table can have columns"
		}
		width := uint64(serialWidths[min(serial, 12)])
		if serial >= 12 {
			width = (serial - 12) / 2
		}
		if serial == 10 || serial == 11 || width > uint64(len(body)) {
			return nil, "a value of a record does not fit or has a reserved type"
		}
		values = append(values, decodeValue(serial, body[:width]))
		body = body[width:]
	}
	if len(head) == 0 && len(body) > 0 && limit == 0 {
		return nil, "a record goes on behind its last value"
	}
	return values, ""
}

var serialWidths = [13]byte{1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8}

// decodeValue reads the bytes of a value by its serial type, section 2.1.
func decodeValue(serial uint64, b []byte) Value {
	switch {
	case serial == 0:
		return Value{}
	case serial == 7:
		// A NaN is null: SQLite has none.
		if v := math.Float64frombits(binary.BigEndian.Uint64(b)); v == v {
			return Value{Kind: Real, Real: v}
		}
		return Value{}
	case serial == 8, serial == 9:
		return Value{Kind: Integer, Int: int64(serial - 8)}
	case serial < 7:
		v := int64(int8(b[0]))
		for _, c := range b[1:] {
			v = v<<8 | int64(c)
		}
		return Value{Kind: Integer, Int: v}
	case serial%2 == 0:
		return Value{Kind: Blob, Bytes: b}
	}
	return Value{Kind: Text, Bytes: b}
}

// Compare orders values as SQLite does under the collation BINARY: null, then
// numbers, then text, then blobs.
func (v Value) Compare(w Value) int {
	if c := cmp.Compare(v.class(), w.class()); c != 0 {
		return c
	}
	switch {
	case v.Kind == Null:
		return 0
	case v.Kind >= Text:
		return bytes.Compare(v.Bytes, w.Bytes)
	case v.Kind == Integer && w.Kind == Integer:
		return cmp.Compare(v.Int, w.Int)
	case v.Kind == Real && w.Kind == Real:
		return cmp.Compare(v.Real, w.Real)
	case v.Kind == Integer:
		return compareMixed(v.Int, w.Real)
	}
	return -compareMixed(w.Int, v.Real)
}

func (v Value) class() Kind {
	if v.Kind == Real {
		return Integer
	}
	return v.Kind
}

// compareMixed compares without the loss that turning i into a float would be.
func compareMixed(i int64, r float64) int {
	switch {
	case r < math.MinInt64:
		return 1
	case r >= -math.MinInt64:
		return -1
	}
	whole := int64(r)
	if c := cmp.Compare(i, whole); c != 0 {
		return c
	}
	return cmp.Compare(float64(whole), r)
}

// compareKeys compares as many values as the shorter of two keys has.
func compareKeys(a, b []Value) int {
	for i := range min(len(a), len(b)) {
		if c := a[i].Compare(b[i]); c != 0 {
			return c
		}
	}
	return 0
}
