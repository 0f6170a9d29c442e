package upgrade

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/internal/upgrade/shape"
)

// A step01 is the step from format 0 to 1. It turns the shapes of early builds into those of
// the last release of format 0, and compares all data with the shapes that it admits.
type step01 struct {
	header     Header
	cut        int64
	lost       *losses
	ids        map[int64]string  // ids of messages, by event number
	retries    map[string]string // ids of retry chains without one of their own
	compaction string            // id of the open compaction
}

func newStep01(header Header, cut int64, lost *losses) *step01 {
	return &step01{header: header, cut: cut, lost: lost, ids: make(map[int64]string), retries: make(map[string]string)}
}

func (s *step01) event(e *Event, next func(*Event) *Refusal) *Refusal {
	if renamed, ok := earlyNames[e.Type]; ok {
		clone := *e
		clone.Type = renamed
		e = &clone
	}
	upgraded, refusal := s.upgrade(e)
	if refusal != nil {
		return refusal.at(e.Origin)
	}
	if upgraded.Type != logformat.TypeAssistantChunk {
		if refusal := checkData(upgraded, 0, StageStep01); refusal != nil {
			return refusal
		}
	}
	if id := messageOf(upgraded).Get("id"); id.IsString() {
		s.ids[upgraded.Seq] = id.Text()
	}
	if refusal := s.delivery(upgraded); refusal != nil {
		return refusal.at(e.Origin)
	}
	return next(upgraded)
}

// checkData compares the data of an event with the shape that its format admits.
func checkData(e *Event, version int, stage Stage) *Refusal {
	if e.nameless || !shape.Known(e.Type, version) {
		return unknownName(e, stage)
	}
	fault := shape.Check(e.Type, e.Data, e.Seq, version)
	if fault == nil {
		return nil
	}
	detail := fmt.Sprintf("the data of %s need %s there", e.Type, fault.Want)
	if fault.Want == shape.Unknown {
		detail = fmt.Sprintf("the data of %s have a member that the release does not know", e.Type)
	}
	r := refuse(CodeData, stage, detail).found(fault.Got).at(e.Origin)
	r.Member = "/" + keyData + fault.Pointer
	return r
}

// unknownName refuses a name. The name comes from the log, so it is quoted as found.
func unknownName(e *Event, stage Stage) *Refusal {
	r := refuse(CodeName, stage, "the upgrade does not know the event's type").found(jsvalue.String(e.Type)).at(e.Origin)
	r.Member = "/" + keyType
	return r
}

// messageOf returns the message of an event, absent where it has none.
func messageOf(e *Event) *jsvalue.Value {
	if e.Type == logformat.TypeUserMessage {
		return e.Data
	}
	return e.Data.Get("message")
}

func (s *step01) delivery(e *Event) *Refusal {
	if e.Type != logformat.TypeDeliveryAccepted || e.Data.Has("sessionFormatVersion") {
		return nil
	}
	inherited := s.header.ParentSession != nil && e.Seq < s.cut
	if !inherited && !e.Data.Get("sessionId").Is(s.header.ID) {
		return wrongDelivery(StageStep01, e)
	}
	return nil
}

func wrongDelivery(stage Stage, e *Event) *Refusal {
	return refuse(logformat.CodeDelivery, stage, "a delivery names another session").found(e.Data.Get("sessionId"))
}

// upgrade turns an early shape into the last one, in the release's order.
func (s *step01) upgrade(e *Event) (*Event, *Refusal) {
	if refusal := s.retired(e); refusal != nil {
		return nil, refusal
	}
	for _, turn := range []func(*Event) (*Event, *Refusal){
		s.turnStart, s.turnEnd, s.requestHeader, s.steering, s.retry, s.compact,
	} {
		var refusal *Refusal
		if e, refusal = turn(e); refusal != nil {
			return nil, refusal
		}
	}
	if !e.Data.IsObject() {
		return nil, notObject(e)
	}
	return s.message(e)
}

func notObject(e *Event) *Refusal {
	r := refuse(CodeData, StageStep01, "the data are no object").found(e.Data)
	r.Member = "/" + keyData
	return r
}

// earlyNames are the names that early builds gave to compactions.
var earlyNames = map[string]string{
	"compact/start": logformat.TypeCompactionStart, "compact/summary": logformat.TypeCompactionSummary, "compact/end": logformat.TypeCompactionEnd, "compact/prune": logformat.TypeCompactionPrune,
}

func (s *step01) retired(e *Event) *Refusal {
	switch e.Type {
	case logformat.TypeRequestHeaderDelta, logformat.TypeModeSet:
		return refuse(CodeLegacy, StageStep01, "the event's type is retired: "+e.Type)
	case logformat.TypeRequestHeader:
		if e.Data.Get("reason").Is("fallback") {
			return refuse(logformat.CodeFallback, StageStep01, "the reason of a request header is retired").found(e.Data.Get("reason"))
		}
	}
	return nil
}

func legacyFault(e *Event) *Refusal {
	return refuse(CodeLegacy, StageStep01, "the early shape of a "+e.Type+" is not complete").found(e.Data)
}

// lose notes a member that has no place in the later format.
func (s *step01) lose(member string, e *Event) { s.lost.add(LossMember, member, e.Origin) }
