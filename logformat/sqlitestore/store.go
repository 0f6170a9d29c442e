package sqlitestore

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	_ "modernc.org/sqlite" // the driver
	"modernc.org/sqlite/vfs"

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
		{Code: CodeForeign, Class: logformat.Foreign, Meaning: "the SQLite file is not a session store of schema 17; it may be sound and belong to another program or another release", Action: "Read it with a release that knows its schema."},
		{Code: CodeDamaged, Class: logformat.Corrupt, Meaning: "the SQLite file is damaged", Action: "Restore the store from a backup."},
	}
}

// Magic is how a SQLite file starts.
const Magic = "SQLite format 3\x00"

// A Store is an open store.
type Store struct {
	db      *sql.DB
	fs      *vfs.FS
	overlay *overlay
}

// Open opens the store at path. A *logformat.Refusal says that it is foreign or
// damaged.
func Open(path string) (*Store, error) {
	const tries = 3
	for try := 1; ; try++ {
		s, err := open(path)
		if err != nil {
			return nil, err
		}
		if s.overlay.still() {
			return s, nil
		}
		s.Close()
		if try == tries {
			return nil, &os.PathError{Op: "open", Path: path, Err: errMoving}
		}
	}
}

func open(path string) (*Store, error) {
	o, err := openOverlay(path)
	if err != nil {
		return nil, err
	}
	s := &Store{overlay: o}
	name, fsys, err := vfs.New(o)
	if err != nil {
		o.main.Close()
		return nil, err
	}
	s.fs = fsys
	if s.db, err = sql.Open("sqlite", "file:"+dbName+"?vfs="+name+"&mode=ro&immutable=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"); err != nil {
		s.Close()
		return nil, err
	}
	if err := s.identify(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) identify() error {
	var application, schema int64
	if err := s.db.QueryRow("PRAGMA application_id").Scan(&application); err != nil {
		return damaged(err)
	}
	if err := s.db.QueryRow("PRAGMA user_version").Scan(&schema); err != nil {
		return damaged(err)
	}
	if application != ApplicationID || schema != SchemaVersion {
		return &logformat.Refusal{
			Code: CodeForeign, Phase: logformat.PhaseVersion, Seq: -1,
			Detail: fmt.Sprintf("application id %#x, schema %d", application, schema),
		}
	}
	return nil
}

func damaged(err error) error {
	return &logformat.Refusal{Code: CodeDamaged, Phase: logformat.PhaseContainer, Seq: -1, Detail: err.Error()}
}

// Close closes the store.
func (s *Store) Close() error {
	if s.db != nil {
		s.db.Close()
	}
	if s.fs != nil {
		s.fs.Close()
	}
	return s.overlay.main.Close()
}

// Still reports whether no writer has moved pages since the store was opened:
// otherwise what was read may not belong together.
func (s *Store) Still() bool { return s.overlay.still() }

// Sessions returns the ids of the sessions, those without a parent first, each
// group in the order of creation.
func (s *Store) Sessions() ([]string, error) {
	rows, err := s.db.Query("SELECT id FROM sessions ORDER BY parent_session IS NOT NULL, created_at, id")
	if err != nil {
		return nil, damaged(err)
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, damaged(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return nil, damaged(err)
	}
	return ids, nil
}

// Log returns the log of a session as rows.
func (s *Store) Log(id string) (*Rows, error) {
	header, err := s.header(id)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.Query("SELECT seq, type, time, data, source_event_seqs, surface_op, ignorable FROM events WHERE session_id = ? ORDER BY seq", id)
	if err != nil {
		return nil, damaged(err)
	}
	return &Rows{rows: rows, header: header}, nil
}

// header prints the session's row as a header line.
func (s *Store) header(id string) ([]byte, error) {
	var (
		version, created            any
		cwd, parent, origin, preset sql.NullString
		seed, depth                 sql.NullInt64
	)
	err := s.db.QueryRow("SELECT version, created_at, cwd, parent_session, seed_length, origin, delegation_depth, agent_preset FROM sessions WHERE id = ?", id).
		Scan(&version, &created, &cwd, &parent, &seed, &origin, &depth, &preset)
	if err == sql.ErrNoRows {
		return nil, err
	}
	if err != nil {
		return nil, damaged(err)
	}
	b := append([]byte(`{"type":"session","version":`), fmt.Sprint(version)...)
	b = append(b, `,"id":`...)
	b = ecmajson.AppendString(b, id)
	b = append(b, `,"createdAt":`...)
	b = append(b, fmt.Sprint(created)...)
	text := func(key string, v sql.NullString) {
		if v.Valid {
			b = append(b, `,"`+key+`":`...)
			b = ecmajson.AppendString(b, v.String)
		}
	}
	text("cwd", cwd)
	text("parentSession", parent)
	if seed.Valid {
		b = append(b, fmt.Sprintf(`,"seedLength":%d`, seed.Int64)...)
	}
	text("origin", origin)
	b = append(b, fmt.Sprintf(`,"delegationDepth":%d`, depth.Int64)...)
	text("agentPreset", preset)
	return append(b, '}'), nil
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
