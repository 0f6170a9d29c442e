// Package sqlitestore reads the session logs that a harness keeps in one SQLite
// file (schema 17).
//
// A [Store] is opened read-only. Nothing is ever written, not even beside the file,
// nor is anything locked: SQLite reads the store through a snapshot of its pages as
// of the last commit (internal/sqlitesnapshot), and can open nothing else. Should a
// writer move pages meanwhile, the store is read again as of a later commit, and what
// was read of a session before must be what it starts with then. Where that does not
// come to an end the error is [ErrMoved]. A store that a crash left with a rollback
// journal is said to be so.
//
// A store may be hostile. Its schema must be the harness's, word for word, before
// anything else of it is read, and the engine then checks every page, and every row
// against the indexes: what is damaged anywhere is not read.
//
// A row of the table events becomes a line of text: the envelope in the order in
// which the harness prints it, the stored JSON as it is. From there on everything
// is as in a plain log, the rules of the committed region included.
//
//   - engine.go: the engine and its bounds
//   - schema.go: what is checked before rows are read
//   - view.go: a snapshot that was checked, and newer ones
//   - store.go, rows.go: the sessions, and the rows of one
//   - header.go, line.go: rows as lines
package sqlitestore
