package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// An envelope is the members of an event line, as found.
type envelope struct {
	typ, seqValue, time, data, surfaceOp, sources, ignorable ecmajson.Node
	unknown                                                  ecmajson.Value // the first key that no envelope has
	seq                                                      int64
	ms                                                       int64   // its time, where decoding reads it
	cited                                                    []int64 // what the sources stand for
	pos                                                      Position
}

// read fills in the members of a line that holds an object.
func (e *envelope) read(root ecmajson.Node, pos Position) {
	*e = envelope{pos: pos, seq: -1}
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
}

// newEvent makes an event of a row whose type is known, or may be passed over.
func (r *Reader) newEvent(row *envelope, t *typeRules, form ecmajson.Form) (*Event, *Refusal) {
	known := t.class != 0 || t.admitted
	ignorable := row.ignorable.Kind() == ecmajson.True
	if !known && !ignorable {
		return nil, row.fault(CodeTypeUnknown, PhaseTypes, row.typeText())
	}
	event := &r.event
	*event = Event{
		Type: t.name, Seq: row.seq, Data: row.data.Value(), Pos: row.pos, Form: form,
		Ignorable: ignorable, Known: known, Admitted: t.admitted,
	}
	event.setMessage(row, t.message)
	return event, nil
}

func (r *Reader) count(e *Event) {
	switch {
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

// members holds the members of an event's row to what they must be, whatever its type, and
// returns its time, or what is wrong.
func (env *envelope) members() (time int64, fault string) {
	if env.unknown != nil {
		return 0, "unknown member " + string(env.unknown[:min(len(env.unknown), 80)])
	}
	var ok bool
	if time, ok = env.time.SafeInt(); !ok {
		return 0, "time is not a safe integer"
	}
	switch {
	case env.typ.Kind() != ecmajson.String:
		return 0, "type is not a string"
	case env.data.Kind() == ecmajson.Absent:
		return 0, "data is missing"
	case env.ignorable.Kind() != ecmajson.Absent && env.ignorable.Kind() != ecmajson.True:
		return 0, "ignorable is present and not true"
	}
	return time, ""
}

// checkSurface reads surfaceOp, and checks that only events of the surface have it or
// cite others.
func (env *envelope) checkSurface(t *typeRules, event *Event, ends [2]string) *Refusal {
	if t.class != onSurface {
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
	op, ok := parseSurfaceOp(env.surfaceOp.Value(), ends)
	if !ok {
		detail := ""
		if ends[0] != "start" {
			detail = "in this format the ends are " + ends[0] + " and " + ends[1]
		}
		return env.fault(CodeSurfaceOpShape, PhaseEvents, detail)
	}
	event.Surface = op
	return nil
}

// parseSurfaceOp reads a surfaceOp, in which the ends of a replace have the given names.
func parseSurfaceOp(v ecmajson.Value, ends [2]string) (SurfaceOp, bool) {
	if v.Is("append") {
		return SurfaceOp{Op: OpAppend}, true
	}
	if v.Kind() != ecmajson.Object || v.Len() != 3 || !v.Lookup("op").Is("replace") {
		return SurfaceOp{}, false
	}
	start, ok1 := nonNegative(v.Lookup(ends[0]))
	end, ok2 := nonNegative(v.Lookup(ends[1]))
	return SurfaceOp{OpReplace, start, end}, ok1 && ok2
}
