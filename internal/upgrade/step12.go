package upgrade

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/internal/upgrade/shape"
)

// A step12 is the step from format 1 to 2. The chunks of an attempt become a stream in the
// assistant message that cites them, or in an assistant/attempt where they end; what stood
// between chunks follows it. Events are numbered again.
type step12 struct {
	header   Header
	cut      int64 // events that were inherited, in format 1
	native   bool  // the rows are of format 1, so their data were not looked at
	lost     *losses
	inserted *int
	mapping  map[int64]int64 // new numbers, by old number
	open     *attempt
	waiting  []*Event // events after the open attempt's last chunk
	seq      int64    // next new number
	newCut   int64    // -1 until it is known
	lastTime *jsvalue.Value
	turn     *jsvalue.Value // the open turn, nil for none
	inStep   bool
	before   *Event // the event before, if it is one
	next     func(*Event) *Refusal
}

func newStep12(header Header, cut int64, native bool, lost *losses, inserted *int, next func(*Event) *Refusal) *step12 {
	s := &step12{
		header: header, cut: cut, native: native, lost: lost, inserted: inserted, mapping: make(map[int64]int64),
		newCut: -1, lastTime: header.CreatedAt, next: next,
	}
	if !header.Seeded {
		s.newCut = 0
	}
	return s
}

func (s *step12) event(e *Event) *Refusal {
	if s.native && e.Type != logformat.TypeAssistantChunk && shape.Known(e.Type, 1) {
		if refusal := checkData(e, 1, StageStep12); refusal != nil {
			return refusal
		}
	}
	if refusal := s.admit(e); refusal != nil {
		return refusal.at(e.Origin)
	}
	s.lastTime = e.Time
	ended, refusal := s.observe(e)
	if refusal != nil {
		return refusal.at(e.Origin)
	}
	if ended != nil {
		if refusal := s.finishAttempt(); refusal != nil {
			return refusal
		}
		*s.inserted++
		if refusal := s.emitNew(e.Seq, ended); refusal != nil {
			return refusal
		}
	}
	return s.convert(e)
}

// admit looks at what has to be right before an event is converted.
func (s *step12) admit(e *Event) *Refusal {
	if e.Type == logformat.TypeAssistantChunk {
		return chunkEnvelope(e)
	}
	if e.nameless || !shape.Known(e.Type, 1) {
		return unknownName(e, StageStep12)
	}
	if e.Type == logformat.TypeDeliveryAccepted {
		version, _ := e.Data.Get("sessionFormatVersion").Count()
		inherited := s.header.ParentSession != nil && e.Seq < s.cut
		if version == 1 && !inherited && !e.Data.Get("sessionId").Is(s.header.ID) {
			return wrongDelivery(StageStep12, e)
		}
	}
	return nil
}

// observe follows the open turn. It returns the end of a turn that is missing: a turn starts
// after a splice into the next turn while the one before is open, between its steps.
func (s *step12) observe(e *Event) (*Event, *Refusal) {
	var ended *Event
	if e.Type == logformat.TypeTurnStart && s.turn != nil {
		if !s.restarts(e) {
			return nil, refuse(CodeOpenTurn, StageStep12, "a turn starts while another one is open")
		}
		ended = interruptedTurn(s.turn, e)
	}
	switch e.Type {
	case logformat.TypeTurnStart:
		s.turn, s.inStep = e.Data.Get("turn"), false
	case logformat.TypeTurnEnd:
		s.turn, s.inStep = nil, false
	case logformat.TypeStepStart:
		s.inStep = true
	case logformat.TypeStepEnd:
		s.inStep = false
	}
	s.before = e
	return ended, nil
}

func (s *step12) restarts(e *Event) bool {
	if s.inStep || s.before == nil || s.before.Type != logformat.TypeAgentInboxSpliced {
		return false
	}
	open, _ := s.turn.Count()
	turn, ok := e.Data.Get("turn").Count()
	splice := s.before.Data
	return ok && turn == open+1 && splice.Get("target").Is("next-turn") && len(splice.Get("inserted").Items()) > 0
}

// interruptedTurn is the end that a step adds to a turn before the start of the next one.
func interruptedTurn(turn *jsvalue.Value, start *Event) *Event {
	return newEvent(logformat.TypeTurnEnd, start.Seq, start.Time, jsvalue.Object(
		member("turn", turn), member("reason", jsvalue.Object(member("kind", jsvalue.String("interrupted")))),
	), start.Origin)
}

// convert passes an event on, or keeps it until its attempt is complete.
func (s *step12) convert(e *Event) *Refusal {
	switch {
	case splitsGoal(e):
		return s.splitGoal(e)
	case e.Type == logformat.TypeAssistantChunk:
		return s.chunk(e)
	case e.Type == logformat.TypeAssistantMessage:
		return s.settle(e)
	case e.Type == logformat.TypeTurnEnd || e.Type == logformat.TypeStepEnd || e.Type == logformat.TypeLLMRetry || e.Type == logformat.TypeLLMRetryStarted:
		if refusal := s.finishAttempt(); refusal != nil {
			return refusal
		}
	case s.open != nil:
		s.waiting = append(s.waiting, e)
		return nil
	}
	return s.emit(e)
}

