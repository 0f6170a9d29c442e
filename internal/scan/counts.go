package scan

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// Counts add up what a scan found.
type Counts struct {
	Sessions int // that were checked, and roots that could not be opened
	Places   int // roots, or the scan itself, with errors of their own
	Requests int
	Older    int // files of older generations, which were not read
	Verdicts map[finding.Verdict]int
	Codes    map[finding.Code]int // sessions and places by code of a warning or an error
}

func newCounts() Counts {
	return Counts{Verdicts: make(map[finding.Verdict]int), Codes: make(map[finding.Code]int)}
}

func (c *Counts) session(log *result.Log) {
	c.Sessions++
	c.Verdicts[log.Verdict]++
	c.Requests += log.Counts.Requests
	c.Older += len(log.Older)
	c.codes(log)
}

func (c *Counts) place(log *result.Log) {
	if log.Verdict != finding.Rebuilt && log.Verdict != "" {
		c.Places++
	}
	c.codes(log)
}

// codes counts a code once for each report, as often as it may be in it.
func (c *Counts) codes(log *result.Log) {
	seen := make(map[finding.Code]bool)
	for _, f := range log.Findings {
		if f.Severity > finding.Note && f.Suppressed == "" && !seen[f.Code] {
			seen[f.Code] = true
			c.Codes[f.Code]++
		}
	}
}

// Ranked returns the codes, those that most sessions have first, and by name where as
// many have them.
func (c *Counts) Ranked() []finding.Code {
	return slices.SortedFunc(maps.Keys(c.Codes), func(a, b finding.Code) int {
		return cmp.Or(cmp.Compare(c.Codes[b], c.Codes[a]), cmp.Compare(a.String(), b.String()))
	})
}
