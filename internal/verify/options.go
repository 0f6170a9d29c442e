package verify

import (
	"github.com/dsh-verify/dsh-verify/internal/audit"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/recording"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// Options say what a log is checked against.
type Options struct {
	Recording *recording.File       // nil: nothing to compare with
	Capture   *Capture              // nil: no captured traffic
	Objects   *objectstore.Verifier // nil: no object store at hand
	// Audit checks the log against itself too.
	Audit bool
}

// Checks returns the checks of the options, in the order in which their findings are
// reported.
func (o Options) Checks() (checks []Check) {
	if o.Recording != nil {
		checks = append(checks, Compare(o.Recording))
	}
	if o.Capture != nil {
		checks = append(checks, Traffic(o.Capture, o.Objects))
	}
	checks = append(checks, Objects(o.Objects))
	if o.Audit {
		checks = append(checks, &audited{})
	}
	return checks
}

// audited holds a log against itself.
type audited struct {
	Base
	log   *result.Log
	audit *audit.Audit
}

// Begin starts the audit.
func (a *audited) Begin(log *result.Log, session *reconstruct.Session) {
	a.log, a.audit = log, audit.New(session.Header())
	a.audit.Follow(session)
}

// Before judges what a record says.
func (a *audited) Before(act *transcript.Act) { a.audit.Act(act) }

// Request has no verdict: a request was sent, whatever the audit says of it.
func (a *audited) Request(q *reconstruct.Request) finding.Verdict {
	a.audit.Request(q)
	return ""
}

// Close ends the audit.
func (a *audited) Close() {
	for _, f := range a.audit.Findings() {
		a.log.Add(f)
	}
}
