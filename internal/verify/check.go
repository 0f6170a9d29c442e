package verify

import (
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// A Check is one thing that a log is compared with while it is folded. Checks know nothing
// of each other. One that needs only some of the calls embeds [Base].
type Check interface {
	// Begin is the first call: log is the report to add to, session the fold before its
	// first record. A log without a sound header has no Begin.
	Begin(log *result.Log, session *reconstruct.Session)
	// Before sees what a record says, before it is applied.
	Before(*transcript.Act)
	// Request judges a request, which is good until the next call, and returns its
	// verdict, "" for none. It is called before After of the record that completes the
	// request, or before Close. A request's verdict is the worst that a check said.
	Request(*reconstruct.Request) finding.Verdict
	// After sees a record after it was applied; what it says is the session's latest act.
	After(*logformat.Record)
	// Close adds what only the end decides. A log that is refused, or that could not be
	// read to its end, has no Close.
	Close()
}

// Base is a check that says nothing.
type Base struct{}

// Begin does nothing.
func (Base) Begin(*result.Log, *reconstruct.Session) {}

// Before does nothing.
func (Base) Before(*transcript.Act) {}

// Request has no verdict.
func (Base) Request(*reconstruct.Request) finding.Verdict { return "" }

// After does nothing.
func (Base) After(*logformat.Record) {}

// Close does nothing.
func (Base) Close() {}

// A seesOneshots is a check that is told of the requests outside the loop.
type seesOneshots interface {
	Oneshot(*reconstruct.Oneshot)
}
