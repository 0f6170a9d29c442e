package logformat

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// calls are the tool calls that the assistant made in the open step.
type calls struct {
	list []call
	byID map[string]int
	text []byte // names and arguments, one after the other
}

type call struct {
	id                string
	end               int // in text: of its name, after which the arguments follow
	from, to          int
	started, answered bool
}

func (c *calls) reset() {
	c.list, c.text = c.list[:0], c.text[:0]
	clear(c.byID)
}

// unanswered is the id of the first call without a result, "" where there is none.
func (c *calls) unanswered() string {
	for i := range c.list {
		if !c.list[i].answered {
			return c.list[i].id
		}
	}
	return ""
}

func (c *calls) find(id ecmajson.Value) *call {
	if id.Kind() != ecmajson.String {
		return nil
	}
	i, ok := c.byID[string(id)]
	if !ok {
		return nil
	}
	return &c.list[i]
}

// is reports whether a call has this name and these arguments.
func (c *calls) is(k *call, name, arguments ecmajson.Value) bool {
	return bytes.Equal(c.text[k.from:k.end], name) && bytes.Equal(c.text[k.end:k.to], arguments)
}

// relateAssistant: V2-26, V2-27, V4-01.
func relateAssistant(log *laterLog, row *envelope, event *Event) *Refusal {
	if refusal := relateInStep(log, row, event); refusal != nil {
		return refusal
	}
	message := row.data.Lookup("message")
	if refusal := log.sourceFault(row, message); refusal != nil {
		return refusal
	}
	for block := range message.Lookup("content").Value().Elements() {
		if block.Kind() != ecmajson.Object { // V2-21
			return row.relation(CodeMessageBody, "a block of its content is no object")
		}
	}
	c := &log.rel.calls
	for block := range message.Lookup("content").Children() {
		if !block.Lookup("type").Is("tool-call") {
			continue
		}
		if id := block.Lookup("id"); !nonEmpty(id) || c.find(id.Value()) != nil {
			return row.relation(CodeCallID, "call "+seqText(id.Value()))
		}
		c.advertise(block)
	}
	return nil
}

// advertise adds a call that the assistant makes.
func (c *calls) advertise(block ecmajson.Node) {
	id := block.Lookup("id")
	k := call{id: id.Text(), from: len(c.text)}
	c.text = append(c.text, block.Lookup("name").Value()...)
	k.end = len(c.text)
	c.text = append(c.text, block.Lookup("arguments").Value()...)
	k.to = len(c.text)
	if c.byID == nil {
		c.byID = make(map[string]int)
	}
	c.byID[string(id.Value())] = len(c.list)
	c.list = append(c.list, k)
}

// relateCall: V2-26, V2-28.
func relateCall(log *laterLog, row *envelope, event *Event) *Refusal {
	if refusal := relateInStep(log, row, event); refusal != nil {
		return refusal
	}
	data, c := row.data, &log.rel.calls
	k := c.find(data.Lookup("callId").Value())
	if k == nil || k.started || k.answered || !c.is(k, data.Lookup("name").Value(), data.Lookup("arguments").Value()) {
		return row.relation(CodeCallUnknown, "call "+seqText(data.Lookup("callId").Value()))
	}
	k.started = true
	return nil
}

// relateResult: V2-26, V2-29, V2-30, V4-01.
func relateResult(log *laterLog, row *envelope, event *Event) *Refusal {
	if event.Surface.Op == OpReplace {
		return relateInTurn(log, row, event)
	}
	if refusal := relateInStep(log, row, event); refusal != nil {
		return refusal
	}
	message := row.data.Lookup("message")
	id := message.Lookup("source").Lookup("callId")
	k := log.rel.calls.find(id.Value())
	if k == nil || k.answered || !k.started && !log.isRepair(row, message, k.id) {
		return row.relation(CodeResultUnknown, "call "+seqText(id.Value()))
	}
	k.answered = true
	return nil
}

// isRepair reports whether a result is the one that a repair writes for a call that was
// not started. Those that a fork writes were checked before (V4-09).
func (log *laterLog) isRepair(row *envelope, message ecmajson.Node, call string) bool {
	fault := row.data.Lookup("error")
	result := message.Value()
	if log.rules.wrapped {
		result = firstOf(result.Lookup("content"))
	}
	content := result.Lookup("content")
	if !fault.Lookup("name").Is(nameNotStarted) || !fault.Lookup("code").Is(codeNotStarted) || result.Lookup("isError").Kind() != ecmajson.True ||
		row.sources.Kind() != ecmajson.Absent || !isOneText(content) {
		return false
	}
	id := message.Lookup("id").Text()
	if _, forked := closerNumber(id, forkedPrefix, call); forked && !log.rules.wrapped {
		return true
	}
	n, ok := closerNumber(id, interruptedPrefix, call)
	return ok && (!log.rules.exactly || n == row.seq) && isNotStartedText(firstOf(content).Lookup("text"))
}

// notStartedText is the SHA-256 of the sentence that a repair writes for the model.
const notStartedText = "613f8e88c4324029a758e388a77c9082e93d36d39ad23d5f76c5529fe7b0b42f"

func isNotStartedText(v ecmajson.Value) bool {
	sum := sha256.Sum256([]byte(v.Text()))
	return hex.EncodeToString(sum[:]) == notStartedText
}
