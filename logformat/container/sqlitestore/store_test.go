package sqlitestore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/dsh-verify/dsh-verify/internal/storetest"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/sqlitestore"
)

const recorded = "../../../fixtures/sqlite-two-sessions/store.db"

const oneSession = storetest.Schema + `INSERT INTO sessions VALUES ('s', 0, 1, NULL, NULL, NULL, NULL, 0, NULL, 'i', 1);`

// addEvent adds the next event of session s to a store.
func addEvent(t testing.TB, db *sqlite3.Conn, seq int) {
	t.Helper()
	storetest.Exec(t, db, fmt.Sprintf(`INSERT INTO events VALUES ('s', %[1]d, 'turn/start', %[1]d, '{"turn":%[2]d}', NULL, NULL, NULL)`, seq, seq+1))
}

// A log is what was read of a session.
type log struct {
	lines  []string
	faults []string
}

func read(rows *sqlitestore.Rows) (l log, err error) {
	for {
		text, fault, err := rows.Next()
		switch {
		case err != nil:
			return l, err
		case fault != nil:
			l.faults = append(l.faults, fault.Detail)
		default:
			l.lines = append(l.lines, string(text))
		}
	}
}

// open opens a store, and a session of it.
func open(t testing.TB, path, id string) (*sqlitestore.Store, *sqlitestore.Rows) {
	t.Helper()
	store, err := sqlitestore.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	rows, err := store.Log(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rows.Close() })
	return store, rows
}

// events reads a session to its end and returns how many events it has.
func events(t testing.TB, path, id string) int64 {
	t.Helper()
	_, rows := open(t, path, id)
	reader := logformat.NewRowReader(rows, logformat.SQLite, logformat.Options{})
	for _, err := range reader.Records() {
		if err != nil {
			t.Fatal(err)
		}
	}
	return reader.Stats().Events
}

// refusedAs returns the code and the detail of a refusal.
func refusedAs(err error) (logformat.Code, string) {
	if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
		return refusal.Code, refusal.Detail
	}
	return "", fmt.Sprint(err)
}

func TestRecordedStore(t *testing.T) {
	store, err := sqlitestore.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ids, err := store.Sessions()
	if err != nil || strings.Join(ids, " ") != "ses-stamp-01 ses-stamp-02 ses-stamp-01-fork" {
		t.Errorf("sessions are %v, %v", ids, err)
	}
	for _, id := range ids {
		if n := events(t, recorded, id); n == 0 {
			t.Errorf("%s has no events", id)
		}
	}
	if _, err := store.Log("ses-stamp-03"); err == nil || !strings.Contains(err.Error(), `no session "ses-stamp-03"`) {
		t.Errorf("a session that is not there: %v", err)
	}
}

