package sqlitestore_test

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/sqlitestore"
)

// Read the sessions of a store.
func Example() {
	store, err := sqlitestore.Open("../../../fixtures/sqlite-two-sessions/store.db")
	if err != nil {
		panic(err)
	}
	defer store.Close()
	ids, err := store.Sessions()
	if err != nil {
		panic(err)
	}
	for _, id := range ids {
		rows, err := store.Log(id)
		if err != nil {
			panic(err)
		}
		reader := logformat.NewRowReader(rows, logformat.SQLite, logformat.Options{})
		for _, err := range reader.Events() {
			if err != nil {
				panic(err)
			}
		}
		fmt.Println(id, reader.Stats().Events)
		rows.Close()
	}
	// Output:
	// ses-stamp-01 186
	// ses-stamp-02 34
	// ses-stamp-01-fork 202
}
