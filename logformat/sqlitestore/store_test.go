package sqlitestore_test

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/sqlitestore"
)

const recorded = "../../fixtures/sqlite-two-sessions/store.db"

const schema = `
PRAGMA application_id = 0x44534850; PRAGMA user_version = 17;
CREATE TABLE sessions(id TEXT PRIMARY KEY, version INTEGER, created_at INTEGER, cwd TEXT, parent_session TEXT, seed_length INTEGER,
  origin TEXT, delegation_depth INTEGER, agent_preset TEXT, incarnation TEXT, revision INTEGER);
CREATE TABLE events(session_id TEXT, seq INTEGER, type TEXT, time INTEGER, data, source_event_seqs BLOB, surface_op TEXT, ignorable INTEGER,
  PRIMARY KEY(session_id, seq));
INSERT INTO sessions VALUES('s',0,1,NULL,NULL,NULL,NULL,0,NULL,'i',1);`

func TestMain(m *testing.M) {
	if path := os.Getenv("DSH_VERIFY_TEST_WRITER"); path != "" {
		writer(path)
		return
	}
	os.Exit(m.Run())
}

// writer is another process that holds a store open in WAL mode and commits an
// event for each line that it reads.
func writer(path string) {
	db, err := sql.Open("sqlite", path)
	if err == nil {
		db.SetMaxOpenConns(1)
		_, err = db.Exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;` + schema)
	}
	fmt.Println("ready", err)
	in := bufio.NewScanner(os.Stdin)
	for seq := 0; in.Scan(); seq++ {
		if in.Text() == "checkpoint" {
			_, err := db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
			fmt.Println("checkpoint", err)
			seq--
			continue
		}
		_, err := db.Exec(`INSERT INTO events VALUES('s',?,'turn/start',?,?,NULL,NULL,NULL)`, seq, seq, fmt.Sprintf(`{"turn":%d}`, seq+1))
		fmt.Println(seq, err)
	}
	db.Close()
}

// A liveWriter is the writer process.
type liveWriter struct {
	t     *testing.T
	send  *os.File
	lines *bufio.Scanner
}

func startWriter(t *testing.T, path string) *liveWriter {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "DSH_VERIFY_TEST_WRITER="+path)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = r
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); cmd.Wait() })
	l := &liveWriter{t, w, bufio.NewScanner(out)}
	l.expect("ready <nil>")
	return l
}

func (l *liveWriter) do(line, want string) {
	fmt.Fprintln(l.send, line)
	l.expect(want)
}

func (l *liveWriter) expect(want string) {
	l.t.Helper()
	if !l.lines.Scan() || l.lines.Text() != want {
		l.t.Fatalf("the writer says %q, want %q", l.lines.Text(), want)
	}
}

func listing(t *testing.T, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, _ := e.Info()
		names = append(names, fmt.Sprintf("%s %d %v", e.Name(), info.Size(), info.ModTime()))
	}
	return names
}

// events reads a session to its end and returns how many events it has.
func events(t *testing.T, path, id string) int64 {
	store, err := sqlitestore.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	rows, err := store.Log(id)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	reader := logformat.NewRowReader(rows, logformat.SQLite, logformat.Options{})
	for _, err := range reader.Records() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !store.Still() {
		t.Error("the store is said to have moved")
	}
	return reader.Stats().Events
}

// TestLiveWriter reads a store while another process holds it open and commits:
// each reading sees what was committed, and nothing is written beside it.
func TestLiveWriter(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	w := startWriter(t, path)
	for n := range int64(5) {
		before := listing(t, dir)
		if !slices.ContainsFunc(before, func(s string) bool { return strings.HasPrefix(s, "store.db-wal ") }) {
			t.Fatalf("the writer keeps no -wal file: %v", before)
		}
		if got := events(t, path, "s"); got != n {
			t.Errorf("%d events are committed, %d were read", n, got)
		}
		if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
			t.Errorf("reading changed the folder: %s", diff)
		}
		w.do("commit", fmt.Sprint(n)+" <nil>")
		if n == 2 {
			w.do("checkpoint", "checkpoint <nil>")
		}
	}
	if got := events(t, path, "s"); got != 5 {
		t.Errorf("5 events are committed, %d were read", got)
	}
}

// TestMoved holds that a store that changed under the reading says so.
func TestMoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	w := startWriter(t, path)
	w.do("commit", "0 <nil>")
	store, err := sqlitestore.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	w.do("checkpoint", "checkpoint <nil>")
	w.do("commit", "1 <nil>")
	if store.Still() {
		t.Error("pages were moved, and the store is said to stand still")
	}
}

func TestForeign(t *testing.T) {
	for name, edit := range map[string]string{
		"another application": `PRAGMA application_id = 7`,
		"an older schema":     `PRAGMA user_version = 16`,
		"a newer schema":      `PRAGMA user_version = 18`,
		"no table of events":  `DROP TABLE events`,
		"a view of events":    `ALTER TABLE events RENAME TO e; CREATE VIEW events AS SELECT * FROM e`,
		"no column":           `ALTER TABLE events DROP COLUMN ignorable`,
		"a generated column":  `ALTER TABLE events ADD COLUMN twice AS (2 * seq)`,
	} {
		path := filepath.Join(t.TempDir(), "store.db")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(schema + edit); err != nil {
			t.Fatal(err)
		}
		db.Close()
		store, err := sqlitestore.Open(path)
		if err == nil {
			_, err = store.Log("s")
			store.Close()
		}
		if refusal, ok := errors.AsType[*logformat.Refusal](err); !ok || refusal.Code != sqlitestore.CodeForeign {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func TestRecordedStore(t *testing.T) {
	store, err := sqlitestore.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ids, err := store.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	if len(ids) < 2 {
		t.Errorf("sessions are %v", ids)
	}
	for _, id := range ids {
		if n := events(t, recorded, id); n == 0 {
			t.Errorf("%s has no events", id)
		}
	}
}

// FuzzStore reads a store whose bytes were changed: it must neither crash nor
// hold much.
func FuzzStore(f *testing.F) {
	data, err := os.ReadFile(recorded)
	if err != nil {
		f.Fatal(err)
	}
	debug.SetMemoryLimit(256 << 20)
	f.Add(uint32(100), []byte{1, 2, 3}, uint32(5000), []byte{255})
	f.Add(uint32(0), []byte("SQLite"), uint32(28), []byte{0, 0, 0, 200})
	f.Fuzz(func(t *testing.T, at uint32, patch []byte, at2 uint32, patch2 []byte) {
		b := slices.Clone(data)
		copy(b[int(at)%len(b):], patch)
		copy(b[int(at2)%len(b):], patch2)
		path := filepath.Join(t.TempDir(), "s.db")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		store, err := sqlitestore.Open(path)
		if err != nil {
			return
		}
		defer store.Close()
		ids, _ := store.Sessions()
		for _, id := range ids[:min(len(ids), 4)] {
			rows, err := store.Log(id)
			if err != nil {
				continue
			}
			reader := logformat.NewRowReader(rows, logformat.SQLite, logformat.Options{MaxSize: 1 << 20})
			for _, err := range reader.Records() {
				if err != nil {
					break
				}
			}
			rows.Close()
		}
	})
}
