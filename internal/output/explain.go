package output

import (
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// arrow leads the line that says what to do.
const arrow = "→ "

// listed is how many requests a finding names; more are counted.
const listed = 12

// explain returns what a finding says, in lines for a person.
func explain(f finding.Finding) []string {
	lines := []string{diffview.Visible(f.Message())}
	for _, line := range f.Lines() {
		lines = append(lines, "  "+diffview.Visible(line))
	}
	if len(f.Requests) > 1 {
		lines = append(lines, "in "+plural(int64(len(f.Requests)), "request")+": "+diffview.Visible(shorten(f.Requests, listed)))
	}
	switch {
	case f.Suppressed != "":
		lines = append(lines, "ignored: "+diffview.Visible(f.Suppressed))
	case f.Action != "" && f.Severity > finding.Note:
		lines = append(lines, arrow+f.Action)
	}
	return lines
}

// where names a finding's place; the file too when it is not the log, or when
// nothing around it names the log.
func where(log *result.Log, f finding.Finding, alone bool) string {
	place := f.Place.Where()
	if alone || f.Place.File != log.File {
		place = strings.TrimSpace(f.Place.File + " " + place)
	}
	return diffview.Visible(place)
}

// label is the word for a finding's weight.
func label(f finding.Finding) string {
	if f.Suppressed != "" {
		return "ignored"
	}
	return f.Severity.String()
}
