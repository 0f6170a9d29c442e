package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// An envelope is the members of an event line, as found.
type envelope struct {
	typ, seqValue, time, data, surfaceOp, sources, ignorable ecmajson.Node
	unknown                                                  ecmajson.Value // the first key that no envelope has
	seq                                                      int64
	pos                                                      Position
}

func readEnvelope(root ecmajson.Node, pos Position) envelope {
	e := envelope{pos: pos, seq: -1}
	if root.Kind() != ecmajson.Object {
		return e
	}
	for member := range root.Children() {
		switch key := member.Key(); string(key) {
		case `"type"`:
			e.typ = member
		case `"seq"`:
			e.seqValue = member
		case `"time"`:
			e.time = member
		case `"data"`:
			e.data = member
		case `"surfaceOp"`:
			e.surfaceOp = member
		case `"sourceEventSeqs"`:
			e.sources = member
		case `"ignorable"`:
			e.ignorable = member
		default:
			if e.unknown == nil {
				e.unknown = key
			}
		}
	}
	return e
}

// parseEvent validates one event in the harness's order of checks: upgrade and
// message shape, type, envelope, request header, surface members. A refusal is
// the event's first fault in that order; the returned event is then not used.
func (r *Reader) parseEvent(env *envelope, form ecmajson.Form) (*Event, *Refusal) {
	upgraded, refusal := r.upgrade(env)
	if refusal != nil {
		return nil, refusal
	}
	eventType := r.intern(env.typ.Value())
	if refusal := checkMessage(env, eventType); refusal != nil {
		return nil, refusal
	}
	r.msgs.note(env, eventType)
	known := r.version.Known(eventType)
	admitted := !known && r.admitted[eventType]
	ignorable := env.ignorable.Kind() == ecmajson.True
	if !known && !admitted && !ignorable {
		return nil, env.fault(CodeTypeUnknown, PhaseTypes, env.typeText())
	}
	if refusal := r.open.track(env, eventType); refusal != nil {
		return nil, refusal
	}
	event := &r.event
	*event = Event{
		Type: eventType, Seq: env.seq, Data: env.data.Value(), Pos: env.pos, Form: form, Upgraded: upgraded,
		Ignorable: ignorable, Known: known || admitted, Admitted: admitted,
	}
	event.setMessage(env, eventType)
	if refusal := r.checkEnvelope(env, event); refusal != nil {
		return nil, refusal
	}
	r.count(event)
	return event, nil
}

func (r *Reader) count(e *Event) {
	switch {
	case r.ended:
		return
	case !e.Known:
		r.stats.Ignored++
	case e.Admitted:
		r.stats.Admitted++
	}
	if e.Upgraded != "" {
		r.stats.Upgraded++
	}
}

func (e *envelope) fault(code Code, phase Phase, detail string) *Refusal {
	return &Refusal{Code: code, Phase: phase, Pos: e.pos, Seq: e.seq, Detail: detail}
}

func (e *envelope) typeText() string {
	typ := e.typ.Value()
	if typ == nil {
		return "the event has no type"
	}
	return "type " + string(typ[:min(len(typ), 80)])
}

// intern returns the type's name without allocating for names seen before.
func (r *Reader) intern(typ ecmajson.Value) string {
	if typ.Kind() != ecmajson.String {
		return ""
	}
	if name, ok := r.types[string(typ)]; ok {
		return name
	}
	name := typ.Text()
	if len(r.types) < 256 { // names of a hostile log are not collected
		r.types[string(typ)] = name
	}
	return name
}

// checkEnvelope applies the checks of the last phase to one event.
func (r *Reader) checkEnvelope(env *envelope, event *Event) *Refusal {
	if env.unknown != nil {
		return env.fault(CodeEnvelope, PhaseEvents, "unknown member "+string(env.unknown[:min(len(env.unknown), 80)]))
	}
	var ok bool
	if event.Time, ok = env.time.SafeInt(); !ok {
		return env.fault(CodeEnvelope, PhaseEvents, "time is not a safe integer")
	}
	switch {
	case env.typ.Kind() != ecmajson.String:
		return env.fault(CodeEnvelope, PhaseEvents, "type is not a string")
	case env.data.Kind() == ecmajson.Absent:
		return env.fault(CodeEnvelope, PhaseEvents, "data is missing")
	case env.ignorable.Kind() != ecmajson.Absent && !event.Ignorable:
		return env.fault(CodeEnvelope, PhaseEvents, "ignorable is present and not true")
	}
	if event.Type == TypeRequestHeader {
		if refusal := checkRequestHeader(env); refusal != nil {
			return refusal
		}
		r.foldFault(env)
	}
	return r.checkSurface(env, event)
}

// checkSurface reads surfaceOp and sourceEventSeqs (section 5 of the format but
// for what depends on the current surface).
func (r *Reader) checkSurface(env *envelope, event *Event) *Refusal {
	if !r.version.OnSurface(event.Type) {
		switch {
		case env.surfaceOp.Kind() != ecmajson.Absent:
			return env.fault(CodeSurfaceOpLogOnly, PhaseEvents, event.Type)
		case env.sources.Kind() != ecmajson.Absent:
			return env.fault(CodeSourcesLogOnly, PhaseEvents, event.Type)
		}
		return nil
	}
	if env.surfaceOp.Kind() == ecmajson.Absent {
		return env.fault(CodeSurfaceOpMissing, PhaseEvents, event.Type)
	}
	op, ok := parseSurfaceOp(env.surfaceOp.Value())
	if !ok {
		return env.fault(CodeSurfaceOpShape, PhaseEvents, "")
	}
	event.Surface = op
	return r.checkSources(env, event)
}

func parseSurfaceOp(v ecmajson.Value) (SurfaceOp, bool) {
	if v.Is("append") {
		return SurfaceOp{Op: OpAppend}, true
	}
	if v.Kind() != ecmajson.Object || v.Len() != 3 || !v.Lookup("op").Is("replace") {
		return SurfaceOp{}, false
	}
	start, ok1 := nonNegative(v.Lookup("start"))
	end, ok2 := nonNegative(v.Lookup("end"))
	return SurfaceOp{OpReplace, start, end}, ok1 && ok2
}
