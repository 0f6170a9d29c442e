package sqlitesnapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/dsh-verify/dsh-verify/internal/sqlitesnapshot"
	"github.com/dsh-verify/dsh-verify/internal/storetest"
)

const inWAL = `PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(n INTEGER PRIMARY KEY, v)`

// pages reads a whole snapshot.
func pages(t testing.TB, s *sqlitesnapshot.Snapshot) []byte {
	t.Helper()
	size, _ := s.Size()
	b, err := io.ReadAll(io.NewSectionReader(s, 0, size))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func take(t testing.TB, path string) *sqlitesnapshot.Snapshot {
	t.Helper()
	s, err := sqlitesnapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// checkpointed returns the database file once all of its log was copied into it, as
// one that is written without a log.
func checkpointed(t testing.TB, db *sqlite3.Conn, path string) []byte {
	t.Helper()
	storetest.Exec(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[18], b[19] = 1, 1
	return b
}

func insert(t testing.TB, db *sqlite3.Conn, r *rand.Rand) {
	t.Helper()
	storetest.Exec(t, db, fmt.Sprintf("INSERT INTO t(v) VALUES (hex(zeroblob(%d)) || '%d')", []int{0, 30, 400, 3000}[r.IntN(4)], r.Uint64()))
	if r.IntN(4) == 0 {
		storetest.Exec(t, db, fmt.Sprintf("DELETE FROM t WHERE n %% 7 = %d", r.IntN(7)))
	}
}

// TestPages compares a snapshot with the database file, byte by byte, once the engine
// has copied the log into it.
func TestPages(t *testing.T) {
	for _, mode := range []string{"WAL", "DELETE", "PERSIST", "TRUNCATE"} {
		for _, size := range []int{512, 4096, 65536} {
			path := filepath.Join(t.TempDir(), "t.db")
			db := storetest.Open(t, path, fmt.Sprintf("PRAGMA page_size = %d; PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = %s; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(n INTEGER PRIMARY KEY, v)", size, mode))
			r := rand.New(rand.NewPCG(uint64(size), 0))
			for range 6 {
				for range 5 {
					insert(t, db, r)
				}
				s := take(t, path)
				got := pages(t, s)
				if !s.Still() {
					t.Errorf("%s, %d: nothing moved, and it is said so", mode, size)
				}
				if want := checkpointed(t, db, path); !bytes.Equal(got, want) {
					t.Errorf("%s, pages of %d: %d bytes, want %d, or they differ", mode, size, len(got), len(want))
				}
			}
		}
	}
}

// TestUncommitted checks that what no commit ends is not read.
func TestUncommitted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	db := storetest.Open(t, path, inWAL)
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		insert(t, db, r)
	}
	before := pages(t, take(t, path))
	storetest.Exec(t, db, "PRAGMA cache_size = 1; BEGIN; UPDATE t SET v = v || 'new'")
	s := take(t, path)
	if !bytes.Equal(before, pages(t, s)) {
		t.Error("an open transaction is seen")
	}
	storetest.Exec(t, db, "COMMIT")
	if bytes.Equal(before, pages(t, take(t, path))) {
		t.Error("a commit is not seen")
	}
	if !bytes.Equal(before, pages(t, s)) || !s.Still() {
		t.Error("a later commit changes an earlier snapshot")
	}
}

// TestStill does things to a database between two readings of all of it. Either
// the pages are the same and said to be, or they are said to have moved.
func TestStill(t *testing.T) {
	const rows = "INSERT INTO t(v) SELECT hex(zeroblob(900)) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8))"
	for _, test := range []struct {
		name, mode, do string
		still          bool
	}{
		{"nothing", "WAL", "", true},
		{"a commit", "WAL", rows, true},
		{"a checkpoint of what was read", "WAL", "PRAGMA wal_checkpoint(PASSIVE)", true},
		{"a commit, then a checkpoint", "WAL", "UPDATE t SET v = v || 'x'; PRAGMA wal_checkpoint(PASSIVE)", false},
		{"a checkpoint that begins the log again", "WAL", "PRAGMA wal_checkpoint(RESTART); UPDATE t SET v = v || 'x'", false},
		{"a checkpoint that empties the log", "WAL", "PRAGMA wal_checkpoint(TRUNCATE)", false},
		{"the log is given up", "WAL", "PRAGMA journal_mode = DELETE", false},
		{"nothing", "DELETE", "", true},
		{"a commit", "DELETE", "UPDATE t SET v = v || 'x'", false},
		{"an open transaction that is in the file", "DELETE", "PRAGMA cache_size = 1; BEGIN; UPDATE t SET v = v || 'x'", false},
		{"a transaction that was given up", "DELETE", "PRAGMA cache_size = 1; BEGIN; UPDATE t SET v = v || 'x'; ROLLBACK", false},
		{"a log is begun", "DELETE", "PRAGMA journal_mode = WAL; UPDATE t SET v = v || 'x'", false},
	} {
		path := filepath.Join(t.TempDir(), "t.db")
		db := storetest.Open(t, path, "PRAGMA journal_mode = "+test.mode+"; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(n INTEGER PRIMARY KEY, v);"+rows)
		if test.mode == "WAL" { // the table is in the file, and a page of it in the log
			storetest.Exec(t, db, "PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM t WHERE n = 8")
		}
		s := take(t, path)
		before := pages(t, s)
		storetest.Exec(t, db, test.do)
		after := make([]byte, len(before))
		_, err := s.ReadAt(after, 0)
		if still := s.Still(); still != test.still {
			t.Errorf("%s in mode %s: still is %t", test.name, test.mode, still)
		} else if still && (err != nil || !bytes.Equal(before, after)) {
			t.Errorf("%s in mode %s: what was read differs, and is said not to: %v", test.name, test.mode, err)
		}
	}
}

// TestExchanged checks that a file that took the place of the database is noticed.
func TestExchanged(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "t.db"), filepath.Join(dir, "other.db")
	storetest.Write(t, path, "CREATE TABLE t(n)")
	storetest.Write(t, other, "CREATE TABLE t(n)")
	s := take(t, path)
	if err := os.Rename(other, path); err != nil {
		t.Skip(err)
	}
	if s.Still() {
		t.Error("it is said to be the same")
	}
}

