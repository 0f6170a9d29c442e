package finding

const actSealed = "Treat the log as edited since it was sealed."

// The codes of checking a log against its seal.
var (
	SealChanged   = failure("seal/event-changed", "an event is not the one that was sealed", actSealed)
	SealRemoved   = failure("seal/event-removed", "sealed events were taken out", actSealed)
	SealInserted  = failure("seal/event-inserted", "events were put in between sealed ones", actSealed)
	SealReordered = failure("seal/event-moved", "sealed events stand in another order", actSealed)
	SealTruncated = failure("seal/truncated", "sealed events at the end of the log are gone", "The log was cut, by a crash or by a hand: look for a copy.")
	SealMissing   = failure("seal/event-missing", "a sealed event is not at its place: it was taken out or moved, or one was put in front of it", actSealed)
	SealTree      = failure("seal/tree", "the log is not consistent with the sealed tree", actSealed)
	SealHeader    = failure("seal/header", "the header line is not the one that was sealed", actSealed)
	SealSession   = failure("seal/other-session", "the seal is of another session", "Pass the seal of this log.")
	SealRequest   = failure("seal/request", "equal events give other requests than the seal has", "Another version of this tool made the seal, or it was edited: seal the log again with the first version, and compare.")
	SealStored    = note("seal/stored-otherwise", "the stored bytes are not those that were sealed, and the events are: the log was compressed, packed or printed again", "")
	SealGrown     = note("seal/grown", "the log has grown, and what was sealed is its unchanged beginning", "")
	SealEmpty     = warning("seal/empty", "the seal is of a log without events: it holds the header line and nothing else", "Seal the log again once it holds something.")
)
