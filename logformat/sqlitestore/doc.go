// Package sqlitestore reads the session logs that a harness keeps in one SQLite
// file (schema 17).
//
// A [Store] is opened read-only and nothing is ever written, not even beside the
// file: SQLite sees it through a file system of this package's own. A store with
// a write-ahead log is read as of its last commit: the committed pages of the
// -wal file are laid over those of the main file, which is what SQLite itself
// would do with the -shm file that it would have to create. Should a writer move
// pages from one to the other meanwhile, the store is read again; a store that
// never stands still, or that a crash left with a rollback journal, is said to be
// so.
//
// A row of the table events becomes a line of text: the envelope in the order in
// which the harness prints it, the stored JSON as it is. From there on everything
// is as in a plain log, the rules of the committed region included.
package sqlitestore
