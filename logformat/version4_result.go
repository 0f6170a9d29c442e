package logformat

import (
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// earlyResult: V4-02, V4-01, V4-03, V3-09 and V4-09.
func earlyResult(row *envelope) *Refusal {
	message := row.data.Lookup("message")
	if refusal := earlyMessage(row, message, ecmajson.Node{}); refusal != nil {
		return refusal
	}
	source, call := message.Lookup("source"), message.Lookup("toolCallId")
	malformed := func(what string) *Refusal { return row.earlyFault(CodeToolResult, what) }
	failed := message.Lookup("isError").Value()
	switch {
	case !nonEmpty(message.Lookup("id")):
		return malformed("its message has no id")
	case !message.Lookup("role").Is("tool"):
		return malformed(`the role of its message is not "tool"`)
	case !nonEmpty(call):
		return malformed("its message has no toolCallId")
	case !source.Lookup("kind").Is("tool") || !ecmajson.Equal(source.Lookup("callId").Value(), call.Value()):
		return malformed("its source does not name the call that its message answers")
	case message.Lookup("content").Kind() != ecmajson.Array:
		return malformed("the content of its message is not an array")
	case !absentOr(failed, isBoolean):
		return malformed("isError of its message is " + short(failed))
	}
	if row.data.Lookup("error").Kind() != ecmajson.Absent && failed.Kind() != ecmajson.True {
		return row.earlyFault(CodeErrorOnSuccess, "")
	}
	return earlyForked(row, message)
}

const (
	forkedPrefix      = "forked-tool-result-"
	interruptedPrefix = "interrupted-tool-result-"
	codeNotStarted    = "TOOL_NOT_STARTED"
	nameNotStarted    = "ToolNotStartedError"
)

// earlyForked (V4-09) checks the result that a fork writes for a call that it cut off
// before it was started.
func earlyForked(row *envelope, message ecmajson.Node) *Refusal {
	fault := row.data.Lookup("error")
	id := message.Lookup("id").Value()
	if !fault.Lookup("code").Is(codeNotStarted) || len(id) <= len(forkedPrefix) || string(id[1:1+len(forkedPrefix)]) != forkedPrefix {
		return nil
	}
	malformed := func(what string) *Refusal { return row.earlyFault(CodeForkedResult, what) }
	number, ok := closerNumber(id.Text(), forkedPrefix, message.Lookup("toolCallId").Text())
	seq, counted := seqOf(row)
	switch {
	case !ok:
		return malformed("its id is not that of its call")
	case !fault.Lookup("name").Is(nameNotStarted) || message.Lookup("isError").Kind() != ecmajson.True || !isOneText(message.Lookup("content").Value()):
		return malformed("it is not an error of one text")
	case !counted || !forkedNumber(row, number, seq):
		return malformed("its id does not have its number, or, where it replaces, that of the event it cites")
	}
	return nil
}

// forkedNumber reports whether the number in the id is the one that it must be.
func forkedNumber(row *envelope, number, seq int64) bool {
	if row.surfaceOp.Is("append") {
		return number == seq && row.sources.Kind() == ecmajson.Absent
	}
	return number < seq && string(row.sources.Value()) == "["+strconv.FormatInt(number, 10)+"]"
}

// closerNumber returns the event number in the id of a result that no tool gave.
func closerNumber(id, prefix, call string) (int64, bool) {
	digits, ok := strings.CutPrefix(id, prefix+call+"-")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, ok && err == nil && n >= 0 && n <= maxSafe && strconv.FormatInt(n, 10) == digits
}

// isOneText reports whether content is one block of text.
func isOneText(content ecmajson.Value) bool {
	return content.Len() == 1 && firstOf(content).Lookup("type").Is("text") && firstOf(content).Lookup("text").Kind() == ecmajson.String
}

func firstOf(v ecmajson.Value) ecmajson.Value {
	for e := range v.Elements() {
		return e
	}
	return nil
}
