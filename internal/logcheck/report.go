package logcheck

import (
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// Absent reports a session of which there is no log.
func Absent(log *source.Log) *result.Log {
	return beside(log, result.Absent(log.Name, log.Absent))
}

// beside adds to a log's report what is to be said of other generations beside it.
func beside(log *source.Log, report *result.Log) *result.Log {
	report.Older = log.Older
	for _, f := range log.Beside(unusable(report)) {
		report.Add(f)
	}
	return report
}

// unusable reports whether nothing can be said of a log's content.
func unusable(report *result.Log) bool {
	return report.Verdict == finding.Refused || report.Verdict == finding.Unreadable
}

// counts are those of a log that was read and folded.
func counts(read logformat.Stats, s reconstruct.Stats) result.Counts {
	return result.Counts{
		Lines: read.Lines, Bytes: read.Bytes, Events: read.Events, Turns: s.Turns, Steps: s.Steps, Requests: s.Requests,
		Retries: s.Attempts, Prepared: s.Prepared, Inherited: s.Inherited, Headers: s.Headers, Replaces: s.Replaces,
	}
}
