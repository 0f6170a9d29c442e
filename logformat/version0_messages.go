package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// The messages of format 0.
var (
	userMessage      = &messageRules{role: "user"}
	assistantMessage = &messageRules{member: "message", role: "assistant", rest: checkAssistant}
	toolResult       = &messageRules{member: "message", role: "user", rest: checkToolResult}
)

func checkAssistant(env *envelope, source, _ ecmajson.Node) *Refusal {
	if !source.Lookup("kind").Is("model") || !hasRoute(source.Value()) {
		return env.fault(CodeMessageSource, PhaseMessages, "an assistant/message must name the model and provider it came from")
	}
	return nil
}

func checkToolResult(env *envelope, source, content ecmajson.Node) *Refusal {
	callID := source.Lookup("callId")
	if !source.Lookup("kind").Is("tool") || !nonEmpty(callID) {
		return env.fault(CodeMessageSource, PhaseMessages, "a tool/result must name the call it answers")
	}
	var block ecmajson.Node
	for block = range content.Children() {
		break
	}
	// Exactly one block, and nothing beside it: [{…}].
	start, end := block.Span()
	contentStart, contentEnd := content.Span()
	if start != contentStart+1 || end != contentEnd-1 || !block.Lookup("type").Is("tool-result") || block.Lookup("content").Kind() != ecmajson.Array {
		return env.fault(CodeMessageBody, PhaseMessages, "a tool/result must hold exactly one tool-result block with a content array")
	}
	if !ecmajson.Equal(block.Lookup("toolCallId").Value(), callID.Value()) {
		return env.fault(CodeMessageBody, PhaseMessages, "the tool-result block answers another call than the source names")
	}
	return nil
}
