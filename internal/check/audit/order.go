package audit

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A turn is the turn that is open, or the one before.
type turn struct {
	open      bool
	number    int64
	place     finding.Place // of its start
	steps     int64         // started
	truncated bool          // an answer in it ended in max-tokens
	deferred  []deferred
}

// A step is the step that is open, or the one before in the turn.
type step struct {
	open        bool
	number      int64
	answer      answer // of the latest attempt
	answered    bool   // it has its assistant message
	interrupted bool   // which a cancel cut short
	truncated   bool   // which ended in max-tokens
	calls       []call
	retry       retryRecord
}

// How a turn goes on or ends, besides the kinds of a turn/end.
const (
	logEnds      = ""
	nextStep     = "the next step starts"
	lifetimeEnds = "the lifetime ends"
)

// A deferred finding waits for how the turn goes on: judge returns it as it is
// then, false when there is nothing to say.
type deferred struct {
	finding finding.Finding
	judge   func(a *Audit, f finding.Finding, goesOn string)
}

func (a *Audit) postpone(f finding.Finding, judge func(*Audit, finding.Finding, string)) {
	a.turn.deferred = append(a.turn.deferred, deferred{f, judge})
}

// settle judges what waited. goesOn is the kind of the turn/end, or what came
// instead of one.
func (a *Audit) settle(goesOn string) {
	waiting := a.turn.deferred
	a.turn.deferred = nil
	for _, d := range waiting {
		d.judge(a, d.finding, goesOn)
	}
}

// unless returns the judge of a finding that stands unless the turn goes on in
// one of the given ways.
func unless(ways ...string) func(*Audit, finding.Finding, string) {
	return func(a *Audit, f finding.Finding, goesOn string) {
		for _, way := range ways {
			if way == goesOn {
				return
			}
		}
		a.add(f)
	}
}

func number(v ecmajson.Value) int64 {
	n, ok := v.SafeInt()
	if !ok {
		return -1
	}
	return n
}

func (a *Audit) turnStart(e *logformat.Event) {
	n := number(e.Data.Lookup("turn"))
	switch {
	case a.turn.open:
		a.report(finding.AuditTurnOrder, e, "turn %d starts while turn %d is open", n, a.turn.number)
	case n != a.turn.number+1:
		a.report(finding.AuditTurnOrder, e, "turn %d starts where turn %d is next", n, a.turn.number+1)
	}
	a.settle(logEnds)
	a.turn = turn{open: true, number: n, place: placeOf(e)}
	a.step = step{}
}

func (a *Audit) turnEnd(e *logformat.Event) {
	n := number(e.Data.Lookup("turn"))
	switch {
	case !a.turn.open:
		a.report(finding.AuditTurnOrder, e, "turn %d ends and none is open", n)
	case n != a.turn.number:
		a.report(finding.AuditTurnOrder, e, "turn %d ends while turn %d is open", n, a.turn.number)
	case a.step.open:
		a.report(finding.AuditStepOrder, e, "turn %d ends inside its step %d", n, a.step.number)
	}
	kind := e.Data.Lookup("reason").Lookup("kind").Text()
	a.turnReason(e, kind)
	if w := a.rewrite.open; w != nil && (kind == "completed" || kind == "max-tokens") {
		a.report(finding.AuditCompaction, e, "the turn ends and the compaction of seq %d does not", w.Seq)
		a.rewrite.open = nil
	}
	a.settle(kind)
	a.closeTurn(e, kind)
	a.inbox.claimed = nil
	a.turn.open, a.turn.number = false, max(n, a.turn.number)
	a.step = step{}
}

// turnReason compares the reason of a turn's end with its last step.
func (a *Audit) turnReason(e *logformat.Event, kind string) {
	switch {
	case kind == "max-tokens" && !a.turn.truncated:
		a.report(finding.AuditTurnReason, e, "it ends for max-tokens, and no answer in it did")
	case kind != "completed" || a.turn.steps == 0:
	case !a.step.answered:
		a.report(finding.AuditTurnReason, e, "it is completed, and its last step has no assistant message")
	case a.step.interrupted:
		a.report(finding.AuditTurnReason, e, "it is completed, and its last answer was interrupted")
	case a.step.truncated:
		a.report(finding.AuditTurnReason, e, "it is completed, and its last answer ended for max-tokens")
	}
}

func (a *Audit) stepStart(e *logformat.Event) {
	t, n := number(e.Data.Lookup("turn")), number(e.Data.Lookup("step"))
	switch {
	case !a.turn.open || t != a.turn.number:
		a.report(finding.AuditStepOrder, e, "step %d of turn %d starts while %s", n, t, a.whereNow())
	case a.step.open:
		a.report(finding.AuditStepOrder, e, "step %d starts while step %d is open", n, a.step.number)
	case n != a.step.number+1:
		a.report(finding.AuditStepOrder, e, "step %d starts where step %d is next", n, a.step.number+1)
	}
	a.settle(nextStep)
	a.step = step{open: true, number: n}
	a.turn.steps++
}

func (a *Audit) stepEnd(e *logformat.Event) {
	t, n := number(e.Data.Lookup("turn")), number(e.Data.Lookup("step"))
	if !a.step.open || t != a.turn.number || n != a.step.number {
		a.report(finding.AuditStepOrder, e, "step %d of turn %d ends while %s", n, t, a.whereNow())
	}
	a.unansweredCalls(e)
	a.unfinishedAnswer(e)
	a.notEntered(e)
	a.step.open = false
	a.step.answer = answer{}
}

// inStep reports whether an event names the open turn and step, and says so if
// it does not.
func (a *Audit) inStep(e *logformat.Event, turn, step ecmajson.Value) bool {
	t, n := number(turn), number(step)
	if a.step.open && t == a.turn.number && n == a.step.number {
		return true
	}
	a.report(finding.AuditOutsideStep, e, "%s names step %d of turn %d while %s", e.Type, n, t, a.whereNow())
	return false
}

func (a *Audit) inOpenStep(e *logformat.Event) bool {
	return a.inStep(e, e.Data.Lookup("turn"), e.Data.Lookup("step"))
}

func (a *Audit) insideTurn(code finding.Code, e *logformat.Event) {
	if !a.turn.open {
		a.report(code, e, "%s stands outside of any turn", e.Type)
	}
}

func (a *Audit) whereNow() string {
	switch {
	case a.step.open:
		return fmt.Sprintf("step %d of turn %d is open", a.step.number, a.turn.number)
	case a.turn.open:
		return fmt.Sprintf("turn %d is open and no step", a.turn.number)
	}
	return "no turn is open"
}
