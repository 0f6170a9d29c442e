package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// Version0 is the format of the harness releases up to 0.1.2-rc.1. Its rules are
// those of that last release, which reads what all the others wrote.
var Version0 = &Version{
	Releases: "harness releases up to 0.1.2-rc.1",
	number:   0,
	header:   version0Header,
	types:    version0Types,
	sources:  (*citationReader).read,
	replace:  [2]string{"start", "end"},
	packed:   version0Packed,
	fast:     (*Reader).takeChunks,
	phases:   version0Phases,
	tail:     tailRule{closer: TypeTurnEnd, closes: closesDecoded},
	begin:    func(r *Reader) rules { return &version0Log{r: r} },
}

// version0Packed are the tags of packed rows.
var version0Packed = map[string]RowKind{
	"text-chunks":      TextRow,
	"reasoning-chunks": ReasoningRow,
	"tool-call-chunks": ToolCallRow,
}

// version0Phases is the order in which the harness checks a log of format 0.
var version0Phases = []Phase{
	PhaseContainer, PhaseVersion, PhaseHeader, PhaseLines, PhasePath,
	PhaseHeaderDelta, PhaseModeSet, PhaseFallback, // each looked for over the whole log
	PhaseMessages, PhaseTypes, PhaseSeed, PhaseClosers, PhaseHeaderLate, PhaseEvents, PhaseFold,
	PhaseRelations, // of later formats alone
}

// closesDecoded: a turn/end was committed, if it decodes.
func closesDecoded(row *envelope, malformed, _ *Refusal) bool {
	return malformed == nil && row.typ.Is(TypeTurnEnd)
}

// A version0Log holds a log to the rules of format 0.
type version0Log struct {
	r     *Reader
	cites citations
	ids   messageIDs
	turn  openTurn
}

// event validates one event in the harness's order of checks: upgrade and message
// shape, type, envelope, request header, surface members.
func (log *version0Log) event(row *envelope, form ecmajson.Form) (*Event, *Refusal) {
	r := log.r
	t := r.typeOf(row.typ.Value())
	if t.refuse != nil {
		if refusal := t.refuse(row); refusal != nil {
			r.refuse(refusal)
		}
	}
	upgraded, refusal := log.upgrade(row, t)
	if refusal != nil {
		return nil, refusal
	}
	if upgraded != "" {
		t = r.typeOf(row.typ.Value())
	}
	if refusal := t.message.check(row, t.name); refusal != nil {
		return nil, refusal
	}
	log.ids.note(row, t.name)
	event, refusal := r.newEvent(row, t, form)
	if refusal != nil {
		return nil, refusal
	}
	event.Upgraded = upgraded
	if refusal := log.turn.track(row, t.name); refusal != nil {
		return nil, refusal
	}
	return event, log.check(row, t, event)
}

// check applies the checks of the last phase.
func (log *version0Log) check(row *envelope, t *typeRules, event *Event) *Refusal {
	time, fault := row.members()
	if fault != "" {
		return row.fault(CodeEnvelope, PhaseEvents, fault)
	}
	event.Time = time
	if t.data != nil {
		if refusal := t.data(log.r, row); refusal != nil {
			return refusal
		}
	}
	if refusal := row.checkSurface(t, event, log.r.version.replace); refusal != nil {
		return refusal
	}
	if t.class != onSurface || log.cites.over(log.r) {
		return nil
	}
	return row.checkSources(t, event)
}

// finish returns the faults of the header's seedLength and of closing an open turn.
func (log *version0Log) finish() (faults []*Refusal) {
	if refusal := seedFault(log.r); refusal != nil {
		faults = append(faults, refusal)
	}
	if refusal := log.turn.closerFault(); refusal != nil {
		faults = append(faults, refusal)
	}
	return faults
}
