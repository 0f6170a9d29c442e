package upgrade

import (
	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// A mapper gives an event number its new value.
type mapper func(*jsvalue.Value) (*jsvalue.Value, *Refusal)

// mapData maps the event numbers in an event's data: those of its own log. Numbers that
// belong to other logs, or to their owner alone, stay.
func mapData(e *Event, one mapper) (*jsvalue.Value, *Refusal) {
	switch e.Type {
	case logformat.TypeCommandDone:
		return mapMember(e.Data, "sourceEventSeq", one)
	case logformat.TypeCompactionPrune, logformat.TypeCompactionSummary:
		data, refusal := mapMember(e.Data, "shadowedRange", func(v *jsvalue.Value) (*jsvalue.Value, *Refusal) {
			return mapRange(v, one, "start", "end")
		})
		if refusal != nil {
			return nil, refusal
		}
		return mapMember(data, "shadowedSeqs", listOf(one))
	case logformat.TypeSessionTitle, logformat.TypeSessionTitleRequest:
		return mapMember(e.Data, "messageSeqs", listOf(one))
	}
	return e.Data, nil
}

// mapMember maps a member of an object, if it is there.
func mapMember(v *jsvalue.Value, key string, one mapper) (*jsvalue.Value, *Refusal) {
	if !v.Has(key) {
		return v, nil
	}
	mapped, refusal := one(v.Get(key))
	if refusal != nil {
		if refusal.Member == "" {
			refusal.Member = "/" + keyData + "/" + key
		}
		return nil, refusal
	}
	return v.With(key, mapped), nil
}

func mapRange(v *jsvalue.Value, one mapper, start, end string) (*jsvalue.Value, *Refusal) {
	v, refusal := mapMember(v, start, one)
	if refusal != nil {
		return nil, refusal
	}
	return mapMember(v, end, one)
}

func listOf(one mapper) mapper {
	return func(v *jsvalue.Value) (*jsvalue.Value, *Refusal) {
		items := make([]*jsvalue.Value, len(v.Items()))
		for i, item := range v.Items() {
			var refusal *Refusal
			if items[i], refusal = one(item); refusal != nil {
				return nil, refusal
			}
		}
		return jsvalue.Array(items...), nil
	}
}
