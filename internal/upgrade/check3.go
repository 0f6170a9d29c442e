package upgrade

import (
	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/internal/upgrade/shape"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// admitRow3 looks at a row of format 3 before it is decoded. What it finds refuses the log
// even in a tail that would be dropped.
func admitRow3(v *jsvalue.Value) *Refusal {
	if !v.IsObject() {
		return nil
	}
	kind := v.Get(keyType).Text()
	if refusal := admitStructure3(kind, v.Get(keyData)); refusal != nil {
		return refusal
	}
	return admitName3(kind, v.Get(keyIgnorable))
}

func admitStructure3(kind string, data *jsvalue.Value) *Refusal {
	switch kind {
	case logformat.TypeRequestHeader:
		header := data.Get("header")
		if !data.IsObject() || !header.IsObject() {
			return refuse(logformat.CodeHeaderSystem, StageRows, "a request header has no header").found(header)
		}
		if header.Has("system") {
			return refuse(logformat.CodeHeaderSystem, StageRows, "a request header holds a system prompt")
		}
	case logformat.TypeSystemMessage:
		return checkSystem3(data)
	}
	return nil
}

func admitName3(kind string, ignorable *jsvalue.Value) *Refusal {
	if (kind == logformat.TypeToolCodeDispatchStart || kind == logformat.TypeToolCodeDispatch) && !ignorable.IsTrue() {
		return refuse(logformat.CodeRetiredDispatch, StageRows, "a dispatch from code has the name of format 2")
	}
	return nil
}

func checkSystem3(data *jsvalue.Value) *Refusal {
	message := data.Get("message")
	turn, ok1 := data.Get("turn").Count()
	step, ok2 := data.Get("step").Count()
	source := message.Get("source")
	bad := func(detail string, got *jsvalue.Value) *Refusal {
		return refuse(logformat.CodeSystemShape, StageRows, detail).found(got)
	}
	switch {
	case !exactMembers(data, []string{"turn", "step", "message"}, nil):
		return bad("a system message has other members than turn, step and message", data)
	case !ok1 || !ok2 || turn == 0 || step == 0:
		return bad("turn or step of a system message is no count from 1", data.Get("turn"))
	case !exactMembers(message, []string{"id", "role", "source", "content"}, nil):
		return bad("the message has other members than id, role, source and content", message)
	case !message.Get("id").Filled() || !message.Get("role").Is("system"):
		return bad("a system message has no id, or another role", message.Get("role"))
	case !source.Get("kind").Is("plugin") || !source.Get("plugin").Filled():
		return bad("the source of a system message is no plugin", source)
	}
	if fault := shape.Message(message.With("role", jsvalue.String("user"))); fault != nil {
		r := bad("a system message is not well-formed: "+fault.Want+" is wanted", fault.Got)
		r.Member = "/data/message" + fault.Pointer
		return r
	}
	return nil
}

// known3 are the types of format 3 whose envelope its own reader interprets when it decodes.
func known3(kind string) bool {
	switch kind {
	case logformat.TypeToolCodeDispatchStart, logformat.TypeToolCodeDispatch:
		return false
	case logformat.TypeToolPTCDispatchStart, logformat.TypeToolPTCDispatch, logformat.TypeSystemMessage:
		return true
	}
	return shape.Known(kind, 2)
}

// check3 looks at an event of format 3: its envelope, and what its type demands.
func check3(e *Event, stage Stage) *Refusal {
	refusal := checkEnvelope3(e)
	if refusal == nil {
		refusal = admitStructure3(e.Type, e.Data)
	}
	if refusal == nil {
		refusal = checkPayload3(e)
	}
	if refusal != nil {
		refusal.Stage = stage
	}
	return refusal
}

func checkEnvelope3(e *Event) *Refusal {
	surface := surface3[e.Type]
	if !surface && known3(e.Type) && (e.has(keyOp) || e.has(keySources)) {
		return refuse(logformat.CodeSurfaceOpLogOnly, StageRows, "an event that is not of the surface has surfaceOp or sourceEventSeqs")
	}
	if !isCount(e.number) {
		return refuse(logformat.CodeEnvelope, StageRows, "the number is no count").found(e.number)
	}
	if !surface {
		return nil
	}
	return checkSurface3(e)
}

// checkSurface3 looks at how an event changes the surface, in formats 3 and 4.
func checkSurface3(e *Event) *Refusal {
	if e.Op == nil {
		return refuse(logformat.CodeSurfaceOpLogOnly, StageRows, "an event of the surface has no surfaceOp")
	}
	if !e.appended() {
		start, ok1 := e.Op.Get("startSeq").Count()
		end, ok2 := e.Op.Get("endSeq").Count()
		if !exactMembers(e.Op, []string{"op", "startSeq", "endSeq"}, nil) || !e.Op.Get("op").Is("replace") || !ok1 || !ok2 || start >= e.Seq || end >= e.Seq {
			return refuse(logformat.CodeSurfaceOpShape, StageRows, "the change of the surface has not the form of format 3, or names no earlier events").found(e.Op)
		}
	}
	switch {
	case !e.cites:
		return nil
	case e.Type == logformat.TypeAssistantMessage:
		return refuse(logformat.CodeSourcesShape, StageRows, "an assistant message cites events")
	case len(e.Sources) == 0 || !distinctBelow(e.Sources, e.Seq):
		return refuse(logformat.CodeSourcesShape, StageRows, "the cited events are none, not distinct, or not earlier")
	}
	return nil
}

func checkPayload3(e *Event) *Refusal {
	switch e.Type {
	case logformat.TypeRequestHeader:
		return emptyMembers(e.Data.Get("header"))
	case logformat.TypeToolResult:
		if !e.Data.IsObject() {
			return refuse(logformat.CodeErrorOnSuccess, StageRows, "the data are no object").found(e.Data)
		}
		content := e.Data.Get("message").Get("content")
		block := content.Item(0)
		if e.Data.Has("error") && (len(content.Items()) != 1 || !block.Get("type").Is("tool-result") || !block.Get("isError").IsTrue()) {
			return refuse(logformat.CodeErrorOnSuccess, StageRows, "a tool result that did not fail has an error")
		}
	}
	return nil
}

// emptyMembers refuses empty members of a request header that have to be absent.
func emptyMembers(header *jsvalue.Value) *Refusal {
	tools, defaults := header.Get("tools"), header.Get("adapterDefaults")
	if tools.IsArray() && len(tools.Items()) == 0 || defaults.IsObject() && len(defaults.Members()) == 0 {
		return refuse(logformat.CodeHeaderEmpty, StageRows, "a request header has empty tools or defaults")
	}
	return nil
}
