package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// checkMessage validates the message that an event carries (section 4).
func checkMessage(env *envelope, eventType string) *Refusal {
	var message ecmajson.Node
	role := "user"
	switch eventType {
	case TypeUserMessage:
		message = env.data
	case TypeAssistantMessage:
		message, role = env.data.Lookup("message"), "assistant"
	case TypeToolResult:
		message = env.data.Lookup("message")
	default:
		return nil
	}
	if !nonEmpty(message.Lookup("id")) {
		return env.fault(CodeMessageID, PhaseMessages, eventType)
	}
	if !message.Lookup("role").Is(role) {
		return env.fault(CodeMessageRole, PhaseMessages, eventType+` must have role "`+role+`"`)
	}
	source := message.Lookup("source")
	if !nonEmpty(source.Lookup("kind")) {
		return env.fault(CodeMessageSource, PhaseMessages, eventType+" has no source kind")
	}
	content := message.Lookup("content")
	if content.Kind() != ecmajson.Array {
		return env.fault(CodeMessageBody, PhaseMessages, "content is not an array")
	}
	switch eventType {
	case TypeAssistantMessage:
		if !source.Lookup("kind").Is("model") || !hasRoute(source.Value()) {
			return env.fault(CodeMessageSource, PhaseMessages, "an assistant/message must name the model and provider it came from")
		}
	case TypeToolResult:
		return checkToolResult(env, source, content)
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
