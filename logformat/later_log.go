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
	related Phase // of the rules across rows; 0: the format's own loader looks at none, and what breaks one is kept for [Reader.Later]
	surface Phase // of the rules of replacements
	wrapped bool  // a tool's result lies in a block of a user's message
	head    bool  // the system prompt is the protected head of the surface
	objects bool  // data of every known type is an object
}

// A laterLog holds a log to the rules of formats 2 to 4.
type laterLog struct {
	r     *Reader
	rules *laterRules
	cites citations
	seeds seedMarkers
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
	if row.ms, fault = row.members(); fault == "" && raw != nil && raw.Lookup("time").IsNegativeZero() {
		fault = "time is not a safe integer"
	}
	if fault != "" {
		return row.malformed(CodeEnvelope, fault)
	}
	seq, counted := count(row.seqValue.Value())
	counted = counted && (raw == nil || !raw.Lookup("seq").IsNegativeZero())
	if list := row.sources.Value(); list != nil {
		limit := int64(maxSafe)
		if counted {
			limit = seq
		}
		if raw != nil {
			list = raw.Lookup("sourceEventSeqs")
		}
		if refusal := log.cites.take(log.r, row, list, limit); refusal != nil {
			return refusal
		}
	}
	if !counted {
		return row.malformed(CodeSeqShape, "seq is "+seqText(row.seqValue.Value()))
	}
	return nil
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
	log.seeds.note(r, row, t)
	if refusal := row.checkSurface(t, event, r.version.replace); refusal != nil {
		return nil, refusal
	}
	if t.class == onSurface && row.sources.Kind() != ecmajson.Absent {
		event.Sources = row.cited
	}
	return event, nil
}

// finish returns the faults that only the end of the log shows.
func (log *laterLog) finish() (faults []*Refusal) {
	if refusal := log.seeds.fault(log.r); refusal != nil {
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

func (m *seedMarkers) note(r *Reader, row *envelope, t *typeRules) {
	if t.name != TypeSessionEndSeed || row.data.Lookup("inherited").Kind() != ecmajson.True {
		return
	}
	m.marked, m.last, m.seq = true, row.pos, row.seq
	if r.header.Seeded {
		r.header.SeedLength = row.seq
	}
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
