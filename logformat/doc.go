// Package logformat reads the append-only log of a DeepSeek Harness (dsh)
// session: bytes in, validated events with their position out.
//
// # Vocabulary
//
//   - A log is one header line and then storage records, one JSON value per
//     line. It is stored as plain text, or as a concatenation of Zstandard
//     frames (RFC 8878) of which the first holds exactly the header line.
//   - A record is an [Event] or a [ChunkRow], which packs a run of consecutive
//     assistant/chunk events of one stream block.
//   - A [Position] names a record: its line (1 is the header), the byte offset
//     of that line in the decoded log, and the frame that holds it.
//   - A [Refusal] is what makes a log untrustworthy: a stable [Code], a place
//     and a sentence. It is an error value, and it is a finding about the log,
//     not a failure to read it.
//   - A [Tail] is what a crash left behind the last trustworthy record. A tail
//     never invalidates the records before it.
//
// # Reading
//
//	r := logformat.NewReader(file, logformat.Options{})
//	header, err := r.Header()
//	for rec, err := range r.Records() {
//		if refusal, ok := errors.AsType[*logformat.Refusal](err); ok { … }
//		…
//	}
//	tail := r.Tail()
//
// Records are yielded as they are read; their bytes are valid until the next
// step. A reader yields records up to the first fault and then reads on to the
// end, because a fault of higher rank may follow: a foreign version outranks a
// damaged line, which outranks a legacy event, which outranks a malformed
// message, and so on (a [Version] ranks the phases by the order of the harness's
// own checks). Only the end of the iteration tells whether the log
// was accepted, so a consumer that must not act on a refused log collects
// first and acts after.
//
// # Formats
//
// All that one format says stands in its [Version] and in the files that bear its
// number (version0_*.go), or in those that formats 2 to 4 share (later_*.go): what its
// header line holds, its event types with the rules of each, how cited events are coded, which rows pack others, how faults outrank each
// other, which lines a crash can leave, and the rules across rows. The reader, which
// walks frames and lines, asks the version that the header line chose.
//
// A log gets the verdict of the loader of its own format. The loader of format 3 looks at few
// rules across rows: what a later release refuses in such a log is in [Reader.Later].
//
// # Committed region and torn tail
//
// In plain text a line that does not parse, or a gap in the event numbers, is
// remembered, and no further event is taken. If a later line decodes to a
// turn/end, the log is corrupt at the remembered place; if none does, all from
// there on is a torn tail. A last line without a line feed is always torn. In
// Zstandard logs the leniency holds only for a structurally incomplete last
// frame: inside complete frames every such fault is corruption. In formats 3 and 4 a row
// that says turn/end closes the tail even if it does not decode, and some faults refuse a
// log wherever they stand (early admission).
//
// # What is upgraded
//
// Shapes that early builds of the harness wrote are upgraded on load in the way
// the harness does it, and marked ([Event.Upgraded]): requests that contain
// them were sent before the upgrade existed, so the rebuilt bytes are not the
// bytes that were sent.
//
// # JSON
//
// A line that is not exactly what JavaScript's JSON.stringify would print is
// parsed and printed again by the rules of ECMA-262 (package ecmajson); the
// bytes of an [Event] are always in that canonical form, and [Event.Form] says
// whether the log's own bytes were.
//
// # Non-goals
//
// The package does not know requests, attachment files or printing. Of the surface it
// keeps only what rules of formats 2 to 4 across rows need; whether a replace of format 0
// fits the current surface is judged by package reconstruct.
package logformat
