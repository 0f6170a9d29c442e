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
	packed: map[string]RowKind{
		"text-chunks":      TextRow,
		"reasoning-chunks": ReasoningRow,
		"tool-call-chunks": ToolCallRow,
	},
	fast: (*Reader).takeChunks,
	phases: []Phase{
		PhaseContainer, PhaseVersion, PhaseHeader, PhaseLines, PhasePath,
		PhaseHeaderDelta, PhaseModeSet, PhaseFallback, // each looked for over the whole log
		PhaseMessages, PhaseTypes, PhaseSeed, PhaseClosers, PhaseHeaderLate, PhaseEvents, PhaseFold,
	},
	tail:  tailRule{closer: TypeTurnEnd, closes: closesVersion0},
	begin: func(r *Reader) rules { return &version0Log{r: r} },
}

// closesVersion0: a turn/end was committed, if it decodes.
func closesVersion0(row *envelope, malformed *Refusal) bool {
	return malformed == nil && row.typ.Is(TypeTurnEnd)
}

// A version0Log holds a log to the rules of format 0.
type version0Log struct {
	r     *Reader
	seqs  []int64 // those that the last row cites
	cited int64   // events that ranges stood for so far
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
	if refusal := row.check(event); refusal != nil {
		return refusal
	}
	if t.data != nil {
		if refusal := t.data(log.r, row); refusal != nil {
			return refusal
		}
	}
	if refusal := row.checkSurface(t, event, log.r.version.replace); refusal != nil {
		return refusal
	}
	if t.class != onSurface || log.overcited() {
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
