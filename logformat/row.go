package logformat

import (
	"iter"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// RowKind is the stream block that a chunk row belongs to.
type RowKind uint8

// The kinds of chunk row.
const (
	TextRow RowKind = iota + 1
	ReasoningRow
	ToolCallRow
)

// String returns the row's type tag as the log spells it.
func (k RowKind) String() string {
	switch k {
	case TextRow:
		return "text-chunks"
	case ReasoningRow:
		return "reasoning-chunks"
	case ToolCallRow:
		return "tool-call-chunks"
	}
	return ""
}

// A ChunkRow is a packed run of assistant/chunk delta events of one stream
// block. It is storage, not an event: member k has the number Seq0+k. Its byte
// slices are valid until the reader's next step.
type ChunkRow struct {
	Kind         RowKind
	Seq0, Time0  int64
	Count        int            // members, at least 1
	Turn, Step   ecmajson.Value // numbers
	Index        ecmajson.Value // the block's index, a number
	ID, Name     ecmajson.Value // tool calls only; Name may be absent
	Gaps         ecmajson.Value // array of Count-1 safe integers: milliseconds between members
	Deltas       ecmajson.Value // array of Count strings
	Pos          Position
	Form         ecmajson.Form
	data         ecmajson.Value
	memberEvent  Event
	memberBuffer []byte
}

// Events yields the members as the events that they pack, each valid until the
// next step.
func (row *ChunkRow) Events() iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		next, stop := iter.Pull(row.Gaps.Elements())
		defer stop()
		k := int64(0)
		time := row.Time0
		for delta := range row.Deltas.Elements() {
			if k > 0 {
				gap, _ := next()
				ms, _ := gap.SafeInt()
				time += ms
			}
			row.memberBuffer = row.appendMemberData(row.memberBuffer[:0], delta)
			row.memberEvent = Event{
				Type: TypeAssistantChunk, Seq: row.Seq0 + k, Time: time,
				Data: row.memberBuffer, Pos: row.Pos, Form: row.Form, Known: true,
			}
			if !yield(&row.memberEvent) {
				return
			}
			k++
		}
	}
}

func (row *ChunkRow) appendMemberData(b []byte, delta ecmajson.Value) []byte {
	b = append(b, `{"turn":`...)
	b = appendNumber(b, row.Turn)
	b = append(b, `,"step":`...)
	b = appendNumber(b, row.Step)
	switch row.Kind {
	case TextRow:
		b = append(b, `,"chunk":{"type":"text-delta","index":`...)
	case ReasoningRow:
		b = append(b, `,"chunk":{"type":"reasoning-delta","index":`...)
	case ToolCallRow:
		b = append(b, `,"chunk":{"type":"tool-call-delta","index":`...)
	}
	b = appendNumber(b, row.Index)
	if row.Kind != ToolCallRow {
		b = append(b, `,"text":`...)
	} else {
		b = append(b, `,"id":`...)
		b = append(b, row.ID...)
		if row.Name != nil {
			b = append(b, `,"name":`...)
			b = append(b, row.Name...)
		}
		b = append(b, `,"argumentsDelta":`...)
	}
	b = append(b, delta...)
	return append(b, "}}"...)
}

// appendNumber prints a number of the row; one beyond the doubles prints as null.
func appendNumber(b []byte, v ecmajson.Value) []byte {
	f, _ := v.Float()
	return ecmajson.AppendNumber(b, f)
}
