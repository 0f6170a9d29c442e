// Package sqlitefile reads the tables of a SQLite 3 database file, and nothing
// more: no SQL, no writing, no locks, no file beside the database but its
// write-ahead log, which is only read.
//
// An engine trusts its file. This package reads evidence: each page, cell,
// record and overflow chain is held against the file format
// (https://www.sqlite.org/fileformat2.html) as it is met, and the first thing
// that is not as it must be is a [Damage] that names the page. Work and memory
// stay bounded by the size of the file whatever its bytes say: keys must
// ascend, so no page is walked twice, and the overflow pages that one walk reads
// are counted against those that the file has.
//
// The layers, from the bottom:
//
//   - wal.go: the committed frames of the write-ahead log
//   - file.go: the header and the pages, as of the last commit
//   - btree.go: a cursor over a table's or an index's tree
//   - record.go: varints, values, and the order of keys
//   - sql.go: the CREATE statements, as far as needed to find columns
//   - schema.go: the tables that the file says it has, and their indexes
//   - rows.go: the rows of a table, all or by a key
//
// What a session store does not use is refused as [Unsupported], not guessed:
// text other than UTF-8, generated columns, views and virtual tables. Every
// statement of the schema is parsed, as SQLite opens no file with a malformed
// one; only the expressions in them are passed over.
package sqlitefile
