package sqlitestore_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/dsh-verify/dsh-verify/internal/storetest"
	"github.com/dsh-verify/dsh-verify/logformat/container/sqlitestore"
)

const withLog = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;" + oneSession

// TestLiveWriter reads a store while another connection holds it open and commits:
// each reading sees what was committed, and nothing is written beside it.
func TestLiveWriter(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	db := storetest.Open(t, path, withLog)
	for n := range 6 {
		before := storetest.Listing(t, dir)
		if !strings.Contains(before, "store.db-wal ") {
			t.Fatalf("the writer keeps no -wal file: %v", before)
		}
		if got := events(t, path, "s"); got != int64(n) {
			t.Errorf("%d events are committed, %d were read", n, got)
		}
		if after := storetest.Listing(t, dir); before != after {
			t.Errorf("reading changed the folder:\n%sto:\n%s", before, after)
		}
		addEvent(t, db, n)
		if n == 2 {
			storetest.Exec(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
		}
	}
}

// TestReadOnlyFolder reads stores from a folder in which nothing may be made.
func TestReadOnlyFolder(t *testing.T) {
	for _, mode := range []string{"WAL", "DELETE"} {
		live := filepath.Join(t.TempDir(), "store.db")
		db := storetest.Open(t, live, "PRAGMA journal_mode = "+mode+";"+oneSession)
		addEvent(t, db, 0)
		dir := t.TempDir()
		path := filepath.Join(dir, "store.db")
		for _, suffix := range []string{"", "-wal"} {
			b, err := os.ReadFile(live + suffix)
			if err != nil && mode == "WAL" {
				t.Fatal(err)
			}
			if err == nil {
				err = os.WriteFile(path+suffix, b, 0o400)
			}
			if err != nil && mode == "WAL" {
				t.Fatal(err)
			}
		}
		os.Chmod(dir, 0o500)
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
		before := storetest.Listing(t, dir)
		if got := events(t, path, "s"); got != 1 {
			t.Errorf("%s: %d events", mode, got)
		}
		if after := storetest.Listing(t, dir); before != after {
			t.Errorf("%s: reading changed the folder:\n%sto:\n%s", mode, before, after)
		}
	}
}

// TestCheckpointBeforeReading runs an ordinary checkpoint between opening and reading.
// It copies a later commit into pages that were not in the log before: read beside
// those in the log, they do not belong together.
func TestCheckpointBeforeReading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	db := storetest.Open(t, path, withLog)
	for seq := range 500 {
		addEvent(t, db, seq)
	}
	storetest.Exec(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	addEvent(t, db, 500)
	store, err := sqlitestore.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for seq := 501; seq < 1000; seq++ {
		addEvent(t, db, seq)
	}
	storetest.Exec(t, db, "DELETE FROM events WHERE seq >= 999; PRAGMA wal_checkpoint(PASSIVE)")
	rows, err := store.Log("s")
	if err != nil {
		t.Fatal(err)
	}
	l, err := read(rows)
	if n := len(l.lines) - 1; err != io.EOF || n != 501 && n != 999 {
		t.Errorf("%d events were read, of 501 and then 999: %v", n, err)
	}
	if ids, err := store.Sessions(); err != nil || len(ids) != 1 {
		t.Errorf("sessions are %v, %v", ids, err)
	}
}

// TestWriterWhileReading does something to the store after each row that is read. At
// the end, what was read is a state that was committed.
func TestWriterWhileReading(t *testing.T) {
	seeds := 4
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		for _, mode := range []string{"WAL", "DELETE"} {
			t.Run(fmt.Sprintf("%s-%d", mode, seed), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "store.db")
				w := &writer{t: t, path: path, r: rand.New(rand.NewPCG(uint64(seed), 0)), mode: mode}
				w.open(oneSession)
				for range 60 {
					w.add()
				}
				_, rows := open(t, path, "s")
				for n := 0; ; n++ {
					text, fault, err := rows.Next()
					if err == io.EOF {
						if n < 60 {
							t.Errorf("%d rows were read", n)
						}
						break
					}
					if err != nil || fault != nil {
						t.Fatalf("row %d: %v %v", n, fault, err)
					}
					if n > 0 && string(text) != w.lines[n-1] {
						t.Fatalf("row %d is %.60s, want %.60s", n, text, w.lines[n-1])
					}
					if n < 80 { // the writer rests in the end
						w.something()
					}
				}
			})
		}
	}
}

