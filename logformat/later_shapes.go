package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// shaped applies the rules of one event alone: vocabulary and retired reason, shapes, and
// what is checked when a session is built (section 5.6 of the specification).
func (log *laterLog) shaped(row *envelope, t *typeRules, event *Event) *Refusal {
	if t.refuse != nil {
		if refusal := t.refuse(row); refusal != nil {
			refusal.Phase = PhaseTypes
			return refusal
		}
	}
	if !log.rules.decoded || t.late {
		if refusal := row.surfaceMembers(t, PhaseMessages); refusal != nil {
			return refusal
		}
	}
	if refusal := t.message.check(row, t.name); refusal != nil {
		return refusal
	}
	if t.shape != nil {
		if refusal := t.shape(log, row); refusal != nil {
			return refusal
		}
	}
	if log.rules.related == 0 {
		return log.turn.track(row, t.name)
	}
	return nil
}

// surfaceMembers (V2-15, V2-17): only events of the surface have surfaceOp or cite others,
// and what is cited is not empty.
func (row *envelope) surfaceMembers(t *typeRules, phase Phase) *Refusal {
	cites := row.sources.Kind() != ecmajson.Absent
	switch {
	case t.class == 0 && !t.admitted || t.class != onSurface && row.surfaceOp.Kind() == ecmajson.Absent && !cites:
		return nil
	case t.class != onSurface && !cites:
		return row.fault(CodeSurfaceOpLogOnly, phase, t.name)
	case t.class != onSurface:
		return row.fault(CodeSourcesLogOnly, phase, t.name)
	case cites && t.name == TypeAssistantMessage:
		return row.fault(CodeSourcesAnswer, phase, "")
	case cites && len(row.cited) == 0 && row.sources.Value().Len() == 0:
		return row.fault(CodeSourcesEmpty, phase, "")
	}
	return nil
}

// decodeFault is why a row with a decoded envelope counts as one that does not parse all
// the same.
func (log *laterLog) decodeFault(row *envelope, seq int64) *Refusal {
	t := log.r.typeOf(row.typ.Value())
	switch {
	case log.rules.head && t.name == TypeSessionEndSeed && row.data.Kind() != ecmajson.Object:
		return row.malformed(CodeDataShape, t.name)
	case !log.rules.decoded || t.class == 0 || t.late:
		return nil
	case t.class == onSurface:
		if refusal := log.decodeOp(row, t, seq); refusal != nil {
			return refusal
		}
	}
	if refusal := row.surfaceMembers(t, PhaseLines); refusal != nil {
		return refusal
	}
	switch t.name {
	case TypeRequestHeader:
		if empty := emptyMember(row); empty != "" {
			return row.malformed(CodeHeaderEmpty, empty) // V3-08
		}
	case TypeToolResult:
		return decodeResult(row)
	}
	return nil
}

// decodeOp: V2-15, V2-16.
func (log *laterLog) decodeOp(row *envelope, t *typeRules, seq int64) *Refusal {
	var event Event
	if refusal := row.checkSurface(t, &event, log.r.version.replace); refusal != nil {
		refusal.Phase = PhaseLines
		return refusal
	}
	if op := event.Surface; op.Op == OpReplace && (op.Start >= seq || op.End >= seq) {
		return row.malformed(CodeSurfaceOpShape, "it names an event that is not earlier")
	}
	return nil
}

// decodeResult (V3-09): a result of format 3 that has an error is one.
func decodeResult(row *envelope) *Refusal {
	if row.data.Kind() != ecmajson.Object {
		return row.malformed(CodeDataShape, TypeToolResult)
	}
	if row.data.Lookup("error").Kind() == ecmajson.Absent {
		return nil
	}
	for block := range row.data.Lookup("message").Lookup("content").Children() {
		if block.Lookup("isError").Kind() == ecmajson.True {
			return nil
		}
		break
	}
	return row.malformed(CodeErrorOnSuccess, "")
}

// emptyMember (V3-08) names the member of a request header that is there and empty.
func emptyMember(row *envelope) string {
	header := row.data.Lookup("header")
	if tools := header.Lookup("tools"); tools.Kind() == ecmajson.Array && tools.Value().Len() == 0 {
		return "tools"
	}
	if defaults := header.Lookup("adapterDefaults"); defaults.Kind() == ecmajson.Object && defaults.Value().Len() == 0 {
		return "adapterDefaults"
	}
	return ""
}

// shapeHeader: V2-43, V3-08.
func shapeHeader(log *laterLog, row *envelope) *Refusal {
	if empty := emptyMember(row); log.rules.omits && empty != "" {
		return row.fault(CodeHeaderEmpty, PhaseMessages, empty)
	}
	header := row.data.Lookup("header").Value()
	config := header.Lookup("config")
	effort, reason := config.Lookup("reasoningEffort"), row.data.Lookup("reason")
	series := row.data.Lookup("startsSeries").Kind()
	fault := func(code Code, detail string) *Refusal { return row.fault(code, PhaseEvents, detail) }
	switch {
	case !hasRoute(config):
		return fault(CodeHeaderRoute, "")
	case effort != nil && !nonEmptyString(effort):
		return fault(CodeHeaderEffort, "")
	case !validDefaults(header.Lookup("adapterDefaults"), config):
		return fault(CodeDefaults, "")
	case !reason.Is("initial") && !reason.Is("resume") && !reason.Is("change") && !reason.Is("series"):
		return fault(CodeHeaderReason, "reason "+seqText(reason.Value()))
	case series != ecmajson.Absent && series != ecmajson.True:
		return fault(CodeHeaderReason, "startsSeries "+seqText(row.data.Lookup("startsSeries").Value()))
	}
	return log.shapeTools(row, header.Lookup("tools"))
}

// shapeTools (V2-43): the harness cannot fold other tools.
func (log *laterLog) shapeTools(row *envelope, tools ecmajson.Value) *Refusal {
	if tools == nil {
		return nil
	}
	if tools.Kind() == ecmajson.Null || log.rules.tools && tools.Kind() != ecmajson.Array {
		return row.fault(CodeHeaderMember, PhaseFold, "tools is "+short(tools))
	}
	if !log.rules.tools {
		return nil
	}
	for tool := range tools.Elements() {
		if tool.Kind() == ecmajson.Null {
			return row.fault(CodeHeaderMember, PhaseFold, "a tool is null")
		}
	}
	return nil
}

// shapeSettlement: V2-44.
func shapeSettlement(_ *laterLog, row *envelope) *Refusal {
	_, turn := count(row.data.Lookup("turn").Value())
	_, step := count(row.data.Lookup("step").Value())
	if !turn || !step || row.data.Lookup("stream").Kind() != ecmajson.Array {
		return row.fault(CodeSettlement, PhaseEvents, stepText(row.data))
	}
	return nil
}

// shapeOffload: V3-10.
func shapeOffload(log *laterLog, row *envelope) *Refusal {
	if log.rel.broken && log.rules.related != 0 || log.rel.unplaced {
		return nil
	}
	return log.offload(row)
}
