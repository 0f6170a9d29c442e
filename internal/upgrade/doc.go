// Package upgrade says what later releases of the harness do with a log: whether they read it,
// whether they put an upgraded log beside it, and if not, why; and what an upgrade does not keep.
//
// # Vocabulary
//
//   - A release reads a log of an older format by migrating it in memory, through steps from
//     each format to the next one: 0→1→2→3→4. Only the steps and the result are checked, and
//     no format between.
//   - It publishes the log when the session is opened for writing: the upgraded log is put
//     beside the old one, which stays as it is. Before that it is read back, and each answer is
//     put together again from its stream. A log can be read and not be published.
//   - A [Refusal] is the first fault in the release's own order: the header line, then row by
//     row through all steps, then the log that came out as a whole, then publishing.
//   - A [Loss] is something of the source log that is not, as such, in the upgraded one.
//
// # The steps
//
//	0→1  shapes of early builds become those of the last release of format 0
//	1→2  the chunks of an attempt become a stream in its settlement; events are numbered again
//	2→3  the system prompt of the headers becomes a message at the head of the surface
//	3→4  tool results become messages of the role tool, sources get kinds of their own
//
// Formats 0 to 2 are admitted member by member (package shape), because an upgrade has to find
// every event number in them. The log that comes out is read by package logformat with the rules
// of its new format.
//
// # Releases
//
// [Releases] are those whose loaders this package was compared with: verdict, number of events
// and every byte of the upgraded log agree for recorded and for thousands of damaged logs. What
// the releases in [NotTried] do is not known.
//
// # Cost
//
// Time is linear in the log. The upgraded log is held in memory.
package upgrade
