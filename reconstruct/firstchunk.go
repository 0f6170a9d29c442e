package reconstruct

import "github.com/dsh-verify/dsh-verify/reconstruct/transcript"

// stepState is where a step is on its way through its attempts.
//
//	noStep ──step starts──▶ entering ──first act that is not of the entered batch──▶ waiting
//	waiting ──chunk──▶ streaming ──stream fails──▶ awaitingRetry ──chunk──▶ streaming …
type stepState uint8

const (
	noStep        stepState = iota
	entering                // the entered batch is being appended
	waiting                 // messages taken, nothing shows that the request was sent
	streaming               // sent
	awaitingRetry           // the attempt failed
)

// firstChunk is the boundary rule of formats that log an answer as it arrives: the
// first piece of it shows that the request was sent. See the package comment.
type firstChunk struct {
	session *Session
	state   stepState
	next    attempt // of the open step; its number is that of the latest one
	taken   bool    // the next attempt has its messages
	started bool    // the retry policy says that a further attempt was begun
}

func newFirstChunk(s *Session) boundary { return &firstChunk{session: s} }

func (b *firstChunk) act(a *transcript.Act) *Request {
	switch a.Kind {
	case transcript.FirstByte, transcript.StreamEnd:
		return b.chunk(a)
	case transcript.TurnStart, transcript.TurnEnd, transcript.StepEnd:
		return b.close(a.Event.Seq)
	case transcript.StepStart:
		q := b.close(a.Event.Seq)
		b.open(a, entering)
		return q
	case transcript.Snapshot, transcript.Context:
		b.freeze(a.Event.Seq)
		return nil
	}
	if !enters(a) {
		b.endBatch(a.Event.Seq)
	}
	if a.Kind == transcript.Retry && a.Started {
		b.retryStarted(a.Event.Seq)
	}
	if a.Appends(transcript.Assistant) && b.state == waiting {
		return b.dispatch(a.Event.Seq) // an answer without any chunk
	}
	return nil
}

// open begins the step that an act names.
func (b *firstChunk) open(a *transcript.Act, state stepState) {
	turn, step := a.Place()
	start := a.First()
	*b = firstChunk{session: b.session, state: state}
	b.next = attempt{turn: turn, step: step, stepStart: start, inherited: b.session.Inherited(start)}
}

// enters reports whether an act that follows the start of a step, or others of the
// kind, still comes before the point where the loop derives its messages: the
// entered batch of user messages, or a replace that no record announces.
func enters(a *transcript.Act) bool { return a.Replaces() || a.Appends(transcript.User) }

// take takes the messages of the next attempt: the surface as it is.
func (b *firstChunk) take(before int64) {
	b.taken, b.next.takenAt, b.next.last, b.next.kept = true, before, b.session.surface.tail, nil
	if b.state == entering {
		b.state = waiting
	}
}

// endBatch takes the messages of a first attempt at the first act that is not of the
// entered batch.
func (b *firstChunk) endBatch(seq int64) {
	if b.state == entering {
		b.take(seq)
	}
}

// freeze takes the messages at a header or context: both are written after the loop
// derived its messages.
func (b *firstChunk) freeze(seq int64) {
	if b.state == entering || b.state == awaitingRetry && !b.taken {
		b.take(seq)
	}
}

// retryStarted takes the messages of a retry: the loop derives them at once, and
// what a plugin appends while the first byte is awaited is no part of it.
func (b *firstChunk) retryStarted(seq int64) {
	if b.state == awaitingRetry {
		b.started = true
		b.take(seq + 1)
	}
}

// leaving copies the taken messages before the live list changes under them.
func (b *firstChunk) leaving() {
	if !b.taken || b.next.kept != nil || b.state == noStep || b.state == streaming {
		return
	}
	q := Request{first: b.session.surface.head, last: b.next.last}
	b.next.kept = q.nodes()
}

// chunk folds a piece of an answer, or a packed run of them. The request is returned
// that it shows as sent.
func (b *firstChunk) chunk(a *transcript.Act) (q *Request) {
	if b.state == noStep {
		// A chunk outside any step: its own words say which one it belongs to.
		b.open(a, waiting)
	}
	if b.state != streaming {
		q = b.dispatch(a.First())
	}
	if a.Failed {
		b.state, b.taken, b.next.kept, b.started = awaitingRetry, false, nil, false
	}
	return q
}

// dispatch makes the request that the event at seq shows as sent.
func (b *firstChunk) dispatch(seq int64) *Request {
	if !b.taken {
		b.take(seq)
	}
	b.state = streaming
	b.next.number++
	return b.session.sent(&b.next, seq)
}

// close ends the open step. A step that nothing shows as sent gives a prepared
// request.
func (b *firstChunk) close(seq int64) *Request {
	open := b.state == entering || b.state == waiting || b.state == awaitingRetry && b.started
	if open && !b.taken {
		b.take(seq)
	}
	next := b.next
	*b = firstChunk{session: b.session}
	if !open {
		return nil
	}
	next.number++
	return b.session.prepared(&next)
}

// finish ends the log, which may leave a step open.
func (b *firstChunk) finish() *Request { return b.close(-1) }
