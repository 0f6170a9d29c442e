package upgrade

import (
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// A step34 is the step from format 3 to 4. Tool results become messages of the role tool,
// sources of plugins get a kind of their own, and names that format 4 does not know are put
// aside. Entries for subagents that the catalog lacks follow at the end.
type step34 struct {
	header   Header
	cut      int64 // as step 2→3 left it, -1 where the rows are of format 3
	children []Child
	lost     *losses
	inserted *int
	mapping  []int64
	seq      int64
	oldCut   int64 // -1 until it is known
	newCut   int64
	foreign  int64 // number of the last delivery of another session, -1 for none
	lastTime *jsvalue.Value
	turn     *jsvalue.Value // the open turn, nil for none
	inStep   bool
	spliced  bool     // the event before is a splice into the next turn
	catalog  []*Event // entries since the mark of what was inherited
	next     func(*Event) *Refusal
}

func newStep34(header Header, cut int64, children []Child, lost *losses, inserted *int, next func(*Event) *Refusal) *step34 {
	s := &step34{
		header: header, cut: cut, children: children, lost: lost, inserted: inserted,
		oldCut: -1, newCut: -1, foreign: -1, lastTime: header.CreatedAt, next: next,
	}
	if !header.Seeded {
		s.oldCut, s.newCut = 0, 0
	}
	return s
}

func (s *step34) event(e *Event) *Refusal {
	if turn := s.observe(e); turn != nil {
		ended := interruptedTurn(turn, e)
		ended = ended.renumber(s.seq)
		s.seq++
		*s.inserted++
		if refusal := s.next(ended); refusal != nil {
			return refusal
		}
	}
	s.lastTime = e.Time
	if refusal := s.note(e); refusal != nil {
		return refusal.at(e.Origin)
	}
	converted, refusal := s.convert(e)
	if refusal != nil {
		return refusal.at(e.Origin)
	}
	s.mapping = append(s.mapping, s.seq)
	s.seq++
	return s.next(converted)
}

// observe follows the open turn. It returns the turn whose end is missing before the event.
func (s *step34) observe(e *Event) *jsvalue.Value {
	var ended *jsvalue.Value
	open, _ := s.turn.Float()
	turn, numeric := e.Data.Get("turn").Float()
	if e.Type == logformat.TypeTurnStart && s.turn != nil && !s.inStep && s.spliced && numeric && turn == open+1 {
		ended = s.turn
	}
	s.spliced = e.Type == logformat.TypeAgentInboxSpliced && e.Data.Get("target").Is("next-turn") && len(e.Data.Get("inserted").Items()) > 0
	switch e.Type {
	case logformat.TypeTurnStart:
		if numeric {
			s.turn = e.Data.Get("turn")
		}
	case logformat.TypeTurnEnd:
		s.turn = nil
	case logformat.TypeStepStart:
		s.inStep = true
	case logformat.TypeStepEnd:
		s.inStep = false
	}
	return ended
}

// note notes the mark of what was inherited, the catalog and deliveries.
func (s *step34) note(e *Event) *Refusal {
	switch e.Type {
	case logformat.TypeSessionEndSeed:
		if !e.Data.Get("inherited").IsTrue() {
			return nil
		}
		if !s.header.Seeded {
			return refuse(logformat.CodeSeedMarker, StageStep34, "the session is not seeded, and has the mark of what it inherited")
		}
		s.oldCut, s.newCut, s.catalog = e.Seq, s.seq, nil
	case logformat.TypeSubagentCatalog:
		s.catalog = append(s.catalog, e)
	case logformat.TypeDeliveryAccepted:
		id, refusal := deliveryOf(e, 3, StageStep34)
		if refusal != nil {
			return refusal
		}
		if version, _ := e.Data.Get("sessionFormatVersion").Count(); version == 4 {
			return refuse(CodeDelivery, StageStep34, "a delivery of format 3 claims to be of format 4")
		}
		if id != nil && !id.Is(s.header.ID) {
			s.foreign = e.Seq
		}
	}
	return nil
}

// deliveryOf returns the session that a delivery of a format names; absent for a delivery of
// another format.
func deliveryOf(e *Event, version int64, stage Stage) (*jsvalue.Value, *Refusal) {
	stated, given := e.Data.Get("sessionFormatVersion"), int64(0)
	ok := true
	if stated != nil {
		given, ok = stated.Count()
	}
	if !e.Data.IsObject() || !ok {
		return nil, refuse(logformat.CodeDelivery, stage, "the format of a delivery is no count").found(stated)
	}
	if given != version {
		return nil, nil
	}
	through, ok := e.Data.Get("throughSeq").Count()
	if !ok || through >= e.Seq {
		return nil, refuse(logformat.CodeDelivery, stage, "a delivery does not end before its own event").found(e.Data.Get("throughSeq"))
	}
	id := e.Data.Get("sessionId")
	if !id.Filled() {
		return nil, refuse(logformat.CodeDelivery, stage, "a delivery names no session").found(id)
	}
	return id, nil
}

// convert gives an event the form of format 4.
func (s *step34) convert(e *Event) (*Event, *Refusal) {
	if !names3[e.Type] {
		if !e.Ignorable.IsTrue() {
			r := refuse(logformat.CodeTypeUnknown, StageStep34, "the upgrade does not know the event's type").found(jsvalue.String(e.Type))
			r.Member = "/" + keyType
			return nil, r
		}
		s.lost.add(LossName, e.Type, e.Origin)
		aside := e.renumber(s.seq)
		aside.Type = "plugin:" + e.Type
		return aside, nil
	}
	numbered, refusal := s.renumber(e)
	if refusal != nil {
		return nil, refusal
	}
	if refusal := checkSlots(numbered); refusal != nil {
		return nil, refusal
	}
	numbered, refusal = rewriteSources(numbered)
	if refusal != nil {
		return nil, refusal
	}
	lifted, refusal := s.lift(numbered)
	if refusal != nil {
		return nil, refusal
	}
	return s.content(lifted)
}

// checkSlots refuses an event whose messages are not there.
func checkSlots(e *Event) *Refusal {
	slot, many, ok := slotOf(e.Type)
	if !ok || !e.Data.IsObject() {
		return nil
	}
	if many && !e.Data.Get(slot).IsArray() {
		return refuse(logformat.CodeMessageBody, StageStep34, "the messages of an event are no array").found(e.Data.Get(slot))
	}
	for message := range messagesOf(e) {
		if !message.IsObject() {
			return refuse(logformat.CodeMessageBody, StageStep34, "a message is no object").found(message)
		}
	}
	return nil
}

// renumber returns an event with its new number, and with those of the events it refers to.
// As long as no number changed, references are not looked at.
func (s *step34) renumber(e *Event) (*Event, *Refusal) {
	if s.seq == e.Seq {
		return e, nil
	}
	one := func(v *jsvalue.Value) (*jsvalue.Value, *Refusal) {
		n, ok := v.Count()
		if !ok || n >= e.Seq {
			return nil, lostReference(StageStep34).found(v)
		}
		return jsvalue.Int(s.mapping[n]), nil
	}
	if refusal := checkReferences3(e); refusal != nil {
		return nil, refusal
	}
	data, refusal := mapData(e, one)
	if refusal == nil && e.Type == logformat.TypeImageOffload {
		data, refusal = mapMember(e.Data, "targets", listOf(func(v *jsvalue.Value) (*jsvalue.Value, *Refusal) { return mapMember(v, "seq", one) }))
	}
	if refusal != nil {
		return nil, refusal
	}
	next := e.renumber(s.seq)
	next.Data = data
	if e.cites {
		next.Sources = slices.Clone(e.Sources)
		for i, n := range e.Sources {
			next.Sources[i] = s.mapping[n]
		}
	}
	if e.Op != nil && !e.appended() {
		if next.Op, refusal = mapRange(e.Op, one, "startSeq", "endSeq"); refusal != nil {
			return nil, refusal
		}
	}
	return next, nil
}

// checkReferences3 refuses references that have not the form in which they can be mapped.
func checkReferences3(e *Event) *Refusal {
	d, ok := e.Data, true
	switch e.Type {
	case logformat.TypeCommandDone:
		ok = d.IsObject()
	case logformat.TypeCompactionSummary, logformat.TypeCompactionPrune:
		span := d.Get("shadowedRange")
		ok = span.Has("start") && span.Has("end") && d.Get("shadowedSeqs").IsArray()
	case logformat.TypeSessionTitle, logformat.TypeSessionTitleRequest:
		ok = d.Get("messageSeqs").IsArray()
	case logformat.TypeImageOffload:
		ok = d.Get("targets").IsArray() && !slices.ContainsFunc(d.Get("targets").Items(), func(t *jsvalue.Value) bool { return !t.Has("seq") })
	}
	if !ok {
		return refuse(CodeReference, StageStep34, "the event numbers of an event are not where they belong").found(d)
	}
	return nil
}

// finish completes the catalog, and returns how many events of format 4 were inherited.
func (s *step34) finish() (int64, *Refusal) {
	if s.newCut < 0 {
		return 0, refuse(logformat.CodeSeedMarker, StageStep34, "the session is seeded, and has no mark of what it inherited")
	}
	entries, refusal := s.readCatalog()
	switch {
	case refusal != nil:
		return 0, refusal
	case s.cut >= 0 && s.cut != s.oldCut:
		return 0, refuse(logformat.CodeSeedMarker, StageStep34, "the mark of what was inherited is not where the header says")
	case s.foreign >= 0 && (s.header.ParentSession == nil || s.foreign >= s.oldCut):
		return 0, refuse(logformat.CodeDelivery, StageStep34, "a delivery names another session")
	}
	return s.newCut, s.completeCatalog(entries)
}
