package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// Early admission of format 4. The checks are in the order in which the harness makes
// them, which decides what a row with two faults is refused for.

// blocks are what early admission looks for among blocks.
type blocks struct {
	announces bool // a block announces tools (V4-07)
	result    bool // a block holds a tool's result (V4-02)
}

// look looks at the blocks of an array.
func (b *blocks) look(content ecmajson.Node) {
	for block := range content.Children() {
		b.note(block.Lookup("type"))
	}
}

func (b *blocks) note(blockType ecmajson.Node) {
	switch {
	case blockType.Is("tool-result"):
		b.result = true
	case blockType.Is("tool-addition"), blockType.Is("tool-removal"):
		b.announces = true
	}
}

// stream looks at the blocks that a stream begins and ends.
func (b *blocks) stream(stream ecmajson.Node) {
	for rec := range stream.Children() {
		if !rec.Lookup("type").Is("chunk") {
			continue
		}
		chunk := rec.Lookup("chunk")
		b.note(chunk.Lookup("blockType"))
		b.note(chunk.Lookup("block").Lookup("type"))
	}
}

// fault returns the fault of blocks that stand where these may not. source is that of their
// message, if they are one's.
func (b *blocks) fault(row *envelope, source ecmajson.Node) *Refusal {
	switch {
	case b.announces:
		return row.earlyFault(CodeToolBlock, "")
	case source.Lookup("kind").Is("plugin"):
		return row.earlyFault(CodePluginSource, "")
	case b.result:
		return row.earlyFault(CodeResultBlock, "")
	}
	return nil
}

// earlyMessage looks at a message that is not a developer's (V4-01, V4-02, V4-04, V4-07).
// stream is that of its settlement.
func earlyMessage(row *envelope, message, stream ecmajson.Node) *Refusal {
	if message.Lookup("role").Is("developer") {
		return row.earlyFault(CodeDeveloper, "only a developer/message has the role developer")
	}
	var b blocks
	b.look(message.Lookup("content"))
	b.stream(stream)
	return b.fault(row, message.Lookup("source"))
}

func earlyUser(row *envelope) *Refusal { return earlyMessage(row, row.data, ecmajson.Node{}) }

func earlyAssistant(row *envelope) *Refusal {
	return earlyMessage(row, row.data.Lookup("message"), row.data.Lookup("stream"))
}

func earlyQueued(row *envelope) *Refusal {
	var b blocks
	b.look(row.data.Lookup("message").Lookup("content"))
	return b.fault(row, ecmajson.Node{})
}

// earlySystem4 (V3-02): in format 4 a system/message may have further members, and its
// source is checked with the relationships.
func earlySystem4(row *envelope) *Refusal {
	if refusal := earlyAssistant(row); refusal != nil {
		return refusal
	}
	return earlySystem(row, false, func(ecmajson.Value) bool { return true })
}

// earlyMessages looks at each message of an array in the data.
func earlyMessages(member string) func(row *envelope) *Refusal {
	return func(row *envelope) *Refusal {
		for message := range row.data.Lookup(member).Children() {
			if refusal := earlyMessage(row, message, ecmajson.Node{}); refusal != nil {
				return refusal
			}
		}
		return nil
	}
}

// earlyBlocks looks at arrays of blocks in the data.
func earlyBlocks(members ...string) func(row *envelope) *Refusal {
	return func(row *envelope) *Refusal {
		var b blocks
		for _, member := range members {
			b.look(row.data.Lookup(member))
		}
		return b.fault(row, ecmajson.Node{})
	}
}

// earlyHeader4: V4-08, then V3-01.
func earlyHeader4(row *envelope) *Refusal {
	for tool := range row.data.Lookup("header").Lookup("tools").Children() {
		if kind := tool.Lookup("deferLoading").Kind(); kind != ecmajson.Absent && kind != ecmajson.True {
			return row.earlyFault(CodeDeferLoading, "a tool's deferLoading is "+short(tool.Lookup("deferLoading").Value()))
		}
	}
	return earlyHeader(row)
}

// earlyDeveloper: V4-04, V4-05, V4-02.
func earlyDeveloper(row *envelope) *Refusal {
	message := row.data.Lookup("message")
	kind := message.Lookup("source").Lookup("kind")
	malformed := func(what string) *Refusal { return row.earlyFault(CodeDeveloper, what) }
	switch {
	case !inStep(row.data):
		return malformed("it does not name a turn and a step")
	case !message.Lookup("role").Is("developer"):
		return malformed(`the role of its message is not "developer"`)
	case !nonEmpty(message.Lookup("id")):
		return malformed("its message has no id")
	case message.Lookup("content").Kind() != ecmajson.Array:
		return malformed("the content of its message is not an array")
	case !nonEmpty(kind) || kind.Is("plugin"):
		return malformed("its source has no kind, or kind plugin")
	}
	b, adds, detail := developerBlocks(message.Lookup("content"))
	if detail != "" {
		return malformed(detail)
	}
	if refusal := earlyHeaderSeq(row, adds); refusal != nil {
		return refusal
	}
	b.announces = false
	return b.fault(row, ecmajson.Node{})
}

// developerBlocks looks at what a developer/message holds. adds: it adds a tool.
func developerBlocks(content ecmajson.Node) (b blocks, adds bool, fault string) {
	for block := range content.Children() {
		b.note(block.Lookup("type"))
		addition := block.Lookup("type").Is("tool-addition")
		adds = adds || addition
		switch {
		case block.Kind() == ecmajson.Null:
			return b, adds, "a block of its content is null"
		case (addition || block.Lookup("type").Is("tool-removal")) && !nonEmpty(block.Lookup("toolName")):
			return b, adds, "a block of its content names no tool"
		case addition && block.Lookup("tool").Kind() != ecmajson.Absent:
			return b, adds, "a block of its content holds the tool that it adds"
		}
	}
	return b, adds, ""
}

// earlyHeaderSeq (V4-05): what adds tools names the header that holds them.
func earlyHeaderSeq(row *envelope, adds bool) *Refusal {
	seq := row.data.Lookup("headerSeq").Value()
	if !adds && seq != nil {
		return row.earlyFault(CodeHeaderSeqShape, "it adds no tool, and has a headerSeq")
	}
	if _, ok := count(seq); adds && !ok {
		return row.earlyFault(CodeHeaderSeqShape, "it adds a tool, and headerSeq is "+seqText(seq))
	}
	return nil
}

// short is the beginning of a value, to be shown.
func short(v ecmajson.Value) string { return string(v[:min(len(v), 40)]) }
