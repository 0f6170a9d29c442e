package ecmajson

import (
	"bytes"
	"math"
	"strconv"
)

// exactDigits is how many decimal digits every integer of that length keeps as
// a double.
const exactDigits = 15

// ConsumeNumber checks the number literal at src[at]. It returns the offset
// after it; when ok is false, the offset of the byte that cannot stand there.
func ConsumeNumber(src []byte, at int) (end int, form Form, ok bool) {
	i := at
	if i < len(src) && src[i] == '-' {
		i++
	}
	first := i
	for i < len(src) && src[i]-'0' <= 9 {
		i++
	}
	switch {
	case i == first:
		return i, 0, false
	case src[first] == '0' && i > first+1:
		return first + 1, 0, false
	}
	if i >= len(src) || src[i] != '.' && src[i]|0x20 != 'e' {
		switch {
		case src[first] == '0' && first > at:
			return i, NonCanonical | NegativeZero, true
		case i-first <= exactDigits:
			return i, 0, true
		}
		return i, numberForm(src[at:i]), true
	}
	if i, ok = consumeFraction(src, i); !ok {
		return i, 0, false
	}
	return i, numberForm(src[at:i]), true
}

// consumeFraction checks what follows the integer digits of a number.
func consumeFraction(src []byte, i int) (int, bool) {
	if src[i] == '.' {
		var ok bool
		if i, ok = consumeDigits(src, i+1); !ok {
			return i, false
		}
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		return consumeDigits(src, i)
	}
	return i, true
}

func consumeDigits(src []byte, i int) (int, bool) {
	first := i
	for i < len(src) && src[i]-'0' <= 9 {
		i++
	}
	return i, i > first
}

// numberForm compares a valid literal with what its double prints.
func numberForm(lit []byte) Form {
	f := parseNumber(lit)
	var buf [32]byte
	if bytes.Equal(AppendNumber(buf[:0], f), lit) {
		return 0
	}
	switch {
	case math.IsInf(f, 0):
		return NonCanonical | Overflow
	case f == 0 && math.Signbit(f):
		return NonCanonical | NegativeZero
	}
	return NonCanonical
}

// parseNumber reads a valid literal as a double; beyond them it is an infinity.
func parseNumber(lit []byte) float64 {
	f, _ := strconv.ParseFloat(string(lit), 64)
	return f
}

// AppendNumber appends f as JSON.stringify prints it: by Number::toString
// (ECMA-262, section 6.1.6.1.20), -0 as 0, and what is not finite as null.
func AppendNumber(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	switch {
	case f == 0:
		return append(dst, '0')
	case math.IsInf(f, 0) || math.IsNaN(f):
		return append(dst, "null"...)
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// strconv prints at least two digits of the exponent; JavaScript does not.
	if e := bytes.IndexByte(dst[start:], 'e') + start; dst[e+2] == '0' {
		dst = append(dst[:e+2], dst[e+3:]...)
	}
	return dst
}
