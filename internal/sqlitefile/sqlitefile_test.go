package sqlitefile_test

import (
	"bytes"
	"cmp"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // writes the files, and is what the readings are held against

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/dsh-verify/dsh-verify/internal/sqlitefile"
)

var mutations = flag.Int("mutations", 500, "how many damaged files TestDamaged tries")

// A shape is a way to declare and to fill the same two columns and a value.
type shape struct {
	name   string
	pragma string // before the first table
	create string // of table t with at least id, n, v
	after  string // once it is filled
}

var shapes = []shape{
	{name: "strict table with a key", create: `CREATE TABLE t(id TEXT NOT NULL REFERENCES p(id) ON DELETE SET DEFAULT, n INTEGER NOT NULL, v ANY, PRIMARY KEY (id, n)) STRICT`},
	{name: "no key", create: `CREATE TABLE t(id TEXT, n INTEGER, v)`},
	{name: "without row ids", create: `CREATE TABLE t(v, id TEXT, n INTEGER, PRIMARY KEY (id, n)) WITHOUT ROWID`},
	{name: "row id as a column", create: `CREATE TABLE t(id TEXT, n INTEGER PRIMARY KEY, v)`},
	{name: "row id as a column by a table constraint", create: `CREATE TABLE t(id TEXT, n INTEGER, v, PRIMARY KEY(n DESC))`},
	{name: "descending key is no row id", create: `CREATE TABLE t(id TEXT, n INTEGER PRIMARY KEY DESC, v)`},
	{name: "other unique constraints first", create: `CREATE TABLE t(v, n INTEGER UNIQUE, id TEXT, UNIQUE(n), CHECK (n >= 0) CONSTRAINT k PRIMARY KEY(id, n))`},
	{name: "collation", create: `CREATE TABLE t(id TEXT COLLATE NOCASE, n INTEGER, v, PRIMARY KEY(id, n))`},
	{name: "descending", create: `CREATE TABLE t(id TEXT, n INTEGER, v, PRIMARY KEY(id, n DESC))`},
	{name: "index", create: `CREATE TABLE t(id TEXT, n INTEGER, v)`, after: `CREATE INDEX "some index" ON t(id, "n" ASC); CREATE INDEX part ON t(id, n) WHERE n < 3`},
	{name: "partial index only", create: `CREATE TABLE t(id TEXT, n INTEGER, v)`, after: `CREATE INDEX part ON t(id, n) WHERE n < 3`},
	{name: "index over an expression", create: `CREATE TABLE t(id TEXT, n INTEGER, v)`, after: `CREATE INDEX e ON t(id, n + 0)`},
	{name: "quoted, commented", create: "CREATE TABLE \"t\" -- the (table\n([id] VARCHAR(20, 3) NOT NULL DEFAULT 'it''s, ok', /* ) */ `n` INTEGER, 'v' BLOB, UNIQUE ([id], `n`))"},
	{name: "columns added later", create: `CREATE TABLE t(id TEXT, n INTEGER, v)`, after: `ALTER TABLE t ADD COLUMN a DEFAULT -7; ALTER TABLE t ADD COLUMN b TEXT DEFAULT 'x''y'; ALTER TABLE t ADD COLUMN c;
		ALTER TABLE t ADD COLUMN d NOT NULL DEFAULT TRUE; INSERT INTO t(id, n, v, a) VALUES ('s1', 999999, 'late', 3)`},
	{name: "renamed", create: `CREATE TABLE u(x, old TEXT, n INTEGER, v, PRIMARY KEY(old, n))`, after: `ALTER TABLE u RENAME TO t; ALTER TABLE t RENAME COLUMN old TO id; ALTER TABLE t DROP COLUMN x`},
	{name: "pages of 512 bytes", pragma: `PRAGMA page_size = 512`, create: `CREATE TABLE t(id TEXT, n INTEGER, v, PRIMARY KEY(id, n))`},
	{name: "pages of 512 bytes without row ids", pragma: `PRAGMA page_size = 512`, create: `CREATE TABLE t(id TEXT, n INTEGER, v, PRIMARY KEY(id, n)) WITHOUT ROWID`},
	{name: "pages of 64 KiB", pragma: `PRAGMA page_size = 65536`, create: `CREATE TABLE t(id TEXT, n INTEGER, v, PRIMARY KEY(id, n))`},
	{name: "vacuumed as it goes", pragma: `PRAGMA page_size = 1024; PRAGMA auto_vacuum = FULL`, create: `CREATE TABLE t(id TEXT, n INTEGER, v, PRIMARY KEY(id, n))`},
	{name: "write-ahead log", pragma: `PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0`, create: `CREATE TABLE t(id TEXT, n INTEGER, v, PRIMARY KEY(id, n))`},
}

