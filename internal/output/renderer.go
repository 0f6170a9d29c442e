package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/result"
)

// A Renderer writes what a run finds, in one format. Errors of its writer stay
// with the writer.
type Renderer interface {
	// Log takes what was found in one log. Logs come in the order of the report.
	Log(*result.Log)
	// Close takes the report of all those logs, and writes what is left to write.
	Close(*result.Report) error
}

// Options say how to render.
type Options struct {
	Style  *Style // of text; nil: plain
	Quiet  bool   // text without what is not wrong
	Strict bool   // what could not be verified fails, in formats that know failures
	// Summary returns the last line of text, and the first of Markdown, in place of
	// the one that counts requests; nil: that one.
	Summary func(*result.Report) string
	// Own are a command's own renderers, by format, in place of these.
	Own map[string]func(io.Writer, Options) Renderer
}

var formats = []struct {
	name string
	make func(io.Writer, Options) Renderer
}{
	{"text", func(w io.Writer, o Options) Renderer { return NewText(w, o) }},
	{"json", func(w io.Writer, _ Options) Renderer { return &whole{w, JSON} }},
	{"ndjson", func(w io.Writer, _ Options) Renderer { return NewNDJSON(w) }},
	{"junit", func(w io.Writer, o Options) Renderer {
		return &whole{w, func(w io.Writer, report *result.Report) error { return junit(w, report, o.Strict) }}
	}},
	{"sarif", func(w io.Writer, _ Options) Renderer { return &whole{w, sarif} }},
	{"markdown", func(w io.Writer, o Options) Renderer {
		return &whole{w, func(w io.Writer, report *result.Report) error { return markdown(w, report, o.Summary) }}
	}},
}

// Formats returns the names of the formats.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// New returns a renderer of the format.
func New(format string, w io.Writer, opts Options) (Renderer, error) {
	if own := opts.Own[format]; own != nil {
		return own(w, opts), nil
	}
	for _, f := range formats {
		if f.name == format {
			return f.make(w, opts), nil
		}
	}
	names := Formats()
	return nil, fmt.Errorf("must be one of %s, not %q", strings.Join(names, ", "), format)
}

// A whole renderer waits for the report: its format begins with what only the
// end knows.
type whole struct {
	w     io.Writer
	write func(io.Writer, *result.Report) error
}

func (r *whole) Log(*result.Log) {}

// NeedsReport reports whether a renderer takes the logs from the report at the
// end; the others take all from Log, and their report may be empty except for its
// verdict.
func NeedsReport(r Renderer) bool {
	_, ok := r.(*whole)
	return ok
}

func (r *whole) Close(report *result.Report) error { return r.write(r.w, report) }
