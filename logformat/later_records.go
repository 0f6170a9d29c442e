package logformat

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// relateCommandRun: V2-40.
func relateCommandRun(log *laterLog, row *envelope, event *Event) *Refusal {
	rel := &log.rel
	id := row.data.Lookup("commandId")
	if _, again := rel.commands[id.Text()]; again || !nonEmpty(id) {
		return row.relation(CodeCommand, "command "+seqText(id.Value()))
	}
	if rel.commands == nil {
		rel.commands = make(map[string]bool)
	}
	rel.commands[id.Text()] = false
	rel.commandRows = append(rel.commandRows, event.Seq)
	return nil
}

// relateCommandDone: V2-40.
func relateCommandDone(log *laterLog, row *envelope, event *Event) *Refusal {
	rel, data := &log.rel, row.data
	id := data.Lookup("commandId")
	done, ran := rel.commands[id.Text()]
	if !ran || done || !nonEmpty(id) {
		return row.relation(CodeCommand, "command "+seqText(id.Value()))
	}
	if source := data.Lookup("sourceEventSeq").Value(); source != nil {
		n, ok := count(source)
		if !ok || n >= event.Seq || !data.Lookup("kind").Is("success") || contains(rel.commandRows, n) {
			return row.relation(CodeCommand, "sourceEventSeq "+seqText(source))
		}
	}
	rel.commands[id.Text()] = true
	rel.commandRows = append(rel.commandRows, event.Seq)
	return nil
}

// cites reads messageSeqs (V2-41), and reports how many there are, -1 where one is not a
// message of the user that stands before the row.
func (log *laterLog) cites(list ecmajson.Value) int {
	if list.Kind() != ecmajson.Array {
		return -1
	}
	n := 0
	log.seqs = log.seqs[:0]
	for v := range list.Elements() {
		seq, ok := count(v)
		if !ok || !contains(log.rel.human, seq) {
			return -1
		}
		log.seqs = append(log.seqs, seq)
		n++
	}
	if hasDuplicate(log.seqs) {
		return -1
	}
	return n
}

// relateTitle: V2-41.
func relateTitle(log *laterLog, row *envelope, _ *Event) *Refusal {
	n := log.cites(row.data.Lookup("messageSeqs").Value())
	byUser := row.data.Lookup("source").Lookup("kind").Is("user")
	if n < 0 || byUser != (n == 0) {
		return row.relation(CodeTitle, "messageSeqs is "+seqText(row.data.Lookup("messageSeqs").Value()))
	}
	return nil
}

// relateTitleRequest: V2-41, V4-01.
func relateTitleRequest(log *laterLog, row *envelope, event *Event) *Refusal {
	if refusal := relateMessages("messages")(log, row, event); refusal != nil {
		return refusal
	}
	messages := row.data.Lookup("messages").Value()
	message := firstOf(messages)
	if log.cites(row.data.Lookup("messageSeqs").Value()) < 1 || messages.Len() != 1 || !message.Lookup("role").Is("user") ||
		!isOneText(message.Lookup("content")) || !log.rules.titler(message.Lookup("source")) {
		return row.relation(CodeTitle, "its one message, or messageSeqs, is not what a request for a title holds")
	}
	return nil
}

// relateDelivery: V2-42. That it names another session is no fault where it was inherited.
func relateDelivery(log *laterLog, row *envelope, event *Event) *Refusal {
	data := row.data
	if data.Kind() != ecmajson.Object {
		return row.relation(CodeDataShape, event.Type)
	}
	format := int64(0)
	if v := data.Lookup("sessionFormatVersion").Value(); v != nil {
		var ok bool
		if format, ok = count(v); !ok {
			return row.relation(CodeDelivery, "sessionFormatVersion "+seqText(v))
		}
	}
	if format != log.r.version.number {
		return nil
	}
	if through, ok := count(data.Lookup("throughSeq").Value()); log.rules.head && (!ok || through >= event.Seq) {
		return row.relation(CodeDelivery, "throughSeq "+seqText(data.Lookup("throughSeq").Value()))
	}
	if id := data.Lookup("sessionId"); !id.Is(log.r.header.ID) && log.rel.delivery == nil {
		log.rel.delivery = row.relation(CodeDelivery, "session "+seqText(id.Value()))
	}
	return nil
}

