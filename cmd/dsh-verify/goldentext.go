package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/goldencheck"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/policy"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// judgeGolden weighs what was found by the policy. What was accepted is settled.
func judgeGolden(log *result.Log, rules *policy.Policy) {
	if log.Golden == goldencheck.Accepted || log.Golden == goldencheck.Removed {
		return
	}
	if log.Golden == "" { // a folder, of which there is something to say
		rules.Apply(log)
		return
	}
	failed := finding.Worse(log.Verdict, finding.Drift) == log.Verdict
	rules.Apply(log)
	if failed && finding.Worse(log.Verdict, finding.Unverifiable) == finding.Unverifiable {
		log.Golden = goldencheck.Ignored
	}
}

// A goldenText prints a line per transcript that is not unchanged, and what is
// wrong with it.
type goldenText struct {
	*output.Text
	whole  *output.Text // prints what a policy set aside, too
	w      io.Writer
	quiet  bool
	status func(*result.Log) bool // whether a transcript has a line
}

func newGoldenText(w io.Writer, opts output.Options, verbose bool) *goldenText {
	quiet := opts.Quiet
	opts.Quiet, opts.Summary = false, goldenSummary
	whole := output.NewText(w, opts)
	opts.Quiet = true
	return &goldenText{output.NewText(w, opts), whole, w, quiet, func(log *result.Log) bool {
		return verbose || !quiet && log.Golden != goldencheck.Unchanged
	}}
}

// Log prints what the gate says of one transcript.
func (t *goldenText) Log(log *result.Log) {
	if log.Golden == "" {
		if t.quiet {
			t.Findings(log)
		} else {
			t.whole.Findings(log)
		}
		return
	}
	if t.status(log) {
		fmt.Fprintf(t.w, "%-10s %s\n", log.Golden, visible(log.File))
	}
	if log.Golden == goldencheck.Ignored && !t.quiet {
		t.whole.Findings(log)
		return
	}
	t.Findings(log)
}

// goldenSummary is the last line, which counts.
func goldenSummary(report *result.Report) string {
	counts := make(map[string]int)
	transcripts, authored := 0, 0
	for _, log := range report.Logs {
		if log.Golden == "" {
			continue
		}
		transcripts++
		counts[log.Golden]++
		if log.Authored {
			authored++
		}
	}
	parts := []string{"golden: " + plural(transcripts, "transcript")}
	if authored > 0 {
		parts[0] += fmt.Sprintf(" (%d authored)", authored)
	}
	for _, status := range []string{goldencheck.Unchanged, goldencheck.Changed, goldencheck.Accepted, goldencheck.New, goldencheck.Written, goldencheck.Missing, goldencheck.Removed, goldencheck.Refused, goldencheck.Unread, goldencheck.Unwritten, goldencheck.Ignored} {
		if counts[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[status], status))
		}
	}
	return strings.Join(parts, ", ")
}
