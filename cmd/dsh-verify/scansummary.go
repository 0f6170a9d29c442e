package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/scan"
)

// A scanSummary has the renderers of a scan, which end with what was counted. The counts
// must be there when they are closed.
type scanSummary struct{ counts scan.Counts }

func (s *scanSummary) text(w io.Writer, opts output.Options) output.Renderer {
	return &scanText{output.NewText(w, opts), w, s}
}

func (s *scanSummary) ndjson(w io.Writer, _ output.Options) output.Renderer {
	return &scanNDJSON{output.NewNDJSON(w), s}
}

// A scanText prints a line per session, and what is wrong.
type scanText struct {
	*output.Text
	w       io.Writer
	summary *scanSummary
}

func (t *scanText) Log(log *result.Log) { t.ScanLine(log) }

func (t *scanText) Close(report *result.Report) error {
	counts := &t.summary.counts
	for _, code := range counts.Ranked() {
		fmt.Fprintf(t.w, "%6d  %s\n", counts.Codes[code], code)
	}
	_, err := fmt.Fprintf(t.w, "%s, %s: %s\n", plural(counts.Sessions, "session"), plural(counts.Requests, "request"), verdictWords(counts, report.Verdict))
	return err
}

// verdictWords lists how many sessions have which verdict, and what else was found.
func verdictWords(counts *scan.Counts, worst finding.Verdict) string {
	var words []string
	for _, v := range []finding.Verdict{finding.Verified, finding.Rebuilt, finding.Unverifiable, finding.Drift, finding.Refused, finding.Unreadable} {
		if n := counts.Verdicts[v]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, v))
		}
	}
	switch {
	case len(words) > 0:
	case worst == finding.Nothing:
		words = []string{"none left to check"}
	default:
		words = []string{"none found"}
	}
	if counts.Places > 0 {
		words = append(words, "and what is wrong with "+plural(counts.Places, "root"))
	}
	if counts.Older > 0 {
		words = append(words, plural(counts.Older, "older generation")+" left aside")
	}
	return strings.Join(words, ", ")
}

// scanNDJSON prints a line per session, without the rows of its requests, and a
// last line with the counts.
type scanNDJSON struct {
	*output.NDJSON
	summary *scanSummary
}

func (n *scanNDJSON) Log(log *result.Log) {
	short := *log
	short.Requests = []result.Request{}
	n.Line(&short)
}

func (n *scanNDJSON) Close(report *result.Report) error {
	counts := &n.summary.counts
	return n.Line(struct {
		SchemaVersion int                     `json:"schemaVersion"`
		Verdict       finding.Verdict         `json:"verdict"`
		Sessions      int                     `json:"sessions"`
		Requests      int                     `json:"requests"`
		Verdicts      map[finding.Verdict]int `json:"verdicts"`
		Codes         map[finding.Code]int    `json:"codes"`
		Older         int                     `json:"olderGenerations,omitempty"`
	}{report.SchemaVersion, report.Verdict, counts.Sessions, counts.Requests, counts.Verdicts, counts.Codes, counts.Older})
}
