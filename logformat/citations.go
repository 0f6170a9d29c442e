package logformat

import (
	"fmt"
	"math"
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// This file reads sourceEventSeqs, the events that a row cites. The harness up to
// 0.1.1 writes one number for each. Release 0.1.2 codes a strictly increasing
// list by ranges: a run of three or more, as 7, 8, 9, becomes [7,9], so
//
//	[4,7,8,9,12]  is written  [4,[7,9],12]
//
// and it reads a row whose list breaks the rules of that coding as a line that
// does not parse.

// A rowAdmission decodes what a version codes in a row before any of its events is
// looked at, and returns why the row counts as a line that does not parse.
type rowAdmission func(r *Reader, row *envelope, raw ecmajson.Value) *Refusal

// admitVersion0 is the admission of format 0. raw is the row as the log has it: it
// shows a -0, which prints as 0. A store has no text, and nothing of this applies.
func admitVersion0(r *Reader, row *envelope, raw ecmajson.Value) *Refusal {
	limit := int64(math.MaxInt64)
	if r.rows == nil {
		var fault *Refusal
		if limit, fault = row.admitSeq(raw); fault != nil {
			return fault
		}
	}
	r.sources = r.sources[:0]
	if row.sources.Kind() == ecmajson.Absent {
		return nil
	}
	list := row.sources.Value()
	if raw != nil {
		list = raw.Lookup("sourceEventSeqs")
	}
	if limit < 0 {
		return row.malformed(CodeSourcesShape, "the row that cites them has no event number")
	}
	c := citationReader{seqs: r.sources, limit: limit, expand: !r.overcited() && (limit == r.nextSeq || r.rows != nil)}
	detail := c.read(list)
	r.sources = c.seqs
	if detail != "" {
		return row.malformed(CodeSourcesShape, detail)
	}
	r.countCited(&c, row)
	return nil
}

// countCited bounds what ranges stand for in sum: a few bytes can cite every event
// before them, and each row of a log could. What the harness writes cites an event
// a few times.
func (r *Reader) countCited(c *citationReader, row *envelope) {
	if !c.ranged || !c.expand {
		return
	}
	if r.cited += c.count; r.overcited() {
		r.refuse(row.fault(CodeSourcesMany, PhaseLines, fmt.Sprintf("%d up to here", r.cited)))
	}
}

func (r *Reader) overcited() bool { return r.cited > maxCited+8*r.nextSeq }

// maxCited is how many events ranges may stand for in a log, and eight times as
// many as it has besides.
const maxCited = 1 << 24

// admitSeq returns the row's event number, -1 when it is no number at all: that is
// a gap, and not malformed.
func (e *envelope) admitSeq(raw ecmajson.Value) (int64, *Refusal) {
	seq := e.seqValue.Value()
	if seq.Kind() != ecmajson.Number {
		return -1, nil
	}
	n, ok := nonNegative(seq)
	if !ok || raw != nil && raw.Lookup("seq").IsNegativeZero() {
		return -1, e.malformed(CodeSeqShape, "seq is "+seqText(seq))
	}
	return n, nil
}

func (e *envelope) malformed(code Code, detail string) *Refusal {
	return e.fault(code, PhaseLines, detail)
}

// A citationReader reads the list of one row.
type citationReader struct {
	seqs   []int64 // what it stands for, if expand is set
	limit  int64   // the row's own number: a row cannot cite more events than precede it
	expand bool

	count      int64
	last       int64
	ranged     bool
	increasing bool
}

// read returns what is wrong with the coding of a list.
func (c *citationReader) read(list ecmajson.Value) (fault string) {
	if list.Kind() != ecmajson.Array {
		return "it is not an array"
	}
	if seqs, ok := appendPlain(c.seqs, list); ok {
		c.seqs, c.count = seqs, int64(len(seqs))
	} else if fault := c.readRanges(list); fault != "" {
		return fault
	}
	if c.count > c.limit {
		return fmt.Sprintf("it cites %d events, and only %d precede the row", c.count, c.limit)
	}
	if c.ranged && !c.increasing {
		return "it has a range, and its numbers do not increase"
	}
	return ""
}

func (c *citationReader) readRanges(list ecmajson.Value) (fault string) {
	c.last, c.increasing = -1, true
	for v := range list.Elements() {
		first, last, ok := c.entry(v)
		if !ok {
			return "it holds " + string(v[:min(len(v), 40)])
		}
		if c.count += last - first + 1; c.count > c.limit {
			return ""
		}
		c.increasing = c.increasing && first > c.last
		c.last = last
		for n := first; c.expand && n <= last; n++ {
			c.seqs = append(c.seqs, n)
		}
	}
	return ""
}

// entry reads a number, or a range of them.
func (c *citationReader) entry(v ecmajson.Value) (first, last int64, ok bool) {
	if v.Kind() != ecmajson.Array {
		first, ok = count(v)
		return first, first, ok
	}
	c.ranged = true
	n := 0
	for end := range v.Elements() {
		switch n++; n {
		case 1:
			first, ok = count(end)
		case 2:
			last, ok = nonNegative(end) // -0 is taken here
			ok = ok && first <= last
		}
		if !ok || n > 2 {
			return 0, 0, false
		}
	}
	return first, last, n == 2
}

// count reads a non-negative safe integer other than -0.
func count(v ecmajson.Value) (int64, bool) {
	n, ok := nonNegative(v)
	return n, ok && !(n == 0 && v.IsNegativeZero())
}

// appendPlain reads an array of plain numbers without white space. Messages of
// early releases cite every chunk so, and this is one of the places where most
// bytes of a log are. It is not ok where something else stands in the array.
func appendPlain(seqs []int64, list ecmajson.Value) ([]int64, bool) {
	n, digits := int64(0), 0
	for _, b := range list[1:] {
		if d := b - '0'; d <= 9 && digits < 15 {
			n = n*10 + int64(d)
			digits++
			continue
		}
		if digits == 0 || b != ',' && b != ']' {
			break
		}
		seqs = append(seqs, n)
		if b == ']' {
			return seqs, true
		}
		n, digits = 0, 0
	}
	return seqs[:0], false
}

// checkSources applies the rules that do not depend on the coding.
func (r *Reader) checkSources(env *envelope, event *Event) *Refusal {
	if env.sources.Kind() == ecmajson.Absent || r.overcited() {
		return nil
	}
	ascending, last := true, int64(-1)
	forward := int64(-1)
	for _, n := range r.sources {
		if n <= last {
			ascending = false
		}
		last = n
		if forward < 0 && n >= event.Seq {
			forward = n
		}
	}
	switch {
	case len(r.sources) == 0 && event.Type != TypeAssistantMessage:
		return env.fault(CodeSourcesEmpty, PhaseEvents, "")
	case !ascending && hasDuplicate(r.sources):
		return env.fault(CodeSourcesDuplicate, PhaseEvents, "")
	case forward >= 0:
		return env.fault(CodeSourcesForward, PhaseEvents, sourceText(forward))
	}
	event.Sources = r.sources
	if event.Sources == nil {
		event.Sources = []int64{}
	}
	return nil
}

func sourceText(n int64) string {
	return "it names seq " + string(ecmajson.AppendNumber(nil, float64(n)))
}

func hasDuplicate(seqs []int64) bool {
	sorted := slices.Clone(seqs)
	slices.Sort(sorted)
	return len(slices.Compact(sorted)) != len(seqs)
}
