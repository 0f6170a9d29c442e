package logformat

import (
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
	row.cited = nil
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
	return log.cites.take(r, row, list, limit)
}

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
