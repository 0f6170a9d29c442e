// Package sqlitesnapshot gives the pages of a SQLite database as of its last commit,
// as an io.ReaderAt that an engine can take for its file.
//
// The engine's own ways to open evidence do not serve: a read-only connection writes
// a side file for a write-ahead log, and an immutable one ignores the log. Here the
// newest committed image of each page is taken from the log, and the rest from the
// database. Nothing is written, nothing is locked, no file is made beside the
// database, and none is opened for writing.
//
// Who locks nothing is not waited for. A writer may append to the log, a checkpoint
// may copy what was appended into the database, and the log may begin again, between
// any two reads. [Snapshot.Still] says whether what was read belongs together all the
// same:
//
//   - The log is the one that was opened: its header, the frame of the last commit
//     and the file itself are the same. Then the images in it are where they were,
//     and what a checkpoint has copied since is still in it.
//   - A page that was read from the database, and that a later commit has changed,
//     was read before a checkpoint copied it: what was read is none of the later
//     images, each of which is in the log.
//   - Without a log, the database was not written to: its change counter, size and
//     time are the same, and there is no journal of a transaction under way.
//
// A page that changes between two reads of it ends the reading with [ErrMoved].
// Whoever finds that pages have moved opens another snapshot.
//
//   - header.go: what the header of a database says of its pages
//   - wal.go: the committed frames of a write-ahead log
//   - snapshot.go: the pages
//   - still.go: whether they belong together
package sqlitesnapshot