// ids are of sessions; one is too long for a cell.
var ids = []string{"s1", "s10", "S1", "", "é", strings.Repeat("long", 700)}

func exec(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// build writes a database and returns where it is; the connection stays open,
// so that a write-ahead log stays too.
func (s shape) build(t testing.TB, seed uint64, rows int) (string, *sql.DB) {
	path := filepath.Join(t.TempDir(), "t.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	exec(t, db, s.pragma+`; PRAGMA application_id = 7; PRAGMA user_version = 9; CREATE TABLE p(id TEXT PRIMARY KEY)`)
	exec(t, db, s.create)
	table := "t"
	if strings.Contains(s.create, "TABLE u") {
		table = "u"
	}
	id := "id"
	if table == "u" {
		id = "old"
	}
	r := rand.New(rand.NewPCG(seed, 0))
	exec(t, db, "BEGIN")
	order := r.Perm(rows)
	for i, n := range order {
		exec(t, db, fmt.Sprintf("INSERT OR IGNORE INTO %s(%s, n, v) VALUES (?, ?, ?)", table, id), ids[r.IntN(len(ids))], n*n-3*n, value(r))
		if i == rows/2 {
			exec(t, db, fmt.Sprintf("DELETE FROM %s WHERE n %% 3 = 0", table))
			exec(t, db, fmt.Sprintf("UPDATE %s SET v = ? WHERE n %% 5 = 0", table), value(r))
			exec(t, db, "COMMIT; BEGIN")
		}
	}
	exec(t, db, "COMMIT")
	exec(t, db, s.after)
	return path, db
}

func value(r *rand.Rand) any {
	b := make([]byte, []int{0, 3, 40, 200, 1200, 9000}[r.IntN(6)])
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	switch r.IntN(6) {
	case 0:
		return nil
	case 1:
		return r.Int64() >> r.IntN(64) * (1 - 2*r.Int64N(2))
	case 2:
		return r.NormFloat64()
	case 3:
		return b
	}
	return string(b)
}

// columns of the table t as SQLite sees them.
func columns(t testing.TB, db *sql.DB) (names []string) {
	rows, err := db.Query("SELECT name FROM pragma_table_info('t') ORDER BY cid")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// show prints values with their storage classes.
func show(values []any) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, "%T %q; ", v, fmt.Sprint(v))
	}
	return b.String()
}

// want returns what SQLite answers.
func want(db *sql.DB, columns []string, query string, args ...any) (lines []string, err error) {
	rows, err := db.Query(fmt.Sprintf("SELECT %s FROM t %s", strings.Join(columns, ", "), query), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		lines = append(lines, show(values))
	}
	return lines, rows.Err()
}