// relateCatalog: V4-10.
func relateCatalog(log *laterLog, row *envelope, _ *Event) *Refusal {
	rel := &log.rel
	if rel.catalog != nil {
		return nil
	}
	data := row.data
	id := data.Lookup("childId")
	switch {
	case !isCatalogRow(data):
		rel.catalog = row.relation(CodeSubagentCatalog, "version "+seqText(data.Lookup("version").Value())+", mode "+seqText(data.Lookup("mode").Value()))
	case rel.children[string(id.Value())]:
		rel.catalog = row.relation(CodeSubagentCatalog, "child "+seqText(id.Value()))
	default:
		if rel.children == nil {
			rel.children = make(map[string]bool)
		}
		rel.children[string(id.Value())] = true
	}
	return nil
}

func isCatalogRow(data ecmajson.Node) bool {
	version, ok := count(data.Lookup("version").Value())
	_, created := count(data.Lookup("childCreatedAt").Value())
	label := data.Lookup("label").Kind()
	if !ok || !created || version > 2 || data.Lookup("childId").Kind() != ecmajson.String || label != ecmajson.Absent && label != ecmajson.String {
		return false
	}
	switch data.Lookup("mode").Text() {
	case "continuable":
		return label == ecmajson.String
	case "one-shot":
		return true
	case "external":
		return version == 2
	case "unknown":
		return version != 0
	}
	return false
}

// headerTools are the tools of each request/header so far. Headers mostly repeat them.
type headerTools struct {
	bySeq map[int64]*toolList
	last  *toolList
}

type toolList struct {
	text  ecmajson.Value
	whole map[string]int // how often a tool of a name stands there; 0: not whole. Made when asked
}

func (h *headerTools) add(seq int64, tools ecmajson.Value) {
	if h.bySeq == nil {
		h.bySeq = make(map[int64]*toolList)
	}
	if h.last == nil || string(h.last.text) != string(tools) {
		h.last = &toolList{text: append(ecmajson.Value(nil), tools...)}
	}
	h.bySeq[seq] = h.last
}

// has reports whether a tool stands there exactly once, whole.
func (t *toolList) has(name ecmajson.Value) bool {
	if t.whole == nil {
		t.whole = make(map[string]int)
		for tool := range t.text.Elements() {
			key := tool.Lookup("name").Text()
			t.whole[key]++
			if tool.Lookup("description").Kind() != ecmajson.String || tool.Lookup("parameters").Kind() != ecmajson.Object {
				t.whole[key] += 2
			}
		}
	}
	return t.whole[name.Text()] == 1
}

// relateDeveloper: V2-26, V4-01, V4-06.
func relateDeveloper(log *laterLog, row *envelope, event *Event) *Refusal {
	if refusal := relateInStep(log, row, event); refusal != nil {
		return refusal
	}
	message := row.data.Lookup("message")
	if refusal := log.sourceFault(row, message); refusal != nil {
		return refusal
	}
	seq, ok := count(row.data.Lookup("headerSeq").Value())
	if !ok {
		return nil // it adds nothing
	}
	tools := log.rel.headers.bySeq[seq]
	if tools == nil {
		return row.relation(CodeHeaderSeq, fmt.Sprintf("headerSeq %d", seq))
	}
	for block := range message.Lookup("content").Children() {
		if block.Lookup("type").Is("tool-addition") && !tools.has(block.Lookup("toolName").Value()) {
			return row.relation(CodeHeaderSeq, "tool "+seqText(block.Lookup("toolName").Value()))
		}
	}
	return nil
}
