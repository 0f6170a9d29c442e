package output

import (
	"io"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// An NDJSON writes a line per log, the object that json has for it, and a last
// line with the verdict.
type NDJSON struct {
	w   io.Writer
	err error
}

// NewNDJSON returns a renderer that writes to w.
func NewNDJSON(w io.Writer) *NDJSON { return &NDJSON{w: w} }

// Line writes one value.
func (r *NDJSON) Line(v any) error {
	if r.err == nil {
		r.err = WriteJSON(r.w, v, "")
	}
	return r.err
}

// Log writes a log's line.
func (r *NDJSON) Log(log *result.Log) { r.Line(log) }

// Close writes the last line.
func (r *NDJSON) Close(report *result.Report) error {
	return r.Line(struct {
		SchemaVersion int             `json:"schemaVersion"`
		Verdict       finding.Verdict `json:"verdict"`
		Logs          int             `json:"logCount"`
	}{report.SchemaVersion, report.Verdict, report.Sessions()})
}
