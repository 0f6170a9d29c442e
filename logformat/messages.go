package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// messageRules are what a version says of the message that an event carries.
type messageRules struct {
	member string // of the data in which it lies; "": the data are the message
	role   string
	// rest holds it to the rules of its type; nil: there are none.
	rest func(row *envelope, source, content ecmajson.Node) *Refusal
}

// in returns the message of an event.
func (m *messageRules) in(row *envelope) ecmajson.Node {
	if m.member == "" {
		return row.data
	}
	return row.data.Lookup(m.member)
}

// check validates the message of an event, if its type has one.
func (m *messageRules) check(row *envelope, eventType string) *Refusal {
	if m == nil {
		return nil
	}
	message := m.in(row)
	if !nonEmpty(message.Lookup("id")) {
		return row.fault(CodeMessageID, PhaseMessages, eventType)
	}
	if !message.Lookup("role").Is(m.role) {
		return row.fault(CodeMessageRole, PhaseMessages, eventType+` must have role "`+m.role+`"`)
	}
	source := message.Lookup("source")
	if !nonEmpty(source.Lookup("kind")) {
		return row.fault(CodeMessageSource, PhaseMessages, eventType+" has no source kind")
	}
	content := message.Lookup("content")
	if content.Kind() != ecmajson.Array {
		return row.fault(CodeMessageBody, PhaseMessages, "content is not an array")
	}
	if m.rest == nil {
		return nil
	}
	return m.rest(row, source, content)
}
