// Package source finds the session logs that a LOG argument names. That may be
//
//   - a plain or Zstandard log, "-" for standard input, a pipe;
//   - an export archive, or a folder that one was unpacked to;
//   - a SQLite store;
//   - a session's folder, a store root (<root>/--project--/<id>/session.jsonl), or
//     a harness home with both: any folder gives every log, archive and store in it
//     and below, its own session first.
//
// The newest generation of a log in a folder is the session, and [Choose] is where that
// is decided, on disk and in archives. A session's folder without a log counts too.
//
// What is not a log but stands among them in a way that nobody meant, is reported
// as findings about the place.
package source
