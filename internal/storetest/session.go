package storetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/ncruces/go-sqlite3"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// compressFrom is the length from which on the harness compresses data.
const compressFrom = 4096

// Session adds a session to a store: the rows of a log in text form.
func Session(db *sqlite3.Conn, id string, log []byte) error {
	insert, _, err := db.Prepare(`INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer enc.Close()
	if err := db.Exec("BEGIN"); err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSuffix(log, []byte("\n")), []byte("\n"))
	if err := header(db, id, ecmajson.Value(lines[0])); err != nil {
		return err
	}
	in := inserter{insert, enc, id}
	for _, line := range lines[1:] {
		if err := in.event(ecmajson.Value(line)); err != nil {
			return fmt.Errorf("%.100s: %w", line, err)
		}
	}
	return db.Exec("COMMIT")
}

func header(db *sqlite3.Conn, id string, line ecmajson.Value) error {
	insert, _, err := db.Prepare(`INSERT INTO sessions VALUES (?, 0, ?, ?, NULL, NULL, NULL, 0, NULL, 'incarnation', 1)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	createdAt, _ := line.Lookup("createdAt").SafeInt()
	err = errors.Join(insert.BindText(1, id), insert.BindInt64(2, createdAt))
	if cwd := line.Lookup("cwd"); cwd != nil {
		err = errors.Join(err, insert.BindText(3, cwd.Text()))
	}
	return errors.Join(err, insert.Exec())
}

// An inserter adds rows to the table of events.
type inserter struct {
	insert *sqlite3.Stmt
	enc    *zstd.Encoder
	id     string
}

func (in *inserter) event(line ecmajson.Value) error {
	seq, packed := line.Lookup("seq"), false
	time := line.Lookup("time")
	if seq == nil {
		packed, seq, time = true, line.Lookup("seq0"), line.Lookup("time0")
	}
	n, _ := seq.SafeInt()
	t, _ := time.SafeInt()
	err := errors.Join(in.insert.BindText(1, in.id), in.insert.BindInt64(2, n),
		in.insert.BindText(3, line.Lookup("type").Text()), in.insert.BindInt64(4, t))
	if data := line.Lookup("data"); len(data) < compressFrom {
		err = errors.Join(err, in.insert.BindText(5, string(data)))
	} else {
		err = errors.Join(err, in.insert.BindBlob(5, in.enc.EncodeAll(data, nil)))
	}
	err = errors.Join(err, in.insert.BindNull(6), in.insert.BindNull(7), in.insert.BindNull(8))
	if sources := line.Lookup("sourceEventSeqs"); sources != nil {
		err = errors.Join(err, in.insert.BindBlob(6, packSources(sources)))
	}
	if op := line.Lookup("surfaceOp"); op != nil {
		err = errors.Join(err, in.insert.BindText(7, string(op)))
	}
	switch {
	case packed:
		err = errors.Join(err, in.insert.BindInt64(8, 0))
	case line.Lookup("ignorable") != nil:
		err = errors.Join(err, in.insert.BindInt64(8, 1))
	}
	return errors.Join(err, in.insert.Exec())
}

// packSources packs event numbers as varints: the first plain, each later one
// the step to it, even for a step forward and odd for one back.
func packSources(list ecmajson.Value) (b []byte) {
	last := int64(-1)
	for v := range list.Elements() {
		n, _ := v.SafeInt()
		step := n
		if last >= 0 {
			if step = 2 * (n - last); step < 0 {
				step = -step - 1
			}
		}
		b = binary.AppendUvarint(b, uint64(step))
		last = n
	}
	return b
}
