// Package reconstruct rebuilds the loop requests of a session from its log:
// records in, requests out, with their exact bytes, digest and provenance.
//
// # Vocabulary
//
//   - An act is what a record says that happened, in no format's words: see package
//     transcript. The fold knows acts, and neither events' names nor formats.
//
//   - The [Surface] is the ordered list of model-visible events. Acts append to it,
//     or replace a span of it (compaction, pruning). Each has the message that the
//     model sees of it, which may be none.
//
//   - An [EpochHeader] is a snapshot of what is not history, in canonical form. The
//     one in force is the latest.
//
//   - A [Boundary] is where a request's messages were taken and where the log
//     shows that it was sent.
//
//   - A step makes one request, or several attempts when the provider fails.
//
//   - A [Dialect] is how the writers of a format make requests, as far as acts do not
//     tell it.
//
//   - A [Request] is a rope over the messages of the surface and the members of
//     its header. Its bytes are what JSON.stringify printed of
//
//     {…config, "messages":[…], "system"?, "tools"?, "sessionId"}
//
//     config comes first with its own key order; a config key that is also one
//     of the later members keeps its early place and takes the later value; the
//     live abort signal is not data and not printed.
//
//   - A [Oneshot] is a request outside the loop, as a compaction makes one to have
//     the history summed up, rebuilt as far as the log tells.
//
// # Boundaries
//
// Format 0 logs an answer as it arrives, and its first piece is what shows that the
// request was sent. The messages of a step's first attempt are the surface right after the run of
// appended user messages that directly follows step/start (a replace that no
// record announces counts as one of them); what a plugin puts on the surface
// afterwards was not in the request. Its header is the latest before
// the first chunk. A further attempt exists when a chunk follows a finish chunk
// of kind error or aborted in the same step: it takes messages and config again
// and keeps the step's system prompt and tools.
//
// A step without chunk and without assistant message is prepared: the log cannot
// tell whether it was sent. Steps below the header's seedLength were sent by the
// parent session and are not this log's requests.
//
// # Another format
//
// A format is a projection in package transcript, an entry in the table of dialects,
// and a file for each rule that the entry needs and no other format has:
//
//   - A boundary rule. One whose log tells of each attempt when it is over makes a
//     request at each settlement: it takes the surface and the header as they are then, and counts
//     attempts by settlements. It implements the interface boundary in a file of its
//     own, as firstchunk.go does, and makes requests by Session.sent and
//     Session.prepared.
//   - Surface rules. A system prompt that is a message, and the surface's head, is an
//     entry that may be the head, and a function that refuses what touches it; nodes
//     know whether they are it. Which messages vanish with their content is a list of
//     roles. What changes a message in place splices a copy of its node with other
//     bytes in its place: requests made before keep the node that they had, and
//     digests after it are dropped.
//   - The shapes of a request: its members in their order. Where a log does not tell
//     which of several shapes its writer sent, the entry lists them, the assumed one
//     first, and [Request.Variants] has the request in each.
//   - A tool history, where requests have one: it sees each act, and its revision
//     says when the member changed.
//
// None of this changes the fold; dialect_test.go has a dialect with all of it.
//
// # Cost
//
// Requests share their messages. The hash state after each request's last
// message is kept, so that a request costs its new messages and its tail; a
// replace costs what comes after it. Memory follows the live surface.
//
// A request is valid until the next record is applied; [Request.Keep] makes it last.
package reconstruct
