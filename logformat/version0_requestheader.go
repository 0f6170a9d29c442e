package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// checkRequestHeader validates the data of a request/header event.
func checkRequestHeader(r *Reader, env *envelope) *Refusal {
	header := env.data.Lookup("header").Value()
	config := header.Lookup("config")
	if !hasRoute(config) {
		return env.fault(CodeHeaderRoute, PhaseEvents, "")
	}
	if effort := config.Lookup("reasoningEffort"); effort != nil && !nonEmptyString(effort) {
		return env.fault(CodeHeaderEffort, PhaseEvents, "")
	}
	if !validDefaults(header.Lookup("adapterDefaults"), config) {
		return env.fault(CodeDefaults, PhaseEvents, "")
	}
	// The harness loads a header with a null, and cannot fold it.
	for _, member := range []string{"system", "tools"} {
		if header.Lookup(member).Kind() == ecmajson.Null {
			r.faults.add(env.fault(CodeHeaderMember, PhaseFold, member+" is null"))
		}
	}
	return nil
}

func validDefaults(defaults, config ecmajson.Value) bool {
	if defaults == nil {
		return true
	}
	if defaults.Kind() != ecmajson.Object {
		return false
	}
	for key, mark := range defaults.Members() {
		if mark.Kind() != ecmajson.True {
			return false
		}
		switch {
		case key.Is("reasoningEffort") && config.Lookup("reasoningEffort") != nil:
		case key.Is("maxTokens") && config.Lookup("maxTokens") != nil:
		default:
			return false
		}
	}
	return true
}
