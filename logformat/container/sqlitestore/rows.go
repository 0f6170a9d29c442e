package sqlitestore

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// Rows yields a session's log, a line a row. It is a logformat.RowSource.
//
// At its end, all that it has yielded belongs together. Should a writer have moved
// pages meanwhile, the session is read again as of a later commit: as rows are only
// added, it must start with what was yielded before, and the reading goes on after
// that.
type Rows struct {
	store *Store
	id    string
	reading
	seen seen
	end  error // what Next returned last

	line    []byte
	decoder *zstd.Decoder
	text    []byte
}

// A reading is a session as a view has it.
type reading struct {
	view    *view
	engine  *engine
	query   *query
	header  []byte
	started bool
}

// seen is what was yielded: how many rows, and their digest.
type seen struct {
	rows   int64
	digest maphash.Hash
}

func (s *seen) add(text []byte, fault *logformat.Refusal) {
	s.rows++
	if fault != nil {
		text = []byte(fault.Detail)
	}
	var head [9]byte
	binary.BigEndian.PutUint64(head[:], uint64(len(text)))
	if fault != nil {
		head[8] = 1
	}
	s.digest.Write(head[:])
	s.digest.Write(text)
}

// Log returns the log of a session as rows.
func (s *Store) Log(id string) (*Rows, error) {
	r := &Rows{store: s, id: id}
	r.view = s.current()
	for range tries {
		err := r.begin()
		if err == nil || r.view.snapshot.Still() {
			if err != nil {
				r.release()
			}
			return r, refusal(err)
		}
		if err := r.renew(); err != nil {
			return nil, err
		}
	}
	r.release()
	return nil, ErrMoved
}

// begin starts the reading of the session.
func (r *Rows) begin() (err error) {
	if r.engine, err = connect(r.view.snapshot); err != nil {
		return err
	}
	if r.header, err = r.engine.header(r.id); err != nil {
		return err
	}
	r.engine.allow(1)
	r.query, err = r.engine.query(`SELECT seq, type, time, data, source_event_seqs, surface_op, ignorable
FROM events WHERE session_id = ? ORDER BY seq`, r.id)
	return err
}

// stop ends the engine.
func (r *reading) stop() {
	if r.query != nil {
		r.query.close()
	}
	if r.engine != nil {
		r.engine.close()
	}
	*r = reading{view: r.view}
}

// renew takes a newer view.
func (r *Rows) renew() (err error) {
	r.stop()
	r.view, err = r.store.renew(r.view)
	return err
}

func (r *Rows) release() {
	r.stop()
	if r.view != nil {
		r.store.release(r.view)
		r.view = nil
	}
}

// Next returns the next line. It returns [ErrMoved] where what was yielded does not
// belong together.
func (r *Rows) Next() (text []byte, fault *logformat.Refusal, err error) {
	if r.end != nil {
		return nil, nil, r.end
	}
	text, fault, err = r.read()
	for n := 0; (err != nil || fault != nil) && r.moved(); n++ {
		if n == tries {
			err = ErrMoved
			break
		}
		if err = r.again(); err == nil {
			text, fault, err = r.read()
		}
	}
	if err != nil {
		r.end = refusal(err)
		r.release()
		return nil, nil, r.end
	}
	r.seen.add(text, fault)
	return text, fault, nil
}

// Close ends the reading. It returns [ErrMoved] when Next has not, and what was
// yielded does not belong together.
func (r *Rows) Close() (err error) {
	if r.end == nil {
		r.end = errClosed
		for n := 0; r.moved(); n++ {
			if n == tries {
				err = ErrMoved
				break
			}
			err = r.again()
		}
		r.release()
	}
	if r.decoder != nil {
		r.decoder.Close()
		r.decoder = nil
	}
	return refusal(err)
}

var errClosed = errors.New("the rows are closed")

// moved reports whether pages have moved before they were read.
func (r *Rows) moved() bool { return r.view != nil && !r.view.snapshot.Still() }

// again reads what was yielded once more, as of a later commit.
func (r *Rows) again() error {
	if err := r.renew(); err != nil {
		return err
	}
	if err := r.begin(); err != nil {
		return err
	}
	var now seen
	now.digest.SetSeed(r.seen.digest.Seed())
	for now.rows < r.seen.rows {
		text, fault, err := r.read()
		if err == io.EOF {
			return ErrMoved
		}
		if err != nil {
			return err
		}
		now.add(text, fault)
	}
	if now.digest.Sum64() != r.seen.digest.Sum64() {
		return ErrMoved
	}
	return nil
}

// read reads the next row.
func (r *Rows) read() (text []byte, fault *logformat.Refusal, err error) {
	if !r.started {
		r.started = true
		return r.header, nil, nil
	}
	ok, err := r.query.next()
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, io.EOF
	}
	defer guard(&err)
	v := r.query.value
	if r.line, err = r.print(r.line[:0], &eventRow{v(0), v(1), v(2), v(3), v(4), v(5), v(6)}); err != nil {
		return nil, malformed(err.Error()), nil
	}
	return r.line, nil, nil
}

func malformed(detail string) *logformat.Refusal {
	return &logformat.Refusal{Code: logformat.CodeStoreRow, Phase: logformat.PhaseLines, Seq: -1, Detail: detail}
}
