package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// legacyFault looks for the vocabulary that is refused by name wherever it is.
func (r *Reader) legacyFault(env *envelope) {
	eventType := env.typ.Value()
	if eventType.Kind() != ecmajson.String {
		return
	}
	name := eventType[1 : len(eventType)-1]
	if legacy, ok := r.version.refused[string(name)]; ok {
		r.refuse(env.fault(legacy.code, legacy.phase, string(name)))
		return
	}
	if string(name) != TypeRequestHeader {
		return
	}
	switch {
	case env.data.Kind() == ecmajson.Absent || env.data.Kind() == ecmajson.Null:
		r.refuse(env.fault(CodeHeaderRoute, PhaseFallback, "request/header without data"))
	case env.data.Lookup("reason").Is("fallback"):
		r.refuse(env.fault(CodeFallback, PhaseFallback, ""))
	}
}
