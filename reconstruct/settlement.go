package reconstruct

import "github.com/dsh-verify/dsh-verify/reconstruct/transcript"

// settlements is the boundary rule of formats that log an answer once it is over: each
// settlement is an attempt that was sent, of the fold of all that comes before it.
//
// A step of which something was prepared and that ends without a settlement crashed while
// it waited for an answer, or before it asked: whether it was sent cannot be told.
type settlements struct {
	session *Session
	next    attempt
	open    bool // within a step
	ready   bool // something shows that a further attempt was being made
	settled bool // the step has its answer: what is said after it prepares nothing
}

func newSettlements(s *Session) boundary { return &settlements{session: s} }

func (b *settlements) act(a *transcript.Act) *Request {
	switch a.Kind {
	case transcript.StepStart:
		q := b.close(a.Event.Seq)
		b.enter(a)
		b.open = true
		return q
	case transcript.TurnStart, transcript.TurnEnd, transcript.StepEnd:
		return b.close(a.Event.Seq)
	case transcript.Settlement:
		return b.settle(a)
	case transcript.Snapshot, transcript.Context:
		b.ready = b.open
	case transcript.Retry:
		b.ready = b.ready || b.open && a.Started
	case transcript.Message:
		b.ready = b.ready || b.open && !b.settled && (a.Appends(transcript.User) || a.Appends(transcript.System))
	}
	return nil
}

// enter goes to the place that an act names, where attempts are counted from one again.
func (b *settlements) enter(a *transcript.Act) {
	turn, step := a.Place()
	if turn == b.next.turn && step == b.next.step && b.next.number > 0 {
		return
	}
	*b = settlements{session: b.session, open: b.open}
	b.next = attempt{turn: turn, step: step, stepStart: a.Event.Seq}
}

// settle makes the request of which an act is the settlement.
func (b *settlements) settle(a *transcript.Act) *Request {
	b.enter(a)
	b.ready, b.settled = false, a.OnSurface()
	b.take(a.Event.Seq)
	return b.session.sent(&b.next, a.Event.Seq)
}

// take takes the messages of the next attempt: the surface as it is.
func (b *settlements) take(seq int64) {
	b.next.number++
	b.next.takenAt, b.next.last, b.next.header = seq, b.session.surface.tail, nil
	b.next.inherited = b.session.Inherited(b.next.takenAt)
}

// close ends the open step.
func (b *settlements) close(seq int64) *Request {
	prepared := b.ready
	b.open, b.ready, b.settled = false, false, false
	if !prepared {
		return nil
	}
	b.take(seq)
	b.next.inherited = b.session.Inherited(b.next.stepStart)
	next := b.next
	return b.session.prepared(&next)
}

func (b *settlements) leaving() {}

// finish ends the log, which may leave a step open.
func (b *settlements) finish() *Request {
	if !b.open {
		return nil
	}
	return b.close(b.session.act.Event.Seq + 1)
}
