package logformat

import (
	"iter"
	"math"
	"strconv"

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

var rowTags = map[string]RowKind{
	"text-chunks":      TextRow,
	"reasoning-chunks": ReasoningRow,
	"tool-call-chunks": ToolCallRow,
}

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

// parseRow validates a canonical record whose type is a row tag. The reason is
// empty when the row is well-formed.
func parseRow(row *ChunkRow, kind RowKind, line ecmajson.Value) (reason string) {
	pos, form, buf := row.Pos, row.Form, row.memberBuffer
	*row = ChunkRow{Kind: kind, Pos: pos, Form: form, memberBuffer: buf}
	var seq0, time0, data ecmajson.Value
	for key, value := range line.Members() {
		switch {
		case key.Is("type"):
		case key.Is("seq0"):
			seq0 = value
		case key.Is("time0"):
			time0 = value
		case key.Is("data"):
			data = value
		default:
			return "it has a member besides type, seq0, time0 and data"
		}
	}
	if seq0 == nil || time0 == nil || data == nil {
		return "it must have type, seq0, time0 and data"
	}
	var ok bool
	if row.Seq0, ok = seq0.SafeInt(); !ok || row.Seq0 < 0 {
		return "seq0 is not an event number"
	}
	if row.Time0, ok = time0.SafeInt(); !ok {
		return "time0 is not a time in milliseconds"
	}
	if reason := row.parseData(data); reason != "" {
		return reason
	}
	row.data = data
	if row.Seq0 > maxSafe-int64(row.Count)+1 {
		return "its last event number is out of range"
	}
	return ""
}

func (row *ChunkRow) parseData(data ecmajson.Value) string {
	if data.Kind() != ecmajson.Object {
		return "its data is not an object"
	}
	payload := "texts"
	if row.Kind == ToolCallRow {
		payload = "args"
	}
	for key, value := range data.Members() {
		switch {
		case key.Is("turn"):
			row.Turn = value
		case key.Is("step"):
			row.Step = value
		case key.Is("index"):
			row.Index = value
		case key.Is("dt"):
			row.Gaps = value
		case key.Is(payload):
			row.Deltas = value
		case row.Kind == ToolCallRow && key.Is("id"):
			row.ID = value
		case row.Kind == ToolCallRow && key.Is("name"):
			row.Name = value
		default:
			return "its data has a member that the row kind does not have"
		}
	}
	for _, v := range []ecmajson.Value{row.Turn, row.Step, row.Index} {
		if v.Kind() != ecmajson.Number {
			return "turn, step and index must be numbers"
		}
	}
	if row.Kind == ToolCallRow && (row.ID.Kind() != ecmajson.String || row.Name != nil && row.Name.Kind() != ecmajson.String) {
		return "id and name must be strings"
	}
	return row.parseMembers()
}

func (row *ChunkRow) parseMembers() string {
	if row.Deltas.Kind() != ecmajson.Array {
		return "its payload is not an array"
	}
	for delta := range row.Deltas.Elements() {
		if delta.Kind() != ecmajson.String {
			return "its payload holds something that is not a string"
		}
		row.Count++
	}
	if row.Count == 0 {
		return "it has no members"
	}
	if row.Gaps.Kind() != ecmajson.Array {
		return "dt is not an array"
	}
	gaps, time := 0, row.Time0
	for gap := range row.Gaps.Elements() {
		ms, ok := gap.SafeInt()
		if !ok {
			return "dt holds something that is not a safe integer"
		}
		if time += ms; time > maxSafe || time < -maxSafe {
			return "a member's time is out of range"
		}
		gaps++
	}
	if gaps != row.Count-1 {
		return "dt has " + strconv.Itoa(gaps) + " gaps for " + strconv.Itoa(row.Count) + " members"
	}
	return ""
}

const maxSafe = int64(math.MaxInt64 >> 10) // 2^53-1
