// Package ecmajson reads and prints JSON exactly as JavaScript does.
package ecmajson

import (
	"errors"
	"io"
	"strconv"
)

type Form uint8

const (
	NonCanonical Form = 1 << iota
	InvalidUTF8
	NegativeZero
	Overflow
	LoneSurrogate
	DuplicateKey
	NUL
)

func (f Form) Canonical() bool { return f&NonCanonical == 0 }

var errDepth = errors.New("nesting too deep")

func IsDepth(err error) bool { return errors.Is(err, errDepth) }

var (
	_ = io.EOF
	_ = strconv.Itoa
)
