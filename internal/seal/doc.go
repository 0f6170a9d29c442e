// Package seal states what a session's log holds, so that a later check can tell
// which of its events were changed, removed, inserted or moved.
//
// # The tree
//
// Events are the leaves of a Merkle tree as RFC 6962 defines it (section 2.1), in
// the order of the log. A leaf's data is the event as one line of canonical JSON,
//
//	{"type":…,"seq":…,"time":…,"data":…,"sourceEventSeqs"?:[…],"surfaceOp"?:…,"ignorable"?:true}
//
// whatever container held it and whether it was packed into a row, so that a log
// may be compressed, repacked or exported and still be the one that was sealed. A
// [Statement] holds the tree's root, and the hashes of its subtrees of 256 events,
// from which the root follows.
//
// # Checking
//
// A log that grew must contain the sealed tree as a prefix: a consistency proof is
// made and verified. Where it does not hold, the subtrees tell in which run of 256
// events inclusion fails, and marks tell the event: three bytes for each, of a
// hash that leaves its number out and counts its references as distances. So
// marks still line up after an event that was taken out although all later ones
// were numbered again. Marks only name what the tree has proved to be wrong; they
// prove nothing themselves.
//
// The header line has a digest of its own, and so has every request, because a
// request may change while no event does: in the hands of another version of this
// tool. The digest of the stored bytes tells the log itself from one with the same
// events in other clothes; that one is noted and not an error.
//
// # Goals and non-goals
//
// A statement is as good as the place that it is kept in: whoever can write both log
// and statement can seal the log again. Sign it, or keep it where the writer of the
// log cannot write. It grows by four characters for each event. Objects are named by
// their digests and not read.
package seal
