package main

import (
	"bufio"
	"io"
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// maxIndent bounds the indentation, so that deep nesting does not print a square
// of spaces.
const maxIndent = 40

// printPretty prints JSON indented, in its own order, with characters that have no
// ink made visible.
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

// vocabulary is how the members of requests and HTTP bodies are called. Other names
// are the texts of someone.
var vocabulary = words(`config provider model reasoningEffort maxTokens temperature stop system tools name
	description parameters messages role content type text id arguments toolCallId isError attachment attachmentId
	mediaType width height bytes stream stream_options include_usage thinking reasoning_effort max_tokens function
	sessionId source kind callId compactionId replayState plugin purpose
	tool_calls tool_call_id image_url url file file_id reasoning_content`)

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// value prints a value. What is open is a word of the vocabulary and stays; in what
// is foreign, the keys are redacted too.
func (p *prettyPrinter) value(v ecmajson.Value, depth int, open, foreign bool) {
	switch v.Kind() {
	case ecmajson.Object:
		n := 0
		for key, value := range v.Members() {
			p.sep(&n, '{', depth)
			name := key.Text()
			foreign := foreign || !vocabulary[name]
			if p.redactor != nil && foreign {
				p.w.WriteString(`"` + p.redactor.Text(name) + `"`)
			} else {
				p.w.WriteString(diffview.Visible([]byte(key)))
			}
			p.w.WriteString(": ")
			p.value(value, depth+1, !foreign && (name == "type" || name == "role" || name == "kind"), foreign || name == "parameters" || name == "replayState")
		}
		p.end(n, "{}", '}', depth)
	case ecmajson.Array:
		n := 0
		for value := range v.Elements() {
			p.sep(&n, '[', depth)
			p.value(value, depth+1, false, foreign)
		}
		p.end(n, "[]", ']', depth)
	case ecmajson.String:
		if p.redactor != nil && !open {
			p.w.WriteString(`"` + p.redactor.Text(v.Text()) + `"`)
			return
		}
		p.w.WriteString(diffview.Visible([]byte(v)))
	default:
		p.w.Write(v)
	}
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
