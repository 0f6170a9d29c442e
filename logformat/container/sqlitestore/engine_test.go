package sqlitestore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/dsh-verify/dsh-verify/internal/sqlitesnapshot"
	"github.com/dsh-verify/dsh-verify/internal/storetest"
)

// connected returns an engine on a store that is written with statements.
func connected(t *testing.T, statements string) (*engine, string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	storetest.Write(t, path, statements)
	snapshot, err := sqlitesnapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { snapshot.Close() })
	e, err := connect(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	return e, dir
}

// TestOnlyReads checks that an engine does only read rows, whoever asks.
func TestOnlyReads(t *testing.T) {
	e, dir := connected(t, storetest.Schema+`
CREATE VIEW v AS SELECT id FROM sessions; CREATE TRIGGER r AFTER INSERT ON sessions BEGIN SELECT 1; END`)
	before := storetest.Listing(t, dir)
	other := filepath.ToSlash(filepath.Join(dir, "other.db"))
	for _, statement := range []string{
		"ATTACH '" + other + "' AS o",
		"ATTACH 'file:" + other + "?vfs=os' AS o",
		"VACUUM INTO '" + other + "'",
		"VACUUM",
		"CREATE TABLE t(x)",
		"CREATE TEMP TABLE t(x)",
		"CREATE VIRTUAL TABLE t USING fts5(x)",
		"INSERT INTO sessions(id, version, created_at, incarnation, revision) VALUES ('x', 0, 1, 'i', 1)",
		"UPDATE sessions SET version = 1",
		"DELETE FROM events",
		"DROP TABLE events",
		"REINDEX",
		"ANALYZE",
		"BEGIN IMMEDIATE",
		"SAVEPOINT s",
		"PRAGMA query_only = OFF",
		"PRAGMA writable_schema = ON",
		"PRAGMA trusted_schema = ON",
		"PRAGMA journal_mode = WAL",
		"PRAGMA temp_store_directory = '/tmp'",
		"SELECT load_extension('x')",
		"SELECT randomblob(1000000000)",
		"SELECT * FROM pragma_table_list",
		"SELECT * FROM json_each('[1]')",
		"SELECT id FROM v",
		"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
	} {
		if err := e.conn.Exec(statement); err == nil {
			t.Errorf("it is done: %s", statement)
		}
	}
	if after := storetest.Listing(t, dir); before != after {
		t.Errorf("the folder changed:\n%sto:\n%s", before, after)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestBounds checks that work and values have an end, and that a failure of the engine
// is an error.
func TestBounds(t *testing.T) {
	e, _ := connected(t, storetest.Schema)
	e.conn.SetAuthorizer(nil)
	q, err := e.query("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r WHERE n < 0")
	if err != nil {
		t.Fatal(err)
	}
	_, err = q.next()
	q.close()
	if _, ok := errors.AsType[*damage](err); !ok || !strings.Contains(err.Error(), "more work") {
		t.Errorf("work without an end: %v", err)
	}
	e.allow(1)
	if q, err = e.query("SELECT zeroblob(2000000)"); err == nil {
		_, err = q.next()
	}
	if _, ok := errors.AsType[*damage](err); !ok || !strings.Contains(err.Error(), "too big") {
		t.Errorf("a value longer than the store: %v", err)
	}
	var failed error
	func() {
		defer guard(&failed)
		panic(sqlite3.NOMEM)
	}()
	if _, ok := errors.AsType[*damage](failed); !ok {
		t.Errorf("a failure of the engine: %v", failed)
	}
}
