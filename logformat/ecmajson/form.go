package ecmajson

import (
	"errors"
	"fmt"
	"io"
)

// A Form says what a checked text's bytes are like.
type Form uint8

// The properties of a text.
const (
	NonCanonical  Form = 1 << iota // JSON.stringify(JSON.parse(text)) prints other bytes
	InvalidUTF8                    // some bytes are not UTF-8; decoding replaces them by U+FFFD
	NegativeZero                   // a number -0, which prints as 0
	Overflow                       // a number beyond the doubles, which prints as null
	LoneSurrogate                  // a string holds half of a surrogate pair
	DuplicateKey                   // an object repeats a key, in the same spelling
	NUL                            // a string holds U+0000
)

// Canonical reports whether the bytes are what JSON.stringify would print.
func (f Form) Canonical() bool { return f&NonCanonical == 0 }

// MaxDepth is how deep arrays and objects may nest. The harness itself fails
// somewhere between 3,000 and 20,000 levels.
const MaxDepth = 10_000

// ErrDepth is the cause of a [SyntaxError] of a text that nests deeper than [MaxDepth].
var ErrDepth = errors.New("nested too deep")

// IsDepth reports whether err says that a text nests deeper than [MaxDepth].
func IsDepth(err error) bool { return errors.Is(err, ErrDepth) }

// A SyntaxError says where a text stops being JSON. Its cause is
// io.ErrUnexpectedEOF when the text only lacks its end.
type SyntaxError struct {
	Offset int64 // of the byte that cannot stand there
	cause  error
	found  byte
}

func (e *SyntaxError) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%v at byte %d", e.cause, e.Offset)
	}
	return fmt.Sprintf("unexpected byte %q at byte %d", []byte{e.found}, e.Offset)
}

// Unwrap returns the cause, which may be nil.
func (e *SyntaxError) Unwrap() error { return e.cause }

func syntaxError(src []byte, at int) error {
	if at >= len(src) {
		return &SyntaxError{Offset: int64(len(src)), cause: io.ErrUnexpectedEOF}
	}
	return &SyntaxError{Offset: int64(at), found: src[at]}
}
