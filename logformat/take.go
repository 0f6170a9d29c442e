package logformat

import (
	"bytes"
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// take judges one line and returns its record, or nil when the line gives none:
// it is in a tail, or after a fault.
func (r *Reader) take(l line) *Record {
	r.strict = r.encoding == Zstandard && !l.torn
	if !l.terminated {
		r.unterminated(l)
		return nil
	}
	r.stats.Lines++
	if l.fault != nil {
		l.fault.Pos = l.pos
		r.lineFault(l.fault)
		return nil
	}
	if r.issue != nil {
		if wordAt(l.text, r.version.tail.closer) == len(l.text) {
			return nil
		}
	} else if r.version.fast != nil {
		if rec, ok := r.version.fast(r, l); ok {
			return rec
		}
	}
	root, form, reason := r.parseLine(l.text)
	if reason != "" {
		r.lineFault(&Refusal{Code: reason, Phase: PhaseLines, Pos: l.pos, Seq: -1})
		return nil
	}
	if root.Kind() != ecmajson.Object {
		r.lineFault(noObject(root.Value(), l.pos))
		return nil
	}
	kind := r.version.rowKind(root.Lookup("type").Value())
	if kind == 0 {
		return r.takeScalar(root, form, l)
	}
	if r.issue == nil {
		r.row.Pos, r.row.Form = l.pos, form
		if reason := parseRow(&r.row, kind, root.Value()); reason != "" {
			r.lineFault(&Refusal{Code: CodeChunkRow, Phase: PhaseLines, Pos: l.pos, Seq: -1, Detail: reason})
			return nil
		}
		return r.takeRow(l)
	}
	return nil
}

// noObject says that a line holds some other value than a record.
func noObject(v ecmajson.Value, pos Position) *Refusal {
	if v.Kind() == ecmajson.Null {
		return &Refusal{Code: CodeLineNull, Phase: PhaseLines, Pos: pos, Seq: -1}
	}
	return &Refusal{Code: CodeLineNoRecord, Phase: PhaseLines, Pos: pos, Seq: -1, Detail: "it holds " + string(v[:min(len(v), 40)])}
}

// takeScalar takes a row that is one event.
func (r *Reader) takeScalar(root ecmajson.Node, form ecmajson.Form, l line) *Record {
	row := &r.scalar
	row.read(root, l.pos)
	if fault := r.earlyFault(row); fault != nil {
		r.refuse(fault)
		r.settled = true
		return nil
	}
	var raw ecmajson.Value
	if form&ecmajson.NegativeZero != 0 {
		raw = bytes.TrimLeft(l.text, " \t\r\n")
	}
	malformed := r.rules.admit(row, raw)
	if r.issue == nil {
		fault := malformed
		if fault == nil {
			fault = r.countSeq(row)
		}
		if fault == nil {
			return r.takeEvent(row, form)
		}
		r.lineFault(fault)
	}
	if r.issue != nil && r.version.tail.closes(row, malformed, r.issue) {
		r.refuse(r.issue)
		r.settled = true
	}
	return nil
}

// earlyFault is what refuses the row wherever it stands.
func (r *Reader) earlyFault(row *envelope) *Refusal {
	if !r.version.early {
		return nil
	}
	check := r.typeOf(row.typ.Value()).early
	if check == nil {
		return nil
	}
	fault := check(row)
	if fault != nil && fault.Seq < 0 {
		fault.Seq, _ = seqOf(row)
	}
	return fault
}

// seqOf returns the number that a row states, -1 where it is no event number.
func seqOf(row *envelope) (int64, bool) {
	n, ok := count(row.seqValue.Value())
	if !ok {
		return -1, false
	}
	return n, true
}

// countSeq counts the row's event, or returns the gap that its number shows.
func (r *Reader) countSeq(row *envelope) *Refusal {
	n, ok := row.seqValue.SafeInt()
	if ok && n == r.nextSeq {
		row.seq = n
		r.nextSeq++
		return nil
	}
	gap := r.gap(row.pos, seqText(row.seqValue.Value()))
	if row.seqValue.Kind() == ecmajson.Absent && r.nextSeq == 0 {
		gap.Code, gap.Detail = CodeSeqAbsent, ""
	}
	return gap
}

// parseLine checks a line's JSON and returns it in canonical form. The code is
// empty when it parses.
func (r *Reader) parseLine(text []byte) (ecmajson.Node, ecmajson.Form, Code) {
	form, err := r.index.Check(text)
	switch {
	case err != nil && isBlank(text):
		return ecmajson.Node{}, 0, CodeLineBlank
	case err != nil && ecmajson.IsDepth(err):
		return ecmajson.Node{}, 0, CodeLineTooDeep
	case err != nil:
		return ecmajson.Node{}, 0, CodeLineNotJSON
	case form.Canonical():
		return r.index.Root(), form, ""
	}
	// The checks see what JavaScript parsed: an overflow is still a number.
	if r.canonical, err = ecmajson.AppendParsed(r.canonical[:0], text); err == nil {
		_, err = r.index.Check(r.canonical)
	}
	if err != nil {
		panic("logformat: a line that parses does not print: " + err.Error())
	}
	return r.index.Root(), form, ""
}

func isBlank(text []byte) bool {
	for _, b := range text {
		if b != ' ' && b != '\t' && b != '\r' {
			return false
		}
	}
	return true
}

// rowKind tells of what kind a packed row is by its type, 0 when it is none.
func (v *Version) rowKind(typ ecmajson.Value) RowKind {
	if v.packed == nil || !bytes.HasSuffix(typ, []byte(`-chunks"`)) { // cheap, for most are events
		return 0
	}
	return v.packed[string(typ[1:len(typ)-1])]
}

// takeRow takes the row that was parsed into r.row.
func (r *Reader) takeRow(l line) *Record {
	if r.row.Seq0 != r.nextSeq {
		r.lineFault(r.gap(l.pos, fmt.Sprint(r.row.Seq0)))
		return nil
	}
	r.nextSeq += int64(r.row.Count)
	if r.ended {
		return nil
	}
	r.countForm(r.row.Form)
	r.stats.Rows++
	r.stats.Events += int64(r.row.Count)
	r.record = Record{Row: &r.row}
	return &r.record
}

func (r *Reader) takeEvent(row *envelope, form ecmajson.Form) *Record {
	event, refusal := r.rules.event(row, form)
	if refusal != nil {
		r.refuse(refusal)
	}
	if r.ended {
		return nil
	}
	r.count(event)
	if form&ecmajson.Overflow != 0 {
		r.printOverflow(event)
	}
	return r.takeParsed(event)
}

// printOverflow prints the data of an event that holds numbers beyond the
// doubles as it leaves JavaScript: with null in their place.
func (r *Reader) printOverflow(event *Event) {
	printed, err := ecmajson.Append(nil, event.Data)
	if err != nil {
		panic("logformat: data that parses does not print: " + err.Error())
	}
	event.Data = printed
	if m := r.version.types[event.Type].messageRules(); m != nil {
		r.upgradeIndex.Check(printed)
		event.setMessage(&envelope{data: r.upgradeIndex.Root()}, m)
	}
}

// takeParsed counts an event and makes it the record.
func (r *Reader) takeParsed(event *Event) *Record {
	r.countForm(event.Form)
	r.stats.Events++
	r.record = Record{Event: event}
	return &r.record
}

func seqText(seq ecmajson.Value) string {
	if seq == nil {
		return "none"
	}
	return string(seq[:min(len(seq), 40)])
}

func (r *Reader) gap(pos Position, got string) *Refusal {
	return &Refusal{
		Code: CodeSeqGap, Phase: PhaseLines, Pos: pos, Seq: r.nextSeq,
		Detail: fmt.Sprintf("expected seq %d, found %s", r.nextSeq, got),
	}
}

// lineFault handles a line that gives no event: in complete Zstandard frames it
// is corruption at once, elsewhere the tail begins, and stays one unless a
// turn/end follows.
func (r *Reader) lineFault(fault *Refusal) {
	if r.strict {
		r.refuse(fault)
		r.settled = true
		return
	}
	if r.issue != nil {
		return
	}
	r.issue = fault
	r.tail = &Tail{Pos: fault.Pos, Cause: fault}
}

// unterminated handles a last line without its line feed.
func (r *Reader) unterminated(l line) {
	if r.strict {
		r.refuse(&Refusal{Code: CodeZstdTornRecord, Phase: PhaseLines, Pos: l.pos, Seq: -1})
		return
	}
	if r.tail == nil {
		r.tail = &Tail{Pos: l.pos}
	}
}

// refuse records a fault that decides the log's verdict unless one of higher
// rank turns up; no event is yielded from here on.
func (r *Reader) refuse(fault *Refusal) {
	r.faults.add(fault)
	r.ended = true
}
