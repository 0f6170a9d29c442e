package output

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// A tally counts what stands in logs.
type tally struct {
	logs, requests, verified, drifted, errors, warnings, notes, ignored int
}

func count(logs ...*result.Log) (t tally) {
	for _, log := range logs {
		if !log.Place {
			t.logs++
		}
		t.requests += log.Counts.Requests
		t.verified += log.Counts.Verified
		t.drifted += log.Counts.Drifted
		for _, f := range log.Findings {
			switch {
			case f.Suppressed != "":
				t.ignored++
			case f.Severity == finding.Error:
				t.errors++
			case f.Severity == finding.Warning:
				t.warnings++
			default:
				t.notes++
			}
		}
	}
	return t
}

// String is the sentence that sums up a run.
func (t tally) String() string {
	s := fmt.Sprintf("%s, %s, %d verified, %d drifted, %s", plural(int64(t.logs), "log"), plural(int64(t.requests), "request"),
		t.verified, t.drifted, plural(int64(t.errors), "error"))
	if t.ignored > 0 {
		s += fmt.Sprintf(", %d ignored", t.ignored)
	}
	return s
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