func splitsGoal(e *Event) bool {
	source := e.Data.Get("source")
	return e.Type == logformat.TypeUserMessage && source.Get("kind").Is("goal") && source.Has("change")
}

// splitGoal makes two events of a message that announces a change of a goal.
func (s *step12) splitGoal(e *Event) *Refusal {
	source := e.Data.Get("source")
	*s.inserted++
	if refusal := s.emitNew(e.Seq, newEvent(logformat.TypeGoalChange, e.Seq, e.Time, source.Get("change"), e.Origin)); refusal != nil {
		return refusal
	}
	plugin := jsvalue.Object(member("kind", jsvalue.String("plugin")), member("plugin", jsvalue.String("goal")))
	return s.emit(e.withData(e.Data.With("source", plugin)))
}

// emit passes on an event of the source log under its new number.
func (s *step12) emit(e *Event) *Refusal {
	mark := s.header.Seeded && e.Seq == s.cut && e.Type == logformat.TypeSessionEndSeed
	if mark {
		e = e.withData(inheritedMark())
	}
	if refusal := s.ensureCut(e.Seq, e.Time, mark, e.Origin); refusal != nil {
		return refusal
	}
	s.mapping[e.Seq] = s.seq
	return s.pass(e)
}

// emitNew passes on an event that the step adds, in the place of an event of the source log.
func (s *step12) emitNew(place int64, e *Event) *Refusal {
	if refusal := s.ensureCut(place, e.Time, false, e.Origin); refusal != nil {
		return refusal
	}
	return s.pass(e)
}

func (s *step12) pass(e *Event) *Refusal {
	numbered, refusal := s.renumber(e)
	if refusal != nil {
		return refusal.at(e.Origin)
	}
	s.seq++
	return s.next(numbered)
}

func inheritedMark() *jsvalue.Value { return jsvalue.Object(member("inherited", jsvalue.Bool(true))) }

// ensureCut adds the mark of what was inherited before the first event that was not, unless
// that event is the mark.
func (s *step12) ensureCut(place int64, at *jsvalue.Value, mark bool, from Origin) *Refusal {
	if s.newCut >= 0 || place < s.cut {
		return nil
	}
	s.newCut = s.seq
	if mark {
		return nil
	}
	*s.inserted++
	s.seq++
	return s.next(newEvent(logformat.TypeSessionEndSeed, s.newCut, at, inheritedMark(), from))
}

// finish ends the log, and returns how many events of format 2 were inherited.
func (s *step12) finish() (int64, *Refusal) {
	if refusal := s.finishAttempt(); refusal != nil {
		return 0, refusal
	}
	refusal := s.ensureCut(s.cut, s.lastTime, false, Origin{Seq: -1})
	return s.newCut, refusal
}

// renumber returns an event with its new number, and with those of the events that it
// refers to. surfaceOp and sourceEventSeqs move to the end of the envelope.
func (s *step12) renumber(e *Event) (*Event, *Refusal) {
	next := e.renumber(s.seq)
	op, sources, cites := e.Op, e.Sources, e.cites
	next.drop(keyOp, keySources)
	if cites {
		mapped, refusal := s.mapAll(sources)
		if refusal != nil {
			return nil, refusal
		}
		next.setSources(mapped)
	}
	if op != nil {
		mapped, refusal := s.mapOp(e, op)
		if refusal != nil {
			return nil, refusal
		}
		next.setOp(mapped)
	}
	data, refusal := mapData(e, s.mapOne)
	if span := data.Get("shadowedRange"); span != nil {
		data = data.With("shadowedRange", jsvalue.Object(member("start", span.Get("start")), member("end", span.Get("end"))))
	}
	next.Data = data
	return next, refusal
}

func (s *step12) mapOp(e *Event, op *jsvalue.Value) (*jsvalue.Value, *Refusal) {
	if op.Is("append") {
		return op, nil
	}
	start, refusal := s.mapOne(op.Get("start"))
	if refusal != nil {
		return nil, refusal
	}
	end, refusal := s.mapOne(op.Get("end"))
	if refusal != nil {
		return nil, refusal
	}
	for _, m := range op.Members() {
		if m.Key != "op" && m.Key != "start" && m.Key != "end" {
			s.lost.add(LossMember, "surfaceOp."+m.Key, e.Origin)
		}
	}
	return jsvalue.Object(member("op", jsvalue.String("replace")), member("start", start), member("end", end)), nil
}

func (s *step12) mapAll(seqs []int64) ([]int64, *Refusal) {
	out := make([]int64, len(seqs))
	for i, seq := range seqs {
		mapped, ok := s.mapping[seq]
		if !ok {
			return nil, lostReference(StageStep12).found(jsvalue.Int(seq))
		}
		out[i] = mapped
	}
	return out, nil
}

func (s *step12) mapOne(v *jsvalue.Value) (*jsvalue.Value, *Refusal) {
	seq, ok := v.SafeInt()
	mapped, known := s.mapping[seq]
	if !ok || !known {
		return nil, lostReference(StageStep12).found(v)
	}
	return jsvalue.Int(mapped), nil
}

func lostReference(stage Stage) *Refusal {
	return refuse(CodeReference, stage, fmt.Sprintf("an event refers to one that step %s does not keep", stage))
}
