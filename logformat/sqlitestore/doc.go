// Package sqlitestore reads the session logs that a harness keeps in one SQLite
// file (schema 17).
//
// A [Store] is opened read-only and nothing is ever written, not even beside the
// file, nor is anything locked: no SQLite engine takes part, the pages are read
// as they lie there. A store with a write-ahead log is read as of its last
// commit. Should a writer move pages meanwhile, the store is opened again; a
// store that never stands still, or that a crash left with a rollback journal, is
// said to be so. Damage is named with its page, and a session of which the index
// of the store leads to fewer rows than there are is damaged too.
//
// A row of the table events becomes a line of text: the envelope in the order in
// which the harness prints it, the stored JSON as it is. From there on everything
// is as in a plain log, the rules of the committed region included.
package sqlitestore
