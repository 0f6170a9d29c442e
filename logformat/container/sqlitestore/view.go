package sqlitestore

import (
	"errors"
	"io/fs"

	"github.com/dsh-verify/dsh-verify/internal/sqlitesnapshot"
)

// A view is a snapshot of a store that was checked.
type view struct {
	snapshot *sqlitesnapshot.Snapshot
	users    int // guarded by the store's lock; the store itself is one
}

// ErrMoved says that a writer changed the store while it was read, again and again,
// or changed what had been read of it.
var ErrMoved = sqlitesnapshot.ErrMoved

// tries is how often a store is read until no writer moves pages meanwhile.
const tries = 5

// look takes a snapshot and checks it. What was found wrong with one whose pages
// moved is not said: another one is taken.
func look(path string) (*view, error) {
	for range tries {
		snapshot, err := sqlitesnapshot.Open(path)
		if err != nil {
			return nil, refusal(err)
		}
		err = check(snapshot)
		if still := snapshot.Still(); still && err == nil {
			return &view{snapshot, 1}, nil
		} else if snapshot.Close(); still {
			return nil, refusal(err)
		}
	}
	return nil, &fs.PathError{Op: "read", Path: path, Err: ErrMoved}
}

// check checks that a snapshot is one of a store, and sound.
func check(snapshot *sqlitesnapshot.Snapshot) error {
	if snapshot.LeftBehind() {
		return foreign("it is written through a write-ahead log, which is not beside it, and has no tables of its own: copy the -wal file too, or make the copy with the SQLite command .backup")
	}
	if application, schema := snapshot.ApplicationID(), snapshot.UserVersion(); application != ApplicationID || schema != SchemaVersion {
		return foreign("application id %#x, schema %d", application, schema)
	}
	e, err := connect(snapshot)
	if err != nil {
		return err
	}
	defer e.close()
	if err := e.checkSchema(); err != nil {
		return err
	}
	return e.checkPages()
}

// current returns the view in use. It is given back with release.
func (s *Store) current() *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.users++
	return s.view
}

// renew gives back a view whose pages have moved, for a newer one.
func (s *Store) renew(old *view) (*view, error) {
	s.release(old)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.view == old {
		newer, err := look(s.path)
		if err != nil {
			return nil, err
		}
		s.view = newer
		s.drop(old)
	}
	s.view.users++
	return s.view, nil
}

// release gives back a view.
func (s *Store) release(v *view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(v)
}

// drop is release under the lock.
func (s *Store) drop(v *view) (err error) {
	if v.users--; v.users == 0 {
		err = v.snapshot.Close()
	}
	return err
}

// settled runs a reading until it ends on a view whose pages have not moved.
func (s *Store) settled(read func(*view) error) error {
	v := s.current()
	for range tries {
		err := read(v)
		if v.snapshot.Still() {
			s.release(v)
			return refusal(err)
		}
		if v, err = s.renew(v); err != nil {
			return err
		}
	}
	s.release(v)
	return ErrMoved
}

// refusal turns what is wrong with the file into a refusal. Errors of the file
// system stay what they are.
func refusal(err error) error {
	if d, ok := errors.AsType[*sqlitesnapshot.Damage](err); ok {
		return damaged(d.Error())
	}
	if d, ok := errors.AsType[*damage](err); ok {
		return damaged(d.Error())
	}
	return err
}