// got returns what this package reads.
func got(path string, columns []string, q sqlitefile.Query) (lines []string, err error) {
	f, err := sqlitefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	table, err := f.Table("T")
	if err != nil {
		return nil, err
	}
	q.Columns = columns
	rows, err := table.Rows(q)
	if err != nil {
		return nil, err
	}
	for {
		ok, err := rows.Next()
		if !ok || err != nil {
			return lines, err
		}
		values := make([]any, len(columns))
		for i := range values {
			switch v := rows.Value(i); v.Kind {
			case sqlitefile.Integer:
				values[i] = v.Int
			case sqlitefile.Real:
				values[i] = v.Real
			case sqlitefile.Text:
				values[i] = string(v.Bytes)
			case sqlitefile.Blob:
				values[i] = bytes.Clone(v.Bytes)
			}
		}
		lines = append(lines, show(values))
	}
}

// TestAgainstSQLite holds each reading against what SQLite answers.
func TestAgainstSQLite(t *testing.T) {
	for i, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			path, db := s.build(t, uint64(i), 900)
			names := columns(t, db)
			expected, err := want(db, names, "")
			if err != nil || len(expected) < 100 {
				t.Fatalf("SQLite reads %d rows: %v", len(expected), err)
			}
			found, err := got(path, names, sqlitefile.Query{})
			if err != nil {
				t.Fatal(err)
			}
			// Without ORDER BY, SQLite may answer in the order of an index.
			slices.Sort(expected)
			slices.Sort(found)
			if diff := gocmp.Diff(expected, found); diff != "" {
				t.Errorf("all rows: %s", diff)
			}
			for _, id := range append(ids, "none", "s2") {
				expected, err := want(db, names, "WHERE id = ? COLLATE BINARY ORDER BY n", id)
				if err != nil {
					t.Fatal(err)
				}
				found, err := got(path, names, sqlitefile.Query{Where: "ID", Equals: id, OrderBy: "N"})
				if err != nil {
					t.Fatal(err)
				}
				if diff := gocmp.Diff(expected, found); diff != "" {
					t.Errorf("rows of %.10q: %s", id, diff)
				}
			}
		})
	}
}

// TestUncommitted holds that what no commit ends is not read.
func TestUncommitted(t *testing.T) {
	s := shapes[len(shapes)-1]
	path, db := s.build(t, 1, 100)
	before, err := got(path, []string{"n", "v"}, sqlitefile.Query{})
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, "PRAGMA cache_size = 1; BEGIN; UPDATE t SET v = 'new'")
	after, err := got(path, []string{"n", "v"}, sqlitefile.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(before, after); diff != "" {
		t.Errorf("an open transaction is seen: %s", diff)
	}
	exec(t, db, "COMMIT")
	if after, err = got(path, []string{"v"}, sqlitefile.Query{}); err != nil || !slices.Contains(after, `string "new"; `) {
		t.Errorf("a commit is not seen: %v", err)
	}
}

// TestRefused holds that what cannot be read right is said to be so.
func TestRefused(t *testing.T) {
	for name, test := range map[string]struct{ setup, want string }{
		"no table":         {`CREATE TABLE other(x)`, "there is no table T"},
		"a view":           {`CREATE TABLE other(id, n, v); CREATE VIEW t AS SELECT * FROM other`, "there is no table T"},
		"no column":        {`CREATE TABLE t(id, n)`, "table t has no column v"},
		"generated column": {`CREATE TABLE t(id, n, v AS (n + 1))`, "table T: it has a generated column"},
		"key descends":     {`CREATE TABLE t(id, n, v, PRIMARY KEY(id, n DESC)) WITHOUT ROWID`, "table T: it is kept without row ids, by a key that does not sort by bytes, ascending"},
		"UTF-16":           {`PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(id, n, v)`, "the text is encoded in UTF-16 (2), where a store has UTF-8"},
	} {
		path := filepath.Join(t.TempDir(), "t.db")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		exec(t, db, test.setup)
		db.Close()
		_, err = got(path, []string{"id", "n", "v"}, sqlitefile.Query{})
		if refused, ok := errors.AsType[*sqlitefile.Unsupported](err); !ok || refused.Error() != test.want {
			t.Errorf("%s: error is %v, want %s", name, err, test.want)
		}
	}
}

