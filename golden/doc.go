// Package golden keeps the sum file of a session transcript: what every model
// request of it consists of, as digests in a text that is made to be reviewed in
// a diff. A transcript whose sum file is unchanged shows the model exactly what
// it showed before; where one changed, the sum file names the part.
//
// # Vocabulary
//
//   - A transcript is a session log that is kept, as a test or as a reference.
//   - A Sum is what its sum file says: an identity, the header snapshots, the
//     messages, and the requests.
//   - A header snapshot is a request/header event in canonical form (package
//     reconstruct): config, system prompt and tools.
//   - A message is a surface event. It has a digest unless the model sees nothing
//     of it, as of an answer without content.
//   - A [Change] is one difference of two sums that has no other for its cause.
//
// # The file
//
// It is UTF-8 text. Lines end in a line feed; a carriage return before it is
// ignored when the file is read. Items of a line are separated by one space.
//
//	dsh-verify requests.sum v1
//	session "ses-harbour-01" format 0
//	message user/message 163 5b1e…
//	header 1 "initial"
//	  config "provider" "deepseek-official"
//	  config "model" "deepseek-v4-flash"
//	  config "maxTokens" 256000
//	  system 31 9c02…
//	  tool "tide_table" 214 77aa…
//	  tool "tie_knot" 180 03fd…
//	request 1.1.1 header 1 messages 1 bytes 842 1c31…
//	message assistant/message 410 e0c4…
//	header 2 "resume" as 1
//
// The first line is the format. The second is the identity:
//
//	session ID format VERSION
//	session ID format VERSION parent ID seed N
//
// with the log's format version, and of a fork its parent and how many events it
// inherited. A header that has only one of parentSession and seedLength counts
// the other as "" or 0; one with neither has the short form.
//
// The other lines stand in the order of the log's events. A request stands at
// the event that shows that it was sent, in front of the message of that event if
// it has one; a prepared request, which nothing shows as sent, stands where its
// step ends, or at the end of the log.
//
//	header K REASON            K counts snapshots from 1; its parts follow
//	header K REASON as J       the same parts as snapshot J < K, the first such, which lists them
//	  config KEY VALUE         each member of the config, in its order
//	  system BYTES DIGEST      unless the header has none
//	  tool NAME BYTES DIGEST   each tool, in order, unless the header has none
//	  tools BYTES DIGEST       in place of the tools where they are no array of objects
//	                           that each have a string "name"
//	message TYPE BYTES DIGEST                 an event that was appended
//	message TYPE BYTES DIGEST replaces A-B    one that took the place of the surface from
//	                                          message A to message B, both included
//	request T.S.A header K messages N bytes B DIGEST
//	request T.S.A header K config J messages N bytes B DIGEST
//	prepared …                                as request
//
// TYPE is the event's type. Messages are counted from 1 in the order of their
// lines. T.S.A is turn, step and attempt; K is the snapshot whose system prompt and
// tools the request carries, and J the one of its config where that is another,
// which happens in a retry. N counts the messages that the request holds.
//
// BYTES is a length in bytes and DIGEST the SHA-256, in lower-case hexadecimal, of
// the JSON text that the request holds of the part: of a message, the message;
// of a system prompt, the string with its quotes; of a tool, its object; of a
// request, the whole request. All of them are what JavaScript's JSON.stringify
// prints. A message that the model does not see has 0 and "-".
//
// ID, REASON, KEY and NAME are strings as JSON.stringify prints them. VALUE is the
// config's value as JSON where that has at most 64 bytes, and otherwise
// BYTES:DIGEST.
//
// What the model does not see is not in the file: event numbers, times, chunks,
// adapterDefaults, working directories. So a log whose events were renumbered
// because one was inserted that no request holds has the sum file that it had.
//
// # Recording and checking
//
//	sum, err := golden.Record(reader)
//	text := golden.Format(sum)
//	…
//	want, err := golden.Parse(file)
//	sum, changes, err := golden.Check(want, reader)
//
// Record reads a log once and costs what the log costs: the digests of the
// requests come from the fold, which extends each from the one before. Check
// records and compares. It lists causes in the order of the log and folds into
// each the requests that changed with it.
//
// The package does not print, and it knows no files.
package golden