// TestDamagedLog changes bytes of a write-ahead log: what SQLite recovers from it
// is what is read.
func TestDamagedLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	db := storetest.Open(t, path, inWAL)
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		insert(t, db, r)
	}
	database, log := readFile(t, path), readFile(t, path+"-wal")
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
		writeFile(t, path, database)
		os.WriteFile(path+"-wal", log, 0o600)
		got := pages(t, take(t, path))
		copied, err := sqlite3.Open("file:" + filepath.ToSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		copied.Exec("PRAGMA wal_autocheckpoint = 0; SELECT * FROM sqlite_schema")
		want := checkpointed(t, copied, path)
		copied.Close()
		if !bytes.Equal(got, want) {
			t.Errorf("seed %d: %d bytes, want %d, or they differ", seed, len(got), len(want))
		}
		seen[string(got)] = true
	}
	if len(seen) < 10 {
		t.Errorf("only %d different states were read", len(seen))
	}
}

// writeFile writes a file that is as old as one that is left alone.
func writeFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLost checks that commits after a damaged frame are counted, and that nothing
// else counts for them: a log that was cut, an earlier round of it, a transaction
// that was given up.
func TestLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	db := storetest.Open(t, path, inWAL)
	for range 10 {
		storetest.Exec(t, db, "INSERT INTO t(v) VALUES (1)")
	}
	whole := readFile(t, path+"-wal")
	storetest.Exec(t, db, "PRAGMA wal_checkpoint(RESTART); INSERT INTO t(v) VALUES (2)")
	later := readFile(t, path+"-wal")
	storetest.Exec(t, db, "PRAGMA cache_size = 1; BEGIN; UPDATE t SET v = hex(zeroblob(3000)); ROLLBACK")
	database := readFile(t, path)
	const frame = 24 + 1024
	flipped := bytes.Clone(whole)
	flipped[32+5*frame+700] ^= 4
	for name, test := range map[string]struct {
		log  []byte
		want sqlitesnapshot.Lost
	}{
		"whole":            {whole, sqlitesnapshot.Lost{}},
		"a bit is flipped": {flipped, sqlitesnapshot.Lost{Frame: 6, Commits: (len(whole)-32)/frame - 6}},
		"cut":              {whole[:32+5*frame+700], sqlitesnapshot.Lost{}},
		"begun again":      {later, sqlitesnapshot.Lost{}},
		"given up":         {readFile(t, path+"-wal"), sqlitesnapshot.Lost{}},
	} {
		path := filepath.Join(t.TempDir(), "t.db")
		writeFile(t, path, database)
		os.WriteFile(path+"-wal", test.log, 0o600)
		if got := take(t, path).Lost(); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// TestRefused holds what is said of files whose pages cannot be had.
func TestRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	storetest.Write(t, path, "PRAGMA page_size = 1024; CREATE TABLE t(n); CREATE TABLE u(n)")
	whole := readFile(t, path)
	if len(whole) != 3*1024 {
		t.Fatalf("the database has %d bytes", len(whole))
	}
	edit := func(at int, b ...byte) []byte {
		edited := bytes.Clone(whole)
		copy(edited[at:], b)
		return edited
	}
	for name, test := range map[string]struct {
		file, journal []byte
		want          string
	}{
		"empty":             {nil, nil, "the file ends within its header"},
		"another kind":      {edit(0, 'X'), nil, "the file does not start as a SQLite database does"},
		"pages of 3 bytes":  {edit(16, 0, 3), nil, "the header gives 3 as the size of a page"},
		"pages of 48 bytes": {edit(16, 0, 48), nil, "the header gives 48 as the size of a page"},
		"cut":               {whole[:2048], nil, "the header counts 3 pages, the file holds 2: it is cut off"},
		"a journal":         {whole, []byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"), sqlitesnapshot.ErrJournal.Error()},
		"an old journal":    {whole, make([]byte, 28), ""},
		"an empty journal":  {whole, []byte{}, ""},
	} {
		path := filepath.Join(t.TempDir(), "t.db")
		writeFile(t, path, test.file)
		if test.journal != nil {
			os.WriteFile(path+"-journal", test.journal, 0o600)
		}
		s, err := sqlitesnapshot.Open(path)
		if err == nil {
			s.Close()
		}
		if got := fmt.Sprint(err); got != test.want && (test.want != "" || err != nil) {
			t.Errorf("%s: error is %v, want %s", name, err, test.want)
		}
	}
	if _, err := sqlitesnapshot.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestAnyBytes checks that no file and no log makes the reading fail otherwise than
// with an error.
func TestAnyBytes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.db")
	db := storetest.Open(t, path, inWAL)
	r := rand.New(rand.NewPCG(3, 3))
	for range 10 {
		insert(t, db, r)
	}
	database, log := readFile(t, path), readFile(t, path+"-wal")
	for range 300 {
		path := filepath.Join(dir, "x.db")
		for name, b := range map[string][]byte{path: bytes.Clone(database), path + "-wal": bytes.Clone(log)} {
			for range r.IntN(4) {
				b[r.IntN(min(len(b), 200))] = byte(r.Uint32())
			}
			writeFile(t, name, b[:len(b)-r.IntN(2)*r.IntN(len(b))])
		}
		s, err := sqlitesnapshot.Open(path)
		if err != nil {
			continue
		}
		if size, _ := s.Size(); size < 1<<24 {
			pages(t, s)
		}
		s.Still()
		s.Close()
	}
}

// TestNothingIsWritten checks that reading leaves no trace in the folder.
func TestNothingIsWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.db")
	db := storetest.Open(t, path, inWAL)
	insert(t, db, rand.New(rand.NewPCG(1, 1)))
	before := storetest.Listing(t, dir)
	pages(t, take(t, path))
	if after := storetest.Listing(t, dir); after != before || !strings.Contains(before, "t.db-wal") {
		t.Errorf("before:\n%safter:\n%s", before, after)
	}
}
