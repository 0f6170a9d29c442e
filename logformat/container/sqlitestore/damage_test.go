package sqlitestore_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/dsh-verify/dsh-verify/internal/storetest"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/sqlitestore"
)

var mutations = flag.Int("mutations", 60, "how many damaged stores TestDamaged tries")

// filled returns the bytes of a store that has several pages of each kind.
func filled(t testing.TB, pageSize int) []byte {
	path := filepath.Join(t.TempDir(), "store.db")
	db := storetest.Open(t, path, fmt.Sprintf("PRAGMA page_size = %d;", pageSize)+oneSession)
	r := rand.New(rand.NewPCG(1, 1))
	for seq := range 60 {
		storetest.Exec(t, db, fmt.Sprintf(`INSERT INTO events VALUES ('s', %[1]d, 'turn/start', %[1]d, '{"turn":"%[2]s"}', NULL, NULL, NULL)`, seq, strings.Repeat("x", r.IntN(3)*r.IntN(900))))
	}
	for i := range 20 {
		storetest.Exec(t, db, fmt.Sprintf("INSERT INTO sessions SELECT 'session-%d', version, created_at, cwd, parent_session, seed_length, origin, delegation_depth, agent_preset, incarnation, revision FROM sessions WHERE id = 's'", i))
	}
	storetest.Exec(t, db, "DELETE FROM events WHERE seq > 55")
	db.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// put writes a store that is as old as one that is left alone.
func put(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	return path
}

// everything reads all sessions of a store.
func everything(path string) (all []string, err error) {
	store, err := sqlitestore.Open(path)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	ids, err := store.Sessions()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		rows, err := store.Log(id)
		if err != nil {
			return nil, err
		}
		l, err := read(rows)
		if err != io.EOF {
			return nil, err
		}
		all = append(append(all, l.lines...), l.faults...)
	}
	return all, nil
}

// TestDamaged changes bytes of stores and reads them. What SQLite finds damaged is
// refused, what it does not is read, and nothing else happens.
func TestDamaged(t *testing.T) {
	tries := *mutations
	if testing.Short() {
		tries = min(tries, 60)
	}
	files := [][]byte{filled(t, 512), filled(t, 4096)}
	refused := map[logformat.Code]int{}
	for seed := range uint64(tries) {
		r := rand.New(rand.NewPCG(seed, 1))
		path := put(t, mutate(r, files[r.IntN(len(files))]))
		_, err := everything(path)
		code, detail := refusedAs(err)
		refused[code]++
		if err != nil && code == "" {
			t.Errorf("seed %d: %s", seed, detail)
		}
		if sound := integrity(path); code == sqlitestore.CodeDamaged && sound || code == "" && !sound {
			t.Errorf("seed %d: SQLite says that it is sound: %t; %s %s", seed, sound, code, detail)
		}
		os.Remove(path)
	}
	t.Log(refused)
	if refused[""] < tries/10 || refused[sqlitestore.CodeDamaged] < tries/4 {
		t.Errorf("the changes are too harsh or too weak: %v", refused)
	}
}

// integrity asks SQLite, in the plain way, whether a database is sound.
func integrity(path string) bool {
	db, err := sqlite3.Open("file:" + filepath.ToSlash(path) + "?mode=ro&immutable=1")
	if err != nil {
		return false
	}
	defer db.Close()
	db.Exec("PRAGMA cell_size_check = ON")
	q, _, err := db.Prepare("PRAGMA integrity_check")
	if err != nil {
		return false
	}
	defer q.Close()
	return q.Step() && q.ColumnText(0) == "ok" && q.Err() == nil
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

// TestIndexAndTable checks that a row which an index does not lead to is missed, and
// one that is not there, too.
func TestIndexAndTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	db := storetest.Open(t, path, oneSession)
	for seq := range 20 {
		addEvent(t, db, seq)
	}
	// An index that has been declared to have only some of the rows fills differently.
	storetest.Exec(t, db, `CREATE UNIQUE INDEX part ON events(session_id, seq) WHERE seq < 15; PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'part') WHERE name = 'sqlite_autoindex_events_1';
DELETE FROM sqlite_schema WHERE name = 'part'`)
	db.Close()
	_, err := sqlitestore.Open(path)
	if code, detail := refusedAs(err); code != sqlitestore.CodeDamaged || !strings.Contains(detail, "missing from index sqlite_autoindex_events_1") {
		t.Errorf("%s %s", code, detail)
	}
}

// TestCircles reads stores whose trees lead to the same pages again and again. A walk
// without an end in sight is not begun.
func TestCircles(t *testing.T) {
	const size = 512
	whole := filled(t, size)
	for name, root := range map[string]int{"the schema": 1, "the events": rootOf(t, whole, "events"), "the sessions": rootOf(t, whole, "sessions")} {
		// Twenty pages, each with forty links to the next, in place of the tree.
		b := bytes.Clone(whole)
		first := len(b) / size
		b = append(b, make([]byte, 18*size)...)
		start := 0
		if root == 1 {
			start = 100
		}
		link(b[(root-1)*size+start:root*size], start, first+1)
		for i := range 17 {
			link(b[(first+i)*size:(first+i+1)*size], 0, first+i+2)
		}
		last := b[len(b)-size:]
		last[0], last[5], last[6] = 13, 2, 0 // a leaf with no cell
		binary.BigEndian.PutUint32(b[28:], uint32(len(b)/size))
		path := put(t, b)
		began := time.Now()
		_, err := sqlitestore.Open(path)
		if code, detail := refusedAs(err); code != sqlitestore.CodeDamaged {
			t.Errorf("%s: %s %s", name, code, detail)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

// link makes of a page one whose links all lead to another.
func link(page []byte, start, to int) {
	clear(page)
	const cells = 40
	end := len(page)
	page[0] = 5 // of a table, with children
	binary.BigEndian.PutUint16(page[3:], cells)
	binary.BigEndian.PutUint32(page[8:], uint32(to))
	for i := range cells {
		end -= 5
		binary.BigEndian.PutUint32(page[end:], uint32(to))
		page[end+4] = byte(i + 1)
		binary.BigEndian.PutUint16(page[12+2*i:], uint16(start+end))
	}
	binary.BigEndian.PutUint16(page[5:], uint16(start+end))
}

// rootOf returns the page at which a table starts.
func rootOf(t testing.TB, b []byte, table string) int {
	db := storetest.Open(t, put(t, b), "")
	q, _, err := db.Prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	q.BindText(1, table)
	if !q.Step() {
		t.Fatalf("there is no table %s", table)
	}
	return q.ColumnInt(0)
}

// FuzzStore reads a store whose bytes were changed: it must neither crash nor
// hold much.
func FuzzStore(f *testing.F) {
	data, err := os.ReadFile(recorded)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(100), []byte{1, 2, 3}, uint32(5000), []byte{255})
	f.Add(uint32(0), []byte("SQLite"), uint32(28), []byte{0, 0, 0, 200})
	f.Fuzz(func(t *testing.T, at uint32, patch []byte, at2 uint32, patch2 []byte) {
		b := bytes.Clone(data)
		copy(b[int(at)%len(b):], patch)
		copy(b[int(at2)%len(b):], patch2)
		everything(put(t, b))
	})
}
