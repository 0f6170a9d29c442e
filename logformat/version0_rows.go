package logformat

import (
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

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
	for key, value := range data.Members() {
		member := row.member(key)
		if member == nil {
			return "its data has a member that the row kind does not have"
		}
		*member = value
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

// member returns where a member of the data belongs, nil when the row's kind has none
// of that name.
func (row *ChunkRow) member(key ecmajson.Value) *ecmajson.Value {
	payload := "texts"
	if row.Kind == ToolCallRow {
		payload = "args"
	}
	switch {
	case key.Is("turn"):
		return &row.Turn
	case key.Is("step"):
		return &row.Step
	case key.Is("index"):
		return &row.Index
	case key.Is("dt"):
		return &row.Gaps
	case key.Is(payload):
		return &row.Deltas
	case row.Kind == ToolCallRow && key.Is("id"):
		return &row.ID
	case row.Kind == ToolCallRow && key.Is("name"):
		return &row.Name
	}
	return nil
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
