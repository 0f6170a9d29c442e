// Package storetest writes SQLite stores of sessions for tests, with the engine as
// the writer.
package storetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

// Schema makes the objects of a store of schema 17, letter for letter as the
// harness does.
const Schema = `PRAGMA application_id = 0x44534850;
PRAGMA user_version = 17;
CREATE TABLE persistence_state (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  store_id  TEXT NOT NULL
) STRICT;
CREATE TABLE sessions (
  id               TEXT PRIMARY KEY,
  version          INTEGER NOT NULL,
  created_at       INTEGER NOT NULL,
  cwd              TEXT,
  parent_session   TEXT,
  seed_length      INTEGER,
  origin           TEXT,
  delegation_depth INTEGER,
  agent_preset     TEXT,
  incarnation      TEXT NOT NULL,
  revision         INTEGER NOT NULL
) STRICT;
CREATE TABLE events (
  session_id        TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq               INTEGER NOT NULL,
  type              TEXT NOT NULL,
  time              INTEGER NOT NULL,
  data              ANY NOT NULL,
  source_event_seqs ANY,
  surface_op        TEXT,
  ignorable         INTEGER CHECK (ignorable IS NULL OR ignorable IN (0, 1)),
  PRIMARY KEY (session_id, seq)
) STRICT;
`

// Open opens the database at path for writing, until the test ends, and runs
// statements. It does not wait for the disk.
func Open(t testing.TB, path, statements string) *sqlite3.Conn {
	t.Helper()
	db, err := sqlite3.Open("file:" + filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	Exec(t, db, "PRAGMA synchronous = OFF;"+statements)
	return db
}

// Exec runs statements.
func Exec(t testing.TB, db *sqlite3.Conn, statements string) {
	t.Helper()
	if err := db.Exec(statements); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

// Write writes a database with statements, and closes it.
func Write(t testing.TB, path, statements string) {
	t.Helper()
	db := Open(t, path, statements)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// Listing tells the files in a folder, with their sizes and times, a line each.
func Listing(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %v %d %v\n", e.Name(), info.Mode(), info.Size(), info.ModTime())
	}
	return b.String()
}