// A writer is at work in a store.
type writer struct {
	t     *testing.T
	path  string
	mode  string
	r     *rand.Rand
	db    *sqlite3.Conn
	lines []string
}

func (w *writer) open(statements string) {
	w.db = storetest.Open(w.t, w.path, fmt.Sprintf("PRAGMA journal_mode = %s; PRAGMA wal_autocheckpoint = %d; %s", w.mode, w.r.IntN(2)*20, statements))
}

func (w *writer) add() {
	seq, text := len(w.lines), strings.Repeat("x", []int{0, 10, 300, 6000}[w.r.IntN(4)])
	storetest.Exec(w.t, w.db, fmt.Sprintf(`INSERT INTO events VALUES ('s', %[1]d, 'turn/start', %[1]d, '{"turn":"%[2]s"}', NULL, NULL, NULL)`, seq, text))
	w.lines = append(w.lines, fmt.Sprintf(`{"type":"turn/start","seq":%[1]d,"time":%[1]d,"data":{"turn":"%[2]s"}}`, seq, text))
}

func (w *writer) something() {
	switch w.r.IntN(16) {
	case 0:
		storetest.Exec(w.t, w.db, "PRAGMA wal_checkpoint(PASSIVE)")
	case 1:
		storetest.Exec(w.t, w.db, "PRAGMA wal_checkpoint(RESTART)")
	case 2:
		storetest.Exec(w.t, w.db, "PRAGMA wal_checkpoint(TRUNCATE)")
	case 3:
		w.db.Close()
		w.open("")
	case 4: // rows of another session come and go
		storetest.Exec(w.t, w.db, "INSERT OR IGNORE INTO sessions VALUES ('o', 0, 1, NULL, NULL, NULL, NULL, 0, NULL, 'i', 1); INSERT OR REPLACE INTO events SELECT 'o', seq, type, time, data, NULL, NULL, NULL FROM events WHERE session_id = 's'")
	case 5:
		storetest.Exec(w.t, w.db, "DELETE FROM sessions WHERE id = 'o'")
	case 6:
		storetest.Exec(w.t, w.db, "VACUUM")
	default:
		w.add()
	}
}

// TestRowsTakenBack checks that rows which were yielded and are then another's are not
// passed on in silence.
func TestRowsTakenBack(t *testing.T) {
	for name, test := range map[string]struct {
		edit  string
		moved bool
	}{
		"more rows":                {`INSERT INTO events SELECT 's', 1000 + seq, type, time, data, NULL, NULL, NULL FROM events`, false},
		"a row is changed":         {`UPDATE events SET data = '{"turn":"another"}' WHERE seq = 3`, true},
		"a row is changed in time": {`UPDATE events SET data = '{"turn":"another"}' WHERE seq = 150`, false},
		"a row is gone":            {`DELETE FROM events WHERE seq = 3`, true},
		"the session is gone":      {`PRAGMA foreign_keys = ON; DELETE FROM sessions`, true},
	} {
		for _, toEnd := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "store.db")
			db := storetest.Open(t, path, withLog)
			for seq := range 200 {
				addEvent(t, db, seq)
			}
			_, rows := open(t, path, "s")
			for range 100 {
				if _, _, err := rows.Next(); err != nil {
					t.Fatal(err)
				}
			}
			storetest.Exec(t, db, test.edit+"; PRAGMA wal_checkpoint(TRUNCATE)")
			var err error
			if toEnd {
				_, err = read(rows)
			}
			err = errors.Join(err, rows.Close())
			if moved := errors.Is(err, sqlitestore.ErrMoved); moved != test.moved && name != "the session is gone" || test.moved && (err == nil || err == io.EOF) {
				t.Errorf("%s, read to the end %t: %v", name, toEnd, err)
			}
		}
	}
}
