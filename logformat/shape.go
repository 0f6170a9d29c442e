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

// checkRequestHeader validates the data of a request/header event.
func checkRequestHeader(env *envelope) *Refusal {
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
	return nil
}

// foldFault notes a header that the harness loads and cannot fold.
func (r *Reader) foldFault(env *envelope) {
	header := env.data.Lookup("header")
	for _, member := range []string{"system", "tools"} {
		if header.Lookup(member).Kind() == ecmajson.Null {
			r.faults.add(env.fault(CodeHeaderMember, PhaseFold, member+" is null"))
		}
	}
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

func nonEmpty(n ecmajson.Node) bool { return nonEmptyString(n.Value()) }

func nonEmptyString(v ecmajson.Value) bool {
	return v.Kind() == ecmajson.String && len(v) > len(`""`)
}

func hasRoute(v ecmajson.Value) bool {
	return nonEmptyString(v.Lookup("provider")) && nonEmptyString(v.Lookup("model"))
}
