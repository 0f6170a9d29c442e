package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// refuseName refuses a type that was removed.
func refuseName(code Code, phase Phase) func(row *envelope) *Refusal {
	return func(row *envelope) *Refusal {
		return row.fault(code, phase, row.typ.Value().Text())
	}
}

// refuseFallback refuses the request headers of a reason that was removed, and those
// of which the reason cannot be read.
func refuseFallback(row *envelope) *Refusal {
	switch {
	case row.data.Kind() == ecmajson.Absent || row.data.Kind() == ecmajson.Null:
		return row.fault(CodeHeaderRoute, PhaseFallback, "request/header without data")
	case row.data.Lookup("reason").Is("fallback"):
		return row.fault(CodeFallback, PhaseFallback, "")
	}
	return nil
}
