package audit

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// A closing follows the events that the harness appends on resume to what a crash
// left open: results of the open calls, the end of the step, the end of the turn,
// all with the time of the last event before.
type closing struct {
	results bool // a closing result was seen and the turn is not yet ended
	ended   bool // the event before is a turn/end of an interrupted turn
}

// A clock remembers when and what the last two records were.
type clock struct {
	started          bool
	kind             transcript.Kind
	last, beforeLast int64
}

func (c *clock) tick(kind transcript.Kind, time int64) {
	c.started = true
	c.beforeLast, c.last, c.kind = c.last, time, kind
}

// farBackwards is how many milliseconds a clock may be set back unremarked.
const farBackwards = 60_000

func (a *Audit) time(time int64, pos logformat.Position, seq int64) {
	if back := a.clock.last - time; a.clock.started && back > farBackwards {
		a.add(finding.New(finding.AuditTimeBackwards, finding.Say("%d ms earlier than the event before", back), position(pos, seq)))
	}
}

// closerResult compares a closing result with the way the harness writes it.
func (a *Audit) closerResult(e *logformat.Event, message ecmajson.Value, c *call) {
	a.closing.results = true
	callID := message.Lookup("source").Lookup("callId").Text()
	id, code := message.Lookup("id").Text(), e.Data.Lookup("error").Lookup("code").Text()
	want := notStarted
	if c != nil && c.calledAt >= 0 {
		want = outcomeUnknown
	}
	var isError ecmajson.Value
	for block := range message.Lookup("content").Elements() {
		isError = block.Lookup("isError")
		break
	}
	switch {
	case id != fmt.Sprintf("%s%s-%d", closerPrefix, callID, e.Seq):
		a.report(finding.AuditCloser, e, "the id of the closing result is %q", id)
	case code != want:
		a.report(finding.AuditCloser, e, "the closing result of call %q has the error code %q where %s belongs", callID, code, want)
	case isError.Kind() != ecmajson.True:
		a.report(finding.AuditCloser, e, "the closing result of call %q is no error", callID)
	case e.Time != a.clock.last:
		a.report(finding.AuditCloser, e, "the closing result of call %q has another time than the event before", callID)
	}
}

// closerFollowedBy checks that nothing comes between closers, nor between them and
// the next lifetime.
func (a *Audit) closerFollowedBy(e *logformat.Event) {
	if a.closing.ended && a.act.Kind != transcript.SeedEnd {
		a.report(finding.AuditCloser, e, "%s follows the end of an interrupted turn, where the next lifetime begins with session/end-seed", e.Type)
	}
	a.closing.ended = false
	if !a.closing.results {
		return
	}
	switch kind := a.act.Kind; {
	case a.act.Entry.Role == transcript.Tool, kind == transcript.StepEnd, kind == transcript.TurnEnd:
	default:
		a.report(finding.AuditCloser, e, "%s stands between the events that close an interrupted turn", e.Type)
		a.closing.results = false
	}
}

// closeTurn compares the end of a turn with the closers before it.
func (a *Audit) closeTurn(e *logformat.Event, kind string) {
	results := a.closing.results
	a.closing.results = false
	if kind != "interrupted" {
		if results {
			a.report(finding.AuditCloser, e, "the results of the turn's last calls close an interrupted turn, and it ends as %q", kind)
		}
		return
	}
	a.closing.ended = true
	if e.Time != a.clock.last || a.clock.kind == transcript.StepEnd && a.clock.last != a.clock.beforeLast {
		a.report(finding.AuditCloser, e, "the events that close turn %d have another time than the last event before them", a.turn.number)
	}
}

// endSeed is the start of a lifetime.
func (a *Audit) endSeed(e *logformat.Event) {
	if a.turn.open {
		a.report(finding.AuditCloser, e, "a lifetime begins while turn %d is open: nothing closed it", a.turn.number)
	}
	a.settle(lifetimeEnds)
	a.turn.open, a.step = false, step{}
	a.closing = closing{}
	a.lifetime = lifetime{}
	a.rewrite.open = nil
}

// forkBoundary checks that a fork's own events begin after a session/end-seed.
func (a *Audit) forkBoundary(e *logformat.Event) {
	if a.seed > 0 && e.Seq == a.seed && a.act.Kind != transcript.SeedEnd && a.clock.kind != transcript.SeedEnd {
		a.report(finding.AuditForkBoundary, e, "%s is the first event of the fork's own", e.Type)
	}
}
