package transcript

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// project2 is the projection of format 2: the answer of an attempt is logged once, whole,
// when the attempt is over.
func project2(e *logformat.Event, a *Act) {
	switch e.Type {
	case logformat.TypeAssistantMessage:
		message0(e, a, Assistant)
		settlement2(e, a)
	case logformat.TypeAssistantAttempt:
		settlement2(e, a)
	default:
		project0(e, a)
	}
}

// settlement2 is the end of an attempt. An answer that no stream gave, of an imported or
// authored history, settles nothing.
func settlement2(e *logformat.Event, a *Act) {
	if e.Type == logformat.TypeAssistantMessage && a.streamless() {
		return
	}
	a.Kind, a.usage = Settlement, usageOfSettlement
}

// streamless reports whether the act's message has content and its stream has nothing.
func (a *Act) streamless() bool {
	return isEmpty(a.Event.Data.Lookup("stream")) && !isEmpty(a.JSON().Lookup("content"))
}

func isEmpty(v ecmajson.Value) bool { return string(v) == "[]" }

// project3 is the projection of format 3: the system prompt is a message, and images can be
// taken away from messages in place.
func project3(e *logformat.Event, a *Act) {
	switch e.Type {
	case logformat.TypeSystemMessage:
		message0(e, a, System)
		a.Entry.Head = true
	case logformat.TypeImageOffload:
		a.Kind = Offload
	default:
		project2(e, a)
	}
}

// project4 is the projection of format 4: tools are announced within the history.
func project4(e *logformat.Event, a *Act) {
	if e.Type == logformat.TypeDeveloperMessage {
		message0(e, a, Developer)
		a.Kind = ToolUpdate
		return
	}
	project3(e, a)
}

// settled is what the stream of a settlement ends with: its last record of a kind of chunk.
func (a *Act) settled(kind string) (chunk ecmajson.Value) {
	for record := range a.Event.Data.Lookup("stream").Elements() {
		if c := record.Lookup("chunk"); c != nil && c.Lookup("type").Is(kind) {
			chunk = c
		}
	}
	return chunk
}

// Ended returns how the stream of an answer ended, a JSON string: nil where it broke off,
// or where the act ends none.
func (a *Act) Ended() ecmajson.Value {
	if a.Kind == Settlement {
		return a.settled("finish").Lookup("reason").Lookup("kind")
	}
	return a.End
}