// TestSchemaIsTheRecorded checks that the tests' stores are declared as the recorded.
func TestSchemaIsTheRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	storetest.Write(t, path, storetest.Schema)
	statements := func(path string) (all []string) {
		db := storetest.Open(t, path, "")
		q, _, err := db.Prepare("SELECT sql FROM sqlite_schema")
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		for q.Step() {
			all = append(all, q.ColumnText(0))
		}
		return all
	}
	copied := filepath.Join(t.TempDir(), "recorded.db")
	data, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(statements(path), ";"), strings.Join(statements(copied), ";"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestForeign holds what is refused as a store of another program or release. What
// could make the engine run something is among it: none of these objects is used.
func TestForeign(t *testing.T) {
	for name, test := range map[string]struct{ edit, want string }{
		"another application":       {`PRAGMA application_id = 7`, "application id 0x7, schema 17"},
		"an older schema":           {`PRAGMA user_version = 16`, "application id 0x44534850, schema 16"},
		"a newer schema":            {`PRAGMA user_version = 18`, "application id 0x44534850, schema 18"},
		"no table of events":        {`DROP TABLE events`, "there is no table events"},
		"a view of events":          {`ALTER TABLE events RENAME TO e; CREATE VIEW events AS SELECT * FROM e`, "there is no table events"},
		"a column less":             {`ALTER TABLE events DROP COLUMN surface_op`, "table events is not declared as the harness declares it"},
		"a column more":             {`ALTER TABLE sessions ADD COLUMN starred INTEGER`, "table sessions is not declared as the harness declares it"},
		"a generated column":        {`ALTER TABLE events ADD COLUMN twice INTEGER AS (2 * seq)`, "table events is not declared as the harness declares it"},
		"a default that is run":     {`ALTER TABLE sessions ADD COLUMN d TEXT DEFAULT (hex(zeroblob(9)))`, ""},
		"a view":                    {`CREATE VIEW v AS SELECT * FROM events`, "the harness opens no store that has objects of others: view v"},
		"a trigger":                 {`CREATE TRIGGER r AFTER INSERT ON events BEGIN DELETE FROM sessions; END`, "the harness opens no store that has objects of others: trigger r"},
		"an index":                  {`CREATE INDEX x ON events(type)`, "the harness opens no store that has objects of others: index x"},
		"an index over expressions": {`CREATE INDEX x ON events(json_extract(data, '$.turn'))`, "the harness opens no store that has objects of others: index x"},
		"tables of others":          {`CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); CREATE TABLE _litestream_lock (id INTEGER)`, "the harness opens no store that has objects of others: table _litestream_seq, table _litestream_lock"},
		"a number as few write it":  {`CREATE TABLE w(x REAL DEFAULT 1e-3, y DEFAULT .5)`, "the harness opens no store that has objects of others: table w"},
		"a virtual table":           {`PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING nowhere(a)')`, "the harness opens no store that has objects of others: table v"},
		"another table's index":     {`PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'seq)', 'seq )')`, "table events is not declared as the harness declares it"},
	} {
		path := filepath.Join(t.TempDir(), "store.db")
		db := storetest.Open(t, path, oneSession)
		if err := db.Exec(test.edit); err != nil {
			if test.want != "" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		db.Close()
		_, err := sqlitestore.Open(path)
		if code, detail := refusedAs(err); code != sqlitestore.CodeForeign || detail != test.want {
			t.Errorf("%s: %s %s, want %s", name, code, detail, test.want)
		}
	}
}

// TestOwn checks that what SQLite and the harness do to a store leaves it a store.
func TestOwn(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"UTF-16 LE":               {before: `PRAGMA encoding = 'UTF-16le'`},
		"UTF-16 BE":               {before: `PRAGMA encoding = 'UTF-16be'`},
		"pages of 512 bytes":      {before: `PRAGMA page_size = 512`},
		"pages of 64 KiB":         {before: `PRAGMA page_size = 65536`},
		"vacuumed as it goes":     {before: `PRAGMA auto_vacuum = FULL`},
		"vacuumed":                {after: `VACUUM`},
		"analysed":                {after: `ANALYZE`},
		"a log":                   {before: `PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0`},
		"a log, copied":           {before: `PRAGMA journal_mode = WAL`, after: `PRAGMA wal_checkpoint(PASSIVE)`},
		"a log, emptied":          {before: `PRAGMA journal_mode = WAL`, after: `PRAGMA wal_checkpoint(TRUNCATE)`},
		"a log, begun again":      {before: `PRAGMA journal_mode = WAL`, after: `PRAGMA wal_checkpoint(RESTART); UPDATE sessions SET revision = 2`},
		"a log, of one process":   {before: `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL`},
		"a journal that was kept": {before: `PRAGMA journal_mode = PERSIST`},
		"a journal that was cut":  {before: `PRAGMA journal_mode = TRUNCATE`},
	} {
		path := filepath.Join(t.TempDir(), "store.db")
		db := storetest.Open(t, path, test.before+";"+oneSession)
		for seq := range 40 {
			addEvent(t, db, seq)
		}
		storetest.Exec(t, db, test.after)
		_, rows := open(t, path, "s")
		l, _ := read(rows)
		if len(l.lines) != 41 || l.lines[40] != `{"type":"turn/start","seq":39,"time":39,"data":{"turn":40}}` {
			t.Errorf("%s: %d lines, %q, faults %q", name, len(l.lines), l.lines[len(l.lines)-1], l.faults)
		}
	}
}

// TestReserved reads a store whose pages end in room that nobody uses. The engine
// keeps checksums there when it is asked to.
func TestReserved(t *testing.T) {
	for _, n := range []int{8, 32} {
		path := filepath.Join(t.TempDir(), "store.db")
		db := storetest.Open(t, path, "")
		if _, err := db.FileControl("main", sqlite3.FCNTL_RESERVE_BYTES, n); err != nil {
			t.Fatal(err)
		}
		storetest.Exec(t, db, "VACUUM;"+oneSession)
		addEvent(t, db, 0)
		db.Close()
		b, err := os.ReadFile(path)
		if err != nil || int(b[20]) != n {
			t.Fatalf("%d bytes are reserved: %v", b[20], err)
		}
		for at := 4096; at <= len(b); at += 4096 {
			copy(b[at-n:at], make([]byte, n))
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := events(t, path, "s"); got != 1 {
			t.Errorf("%d reserved: %d events", n, got)
		}
	}
}

// TestLeftBehind holds what is said of a copy without the file that has everything.
func TestLeftBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	storetest.Open(t, path, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"+oneSession)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(dir, "alone.db")
	if err := os.WriteFile(alone, b, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = sqlitestore.Open(alone)
	if code, detail := refusedAs(err); code != sqlitestore.CodeForeign || !strings.Contains(detail, "copy the -wal file too") {
		t.Errorf("%s %s", code, detail)
	}
}
