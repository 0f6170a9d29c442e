package logformat

import (
	"fmt"
	"math"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// admit decodes the row's event number and the events that it cites. A store has no
// text, and nothing of this applies to its numbers.
func (log *version0Log) admit(row *envelope, raw ecmajson.Value) *Refusal {
	r := log.r
	limit := int64(math.MaxInt64)
	if r.rows == nil {
		var fault *Refusal
		if limit, fault = row.admitSeq(raw); fault != nil {
			return fault
		}
	}
	log.seqs = log.seqs[:0]
	row.cited = log.seqs
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
	c := citationReader{seqs: log.seqs, limit: limit, expand: !log.overcited() && (limit == r.nextSeq || r.rows != nil)}
	detail := r.version.sources(&c, list)
	log.seqs, row.cited = c.seqs, c.seqs
	if detail != "" {
		return row.malformed(CodeSourcesShape, detail)
	}
	log.countCited(&c, row)
	return nil
}

// countCited bounds what ranges stand for in sum: a few bytes can cite every event
// before them, and each row of a log could. What the harness writes cites an event
// a few times.
func (log *version0Log) countCited(c *citationReader, row *envelope) {
	if !c.ranged || !c.expand {
		return
	}
	if log.cited += c.count; log.overcited() {
		log.r.refuse(row.fault(CodeSourcesMany, PhaseLines, fmt.Sprintf("%d up to here", log.cited)))
	}
}

func (log *version0Log) overcited() bool { return log.cited > maxCited+8*log.r.nextSeq }

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
