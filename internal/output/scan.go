package output

import (
	"fmt"
	"io"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/verify"
)

// ScanLine prints a session of a scan: one line, and one for each warning or
// error. A quiet one leaves sound sessions out.
func ScanLine(w io.Writer, style *Style, log *verify.Log, quiet bool) {
	t := &Text{w: w, style: style}
	worst := finding.Note
	for _, f := range log.Findings {
		worst = max(worst, f.Severity)
	}
	if quiet && worst == finding.Note {
		return
	}
	fmt.Fprintf(w, "%-12s  %s  %s", t.verdict(log.Verdict), diffview.Visible(log.File), count(int64(log.Counts.Requests), "request"))
	if log.Counts.Verified > 0 {
		fmt.Fprintf(w, ", %d verified", log.Counts.Verified)
	}
	fmt.Fprintln(w)
	for _, f := range log.Findings {
		if f.Severity == finding.Note {
			continue
		}
		where := f.Place.Where()
		if f.Place.File != log.File {
			where = f.Place.File + " " + where
		}
		fmt.Fprintf(w, "    %s %s  %s  %s\n", t.severity(f.Severity), f.Code, diffview.Visible(where), diffview.Visible(f.Message))
	}
}
