package logformat

import (
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// laterPhases is the order in which the harness checks a log of formats 2 to 4 (section 5.1
// of the specification): rows one by one, the marker of the seed, relationships over the
// whole log, vocabulary, event shapes, and what is checked when a session is built on it.
var laterPhases = []Phase{
	PhaseContainer, PhaseVersion, PhaseHeader, PhaseLines, PhasePath, PhaseSeed, PhaseRelations, PhaseTypes, PhaseMessages,
	PhaseEvents, PhaseClosers, PhaseFold,
	PhaseHeaderDelta, PhaseModeSet, PhaseFallback, PhaseHeaderLate, // of format 0 alone
}

// laterRules are what formats 2 to 4 differ in besides their tables.
type laterRules struct {
	related    Phase                            // of the rules across rows; 0: the format's own loader looks at none, and what breaks one is kept for [Reader.Later]
	surface    Phase                            // of the rules of replacements
	wrapped    bool                             // a tool's result lies in a block of a user's message
	head       bool                             // the system prompt is the protected head of the surface
	objects    bool                             // of format 2: data of every known type is an object, and a seq that is no number is a gap
	decoded    bool                             // surfaceOp and sourceEventSeqs are checked when a row is decoded, and so is what is empty
	omits      bool                             // what is empty is absent in a request header (V3-08)
	tools      bool                             // tools of a request header are an array without null (V2-43)
	exactly    bool                             // the answer of a repair has the number of its own event in its id (V2-29)
	checkpoint func(source ecmajson.Node) bool  // recognises the message that stands for what a compaction shadows
	titler     func(source ecmajson.Value) bool // recognises the message of a title request
}

// A laterLog holds a log to the rules of formats 2 to 4.
type laterLog struct {
	r       *Reader
	rules   *laterRules
	sources citations
	seeds   seedMarkers
	surface surfaceOrder
	rel     relations
	scratch []byte
	seqs    []int64
	turn    openTurn // as a repair sees it, where relationships do not
}

func newLaterLog(r *Reader, rules *laterRules) *laterLog { return &laterLog{r: r, rules: rules} }

// closesAny (V2-10): any row that says so closes a turn, well-formed or not.
func closesAny(row *envelope, _, _ *Refusal) bool { return row.typ.Is(TypeTurnEnd) }

// unparsable are the faults of lines that give no value at all.
func unparsable(code Code) bool {
	return code == CodeLineNotJSON || code == CodeLineBlank || code == CodeLineTooDeep
}

// admit decodes a row: its envelope (V2-07), the events that it cites (V2-08) and its
// number.
func (log *laterLog) admit(row *envelope, raw ecmajson.Value) *Refusal {
	row.cited = nil
	var fault string
	if row.ms, fault = row.members(); fault == "" && raw.Lookup("time").IsNegativeZero() {
		fault = "time is not a safe integer"
	}
	if fault != "" {
		return row.malformed(CodeEnvelope, fault)
	}
	seq, counted := count(row.seqValue.Value())
	counted = counted && !raw.Lookup("seq").IsNegativeZero()
	if !counted {
		seq = maxSafe
	}
	if list := row.sources.Value(); list != nil {
		if raw != nil {
			list = raw.Lookup("sourceEventSeqs")
		}
		if refusal := log.sources.take(log.r, row, list, seq); refusal != nil {
			return refusal
		}
	}
	if !counted && log.rules.objects && row.sources.Kind() == ecmajson.Absent && row.seqValue.Kind() != ecmajson.Number {
		return nil // a gap, and no malformed row: a turn/end is one all the same (V2-10)
	}
	if !counted {
		return row.malformed(CodeSeqShape, "seq is "+seqText(row.seqValue.Value()))
	}
	return log.decodeFault(row, seq)
}

// event validates one event. Its fault of the first phase decides; those across rows rank
// before those of the event alone.
func (log *laterLog) event(row *envelope, form ecmajson.Form) (*Event, *Refusal) {
	r := log.r
	t := r.typeOf(row.typ.Value())
	event, refusal := r.newEvent(row, t, form)
	if refusal != nil {
		return nil, refusal
	}
	event.Time = row.ms
	if !event.Known {
		return event, nil
	}
	log.seeds.note(log, row, t)
	if refusal := log.related(row, t, event); refusal != nil {
		return nil, refusal
	}
	if refusal := log.shaped(row, t, event); refusal != nil {
		return nil, refusal
	}
	return event, nil
}

// related applies the rules across rows, and puts the event on the surface.
func (log *laterLog) related(row *envelope, t *typeRules, event *Event) *Refusal {
	if t.class == onSurface {
		if refusal := row.checkSurface(t, event, log.r.version.replace); refusal != nil {
			refusal.Phase = log.rules.surface
			return refusal
		}
		if row.sources.Kind() != ecmajson.Absent {
			event.Sources = row.cited
		}
		if op := event.Surface; op.Op == OpReplace && (op.Start >= event.Seq || op.End >= event.Seq) { // V2-16
			return row.fault(CodeSurfaceOpShape, log.rules.surface, "it names an event that is not earlier")
		}
	}
	if !log.rel.broken {
		if refusal := log.relate(row, t, event); refusal != nil {
			log.rel.broken = true
			if log.rules.related != 0 {
				return refusal
			}
			log.r.later = refusal
		}
	}
	if t.class != onSurface || log.rel.broken && log.rules.related != 0 || log.rel.unplaced {
		return nil
	}
	return log.enter(row, t, event)
}

// relate applies those of the event's type.
func (log *laterLog) relate(row *envelope, t *typeRules, event *Event) *Refusal {
	if log.rules.objects && row.data.Kind() != ecmajson.Object {
		return row.relation(CodeDataShape, t.name)
	}
	if t.relate == nil {
		return nil
	}
	return t.relate(log, row, event)
}

// enter puts an event on the surface (V2-18, V2-19, V3-06).
func (log *laterLog) enter(row *envelope, t *typeRules, event *Event) *Refusal {
	var replaced *place
	if event.Surface.Op == OpReplace {
		p, code, detail := log.surface.span(event)
		if code == "" && !log.sources.over(log.r) {
			code = log.surface.replaceFault(&p, t)
		}
		if code != "" {
			log.rel.broken, log.rel.unplaced = true, true
			return row.fault(code, log.rules.surface, detail)
		}
		replaced = &p
	}
	if t.name != TypeToolResult && t.name != TypeUserMessage {
		log.surface.put(event, t, replaced)
		return nil
	}
	content := t.message.in(row).Lookup("content").Value()
	var fault *Refusal
	if t.name == TypeToolResult && replaced != nil {
		fault = log.rewriteFault(row, replaced)
	}
	node := log.surface.put(event, t, replaced)
	node.images.see(content, log.rules.wrapped)
	if t.name == TypeToolResult {
		node.rest = without(node.rest, row.data, log.resultContent(row))
	}
	return fault
}

// rewriteFault (V2-19) says why a tool/result may not replace what it covers.
func (log *laterLog) rewriteFault(row *envelope, p *place) *Refusal {
	if p.length != 1 || p.first.t.name != TypeToolResult {
		return row.fault(CodeReplaceToolTarget, PhaseEvents, "")
	}
	log.scratch = without(log.scratch[:0], row.data, log.resultContent(row))
	if !ecmajson.Equal(p.first.rest, log.scratch) {
		return row.fault(CodeReplaceToolEdit, PhaseEvents, "")
	}
	return nil
}

// resultContent is the part of a tool's result that a replacement may change.
func (log *laterLog) resultContent(row *envelope) ecmajson.Node {
	content := row.data.Lookup("message").Lookup("content")
	if !log.rules.wrapped {
		return content
	}
	for block := range content.Children() {
		return block.Lookup("content")
	}
	return ecmajson.Node{}
}

// finish returns the faults that only the end of the log shows.
func (log *laterLog) finish() (faults []*Refusal) {
	if refusal := log.seeds.fault(log.r); refusal != nil {
		faults = append(faults, refusal)
	}
	for _, refusal := range log.rel.unsettled() {
		switch {
		case log.rules.related != 0:
			faults = append(faults, refusal)
		case log.r.later == nil || refusal.precedes(log.r.later):
			log.r.later = refusal
		}
	}
	if refusal := log.turn.closerFault(); refusal != nil {
		faults = append(faults, refusal)
	}
	return faults
}

// seedMarkers follow the markers that end what a log inherited (section 3 of the
// specification). The last one counts, and is not inherited itself.
type seedMarkers struct {
	last   Position
	seq    int64
	marked bool
}

func (m *seedMarkers) note(log *laterLog, row *envelope, t *typeRules) {
	if t.name != TypeSessionEndSeed || row.data.Lookup("inherited").Kind() != ecmajson.True {
		return
	}
	m.marked, m.last, m.seq = true, row.pos, row.seq
	if h := log.r.header; h.Seeded {
		h.SeedLength = row.seq
	}
	log.rel.inherit(log.r.header.HasParent)
}

// fault (V2-20): a log is seeded exactly when it has a marker.
func (m *seedMarkers) fault(r *Reader) *Refusal {
	switch {
	case r.header.Seeded && !m.marked:
		return &Refusal{Code: CodeSeedMarker, Phase: PhaseSeed, Pos: Position{Line: 1}, Seq: -1, Detail: "isSeeded is true, and no " + strconv.Quote("inherited") + " marker was kept"}
	case m.marked && !r.header.Seeded:
		return &Refusal{Code: CodeSeedMarker, Phase: PhaseSeed, Pos: m.last, Seq: m.seq, Detail: "isSeeded is false"}
	}
	return nil
}
