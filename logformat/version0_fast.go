package logformat

// Most lines of a log are chunks: single deltas, or packed rows of them. This
// file reads both in one pass over their bytes, if they are laid out exactly as
// the harness prints them. What it does not recognise it leaves to the general
// way, so it never has to be complete.
//
// Invariants: a line that is taken here is canonical JSON (members in the order
// below, integers of at most 15 digits without leading zeros, strings that
// ecmajson calls canonical) and passes every check of the general way; and a
// line that is not taken has changed nothing.

// chunkStart is how the line of a chunk event begins.
const chunkStart = `{"type":"` + TypeAssistantChunk + `","seq":`

// takeChunks takes a chunk line; ok is false when the general way must.
func (r *Reader) takeChunks(l line) (rec *Record, ok bool) {
	c := cursor{src: l.text}
	switch {
	case c.literal(chunkStart):
		return r.fastDelta(&c, l)
	case c.literal(`{"type":"text-chunks","seq0":`):
		return r.fastRow(&c, TextRow, l)
	case c.literal(`{"type":"reasoning-chunks","seq0":`):
		return r.fastRow(&c, ReasoningRow, l)
	case c.literal(`{"type":"tool-call-chunks","seq0":`):
		return r.fastRow(&c, ToolCallRow, l)
	}
	return nil, false
}

// fastDelta takes a delta chunk event:
//
//	{"type":"assistant/chunk","seq":N,"time":N,"data":{"turn":N,"step":N,"chunk":{"type":"text-delta","index":N,"text":S}}}
//
// with reasoning-delta likewise, and tool-call-delta with id, name and argumentsDelta.
func (r *Reader) fastDelta(c *cursor, l line) (*Record, bool) {
	seq := c.natural()
	ok := seq == r.nextSeq && c.literal(`,"time":`)
	time := c.natural()
	ok = ok && c.literal(`,"data":`)
	start := c.at
	ok = ok && c.literal(`{"turn":`) && c.natural() >= 0 && c.literal(`,"step":`) && c.natural() >= 0 &&
		c.literal(`,"chunk":{"type":"`) && c.delta() && c.literal(`}}`) &&
		c.at == len(c.src)-1 && c.src[c.at] == '}' && !c.failed
	if !ok {
		return nil, false
	}
	r.nextSeq++
	if r.ended {
		return nil, true
	}
	r.event = Event{
		Type: TypeAssistantChunk, Seq: seq, Time: time, Data: c.src[start:c.at:c.at], Pos: l.pos, Form: c.form, Known: true, delta: true,
	}
	return r.takeParsed(&r.event), true
}

// delta consumes the rest of a delta chunk up to its closing brace.
func (c *cursor) delta() bool {
	switch {
	case c.literal(`text-delta","index":`), c.literal(`reasoning-delta","index":`):
		return c.natural() >= 0 && c.literal(`,"text":`) && c.text()
	case c.literal(`tool-call-delta","index":`):
		if c.natural() < 0 || !c.literal(`,"id":`) || !c.text() {
			return false
		}
		if c.literal(`,"name":`) && !c.text() {
			return false
		}
		return c.literal(`,"argumentsDelta":`) && c.text()
	}
	return false
}

// fastRow takes a packed row:
//
//	{"type":T,"seq0":N,"time0":N,"data":{"turn":N,"step":N,"index":N,"dt":[N…],"texts":[S…]}}
//
// and for a tool call id, an optional name and args in place of texts.
func (r *Reader) fastRow(c *cursor, kind RowKind, l line) (*Record, bool) {
	row := ChunkRow{Kind: kind, Pos: l.pos, memberBuffer: r.row.memberBuffer}
	gaps := 0
	ok := c.rowStart(&row) && row.Seq0 == r.nextSeq && c.gaps(&row, &gaps) && c.payload(&row) &&
		c.literal(`}}`) && c.at == len(c.src) && gaps == row.Count-1 && !c.failed
	if !ok {
		return nil, false
	}
	row.Form = c.form
	r.row = row
	return r.takeRow(l), true
}

// rowStart consumes a row from after the name of its number to its gaps.
func (c *cursor) rowStart(row *ChunkRow) bool {
	row.Seq0 = c.natural()
	if !c.literal(`,"time0":`) {
		return false
	}
	row.Time0 = c.natural()
	return c.literal(`,"data":{"turn":`) && c.number(&row.Turn) && c.literal(`,"step":`) && c.number(&row.Step) &&
		c.literal(`,"index":`) && c.number(&row.Index) && c.literal(`,"dt":`)
}

// payload consumes what a row has after its gaps.
func (c *cursor) payload(row *ChunkRow) bool {
	if row.Kind != ToolCallRow {
		return c.literal(`,"texts":`) && c.strings(row)
	}
	if !c.literal(`,"id":`) || !c.string(&row.ID) || c.literal(`,"name":`) && !c.string(&row.Name) {
		return false
	}
	return c.literal(`,"args":`) && c.strings(row)
}

// gaps consumes the array of the times between members.
func (c *cursor) gaps(row *ChunkRow, count *int) bool {
	start := c.at
	if !c.literal("[") {
		return false
	}
	time := row.Time0
	for !c.literal("]") {
		if *count > 0 && !c.literal(",") {
			return false
		}
		sign := int64(1)
		if c.literal("-") {
			sign = -1
		}
		gap := c.natural()
		if gap < 0 || sign < 0 && gap == 0 {
			return false
		}
		if time += sign * gap; time > maxSafe || time < -maxSafe {
			return false
		}
		*count++
	}
	row.Gaps = c.src[start:c.at:c.at]
	return true
}

// strings consumes the array of the members' texts.
func (c *cursor) strings(row *ChunkRow) bool {
	start := c.at
	if !c.literal("[") {
		return false
	}
	for {
		if !c.text() {
			return false
		}
		row.Count++
		if c.at >= len(c.src) {
			return false
		}
		b := c.src[c.at]
		c.at++
		if b == ']' {
			row.Deltas = c.src[start:c.at:c.at]
			return true
		}
		if b != ',' {
			return false
		}
	}
}
