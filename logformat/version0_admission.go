package logformat

import (
	"fmt"
	"math"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

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
