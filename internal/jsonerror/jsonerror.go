// Package jsonerror says what is wrong with a JSON document in the words of the
// document, not of the program that reads it.
package jsonerror

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Reason returns what an error of encoding/json says to a person.
func Reason(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		where := "the document"
		if wrong.Field != "" {
			where = "its member " + member(wrong.Field)
		}
		kind, _, _ := strings.Cut(wrong.Value, " ")
		return where + " has a value of another kind than belongs there: " + kind
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("it is not JSON at byte %d: %v", syntax.Offset, syntax)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "it ends inside a value"
	}
	return err.Error()
}

// member names a member as documents do, which begin names with a small letter.
func member(path string) string {
	names := strings.Split(path, ".")
	for i, name := range names {
		if name != "" {
			names[i] = strings.ToLower(name[:1]) + name[1:]
		}
	}
	return strings.Join(names, ".")
}
