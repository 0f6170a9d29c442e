package reconstruct

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// stepState is where a step is on its way through its attempts.
//
//	noStep ──step/start──▶ entering ──first event that is not an appended user message──▶ waiting
//	waiting ──chunk──▶ streaming ──finish error|aborted──▶ awaitingRetry ──chunk──▶ streaming …
type stepState uint8

const (
	noStep        stepState = iota
	entering                // the entered batch is being appended
	waiting                 // messages taken, nothing shows that the request was sent
	streaming               // sent
	awaitingRetry           // the attempt failed
)

// A step is the open step.
type step struct {
	state        stepState
	turn, number int64
	start        int64
	attempt      int64 // attempts sent so far
	retryStarted bool  // the retry policy says that a further attempt was begun
	header       *EpochHeader

	// The messages of the next attempt: up to last on the live surface, or kept.
	taken    bool
	takenAt  int64
	last     *Message
	kept     []*Message
	answered bool
}

func (s *Session) openStep(e *logformat.Event) {
	turn, _ := e.Data.Lookup("turn").SafeInt()
	number, _ := e.Data.Lookup("step").SafeInt()
	s.step = step{state: entering, turn: turn, number: number, start: e.Seq}
	if !s.inherited(e.Seq) {
		s.stats.Steps++
	}
}

// snapshot takes the messages of the next attempt: the surface as it is.
func (s *Session) snapshot(before int64) {
	st := &s.step
	st.taken, st.takenAt, st.last, st.kept = true, before, s.surface.tail, nil
	if st.state == entering {
		st.state = waiting
	}
}

// endBatch takes the messages of a first attempt at the first event that is not of
// the entered batch.
func (s *Session) endBatch(seq int64) {
	if s.step.state == entering {
		s.snapshot(seq)
	}
}

// freezeMessages takes the messages at a header or context event: both are
// written after the loop derived its messages.
func (s *Session) freezeMessages(seq int64) {
	switch s.step.state {
	case entering:
		s.snapshot(seq)
	case awaitingRetry:
		if !s.step.taken {
			s.snapshot(seq)
		}
	}
}

// retryStarted takes the messages of a retry: the loop derives them at once, and
// what a plugin appends while the first byte is awaited is no part of it.
func (s *Session) retryStarted(seq int64) {
	if s.step.state != awaitingRetry {
		return
	}
	s.step.retryStarted = true
	s.snapshot(seq + 1)
}

// keep copies the taken messages before the live list changes under them.
func (st *step) keep(head *Message) {
	if !st.taken || st.kept != nil || st.state == noStep || st.state == streaming {
		return
	}
	q := Request{first: head, last: st.last}
	st.kept = q.nodes()
}

// chunk folds a chunk event, or a row of them; finish is the reason kind of a
// finish chunk. The request is returned that the chunk shows as sent.
func (s *Session) chunk(seq int64, turn, number ecmajson.Value, finish string) *Request {
	st := &s.step
	if st.state == noStep {
		// A chunk outside any step: its own words say which one it belongs to.
		t, _ := turn.SafeInt()
		n, _ := number.SafeInt()
		*st = step{state: waiting, turn: t, number: n, start: seq}
	}
	var q *Request
	if st.state != streaming {
		q = s.dispatch(seq)
	}
	if finish == "error" || finish == "aborted" {
		st.state, st.taken, st.kept, st.retryStarted = awaitingRetry, false, nil, false
	}
	return q
}

// answered handles an assistant message: in a step without any chunk it is what
// shows that the request was sent.
func (s *Session) answered(e *logformat.Event) *Request {
	st := &s.step
	if st.state != waiting {
		return nil
	}
	st.answered = true
	return s.dispatch(e.Seq)
}

// dispatch makes the request that the event at seq shows as sent.
func (s *Session) dispatch(seq int64) *Request {
	st := &s.step
	if !st.taken {
		s.snapshot(seq)
	}
	st.state = streaming
	st.attempt++
	if st.attempt > 1 && !s.inherited(st.start) {
		s.stats.Attempts++
	}
	q := s.build(seq)
	if q == nil {
		return nil
	}
	if s.inherited(st.start) {
		s.stats.Inherited++
		s.finishRequest(q)
		s.history.inherited = true
		return nil
	}
	s.stats.Requests++
	q.Ordinal = s.stats.Requests
	s.finishRequest(q)
	return q
}

// closeStep ends the open step. A step that nothing shows as sent gives a
// prepared request.
func (s *Session) closeStep(seq int64) *Request {
	st := &s.step
	state := st.state
	if state == entering {
		s.snapshot(seq)
	}
	prepared := state == entering || state == waiting || state == awaitingRetry && st.retryStarted
	defer func() { *st = step{state: noStep} }()
	if !prepared || s.inherited(st.start) || s.epoch == nil {
		return nil
	}
	if !st.taken {
		s.snapshot(seq)
	}
	st.attempt++
	q := s.build(-1)
	if q == nil {
		return nil
	}
	q.Prepared = true
	s.stats.Prepared++
	s.digester.sum(q)
	return q
}

// build puts the request together but for its digest and relation; nil when no
// header came before it.
func (s *Session) build(dispatch int64) *Request {
	st := &s.step
	if s.epoch == nil {
		if !s.inherited(st.start) {
			s.stats.Headless++
		}
		return nil
	}
	if st.header == nil {
		st.header = s.epoch // a retry keeps the system prompt and tools of its step
	}
	q := &Request{
		SessionID: s.header.ID, Seed: s.header.SeedLength, Turn: st.turn, Step: st.number, Attempt: st.attempt,
		Boundary: Boundary{StepStart: st.start, Messages: st.takenAt, Dispatch: dispatch},
		Config:   s.epoch, Header: st.header,
		Doubt: s.doubt, OverOld: s.oldDoubt != 0,
		first: s.surface.head, last: st.last, kept: st.kept,
	}
	q.layout = s.layoutOf(s.epoch, st.header)
	return q
}

// layoutOf returns the layout of a header pair, that of the request before when
// its headers are the same.
func (s *Session) layoutOf(config, rest *EpochHeader) *layout {
	h := &s.history
	if h.layout != nil && h.config == config && h.header == rest {
		return h.layout
	}
	return newLayout(config, rest, s.sessionID)
}

func (s *Session) finishRequest(q *Request) {
	s.digester.sum(q)
	s.history.relate(q)
}
