package audit

import (
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// An inbox is the fold of the splices: messages that wait for the next turn or
// the next step. A fork starts with an empty one, whatever its parent's held.
type inbox struct {
	waiting map[string][]pendingMessage
	claimed []pendingMessage // taken out for the step that is about to start
}

type pendingMessage struct {
	id   string
	text ecmajson.Value
}

func newInbox() inbox {
	return inbox{waiting: map[string][]pendingMessage{nextTurnBox: nil, nextStepBox: nil}}
}

const (
	nextTurnBox = "next-turn"
	nextStepBox = "next-step"
)

func (a *Audit) spliced(e *logformat.Event) {
	if e.Seq < a.seed {
		return
	}
	target := e.Data.Lookup("target").Text()
	box, known := a.inbox.waiting[target]
	start, removed := number(e.Data.Lookup("start")), int64(0)
	if v := e.Data.Lookup("removedCount"); v != nil {
		removed = number(v)
	}
	switch {
	case !known:
		a.report(finding.AuditInbox, e, "there is no inbox %q", target)
		return
	case start < 0 || start > int64(len(box)):
		a.report(finding.AuditInbox, e, "it splices %s at %d, and %d messages wait", target, start, len(box))
		return
	case removed < 0 || start+removed > int64(len(box)):
		a.report(finding.AuditInbox, e, "it takes %d messages out of %s at %d, and %d wait", removed, target, start, len(box))
		return
	}
	var inserted []pendingMessage
	for m := range e.Data.Lookup("inserted").Elements() {
		inserted = append(inserted, pendingMessage{m.Lookup("id").Text(), clone(m)})
	}
	taken := slices.Clone(box[start : start+removed])
	a.inbox.waiting[target] = slices.Concat(box[:start], inserted, box[start+removed:])
	a.twicePending(e, inserted)
	if removed > 0 && e.Data.Lookup("outcome") == nil {
		a.claim(e, target, start, removed, int64(len(box)))
		a.inbox.claimed = append(a.inbox.claimed, taken...)
	}
}

// twicePending checks that no message waits twice.
func (a *Audit) twicePending(e *logformat.Event, inserted []pendingMessage) {
	for _, m := range inserted {
		times := 0
		for _, box := range a.inbox.waiting {
			for _, other := range box {
				if other.id == m.id {
					times++
				}
			}
		}
		if times > 1 {
			a.report(finding.AuditInbox, e, "message %q is inserted while it waits", m.id)
			return
		}
	}
}

// claim compares a removal that is no cancel with the way the loop claims: before
// a step it takes all that waits for the step, and before the first step of a turn
// one that waits for the turn.
func (a *Audit) claim(e *logformat.Event, target string, start, removed, waiting int64) {
	switch {
	case !a.turn.open || a.step.open:
		a.report(finding.AuditInbox, e, "messages are claimed while %s", a.whereNow())
	case start != 0 || e.Data.Lookup("inserted").Len() > 0:
		a.report(finding.AuditInbox, e, "a claim takes from the start of %s and inserts nothing", target)
	case target == nextStepBox && removed != waiting:
		a.report(finding.AuditInbox, e, "a claim takes %d messages of the %d that wait for the step", removed, waiting)
	case target == nextTurnBox && removed != 1:
		a.report(finding.AuditInbox, e, "a claim takes %d messages that wait for a turn, where it takes one", removed)
	case target == nextTurnBox && a.turn.steps > 0:
		a.report(finding.AuditInbox, e, "a message that waits for a turn is claimed for a later step of one")
	}
}

// userMessage compares a message that enters with the inbox message of its id.
func (a *Audit) userMessage(e *logformat.Event) {
	a.message(e, e.Data)
	a.identity.users[e.Seq] = struct{}{}
	if e.Surface.Op != logformat.OpAppend {
		a.replaced(e)
		return
	}
	id := e.Data.Lookup("id").Text()
	for i, m := range a.inbox.claimed {
		if m.id != id {
			continue
		}
		if !ecmajson.Equal(m.text, e.Data) {
			a.report(finding.AuditEntered, e, "message %q", id)
		}
		a.inbox.claimed = slices.Delete(a.inbox.claimed, i, i+1)
		return
	}
	for target, box := range a.inbox.waiting {
		for _, m := range box {
			if m.id == id {
				a.report(finding.AuditInbox, e, "message %q enters, and still waits in %s", id, target)
				return
			}
		}
	}
}

// notEntered tells of claimed messages that the step did not take in.
func (a *Audit) notEntered(e *logformat.Event) {
	for _, m := range a.inbox.claimed {
		a.report(finding.AuditNotEntered, e, "message %q", m.id)
	}
	a.inbox.claimed = nil
}
