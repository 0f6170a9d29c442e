package report

import (
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// maxDetailed is how many requests of a log open to their messages.
const maxDetailed = 300

// choose returns, for each request of the log, whether it is shown by itself. All
// are when they are few enough. Otherwise those are that a finding names, that
// differ from a recording or that do not just extend the one before; the first
// and the last; and of the others as many from the start as there is room for.
func choose(log *result.Log) []bool {
	shown := make([]bool, len(log.Requests))
	room := maxDetailed
	take := func(i int) {
		if room > 0 && !shown[i] {
			shown[i] = true
			room--
		}
	}
	if n := len(shown); n > maxDetailed {
		named := make(map[string]bool)
		for _, f := range log.Findings {
			if f.Severity == finding.Error {
				named[f.Place.Request] = true
			}
		}
		take(0)
		take(n - 1)
		for i, r := range log.Requests {
			if named[r.Key()] {
				take(i)
			}
		}
		for i, r := range log.Requests {
			if r.Verdict == finding.Drift || r.Relation != "extends" {
				take(i)
			}
		}
	}
	for i := range shown {
		take(i)
	}
	return shown
}
