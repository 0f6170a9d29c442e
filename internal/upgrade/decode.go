package upgrade

import (
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// A decoder turns the rows of one format into events, in order, and decides what a
// malformed row means. A malformed row is remembered; from there on no event is taken. If
// a later row ends a turn, the log is refused at the remembered row; if none does, all from
// there on is a tail that the release drops.
//
// This is the milder way in which a release reads a format that it upgrades: it holds inside
// complete Zstandard frames too, and a malformed row cannot itself end a turn.
type decoder struct {
	version int64
	strict  func(row *jsvalue.Value) *Refusal // looked at before the row is decoded, or nil
	check   func(e *Event) *Refusal           // makes a decoded event malformed, or nil
	next    int64                             // number of the next event
	issue   *Refusal                          // the first malformed row
	blind   bool                              // it did not parse: the next rows are not decoded
	dropped int                               // rows after it
	tail    Origin
	cut     int64 // the last mark of what was inherited, -1 for none; formats 2 to 4
}

// A row is what a line gives: an event, or the members of a packed row.
type row struct {
	event *Event
	run   *run
}

// decode decodes a line. It returns no row for one that is dropped.
func (d *decoder) decode(line logformat.RawLine) (row, *Refusal) {
	origin := Origin{Line: line.Pos.Line, Seq: d.next}
	v, err := jsvalue.Parse(line.Text)
	if err != nil {
		return row{}, d.unparsed(line, origin)
	}
	ends := v.IsObject() && v.Get(keyType).Is(logformat.TypeTurnEnd)
	if d.strict != nil && !d.blind {
		if refusal := d.strict(v); refusal != nil {
			return row{}, refusal.at(origin)
		}
	}
	if d.blind {
		return row{}, d.malformed(nil, ends)
	}
	r, refusal := d.read(v, origin)
	if refusal == nil {
		r, refusal = d.take(r, origin)
	}
	switch {
	case refusal == nil:
		return r, nil
	case refusal.fatal:
		return row{}, refusal.at(origin)
	}
	return row{}, d.malformed(refusal.at(origin), ends && r.event != nil)
}

// unparsed remembers a line that is no JSON.
func (d *decoder) unparsed(line logformat.RawLine, origin Origin) *Refusal {
	refusal := refuse(logformat.CodeLineNotJSON, StageRows, "the line is no JSON").at(origin)
	d.malformed(refusal, false)
	if !d.blind {
		d.blind, d.issue = true, refusal
	}
	return nil
}

// take takes a row that was decoded, if it is the next one. With a refusal it returns the row
// again where it may end a turn.
func (d *decoder) take(r row, origin Origin) (row, *Refusal) {
	if d.issue != nil {
		return r, d.issue
	}
	var number *jsvalue.Value
	count := int64(1)
	if r.run != nil {
		number, count = jsvalue.Int(r.run.first), int64(len(r.run.texts))
	} else {
		number = r.event.number
	}
	if f, ok := number.Float(); !ok || f != float64(d.next) {
		return r, refuse(logformat.CodeSeqGap, StageRows, "the event number is not the next one").found(number)
	}
	if e := r.event; e != nil {
		if d.version >= 2 && e.Type == logformat.TypeSessionEndSeed && !e.Data.IsObject() {
			refusal := refuse(logformat.CodeMessageBody, StageRows, "the data of an end of a seed are no object").found(e.Data)
			refusal.fatal = true
			return r, refusal
		}
		if refusal := d.admit(e, origin); refusal != nil {
			return r, refusal
		}
	}
	d.next += count
	return r, nil
}

// admit looks at an event that is in its place.
func (d *decoder) admit(e *Event, origin Origin) *Refusal {
	if d.check != nil {
		if refusal := d.check(e); refusal != nil {
			return refusal.at(origin)
		}
	}
	if d.version >= 2 && e.Type == logformat.TypeSessionEndSeed && e.Data.Get("inherited").IsTrue() {
		d.cut = e.Seq
	}
	return nil
}

// malformed remembers a malformed row. The refusal is of the log: the remembered row lies
// in the committed region, because a row ends a turn after it.
func (d *decoder) malformed(refusal *Refusal, ends bool) *Refusal {
	if d.issue == nil {
		d.issue, d.tail = refusal, refusal.Origin
	}
	d.dropped++
	if !ends {
		return nil
	}
	committed := *d.issue
	committed.Detail += "; a turn ends after it, so it is not a torn tail"
	return &committed
}

// read decodes a row's envelope.
func (d *decoder) read(v *jsvalue.Value, origin Origin) (row, *Refusal) {
	if !v.IsObject() {
		return row{}, refuse(logformat.CodeEnvelope, StageRows, "the row is no object").found(v)
	}
	if d.version < 2 {
		return readRow0(v, origin)
	}
	e, refusal := readEnvelope(v, origin)
	return row{event: e}, refusal
}

var envelopeMembers = []string{keyType, keySeq, keyTime, keyData, keyIgnorable, keySources, keyOp}

// newRow returns the event of a row, whose envelope was not looked at.
func newRow(v *jsvalue.Value, origin Origin) *Event {
	e := &Event{
		Type: v.Get(keyType).Text(), nameless: !v.Get(keyType).IsString(), Time: v.Get(keyTime), Data: v.Get(keyData),
		Ignorable: v.Get(keyIgnorable), Op: v.Get(keyOp), Origin: origin, number: v.Get(keySeq),
	}
	if f, ok := e.number.Float(); ok {
		e.Seq = int64(f)
	}
	for _, m := range v.Members() {
		e.order = append(e.order, m.Key)
	}
	return e
}

// readEnvelope decodes a row of formats 2 to 4.
func readEnvelope(v *jsvalue.Value, origin Origin) (*Event, *Refusal) {
	for _, key := range envelopeMembers[:4] {
		if !v.Has(key) {
			return nil, envelopeFault(key, "the member is missing", nil)
		}
	}
	for _, m := range v.Members() {
		if !slices.Contains(envelopeMembers, m.Key) {
			return nil, envelopeFault(m.Key, "the release does not know the member", m.Value)
		}
	}
	_, timed := v.Get(keyTime).SafeInt()
	switch {
	case !v.Get(keyType).IsString():
		return nil, envelopeFault(keyType, "the type is no string", v.Get(keyType))
	case !timed:
		return nil, envelopeFault(keyTime, "the time is no safe integer", v.Get(keyTime))
	case v.Has(keyIgnorable) && !v.Get(keyIgnorable).IsTrue():
		return nil, envelopeFault(keyIgnorable, "the mark is not true", v.Get(keyIgnorable))
	}
	e := newRow(v, origin)
	if !v.Has(keySources) {
		return e, nil
	}
	seq, ok := v.Get(keySeq).Count()
	if !ok {
		return nil, envelopeFault(keySeq, "the number is no count", v.Get(keySeq))
	}
	if e.Sources, e.cites = decodeRanges(v.Get(keySources), seq); !e.cites {
		return nil, envelopeFault(keySources, "the cited events are not distinct earlier ones, in order where they are ranges", v.Get(keySources))
	}
	return e, nil
}

func envelopeFault(member, detail string, got *jsvalue.Value) *Refusal {
	code := logformat.CodeEnvelope
	if member == keySources {
		code = logformat.CodeSourcesShape
	}
	r := refuse(code, StageRows, detail)
	r.Member = "/" + member
	if got != nil {
		r.found(got)
	}
	return r
}
