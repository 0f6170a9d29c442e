package upgrade

import (
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// An attempt collects the chunks of one answer of formats 0 and 1.
type attempt struct {
	turn, step *jsvalue.Value
	first      int64      // number of the first chunk
	spans      [][2]int64 // first and last numbers of chunks that follow each other
	chunks     int64
	lastTime   *jsvalue.Value
	from       Origin // of the last chunk
	stream     stream
	loose      *stream // of chunks that were not packed, until a packed row follows
	terminal   bool    // no chunk may follow
}

func (a *attempt) record(first, count int64, last *jsvalue.Value, from Origin) {
	if n := len(a.spans); n > 0 && a.spans[n-1][1]+1 == first {
		a.spans[n-1][1] += count
	} else {
		a.spans = append(a.spans, [2]int64{first, first + count - 1})
	}
	if a.chunks == 0 {
		a.first = first
	}
	a.chunks += count
	a.lastTime, a.from = last, from
}

func (a *attempt) last() int64 { return a.spans[len(a.spans)-1][1] }

// citedBy reports whether an assistant message cites all chunks in order.
func (a *attempt) citedBy(sources []int64) bool {
	if int64(len(sources)) != a.chunks {
		return false
	}
	for _, span := range a.spans {
		for seq := span[0]; seq <= span[1]; seq++ {
			if sources[0] != seq {
				return false
			}
			sources = sources[1:]
		}
	}
	return true
}

func (a *attempt) flush() {
	if a.loose != nil {
		for _, r := range a.loose.records {
			a.stream.merge(r)
		}
		a.loose = nil
	}
}

// goOn makes ready for chunks of a turn and step: in the open attempt or in a new one.
func (s *step12) goOn(turn, step *jsvalue.Value) *Refusal {
	if a := s.open; a != nil {
		if a.terminal || !jsvalue.Same(a.turn, turn) || !jsvalue.Same(a.step, step) {
			if refusal := s.finishAttempt(); refusal != nil {
				return refusal
			}
		} else if refusal := s.flushWaiting(); refusal != nil {
			return refusal
		}
	}
	if s.open == nil {
		s.open = &attempt{turn: turn, step: step}
	}
	return nil
}

func (s *step12) chunk(e *Event) *Refusal {
	chunk := e.Data.Get("chunk")
	if refusal := s.goOn(e.Data.Get("turn"), e.Data.Get("step")); refusal != nil {
		return refusal
	}
	if refusal := s.cutBetween(e.Seq); refusal != nil {
		return refusal.at(e.Origin)
	}
	a := s.open
	if a.loose == nil {
		a.loose = &stream{}
	}
	if refusal := a.loose.push(e.Time, chunk); refusal != nil {
		return refusal.at(e.Origin)
	}
	a.record(e.Seq, 1, e.Time, e.Origin)
	a.terminal = a.terminal || chunk.Get("type").Is("finish")
	return nil
}

// packed takes a packed row. Nothing of it was looked at in the step before.
func (s *step12) packed(r *run) *Refusal {
	s.before = nil
	s.lastTime = jsvalue.Int(r.lastTime)
	if refusal := s.goOn(r.turn, r.step); refusal != nil {
		return refusal
	}
	if (r.first < s.cut) != (r.last() < s.cut) {
		return splitCut().at(r.origin)
	}
	a := s.open
	a.flush()
	a.stream.merge(packedRecord(r))
	a.record(r.first, int64(len(r.texts)), s.lastTime, r.origin)
	return nil
}

// cutBetween refuses a chunk that is not of the attempt's side of what was inherited.
func (s *step12) cutBetween(seq int64) *Refusal {
	first := seq
	if s.open.chunks > 0 {
		first = s.open.first
	}
	if (first < s.cut) != (seq < s.cut) {
		return splitCut()
	}
	return nil
}

func splitCut() *Refusal {
	return refuse(CodeCut, StageStep12, "what the session inherited ends inside an attempt")
}

// settle makes the settlement of an attempt of its assistant message.
func (s *step12) settle(e *Event) *Refusal {
	a := s.open
	same := a != nil && jsvalue.Same(a.turn, e.Data.Get("turn")) && jsvalue.Same(a.step, e.Data.Get("step"))
	switch {
	case a != nil && !same, e.cites && len(e.Sources) == 0:
		if refusal := s.finishAttempt(); refusal != nil {
			return refusal
		}
		return s.emit(s.withStream(e, nil))
	case !e.cites && a == nil:
		return s.emit(s.withStream(e, nil))
	case !e.cites:
		return refuse(CodeChunks, StageStep12, "an assistant message cites none of the chunks of its open attempt").at(e.Origin)
	case a == nil || !a.citedBy(e.Sources):
		return refuse(CodeChunks, StageStep12, "an assistant message does not cite all chunks of its attempt in order").at(e.Origin)
	}
	if refusal := s.cutBetween(e.Seq); refusal != nil {
		return refusal.at(e.Origin)
	}
	a.terminal = true
	if refusal := s.flushWaiting(); refusal != nil {
		return refusal
	}
	refusal := s.emit(s.withStream(e, a))
	s.open = nil
	return refusal
}

func (s *step12) withStream(e *Event, a *attempt) *Event {
	records := jsvalue.Array()
	if a != nil {
		a.flush()
		records = a.stream.value()
	}
	next := e.withData(e.Data.With("stream", records))
	next.drop(keySources)
	return next
}

// finishAttempt passes on an attempt that has no assistant message, and what waited for it.
func (s *step12) finishAttempt() *Refusal {
	a := s.open
	if a == nil {
		return nil
	}
	a.flush()
	*s.inserted++
	refusal := s.emitNew(a.last(), newEvent(logformat.TypeAssistantAttempt, a.last(), a.lastTime, jsvalue.Object(
		member("turn", a.turn), member("step", a.step), member("stream", a.stream.value()),
	), a.from))
	if refusal == nil {
		refusal = s.flushWaiting()
	}
	s.open = nil
	return refusal
}

func (s *step12) flushWaiting() *Refusal {
	for _, e := range s.waiting {
		if refusal := s.emit(e); refusal != nil {
			return refusal
		}
	}
	s.waiting = s.waiting[:0]
	return nil
}

func chunkEnvelope(e *Event) *Refusal {
	for _, key := range e.order {
		if !slices.Contains(envelopeMembers, key) {
			return misfit(e, key, "the release does not know the member")
		}
	}
	for _, key := range envelopeMembers[:4] {
		if !e.has(key) {
			return misfit(e, key, "the member is missing")
		}
	}
	if e.Ignorable != nil && !e.Ignorable.IsTrue() {
		return misfit(e, keyIgnorable, "the mark is not true").found(e.Ignorable)
	}
	return nil
}

// misfit refuses a member of an event's envelope.
func misfit(e *Event, key, detail string) *Refusal {
	r := refuse(logformat.CodeEnvelope, StageStep12, detail).at(e.Origin)
	r.Member = "/" + key
	return r
}
