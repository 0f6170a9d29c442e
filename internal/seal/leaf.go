package seal

import (
	"crypto/sha256"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// markLen is the length of a mark in bytes.
const markLen = 3

// A mark stands for what an event is, apart from its number.
type mark [markLen]byte

// appendLeaf appends the data of an event's leaf.
func appendLeaf(dst []byte, e *logformat.Event) []byte {
	dst = append(ecmajson.AppendString(append(dst, `{"type":`...), e.Type), `,"seq":`...)
	dst = append(strconv.AppendInt(dst, e.Seq, 10), `,"time":`...)
	dst = append(strconv.AppendInt(dst, e.Time, 10), `,"data":`...)
	return appendEnvelope(append(dst, e.Data...), e, func(seq int64) int64 { return seq })
}

// appendEnvelope appends what follows an event's data; number says how an event is
// referred to.
func appendEnvelope(dst []byte, e *logformat.Event, number func(int64) int64) []byte {
	if e.Sources != nil {
		dst = append(dst, `,"sourceEventSeqs":[`...)
		for i, seq := range e.Sources {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, number(seq), 10)
		}
		dst = append(dst, ']')
	}
	switch e.Surface.Op {
	case logformat.OpAppend:
		dst = append(dst, `,"surfaceOp":"append"`...)
	case logformat.OpReplace:
		dst = append(dst, `,"surfaceOp":{"op":"replace","start":`...)
		dst = append(strconv.AppendInt(dst, number(e.Surface.Start), 10), `,"end":`...)
		dst = append(strconv.AppendInt(dst, number(e.Surface.End), 10), '}')
	}
	if e.Ignorable {
		dst = append(dst, `,"ignorable":true`...)
	}
	return append(dst, '}')
}

// leafOf returns an event's hash in the tree and its mark.
func leafOf(buf []byte, e *logformat.Event) (tlog.Hash, mark, []byte) {
	buf = appendLeaf(buf[:0], e)
	leaf := tlog.RecordHash(buf)
	buf = append(ecmajson.AppendString(buf[:0], e.Type), ' ')
	buf = append(strconv.AppendInt(buf, e.Time, 10), ' ')
	buf = append(buf, e.Data...)
	buf = appendEnvelope(buf, e, func(seq int64) int64 { return e.Seq - seq })
	sum := sha256.Sum256(buf)
	return leaf, mark(sum[:markLen]), buf
}
