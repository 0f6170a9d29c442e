package reconstruct

// An attempt is a request to be: where it was made, and what it takes of surface and
// header.
type attempt struct {
	turn, step, number int64
	stepStart          int64 // event number
	inherited          bool  // it is the parent session's

	// Its messages: up to last on the live surface, or kept; as they were before the
	// event takenAt.
	takenAt int64
	last    *Message
	kept    []*Message

	// header is whose system prompt and tools it carries; nil: that in force.
	header *EpochHeader
}

// sent makes the request of an attempt that the event at seq shows as sent. It is nil
// for one of the parent session's, and where no header came before it.
func (s *Session) sent(a *attempt, seq int64) *Request {
	if a.number > 1 && !a.inherited {
		s.stats.Attempts++
	}
	if s.epoch == nil {
		if !a.inherited {
			s.stats.Headless++
		}
		return nil
	}
	q := s.build(a, seq)
	s.digester.sum(q)
	if !a.inherited {
		s.stats.Requests++
		q.Ordinal = s.stats.Requests
	}
	s.history.relate(q)
	if a.inherited {
		s.stats.Inherited++
		s.history.inherited = true
		return nil
	}
	return q
}

// prepared makes the request of an attempt that nothing shows as sent.
func (s *Session) prepared(a *attempt) *Request {
	if s.epoch == nil || a.inherited {
		return nil
	}
	q := s.build(a, -1)
	q.Prepared = true
	s.stats.Prepared++
	s.digester.sum(q)
	return q
}

// build puts a request together, except for its digest and relation. A header is in
// force.
func (s *Session) build(a *attempt, dispatch int64) *Request {
	if a.header == nil {
		a.header = s.epoch
	}
	q := &Request{
		SessionID: s.header.ID, Seed: s.log.Seed(), Turn: a.turn, Step: a.step, Attempt: a.number,
		Boundary: Boundary{StepStart: a.stepStart, Messages: a.takenAt, Dispatch: dispatch},
		Config:   s.epoch, Header: a.header,
		Doubt: s.doubt, OverOld: s.oldDoubt != 0,
		first: s.surface.head, last: a.last, kept: a.kept,
	}
	s.shape(q, s.layoutsOf(s.epoch, a.header))
	return q
}
