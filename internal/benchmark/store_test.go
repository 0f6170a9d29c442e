package benchmark

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/loggen"
	"github.com/dsh-verify/dsh-verify/internal/storetest"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/sqlitestore"
)

// BenchmarkStore reads and validates every record of session-2000 out of a SQLite
// store, opening and checking the store included.
func BenchmarkStore(b *testing.B) {
	opts := session(2000)
	opts.Zstandard = false
	var log bytes.Buffer
	if err := loggen.Write(&log, opts); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "store.db")
	db := storetest.Open(b, path, storetest.Schema)
	if err := storetest.Session(db, "ses-generated", log.Bytes()); err != nil {
		b.Fatal(err)
	}
	db.Close()
	b.SetBytes(int64(log.Len()))
	b.ReportAllocs()
	for b.Loop() {
		readStore(b, path)
	}
}

func readStore(b *testing.B, path string) {
	store, err := sqlitestore.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	rows, err := store.Log("ses-generated")
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for _, err := range logformat.NewRowReader(rows, logformat.SQLite, logformat.Options{}).Records() {
		if err != nil {
			b.Fatal(err)
		}
	}
}
