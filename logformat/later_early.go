package logformat

import (
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Early admission (section 5.3 of the specification): what formats 3 and 4 refuse on every
// line that parses, before it is decoded. What both look for is here.

// earlyFault is a fault of early admission. The row has no number yet.
func (e *envelope) earlyFault(code Code, detail string) *Refusal {
	return e.fault(code, PhaseLines, detail)
}

// earlyHeader (V3-01): the system prompt is no member of a header any more.
func earlyHeader(row *envelope) *Refusal {
	header := row.data.Lookup("header")
	switch {
	case header.Kind() != ecmajson.Object:
		return row.earlyFault(CodeHeaderSystem, "data.header is not an object")
	case header.Lookup("system").Kind() != ecmajson.Absent:
		return row.earlyFault(CodeHeaderSystem, "it has a member system")
	}
	return nil
}

// earlyDispatch (V3-03): the names that dispatches had in formats 0 to 2.
func earlyDispatch(row *envelope) *Refusal {
	if row.ignorable.Kind() == ecmajson.True {
		return nil
	}
	return row.earlyFault(CodeRetiredDispatch, row.typeText())
}

// retiredDispatches adds them. They are of no vocabulary.
func retiredDispatches(table map[string]*typeRules) map[string]*typeRules {
	table[TypeToolCodeDispatch] = &typeRules{early: earlyDispatch}
	table[TypeToolCodeDispatchStart] = &typeRules{early: earlyDispatch}
	return table
}

// inStep reports whether data name a turn and a step, both from 1 on.
func inStep(data ecmajson.Node) bool {
	return positive(data.Lookup("turn").Value()) && positive(data.Lookup("step").Value())
}

func positive(v ecmajson.Value) bool {
	n, ok := v.SafeInt()
	return ok && n > 0
}

// earlySystem (V3-02) checks a system/message. exact: it has no members but those named here.
func earlySystem(row *envelope, exact bool, source func(ecmajson.Value) bool) *Refusal {
	data := row.data.Value()
	message := data.Lookup("message")
	malformed := func(what string) *Refusal { return row.earlyFault(CodeSystemShape, what) }
	switch {
	case !inStep(row.data):
		return malformed("it does not name a turn and a step")
	case message.Kind() != ecmajson.Object:
		return malformed("it has no message")
	case exact && !onlyKeys(data, []string{"turn", "step", "message"}):
		return malformed("its data have another member than turn, step and message")
	case exact && !onlyKeys(message, []string{"id", "role", "source", "content"}):
		return malformed("its message has another member than id, role, source and content, or not all of them")
	case !nonEmptyString(message.Lookup("id")):
		return malformed("its message has no id")
	case !message.Lookup("role").Is("system"):
		return malformed(`the role of its message is not "system"`)
	case message.Lookup("content").Kind() != ecmajson.Array:
		return malformed("the content of its message is not an array")
	case !source(message.Lookup("source")):
		return malformed("the source of its message is not of the shape that this format has")
	}
	for block := range message.Lookup("content").Elements() {
		if !wellFormed(block, exact) {
			return malformed("a block of its content is malformed")
		}
	}
	return nil
}

// wellFormed reports whether a block of a system message has its type's shape. Blocks of
// other types pass.
func wellFormed(block ecmajson.Value, exact bool) bool {
	if !nonEmptyString(block.Lookup("type")) {
		return false
	}
	only := func(required []string, optional ...string) bool {
		return !exact || onlyKeys(block, append(required, "type"), optional...)
	}
	str := func(member string) bool { return block.Lookup(member).Kind() == ecmajson.String }
	switch block.Lookup("type").Text() {
	case "text", "reasoning":
		return str("text") && only([]string{"text"})
	case "tool-call":
		return nonEmptyString(block.Lookup("id")) && nonEmptyString(block.Lookup("name")) && str("arguments") &&
			only([]string{"id", "name", "arguments"})
	case "image":
		return wellFormedImage(block.Lookup("attachment"), exact) && only([]string{"attachment"})
	case "tool-result":
		return exact && only([]string{"toolCallId", "content"}, "isError") && wellFormedResult(block)
	}
	return true
}

func wellFormedResult(block ecmajson.Value) bool {
	content := block.Lookup("content")
	if !nonEmptyString(block.Lookup("toolCallId")) || content.Kind() != ecmajson.Array || !absentOr(block.Lookup("isError"), isBoolean) {
		return false
	}
	for inner := range content.Elements() {
		if !wellFormed(inner, true) {
			return false
		}
	}
	return true
}

func wellFormedImage(image ecmajson.Value, exact bool) bool {
	const types = " image/png image/jpeg image/webp image/gif "
	media := image.Lookup("mediaType").Text()
	if media == "" || !strings.Contains(types, " "+media+" ") {
		return false
	}
	_, counted := count(image.Lookup("bytes"))
	size := image.Lookup("originalDimensions")
	return counted && nonEmptyString(image.Lookup("attachmentId")) && positive(image.Lookup("width")) && positive(image.Lookup("height")) &&
		absentOr(image.Lookup("name"), func(v ecmajson.Value) bool { return v.Kind() == ecmajson.String }) &&
		absentOr(size, func(v ecmajson.Value) bool {
			return positive(v.Lookup("width")) && positive(v.Lookup("height")) && (!exact || onlyKeys(v, []string{"width", "height"}))
		}) &&
		(!exact || onlyKeys(image, []string{"attachmentId", "mediaType", "bytes", "width", "height"}, "name", "originalDimensions"))
}

func isBoolean(v ecmajson.Value) bool { return v.Kind() == ecmajson.True || v.Kind() == ecmajson.False }

// absentOr reports whether a member is absent or as it must be.
func absentOr(v ecmajson.Value, ok func(ecmajson.Value) bool) bool { return v == nil || ok(v) }
