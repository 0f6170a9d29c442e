package output

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// Text prints reports for a person. Every text that may quote a log goes out
// with its control characters made visible.
type Text struct {
	w     io.Writer
	style *Style
	quiet bool
	last  func(*result.Report) string // the last line; nil: Summary
}

// NewText returns a printer. A quiet one prints findings that matter and the
// last line.
func NewText(w io.Writer, opts Options) *Text {
	if opts.Style == nil {
		opts.Style = NewStyle(false)
	}
	return &Text{w, opts.Style, opts.Quiet, opts.Summary}
}

// Log prints what was found in one log.
func (t *Text) Log(log *result.Log) {
	if !t.quiet {
		t.head(log)
		t.table(log.Requests)
	}
	t.Findings(log)
}

// Findings prints the findings of a log alone.
func (t *Text) Findings(log *result.Log) {
	for _, f := range log.Findings {
		if !t.quiet || f.Severity > finding.Note && f.Suppressed == "" {
			t.finding(log, f)
		}
	}
	if !t.quiet {
		fmt.Fprintln(t.w)
	}
}

func (t *Text) head(log *result.Log) {
	fmt.Fprintln(t.w, t.style.bold.Sprint(diffview.Visible(log.File)))
	s, c := log.Session, log.Counts
	if s.ID != "" {
		fmt.Fprintf(t.w, "  session  %s%s\n", diffview.Visible(s.ID), lineage(s))
		fmt.Fprintf(t.w, "  format   %d, %s, %s of text in %s\n", s.FormatVersion, s.Encoding, size(c.Bytes), plural(c.Lines, "line"))
	}
	if !log.Place && (s.ID != "" || log.Verdict != finding.Unreadable) {
		fmt.Fprintf(t.w, "  log      %s, %s, %s%s\n", plural(c.Events, "event"), plural(c.Turns, "turn"),
			plural(int64(c.Requests), "request"), extras(c))
	}
	if log.ComparedWith != "" {
		fmt.Fprintf(t.w, "  against  %s: %d of %d requests verified%s\n", diffview.Visible(log.ComparedWith), c.Verified, c.Requests, proved(c.Proved))
	}
	if log.Policy != "" {
		fmt.Fprintf(t.w, "  policy   %s\n", diffview.Visible(log.Policy))
	}
	if c.Objects > 0 {
		fmt.Fprintf(t.w, "  objects  %d of %d attachments verified%s\n", c.ObjectsOK, c.Objects, inStore(log.Objects))
	}
}

func proved(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d that the log alone does not show as sent", n)
}

func inStore(dir string) string {
	if dir == "" {
		return ", no object store available"
	}
	return " in " + diffview.Visible(dir)
}

func lineage(s result.Session) string {
	out := ""
	if s.ParentSession != "" {
		out = fmt.Sprintf(", fork of %s at seq %d", diffview.Visible(s.ParentSession), s.SeedLength)
	}
	if s.Origin != "" {
		out += fmt.Sprintf(", %s at depth %d", s.Origin, s.DelegationDepth)
	}
	return out
}

func extras(c result.Counts) string {
	var parts []string
	for _, e := range []struct {
		n    int64
		what string
	}{
		{c.Retries, "of them retries"},
		{int64(c.Prepared), "prepared but not shown as sent"},
		{int64(c.Inherited), "more by the parent session"},
	} {
		if e.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", e.n, e.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func (t *Text) table(rows []result.Request) {
	if len(rows) == 0 {
		return
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  #\tREQUEST\tMODEL\tMESSAGES\tBYTES\t%s\tRELATION TO THE ONE BEFORE\tVERDICT\n", DigestHeading(rows[0].SHA256 == ""))
	for _, r := range rows {
		ordinal := "-"
		if !r.Prepared {
			ordinal = fmt.Sprint(r.Ordinal)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\n", ordinal, r.Key(), diffview.Visible(r.Model),
			r.Messages, r.Bytes, (r.SHA256 + r.HMACSHA256)[:12], diffview.Visible(r.Relation), r.Verdict)
	}
	w.Flush()
	lines := strings.SplitAfter(b.String(), "\n")
	fmt.Fprintln(t.w)
	for i, line := range lines {
		t.tableLine(line, i == 0)
	}
	fmt.Fprintln(t.w)
}

// DigestHeading is the heading of a column of digests, which are keyed when redacted.
func DigestHeading(redacted bool) string {
	if redacted {
		return "HMAC-SHA-256"
	}
	return "SHA-256"
}

func (t *Text) tableLine(line string, heading bool) {
	text := strings.TrimSuffix(line, "\n")
	switch {
	case text == "":
	case heading:
		fmt.Fprintln(t.w, t.style.faint.Sprint(text))
	case strings.HasSuffix(text, string(finding.Drift)):
		fmt.Fprintln(t.w, t.style.red.Sprint(text))
	default:
		fmt.Fprintln(t.w, text)
	}
}

func (t *Text) finding(log *result.Log, f finding.Finding) {
	place := where(log, f, t.quiet)
	if place != "" {
		place = "  " + place
	}
	fmt.Fprintf(t.w, "%s %s%s\n", t.label(f), f.Code, place)
	for _, line := range explain(f) {
		if action, ok := strings.CutPrefix(line, arrow); ok {
			line = t.style.faint.Sprint(strings.TrimSpace(arrow)) + " " + action
		}
		fmt.Fprintf(t.w, "        %s\n", line)
	}
}

func (t *Text) label(f finding.Finding) string {
	word := fmt.Sprintf("%-7s", label(f))
	switch {
	case f.Suppressed != "" || f.Severity == finding.Note:
		return t.style.faint.Sprint(word)
	case f.Severity == finding.Warning:
		return t.style.yellow.Sprint(word)
	}
	return t.style.red.Sprint(word)
}

// Summary prints the last line, which counts.
func (t *Text) Summary(report *result.Report) {
	fmt.Fprintf(t.w, "%s: %s\n", t.verdict(report.Verdict), count(report.Logs...))
}

// Close prints the last line.
func (t *Text) Close(report *result.Report) error {
	if t.last != nil {
		fmt.Fprintln(t.w, t.last(report))
	} else {
		t.Summary(report)
	}
	return nil
}

func (t *Text) verdict(v finding.Verdict) string {
	switch v {
	case finding.Verified, finding.Sealed, finding.Rebuilt:
		return t.style.green.Sprint(v)
	case finding.Unverifiable:
		return t.style.yellow.Sprint(v)
	}
	return t.style.red.Sprint(v)
}

// size prints a length in bytes in the unit that keeps it short.
func size(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func shorten(list []string, limit int) string {
	if len(list) <= limit {
		return strings.Join(list, " ")
	}
	return strings.Join(list[:limit], " ") + fmt.Sprintf(" … and %d more", len(list)-limit)
}
