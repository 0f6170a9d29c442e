package sqlitestore

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-verify/dsh-verify/internal/sqlitefile"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Rows yields a session's log, a line a row. It is a logformat.RowSource.
type Rows struct {
	rows    *sqlitefile.Rows
	header  []byte
	started bool
	line    []byte
	decoder *zstd.Decoder
	text    []byte
}

const (
	maxRowData    = 1 << 30 // decoded
	maxPackedData = 1 << 20
	maxPacked     = 1024
	minPacked     = 3
)

// Next returns the next line.
func (r *Rows) Next() (text []byte, fault *logformat.Refusal, err error) {
	if !r.started {
		r.started = true
		return r.header, nil, nil
	}
	ok, err := r.rows.Next()
	if err != nil {
		return nil, nil, damaged(err)
	}
	if !ok {
		r.Close()
		return nil, nil, io.EOF
	}
	v := r.rows.Value
	r.line, err = r.print(r.line[:0], &eventRow{v(0), v(1), v(2), v(3), v(4), v(5), v(6)})
	if err != nil {
		return nil, malformed(err.Error()), nil
	}
	return r.line, nil, nil
}

func malformed(detail string) *logformat.Refusal {
	return &logformat.Refusal{Code: logformat.CodeStoreRow, Phase: logformat.PhaseLines, Seq: -1, Detail: detail}
}

// Close ends the reading.
func (r *Rows) Close() error {
	if r.decoder != nil {
		r.decoder.Close()
		r.decoder = nil
	}
	return nil
}

// An eventRow is a row of the table events, each column as stored.
type eventRow struct {
	seq, typ, time, data, sources, surfaceOp, ignorable sqlitefile.Value
}

// print prints the row as the line that the harness would have written.
func (r *Rows) print(b []byte, row *eventRow) ([]byte, error) {
	seq, time, typ := row.seq.Int, row.time.Int, string(row.typ.Bytes)
	if row.seq.Kind != sqlitefile.Integer || row.time.Kind != sqlitefile.Integer || row.typ.Kind < sqlitefile.Text {
		return nil, errors.New("seq, time or type has the wrong storage class")
	}
	data, err := r.dataOf(row.data)
	if err != nil {
		return nil, err
	}
	ignorable, isSet := row.ignorable.Int, row.ignorable.Kind == sqlitefile.Integer
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
	if row.surfaceOp.Kind != sqlitefile.Null {
		op := row.surfaceOp.Bytes
		if _, err := ecmajson.Check(op); row.surfaceOp.Kind < sqlitefile.Text || err != nil {
			return nil, errors.New("surface_op is not JSON text")
		}
		b = append(b, `,"surfaceOp":`...)
		b = append(b, op...)
	}
	switch {
	case row.ignorable.Kind == sqlitefile.Null:
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
	if row.surfaceOp.Kind != sqlitefile.Null || row.sources.Kind != sqlitefile.Null {
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

// dataOf returns the JSON of the data column: text, or one Zstandard frame of it.
func (r *Rows) dataOf(v sqlitefile.Value) ([]byte, error) {
	data := v.Bytes
	switch v.Kind {
	case sqlitefile.Text:
	case sqlitefile.Blob:
		if r.decoder == nil {
			var err error
			if r.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRowData)); err != nil {
				return nil, err
			}
		}
		var err error
		if data, err = r.decoder.DecodeAll(data, r.text[:0]); err != nil {
			return nil, fmt.Errorf("data is a blob that does not decode: %w", err)
		}
		r.text = data
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
func appendSources(b []byte, v sqlitefile.Value) ([]byte, error) {
	if v.Kind == sqlitefile.Null {
		return b, nil
	}
	if v.Kind != sqlitefile.Blob {
		return nil, errors.New("source_event_seqs is no blob")
	}
	blob := v.Bytes
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
