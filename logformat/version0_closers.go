package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// openTurn follows turns and tool calls as the harness's crash repair does. On
// load, a log that ends inside a turn gets synthetic closers in memory, and a
// closer that would be malformed makes the log unloadable.
type openTurn struct {
	open    bool
	pending []pendingCall
}

type pendingCall struct {
	id       string
	usable   bool // the id is a non-empty string
	pos      Position
	answered bool
}

// track applies one event, or refuses data that the repair cannot read.
func (t *openTurn) track(env *envelope, eventType string) *Refusal {
	switch eventType {
	case TypeTurnStart, TypeStepStart, TypeToolCall:
		if kind := env.data.Kind(); kind == ecmajson.Absent || kind == ecmajson.Null {
			return env.fault(CodeDataShape, PhaseClosers, eventType)
		}
	}
	switch eventType {
	case TypeTurnStart:
		t.open, t.pending = true, t.pending[:0]
	case TypeTurnEnd:
		t.open, t.pending = false, t.pending[:0]
	case TypeStepEnd:
		t.pending = t.pending[:0]
	case TypeAssistantMessage:
		return t.calls(env)
	case TypeToolResult:
		t.answer(env.data.Lookup("message").Lookup("source").Lookup("callId").Text())
	}
	return nil
}

func (t *openTurn) calls(env *envelope) *Refusal {
	for block := range env.data.Lookup("message").Lookup("content").Children() {
		switch {
		case block.Kind() == ecmajson.Null:
			return env.fault(CodeDataShape, PhaseClosers, "a content block is null")
		case block.Lookup("type").Is("tool-call"):
			id := block.Lookup("id")
			t.pending = append(t.pending, pendingCall{id: id.Text(), usable: nonEmpty(id), pos: env.pos})
		}
	}
	return nil
}

func (t *openTurn) answer(id string) {
	for i := range t.pending {
		if t.pending[i].usable && t.pending[i].id == id {
			t.pending[i].answered = true
		}
	}
}

// closerFault returns the fault of closing the turn at the end of the log.
func (t *openTurn) closerFault() *Refusal {
	if !t.open {
		return nil
	}
	for _, call := range t.pending {
		if !call.usable && !call.answered {
			return &Refusal{Code: CodeCloserCallID, Phase: PhaseClosers, Pos: call.pos, Seq: -1}
		}
	}
	return nil
}
