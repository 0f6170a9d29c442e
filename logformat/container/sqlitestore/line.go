package sqlitestore

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"github.com/ncruces/go-sqlite3"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

const (
	maxRowData    = 1 << 30 // decoded
	maxPackedData = 1 << 20
	maxPacked     = 1024
	minPacked     = 3
)

// An eventRow is a row of the table events, each column as stored.
type eventRow struct {
	seq, typ, time, data, sources, surfaceOp, ignorable value
}

// print prints the row as the line that the harness would have written.
func (r *Rows) print(b []byte, row *eventRow) ([]byte, error) {
	seq, time, typ := row.seq.int, row.time.int, string(row.typ.bytes)
	if row.seq.kind != sqlite3.INTEGER || row.time.kind != sqlite3.INTEGER || row.typ.kind != sqlite3.TEXT {
		return nil, errors.New("seq, time or type has the wrong storage class")
	}
	data, err := r.dataOf(row.data)
	if err != nil {
		return nil, err
	}
	ignorable, isSet := row.ignorable.int, row.ignorable.kind == sqlite3.INTEGER
	if isSet && ignorable == 0 {
		return printPacked(b, typ, seq, time, data, row)
	}
	b = append(b, `{"type":`...)
	b = ecmajson.AppendString(b, typ)
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, seq, 10)
	b = append(b, `,"time":`...)
	b = strconv.AppendInt(b, time, 10)
	b = append(b, `,"data":`...)
	b = append(b, data...)
	if b, err = appendSources(b, row.sources); err != nil {
		return nil, err
	}
	if row.surfaceOp.kind != sqlite3.NULL {
		op := row.surfaceOp.bytes
		if _, err := ecmajson.Check(op); row.surfaceOp.kind != sqlite3.TEXT || err != nil {
			return nil, errors.New("surface_op is not JSON text")
		}
		b = append(b, `,"surfaceOp":`...)
		b = append(b, op...)
	}
	switch {
	case row.ignorable.kind == sqlite3.NULL:
	case isSet && ignorable == 1:
		b = append(b, `,"ignorable":true`...)
	default:
		return nil, errors.New("ignorable is neither null, 0 nor 1")
	}
	return append(b, '}'), nil
}

// printPacked prints a packed chunk row, whose marker is ignorable 0.
func printPacked(b []byte, typ string, seq, time int64, data []byte, row *eventRow) ([]byte, error) {
	payload := "texts"
	switch typ {
	case "text-chunks", "reasoning-chunks":
	case "tool-call-chunks":
		payload = "args"
	default:
		return nil, fmt.Errorf("a packed row has the type %.40q", typ)
	}
	if row.surfaceOp.kind != sqlite3.NULL || row.sources.kind != sqlite3.NULL {
		return nil, errors.New("a packed row has surface columns")
	}
	if len(data) > maxPackedData {
		return nil, fmt.Errorf("a packed row has %d bytes of data, more than %d", len(data), maxPackedData)
	}
	if n := ecmajson.Value(data).Lookup(payload).Len(); n < minPacked || n > maxPacked {
		return nil, fmt.Errorf("a packed row has %d members, not %d to %d", n, minPacked, maxPacked)
	}
	b = append(b, `{"type":"`+typ+`","seq0":`...)
	b = strconv.AppendInt(b, seq, 10)
	b = append(b, `,"time0":`...)
	b = strconv.AppendInt(b, time, 10)
	b = append(b, `,"data":`...)
	b = append(b, data...)
	return append(b, '}'), nil
}

// byteOrderMark is dropped from a compressed value, as a JavaScript text decoder does.
var byteOrderMark = []byte("\xef\xbb\xbf")

// dataOf returns the JSON of the data column: text, or one Zstandard frame of it, which
// must be UTF-8. What lies after the frame is no part of it.
func (r *Rows) dataOf(v value) ([]byte, error) {
	data := v.bytes
	switch v.kind {
	case sqlite3.TEXT:
	case sqlite3.BLOB:
		if r.decoder == nil {
			var err error
			if r.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRowData)); err != nil {
				return nil, err
			}
		}
		frame, err := logformat.FirstFrame(data)
		if err == nil {
			data, err = r.decoder.DecodeAll(frame, r.text[:0])
		}
		if err != nil {
			return nil, fmt.Errorf("data is a blob that does not decode: %w", err)
		}
		if r.text = data; !utf8.Valid(data) {
			return nil, errors.New("data is a blob of text that is not UTF-8")
		}
		data = bytes.TrimPrefix(data, byteOrderMark)
	default:
		return nil, errors.New("data is neither text nor a blob")
	}
	if _, err := ecmajson.Check(data); err != nil {
		return nil, fmt.Errorf("data is not JSON: %w", err)
	}
	return data, nil
}

// appendSources prints the column source_event_seqs: LEB128 varints, the first
// plain, each later one the difference to the one before, even 2d for a step
// forward by d, odd 2d-1 for a step back by d.
func appendSources(b []byte, v value) ([]byte, error) {
	if v.kind == sqlite3.NULL {
		return b, nil
	}
	if v.kind != sqlite3.BLOB {
		return nil, errors.New("source_event_seqs is no blob")
	}
	blob := v.bytes
	b = append(b, `,"sourceEventSeqs":[`...)
	last := int64(0)
	for i := 0; len(blob) > 0; i++ {
		n, size := uvarint(blob)
		if size <= 0 {
			return nil, errors.New("source_event_seqs holds a malformed varint")
		}
		blob = blob[size:]
		switch {
		case i == 0:
			last = n
		case n%2 == 0:
			last += n / 2
		default:
			last -= (n + 1) / 2
		}
		if last < 0 || last > maxSafe {
			return nil, errors.New("source_event_seqs leads out of range")
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, last, 10)
	}
	return append(b, ']'), nil
}

const maxSafe = 1<<53 - 1

// uvarint reads a canonical varint of a value that fits; size is not positive
// when it is none.
func uvarint(b []byte) (n int64, size int) {
	for i, c := range b {
		if i == 8 {
			return 0, -1
		}
		n |= int64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c == 0 && i > 0 || n > 2*maxSafe+1 {
				return 0, -1
			}
			return n, i + 1
		}
	}
	return 0, 0
}
