package main

import (
	"bufio"
	"io"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// maxIndent bounds the indentation, so that deep nesting does not print a square
// of spaces.
const maxIndent = 40

// printPretty prints JSON indented, in its own order, with JSON's escapes for characters
// that hide or command something: unless it is redacted, it is JSON of the same value.
func printPretty(w io.Writer, text []byte, redactor *redact.Redactor) error {
	p := &prettyPrinter{w: bufio.NewWriter(w), redactor: redactor}
	p.value(ecmajson.Value(text), 0, false, false)
	p.w.WriteByte('\n')
	return p.w.Flush()
}

type prettyPrinter struct {
	w        *bufio.Writer
	redactor *redact.Redactor
}

// value prints a value. What is open may be a word of the format, which stays; in what
// is foreign, the keys are redacted too.
func (p *prettyPrinter) value(v ecmajson.Value, depth int, open, foreign bool) {
	switch v.Kind() {
	case ecmajson.Object:
		p.object(v, depth, foreign)
	case ecmajson.Array:
		n := 0
		for value := range v.Elements() {
			p.sep(&n, '[', depth)
			p.value(value, depth+1, false, foreign)
		}
		p.end(n, "[]", ']', depth)
	case ecmajson.String:
		if text := v.Text(); p.redactor != nil && (!open || p.redactor.Word(text) != text) {
			p.w.WriteString(`"` + p.redactor.Text(text) + `"`)
			return
		}
		p.w.Write(visibleJSON(v))
	default:
		p.w.Write(v)
	}
}

func (p *prettyPrinter) object(v ecmajson.Value, depth int, foreign bool) {
	n := 0
	for key, value := range v.Members() {
		p.sep(&n, '{', depth)
		name := key.Text()
		foreign := foreign || !redact.IsMember(name)
		if p.redactor != nil && foreign {
			p.w.WriteString(`"` + p.redactor.Text(name) + `"`)
		} else {
			p.w.Write(visibleJSON(key))
		}
		p.w.WriteString(": ")
		p.value(value, depth+1, !foreign && (name == "type" || name == "role" || name == "kind"), foreign || redact.IsFree(name))
	}
	p.end(n, "{}", '}', depth)
}

func (p *prettyPrinter) sep(n *int, first byte, depth int) {
	c := byte(',')
	if *n == 0 {
		c = first
	}
	*n++
	p.w.WriteByte(c)
	p.newline(depth + 1)
}

func (p *prettyPrinter) end(n int, empty string, last byte, depth int) {
	if n == 0 {
		p.w.WriteString(empty)
		return
	}
	p.newline(depth)
	p.w.WriteByte(last)
}

func (p *prettyPrinter) newline(depth int) {
	p.w.WriteByte('\n')
	p.w.WriteString(strings.Repeat("  ", min(depth, maxIndent)))
}
