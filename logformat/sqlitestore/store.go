package sqlitestore

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dsh-verify/dsh-verify/internal/sqlitefile"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// The identity of a store that this package reads.
const (
	ApplicationID = 0x44534850 // "DSHP"
	SchemaVersion = 17
)

// The codes of stores as a whole.
const (
	CodeForeign logformat.Code = "store/foreign"
	CodeDamaged logformat.Code = "store/damaged"
)

// Codes describes the refusals of stores as a whole.
func Codes() []logformat.CodeInfo {
	return []logformat.CodeInfo{
		{Code: CodeForeign, Class: logformat.Foreign, Meaning: "the SQLite file is not a session store of schema 17, or not in a form that is read; it may be sound and belong to another program or another release", Action: "Read it with a release that knows its schema."},
		{Code: CodeDamaged, Class: logformat.Corrupt, Meaning: "the SQLite file is damaged", Action: "Restore the store from a backup."},
	}
}

// Magic is how a SQLite file starts.
const Magic = sqlitefile.Magic

// A Store is an open store.
type Store struct {
	file   *sqlitefile.File
	mu     sync.Mutex
	tables map[string]*sqlitefile.Table
}

// Open opens the store at path. A *logformat.Refusal says that it is foreign or
// damaged.
func Open(path string) (*Store, error) {
	const tries = 3
	for range tries {
		s, err := open(path)
		if err != nil {
			return nil, err
		}
		if s.Still() {
			return s, nil
		}
		s.Close()
	}
	return nil, &os.PathError{Op: "open", Path: path, Err: errMoving}
}

var errMoving = errors.New("a writer is changing the store; try again, or verify a copy")

func open(path string) (*Store, error) {
	file, err := sqlitefile.Open(path)
	if err != nil {
		return nil, damaged(err)
	}
	s := &Store{file: file, tables: map[string]*sqlitefile.Table{}}
	if err := s.identify(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) identify() error {
	application, schema := s.file.ApplicationID(), s.file.UserVersion()
	if application != ApplicationID || schema != SchemaVersion {
		return &logformat.Refusal{
			Code: CodeForeign, Phase: logformat.PhaseVersion, Seq: -1,
			Detail: fmt.Sprintf("application id %#x, schema %d", application, schema),
		}
	}
	return nil
}

// damaged turns what is wrong with the file into a refusal. Errors of the file
// system stay what they are.
func damaged(err error) error {
	if damage, ok := errors.AsType[*sqlitefile.Damage](err); ok {
		return &logformat.Refusal{Code: CodeDamaged, Phase: logformat.PhaseContainer, Seq: -1, Detail: damage.Error()}
	}
	if foreign, ok := errors.AsType[*sqlitefile.Unsupported](err); ok {
		return &logformat.Refusal{Code: CodeForeign, Phase: logformat.PhaseVersion, Seq: -1, Detail: foreign.Error()}
	}
	return err
}

// Close closes the store.
func (s *Store) Close() error { return s.file.Close() }

// Still reports whether no writer has moved pages since the store was opened:
// otherwise what was read may not belong together.
func (s *Store) Still() bool { return s.file.Still() }

// Sessions returns the ids of the sessions, those without a parent first, each
// group in the order of creation.
func (s *Store) Sessions() ([]string, error) {
	rows, err := s.query("sessions", sqlitefile.Query{Columns: []string{"id", "parent_session", "created_at"}})
	if err != nil {
		return nil, damaged(err)
	}
	type session struct {
		id      string
		child   int
		created sqlitefile.Value
	}
	var sessions []session
	for {
		ok, err := rows.Next()
		if err != nil {
			return nil, damaged(err)
		}
		if !ok {
			break
		}
		id, parent, created := rows.Value(0), rows.Value(1), rows.Value(2)
		if id.Kind != sqlitefile.Text {
			return nil, damaged(&sqlitefile.Damage{Detail: "the id of a session is of kind " + id.Kind.String()})
		}
		created.Bytes = bytes.Clone(created.Bytes)
		sessions = append(sessions, session{string(id.Bytes), int(min(parent.Kind, 1)), created})
	}
	slices.SortFunc(sessions, func(a, b session) int {
		return cmp.Or(cmp.Compare(a.child, b.child), a.created.Compare(b.created), strings.Compare(a.id, b.id))
	})
	ids := make([]string, len(sessions))
	for i, s := range sessions {
		ids[i] = s.id
	}
	return ids, nil
}

func (s *Store) query(table string, q sqlitefile.Query) (*sqlitefile.Rows, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[table]
	if t == nil {
		var err error
		if t, err = s.file.Table(table); err != nil {
			return nil, err
		}
		s.tables[table] = t
	}
	return t.Rows(q)
}

// Log returns the log of a session as rows.
func (s *Store) Log(id string) (*Rows, error) {
	header, err := s.header(id)
	if err != nil {
		return nil, damaged(err)
	}
	rows, err := s.query("events", sqlitefile.Query{
		Columns: []string{"seq", "type", "time", "data", "source_event_seqs", "surface_op", "ignorable"},
		Where:   "session_id", Equals: id, OrderBy: "seq",
	})
	if err != nil {
		return nil, damaged(err)
	}
	return &Rows{rows: rows, header: header}, nil
}

// header prints the session's row as a header line. What is not what a store
// holds there is printed too, for the reader to refuse.
func (s *Store) header(id string) ([]byte, error) {
	rows, err := s.query("sessions", sqlitefile.Query{
		Columns: []string{"version", "created_at", "cwd", "parent_session", "seed_length", "origin", "delegation_depth", "agent_preset"},
		Where:   "id", Equals: id,
	})
	if err != nil {
		return nil, err
	}
	ok, err := rows.Next()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("the store holds no session %q", id)
	}
	b := appendValue([]byte(`{"type":"session","version":`), rows.Value(0))
	b = append(b, `,"id":`...)
	b = ecmajson.AppendString(b, id)
	b = append(b, `,"createdAt":`...)
	b = appendValue(b, rows.Value(1))
	for i, key := range []string{"cwd", "parentSession", "seedLength", "origin", "delegationDepth", "agentPreset"} {
		v := rows.Value(2 + i)
		switch {
		case key == "delegationDepth" && v.Kind == sqlitefile.Null:
			v = sqlitefile.Value{Kind: sqlitefile.Integer}
		case v.Kind == sqlitefile.Null:
			continue
		}
		b = append(b, `,"`+key+`":`...)
		b = appendValue(b, v)
	}
	return append(b, '}'), nil
}

// appendValue prints a value as JSON.
func appendValue(b []byte, v sqlitefile.Value) []byte {
	switch v.Kind {
	case sqlitefile.Null:
		return append(b, "null"...)
	case sqlitefile.Integer:
		return strconv.AppendInt(b, v.Int, 10)
	case sqlitefile.Real:
		return ecmajson.AppendNumber(b, v.Real)
	}
	return ecmajson.AppendString(b, string(v.Bytes))
}

// IsStore reports whether a file starts as a SQLite file does.
func IsStore(r io.ReaderAt) bool {
	var head [16]byte
	_, err := r.ReadAt(head[:], 0)
	return (err == nil || err == io.EOF) && string(head[:]) == Magic
}

// HasApplicationID reports whether a SQLite file says that it is a session store.
func HasApplicationID(r io.ReaderAt) bool {
	var head [72]byte
	_, err := r.ReadAt(head[:], 0)
	return err == nil && string(head[:16]) == Magic && binary.BigEndian.Uint32(head[68:]) == ApplicationID
}
