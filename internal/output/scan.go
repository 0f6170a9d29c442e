package output

import (
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// ScanLine prints a session of a scan: one line, and one for each warning or
// error. A quiet one leaves sound sessions out.
func (t *Text) ScanLine(log *result.Log) {
	c := count(log)
	if (t.quiet || log.Place) && c.errors+c.warnings == 0 {
		return
	}
	fmt.Fprintf(t.w, "%-12s  %s", t.verdict(log.Verdict), diffview.Visible(log.File))
	if !log.Place {
		fmt.Fprintf(t.w, "  %s", plural(int64(c.requests), "request"))
	}
	if c.verified > 0 {
		fmt.Fprintf(t.w, ", %d verified", c.verified)
	}
	if c.ignored > 0 {
		fmt.Fprintf(t.w, ", %d ignored", c.ignored)
	}
	if len(log.Older) > 0 {
		fmt.Fprintf(t.w, ", beside older %s", diffview.Visible(strings.Join(log.Older, ", ")))
	}
	fmt.Fprintln(t.w)
	for _, f := range log.Findings {
		if f.Severity > finding.Note && f.Suppressed == "" {
			fmt.Fprintf(t.w, "    %s %s  %s  %s\n", t.label(f), f.Code, where(log, f, false), diffview.Visible(f.Message()))
		}
	}
}
