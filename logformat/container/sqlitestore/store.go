package sqlitestore

import (
	"encoding/binary"
	"io"
	"sync"

	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/sqlitesnapshot"
	"github.com/dsh-verify/dsh-verify/logformat"
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

func damaged(detail string) *logformat.Refusal {
	return &logformat.Refusal{Code: CodeDamaged, Phase: logformat.PhaseContainer, Seq: -1, Detail: detail}
}

// Magic is how a SQLite file starts.
const Magic = sqlitesnapshot.Magic

// A Store is an open store. Its sessions may be read by several goroutines at once.
type Store struct {
	path string
	mu   sync.Mutex
	view *view // in use
}

// Open opens the store at path and checks all of it. A *logformat.Refusal says that
// it is foreign or damaged.
func Open(path string) (*Store, error) {
	v, err := look(path)
	if err != nil {
		return nil, err
	}
	return &Store{path: path, view: v}, nil
}

// Close closes the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drop(s.view)
}

// Lost says what of the store's write-ahead log is not read although it is there.
func (s *Store) Lost() (l Lost) {
	v := s.current()
	defer s.release(v)
	return Lost(v.snapshot.Lost())
}

// Lost is what cannot be read of a write-ahead log: it ends at a damaged frame, from
// 1, and a number of commits follow. The frame is 0 when nothing is lost.
type Lost struct {
	Frame   int64
	Commits int
}

// Sessions returns the ids of the sessions, those without a parent first, each
// group in the order of creation.
func (s *Store) Sessions() (ids []string, err error) {
	err = s.settled(func(v *view) error {
		ids, err = v.sessions()
		return err
	})
	return ids, err
}

func (v *view) sessions() (ids []string, err error) {
	e, err := connect(v.snapshot)
	if err != nil {
		return nil, err
	}
	defer e.close()
	q, err := e.query(`SELECT id FROM sessions ORDER BY parent_session IS NOT NULL, created_at, id`)
	if err != nil {
		return nil, err
	}
	defer q.close()
	defer guard(&err)
	for {
		ok, err := q.next()
		if !ok || err != nil {
			return ids, err
		}
		id := q.value(0)
		if !id.isText() {
			return nil, damaged("a session has no id")
		}
		ids = append(ids, string(id.bytes))
	}
}

// IsStore reports whether a file starts as a SQLite file does.
func IsStore(r io.ReaderAt) bool {
	var head [len(Magic)]byte
	_, err := r.ReadAt(head[:], 0)
	return (err == nil || err == io.EOF) && string(head[:]) == Magic
}

// Claims reports whether a SQLite file says that it is a session store, as of its last
// commit. A file that is written through a write-ahead log may say nothing before its
// first checkpoint: it counts as one if it says so in the log, and if it has nothing
// in it and the log is gone. The error is that of opening it.
func Claims(path string) (bool, error) {
	f, err := regular.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var head [100]byte
	if n, _ := f.ReadAt(head[:], 0); n < len(head) || string(head[:len(Magic)]) != Magic {
		return false, nil
	}
	const atReadVersion, atApplicationID, throughLog = 19, 68, 2
	if binary.BigEndian.Uint32(head[atApplicationID:]) == ApplicationID || head[atReadVersion] != throughLog {
		return binary.BigEndian.Uint32(head[atApplicationID:]) == ApplicationID, nil
	}
	snapshot, err := sqlitesnapshot.Open(path)
	if err != nil {
		return false, nil // whose it is cannot be known
	}
	defer snapshot.Close()
	return snapshot.ApplicationID() == ApplicationID || snapshot.LeftBehind(), nil
}
