package result

import (
	"errors"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/text"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// New returns the report on a log of which nothing is known yet; name is how the report
// calls it.
func New(name string) *Log {
	return &Log{File: name, Requests: []Request{}, Findings: []finding.Finding{}}
}

// NewReport returns a report without logs.
func NewReport() *Report { return &Report{SchemaVersion: SchemaVersion, Logs: []*Log{}} }

// of returns the report on a log of which only findings are known.
func of(name string, found ...finding.Finding) *Log {
	log := New(name)
	for _, f := range found {
		log.Add(f)
	}
	return log
}

// Unreadable is the report on a log that could not be read at all.
func Unreadable(name, reason string) *Log {
	return of(name, finding.New(finding.InputUnreadable, finding.Plain(reason), finding.Place{Seq: -1}))
}

// Failed is the report on what could not be opened: refused where the error is a
// refusal, unreadable otherwise.
func Failed(name string, err error) *Log {
	if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
		return Refused(name, refusal)
	}
	return Unreadable(name, text.Cause(err))
}

// UnreadableRecording is the report on a log whose recording could not be read.
func UnreadableRecording(name, path, reason string) *Log {
	return of(name, finding.New(finding.RecordingUnread, finding.Plain(reason), finding.Place{Seq: -1, File: path}))
}

// Refused is the report on a container that cannot be trusted.
func Refused(name string, refusal *logformat.Refusal) *Log {
	return of(name, finding.FromRefusal(refusal))
}

// Absent is the report on a session of which there is no log: the finding says why.
func Absent(name string, f finding.Finding) *Log { return of(name, f) }

// Place is the report on an argument's place, as opposed to its logs.
func Place(name string, findings []finding.Finding) *Log {
	log := of(name, findings...)
	log.Place = true
	if log.Verdict == "" {
		log.Verdict = finding.Rebuilt
	}
	return log
}

// Note adds a finding of the catalogue; said is what was found there.
func (l *Log) Note(code finding.Code, said finding.Text, place finding.Place) {
	l.Add(finding.New(code, said, place))
}

// Compared makes the verdict that of a log that was compared and found equal, unless a
// finding imposes another one.
func (l *Log) Compared() { l.Verdict = finding.Worse(l.Verdict, finding.Verified) }

// Add adds a finding, which makes the verdict at least as bad as what it imposes.
func (l *Log) Add(f finding.Finding) {
	if f.Place.File == "" {
		f.Place.File = l.File
	}
	if f.Place.Session == "" {
		f.Place.Session = l.Session.ID
	}
	l.Findings = append(l.Findings, f)
	l.Verdict = finding.Worse(l.Verdict, f.Imposes())
}
