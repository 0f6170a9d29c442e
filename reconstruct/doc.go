// Package reconstruct rebuilds the loop requests of a session from its log:
// events in, requests out, with their exact bytes, digest and provenance.
//
// # Vocabulary
//
//   - The [Surface] is the ordered list of model-visible events. Events append
//     to it, or replace a span of it (compaction, pruning).
//
//   - [DeriveEventMessage] projects a surface event to the message that the model
//     sees, which may be none.
//
//   - An [EpochHeader] is a request/header snapshot in canonical form. The one in
//     force is the latest; [FoldRequestHeader] is the step of that fold.
//
//   - A [Boundary] is where a request's messages were taken and where the log
//     shows that it was sent.
//
//   - A step makes one request, or several attempts when the provider fails.
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
// The messages of a step's first attempt are the surface right after the run of
// appended user messages that directly follows step/start (a replace that no
// record announces counts as one of them); what a plugin puts on the surface
// afterwards was not in the request. Its header is the latest before
// the first chunk. A further attempt exists when a chunk follows a finish chunk
// of kind error or aborted in the same step: it takes messages and config anew
// and keeps the step's system prompt and tools.
//
// A step without chunk and without assistant message is prepared: the log cannot
// tell whether it was sent. Steps below the header's seedLength were sent by the
// parent session and are not this log's requests.
//
// # Cost
//
// Requests share their messages. The hash state after each request's last
// message is kept, so that a request costs its new messages and its tail; a
// replace costs what lies behind it. Memory follows the live surface.
//
// A request is valid until the next record is applied; [Request.Keep] makes it last.
package reconstruct
