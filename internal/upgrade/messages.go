package upgrade

import (
	"iter"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// slotOf returns the member of an event's data that holds its messages: "message" one,
// "inserted" and "messages" an array. A user/message is its message; then it is "".
func slotOf(eventType string) (slot string, many, ok bool) {
	switch eventType {
	case logformat.TypeUserMessage:
		return "", false, true
	case logformat.TypeAssistantMessage, logformat.TypeToolResult, logformat.TypeSystemMessage, logformat.TypeDeveloperMessage:
		return "message", false, true
	case logformat.TypeAgentInboxSpliced:
		return "inserted", true, true
	case logformat.TypeSessionTitleRequest:
		return "messages", true, true
	}
	return "", false, false
}

// messagesOf yields the messages that an event holds.
func messagesOf(e *Event) iter.Seq[*jsvalue.Value] {
	return func(yield func(*jsvalue.Value) bool) {
		slot, many, ok := slotOf(e.Type)
		switch {
		case !ok:
		case many:
			for _, message := range e.Data.Get(slot).Items() {
				if !yield(message) {
					return
				}
			}
		case slot == "":
			yield(e.Data)
		default:
			yield(e.Data.Get(slot))
		}
	}
}

// mapMessages returns the event with its messages mapped.
func mapMessages(e *Event, change func(*jsvalue.Value) *jsvalue.Value) *Event {
	slot, many, ok := slotOf(e.Type)
	switch {
	case !ok:
		return e
	case slot == "":
		return e.withData(change(e.Data))
	case !many:
		return e.withData(e.Data.With(slot, change(e.Data.Get(slot))))
	}
	items := make([]*jsvalue.Value, 0, len(e.Data.Get(slot).Items()))
	for _, message := range e.Data.Get(slot).Items() {
		items = append(items, change(message))
	}
	return e.withData(e.Data.With(slot, jsvalue.Array(items...)))
}

// repairID reports whether an id is one that a repair gave to the result of a call that was
// not started: with the number that the event once had.
func repairID(id, callID *jsvalue.Value) bool {
	suffix, ok := strings.CutPrefix(id.Text(), "interrupted-tool-result-"+callID.Text()+"-")
	return ok && callID.IsString() && id.IsString() && canonicalCount(suffix)
}

// canonicalCount reports whether text is a count as JavaScript prints one.
func canonicalCount(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n >= 0 && n <= maxSafe && strconv.FormatInt(n, 10) == text
}
