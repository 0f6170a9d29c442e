package logformat

import (
	"fmt"
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

// readEarlier is read with the rules of formats 2 to 4 (V2-08): what a row cites is distinct
// and stands before it.
func (c *citationReader) readEarlier(list ecmajson.Value) (fault string) {
	c.last = -1
	if fault := c.read(list); fault != "" {
		return fault
	}
	if c.ranged {
		if c.last >= c.limit {
			return sourceText(c.last) + ", which does not precede the row"
		}
		return ""
	}
	ascending, last := true, int64(-1)
	for _, n := range c.seqs {
		if n >= c.limit {
			return sourceText(n) + ", which does not precede the row"
		}
		ascending = ascending && n > last
		last = n
	}
	if !ascending && hasDuplicate(c.seqs) {
		return "it names an event twice"
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

// citations keeps what the last row of a log cites, and bounds what all of them do.
type citations struct {
	seqs  []int64
	cited int64 // events that ranges stood for so far
}

// take reads the list of a row, which may cite limit events at most.
func (k *citations) take(r *Reader, row *envelope, list ecmajson.Value, limit int64) *Refusal {
	c := citationReader{seqs: k.seqs[:0], limit: limit, expand: !k.over(r) && (limit == r.nextSeq || r.rows != nil)}
	detail := r.version.sources(&c, list)
	k.seqs, row.cited = c.seqs, c.seqs
	if detail != "" {
		return row.malformed(CodeSourcesShape, detail)
	}
	k.count(r, &c, row)
	return nil
}

// count bounds what ranges stand for in sum: a few bytes can cite every event
// before them, and each row of a log could. What the harness writes cites an event
// a few times.
func (k *citations) count(r *Reader, c *citationReader, row *envelope) {
	if !c.ranged || !c.expand {
		return
	}
	if k.cited += c.count; k.over(r) {
		r.refuse(row.fault(CodeSourcesMany, PhaseLines, fmt.Sprintf("%d up to here", k.cited)))
	}
}

func (k *citations) over(r *Reader) bool { return k.cited > maxCited+8*r.nextSeq }

// maxCited is how many events ranges may stand for in a log, and eight times as
// many as it has besides.
const maxCited = 1 << 24

// checkSources applies the rules that do not depend on the coding.
func (env *envelope) checkSources(t *typeRules, event *Event) *Refusal {
	if env.sources.Kind() == ecmajson.Absent {
		return nil
	}
	ascending, last := true, int64(-1)
	forward := int64(-1)
	for _, n := range env.cited {
		if n <= last {
			ascending = false
		}
		last = n
		if forward < 0 && n >= event.Seq {
			forward = n
		}
	}
	switch {
	case len(env.cited) == 0 && !t.citesNone:
		return env.fault(CodeSourcesEmpty, PhaseEvents, "")
	case !ascending && hasDuplicate(env.cited):
		return env.fault(CodeSourcesDuplicate, PhaseEvents, "")
	case forward >= 0:
		return env.fault(CodeSourcesForward, PhaseEvents, sourceText(forward))
	}
	event.Sources = env.cited
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
