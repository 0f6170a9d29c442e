// Package audit compares a log with itself: what the log says in one place must
// agree with what it says in another (section 9 of the format).
//
//   - An assistant message is the assembly of the chunks that it cites: blocks,
//     usage and replay state.
//   - Turns and steps count up, one of each is open at a time, and what belongs to
//     a step names the open one. Every tool call is one that the model asked for,
//     and every result answers one.
//   - A request header lies inside a turn, and its reason fits its place.
//   - What a crash left open is closed in the way in which the harness closes it.
//   - The records of compaction and pruning are of what was replaced.
//   - The inbox holds what its splices take from it, and a claimed message enters
//     as it was sent.
//   - Message ids are unique, and time does not run far backwards.
//   - Some content makes a provider reject every later request: unanswered,
//     repeated and empty tool calls, lone surrogates, NULs, lost bytes, messages of
//     a million bytes. These are named with the requests that they are in.
//
// A log that only the harness wrote breaks none of the rules that are errors. A
// log that breaks one was edited, or something else wrote to it.
//
// # How it reads
//
// An [Audit] observes the records that a [reconstruct.Session] folds, before each is
// applied. Chunks are folded block by block into the answer of one attempt and let
// go with it; of a message, its id is kept as a hash. So memory follows the live
// surface and the longest answer, and not the log.
//
// # Non-goals
//
// It reads one log and no other: a fork is compared with its parent by package
// lineage. It does not know attachments, recordings or printing.
package audit