// TestSchema changes single letters of the statements in files of every shape.
// What SQLite does not open is refused, but for names in expressions; what it
// opens is not.
func TestSchema(t *testing.T) {
	lenient, refused := 0, 0
	for i, s := range shapes {
		path, db := s.build(t, uint64(i), 10)
		exec(t, db, "PRAGMA journal_mode = DELETE")
		var statement string
		if err := db.QueryRow("SELECT sql FROM sqlite_schema WHERE name = 't'").Scan(&statement); err != nil {
			t.Fatal(err)
		}
		db.Close()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		from := bytes.Index(data, []byte(statement))
		if from < 0 {
			t.Fatalf("%s: %s is not in the file", s.name, statement)
		}
		r := rand.New(rand.NewPCG(uint64(i), 3))
		for range 60 {
			data := bytes.Clone(data)
			at := from + r.IntN(len(statement))
			was := data[at]
			data[at] = "X( ),K'\"1-"[r.IntN(10)]
			path := filepath.Join(t.TempDir(), "t.db")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, gotErr := got(path, nil, sqlitefile.Query{})
			db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1")
			if err != nil {
				t.Fatal(err)
			}
			_, wantErr := db.Exec("SELECT * FROM p")
			db.Close()
			damage, _ := errors.AsType[*sqlitefile.Damage](gotErr)
			statement := data[from : from+len(statement)]
			switch {
			case damage != nil && wantErr == nil:
				t.Errorf("%q at %d of %q: %v, but SQLite opens it", was, at-from, statement, damage)
			case damage == nil && wantErr != nil:
				t.Logf("%q at %d of %q: %v", was, at-from, statement, wantErr)
				lenient++
			case damage != nil:
				refused++
			}
		}
	}
	if t.Logf("%d were refused, %d by SQLite alone", refused, lenient); refused < 100 || lenient > refused/50 {
		t.Errorf("%d were refused, %d by SQLite alone", refused, lenient)
	}
}

// TestHidden holds that a row which the index does not lead to is missed.
func TestHidden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, `CREATE TABLE t(id TEXT, n INTEGER, v); CREATE INDEX x ON t(id, n) WHERE n < 3;
INSERT INTO t VALUES ('a', 1, 'x'), ('a', 2, 'y'), ('a', 3, 'z'), ('b', 1, 'w');
PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, ' WHERE n < 3', '') WHERE name = 'x'`)
	db.Close()
	for id, expected := range map[string]string{"a": "table t has 3 rows with this id, and its index leads to 2", "b": ""} {
		lines, err := got(path, []string{"v"}, sqlitefile.Query{Where: "id", Equals: id, OrderBy: "n"})
		if fmt.Sprint(err) != cmp.Or(expected, "<nil>") {
			t.Errorf("%s: %d rows, error is %v, want %s", id, len(lines), err, expected)
		}
	}
}

// TestCut holds that a file that lost its end is damaged from the start.
func TestCut(t *testing.T) {
	path, db := shapes[0].build(t, 1, 100)
	db.Close()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-4096); err != nil {
		t.Fatal(err)
	}
	pages := info.Size() / 4096
	expected := fmt.Sprintf("the header counts %d pages, the file holds %d: it is cut off", pages, pages-1)
	if _, err := sqlitefile.Open(path); err == nil || err.Error() != expected {
		t.Errorf("error is %v, want %s", err, expected)
	}
}

// TestDamaged changes bytes of files and reads them. Nothing may crash, and
// where SQLite too finds nothing wrong, both read the same.
func TestDamaged(t *testing.T) {
	names := []string{"id", "n", "v"}
	var files [][]byte
	for _, i := range []int{0, 1, 2, 9, 15, 16} {
		path, db := shapes[i].build(t, uint64(i), 120)
		db.Close()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
	}
	agreed, refused, tries := 0, 0, *mutations
	if testing.Short() {
		tries = min(tries, 50)
	}
	for seed := range uint64(tries) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := mutate(r, files[r.IntN(len(files))])
		path := filepath.Join(t.TempDir(), "t.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"", "s1", ids[5]} {
			q, order, args := sqlitefile.Query{}, "", []any{}
			if id != "" {
				q, order, args = sqlitefile.Query{Where: "id", Equals: id, OrderBy: "n"}, "WHERE id = ? ORDER BY n", []any{id}
			}
			found, err := got(path, names, q)
			if err != nil {
				refused++
				continue
			}
			db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1&_pragma=cell_size_check(1)")
			if err != nil {
				t.Fatal(err)
			}
			expected, err := want(db, names, order, args...)
			if err != nil && id != "" {
				// It may have met damage beside the rows that it was looking for.
				expected, err = want(db, names, "NOT INDEXED "+order, args...)
			}
			db.Close()
			if id == "" {
				slices.Sort(found)
				slices.Sort(expected)
			}
			if err != nil {
				t.Errorf("seed %d, id %.4q: SQLite finds %v", seed, id, err)
			} else if diff := gocmp.Diff(expected, found); diff != "" {
				t.Errorf("seed %d, id %.4q: %.2000s", seed, id, strings.ReplaceAll(diff, "longlong", ""))
			}
			agreed++
		}
		os.Remove(path)
	}
	t.Logf("%d readings agreed, %d were refused", agreed, refused)
	if agreed < tries/4 || refused < tries/4 {
		t.Errorf("the changes are too harsh or too weak: %d readings agreed, %d were refused", agreed, refused)
	}
}

// TestDamagedLog changes bytes of a write-ahead log: what SQLite recovers from it
// is what is read.
func TestDamagedLog(t *testing.T) {
	path, db := shapes[len(shapes)-1].build(t, 5, 200)
	for i := range 20 {
		exec(t, db, "UPDATE t SET v = ? WHERE n % 7 = ?", i, i%7)
	}
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	database, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		log := bytes.Clone(log)
		switch r.IntN(3) {
		case 0:
			log = log[:r.IntN(len(log))]
		case 1:
			log[r.IntN(len(log))] ^= 1 << r.IntN(8)
		default:
			log[r.IntN(60)]++
		}
		path := filepath.Join(t.TempDir(), "t.db")
		if err := os.WriteFile(path, database, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
			t.Fatal(err)
		}
		found, gotErr := got(path, []string{"id", "n", "v"}, sqlitefile.Query{})
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		expected, wantErr := want(db, []string{"id", "n", "v"}, "")
		db.Close()
		if (gotErr == nil) != (wantErr == nil) {
			t.Errorf("seed %d: error is %v, that of SQLite %v", seed, gotErr, wantErr)
		}
		slices.Sort(found)
		slices.Sort(expected)
		if diff := gocmp.Diff(expected, found); diff != "" {
			t.Errorf("seed %d: %.2000s", seed, diff)
		}
		seen[strings.Join(found, "")] = true
	}
	if len(seen) < 10 {
		t.Errorf("only %d different states were read", len(seen))
	}
}

// mutate changes a few bytes, most of them where pages describe themselves.
func mutate(r *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	size := int(data[16])<<8 | int(data[17])
	for range 1 + r.IntN(3) {
		page := r.IntN(len(data)/size) * size
		at := page + r.IntN(size)
		if r.IntN(2) == 0 {
			at = page + r.IntN(min(40, size))
		}
		switch r.IntN(3) {
		case 0:
			data[at] = byte(r.Uint32())
		case 1:
			data[at] ^= 1 << r.IntN(8)
		default:
			from := r.IntN(len(data) - 16)
			copy(data[at:min(at+1+r.IntN(16), len(data))], data[from:from+16])
		}
	}
	return data
}
