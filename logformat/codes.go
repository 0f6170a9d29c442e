package logformat

import "slices"

const (
	actCopy    = "Take the log again from where it was written; if that copy is the same, restore it from a backup."
	actWriter  = "No release is known to write this; an early build, a plugin, a converter or damage may have: compare with another copy of the log."
	actFork    = "A crash while the session was made leaves this. The parent's log holds the events; releases before 0.1.2-rc.1 open this one."
	actPlugin  = "If a plugin of yours writes this type, admit it with --known-event TYPE; otherwise read the log with a newer release."
	actRelease = "Replay it with the release that wrote it; no later release can."
)

// actFormat names the formats that are read.
var actFormat = "Read it with a release that knows that format; this one reads " + formatsRead() + "."

var codes = slices.Concat(commonCodes, laterCodes)

// actNewer is for formats beyond them.
var actNewer = actFormat + " What a fork wrote only that fork reads."

var commonCodes = []CodeInfo{
	{CodeEmpty, Corrupt, "the log holds no bytes, so there is no session in it", "Check the path; a session that never became durable leaves no log."},
	{CodeEncoding, Corrupt, "the log is not stored as its name says, and the harness reads it by its name", "Give a copy the name of what it holds: session.jsonl for plain text, session.jsonl.zstd for Zstandard frames."},
	{CodeHeaderUnterminated, Corrupt, "the header line was never completed, so nothing of this session became durable", actCopy},
	{CodeVersionNewer, Foreign, "the log is in a format that this release does not read: a newer harness wrote it, or a fork of the harness, of which several count formats of their own; it is not damaged", actNewer},
	{CodeVersionOlder, Foreign, "the log is in a format older than any that can be read; it is not damaged", actFormat},
	{CodeHeaderGeneration, Foreign, "the file's name and the header line state different formats, so the file was renamed or exchanged, and the harness refuses it; what it holds may be sound", "Give a copy the name of its own version and verify that, and look for what renamed it."},
	{CodeHeaderNotJSON, Corrupt, "the first line is not JSON, so this is no session log or its start is lost", actCopy},
	{CodeHeaderBOM, Corrupt, "the log starts with a byte order mark, which the harness neither writes nor reads; an editor or a converter put it there", "Remove the three bytes EF BB BF from the start of a copy, and find what added them."},
	{CodeHeaderShape, Corrupt, "the first line is not a session header", actWriter},
	{CodeHeaderRetired, Legacy, "the header has a policy field that was retired; logs with it are no longer opened", actRelease},
	{CodeHeaderCwd, Corrupt, "the header's cwd is not an absolute path", actWriter},
	{CodeSeedLength, Corrupt, "the header says that more events were inherited than the log holds", actFork},
	{CodePath, Corrupt, "a log does not lie in its store root where its header says, so it was moved, renamed or exchanged", "Put it back, or verify it outside of the store root."},
	{CodeHeaderField, Corrupt, "a header field has a value that the format does not allow", actWriter},

	{CodeLFSPointer, Corrupt, "this is a Git LFS pointer, which stands for the file until Git fetches it", "Fetch it: git lfs pull, or lfs: true for actions/checkout."},
	{CodeWebPage, Corrupt, "this is a web page, as a sign-in or an error gives one in place of a file", "Download the file again, and look at why a page came: a browser shows it."},
	{CodeCompressed, Corrupt, "this is a compressed file, and of those only logs in Zstandard are read", "Decompress it first."},
	{CodePacked, Corrupt, "this is an archive, and of those only ZIP files are read", "Unpack it, and name the folder."},
	{CodeOtherProgram, Foreign, "this seems to be a session log of another program than the harness", "Name a log of the harness: session.jsonl or session.vN.jsonl in a session's folder."},
	{CodeUTF16, Corrupt, "this is text in UTF-16, as Windows PowerShell writes what a program prints; the harness writes UTF-8", "Convert a copy to UTF-8 without a byte order mark, or let the program that made the file write it."},

	{CodeZstdMagic, Corrupt, "there are bytes where a Zstandard frame should start, and they start none", actCopy},
	{CodeZstdReserved, Corrupt, "a Zstandard frame uses a reserved bit or block type, so its bytes are damaged", actCopy},
	{CodeZstdFrame, Corrupt, "a complete Zstandard frame does not decode to what was written", actCopy},
	{CodeZstdHeaderFrame, Corrupt, "the first Zstandard frame must hold the header line and nothing else", "The file was compressed again by another tool; decompress it and verify it as session.jsonl."},
	{CodeZstdTornRecord, Corrupt, "the complete Zstandard frames end inside a record, which a crash cannot cause", actCopy},

	{CodeLineNotJSON, Corrupt, "a line in the committed part of the log is not JSON", actCopy},
	{CodeLineBlank, Corrupt, "a blank line in the committed part of the log; no writer leaves one", actWriter},
	{CodeLineNull, Corrupt, "a line in the committed part of the log holds null where a record must be; releases before 0.1.2 refuse that in a tail, too", actCopy},
	{CodeLineNoRecord, Corrupt, "a line in the committed part of the log holds another JSON value than a record", actCopy},
	{CodeLineTooLong, Corrupt, "a line is longer than the harness can hold as one string (2^29-24 bytes)", actCopy},
	{CodeLineTooDeep, Corrupt, "a line nests deeper than can be read safely", actWriter},
	{CodeSeqGap, Corrupt, "the event numbers are not contiguous in the committed part of the log: records were lost, added or moved", actCopy},
	{CodeSeqShape, Corrupt, "a row in the committed part of the log has a number where an event number must be, and it is none; for releases before 0.1.2-rc.1 a turn/end with it still ends the committed part", actWriter},
	{CodeSeqAbsent, Corrupt, "the first event has no event number, so this is no log; transcripts that are authored for tests look so", "If it is an authored transcript, check it with dsh-verify golden, which completes it; restore the original otherwise."},
	{CodeChunkRow, Corrupt, "a packed chunk row in the committed part of the log is malformed", actWriter},
	{CodeStoreRow, Corrupt, "a row in the committed part of the store is malformed", "Restore the store from a backup; the events before this row are intact."},
	{CodeSizeLimit, Corrupt, "the decoded log is larger than the limit in force", "Raise --max-size if the log is trusted."},

	{CodeLegacyDelta, Legacy, "the event is of the removed header-delta codec: the request headers of this log cannot be known without it", actRelease},
	{CodeLegacyMode, Legacy, "the event is of the removed mode vocabulary", actRelease},
	{CodeFallback, Legacy, `the request header has the removed reason "fallback"`, actRelease},
	{CodeLegacyShape, Legacy, "the event has an old shape that is not complete enough to be upgraded", actRelease},
	{CodeMessageID, Corrupt, "a message without an id: it can neither be quoted nor replaced", actWriter},
	{CodeMessageRole, Corrupt, "the message has another role than its event calls for", actWriter},
	{CodeMessageSource, Corrupt, "the message does not say where it came from in the way its event calls for", actWriter},
	{CodeMessageBody, Corrupt, "the message's content does not have the shape its event calls for", actWriter},
	{CodeTurnEnd, Corrupt, "the end of the turn does not have the shape that was ever written", actWriter},
	{CodeTypeUnknown, Foreign, "the event type is not in the vocabulary of the log's format and not marked ignorable; skipping it could rebuild a wrong session", actPlugin},
	{CodeDataShape, Corrupt, "the event's data is not of the kind that the harness reads there", actWriter},
	{CodeCloserCallID, Corrupt, "the log ends in an open turn with a tool call that has no usable id, so the turn cannot be closed on load", "The provider returned a tool call without an id; cut the log before that step to open it."},
	{CodeEnvelope, Corrupt, "the event's envelope must hold type, seq, time and data, optionally surfaceOp, sourceEventSeqs and ignorable, each well-formed, and nothing else", actWriter},
	{CodeHeaderRoute, Corrupt, "the request header does not name a provider and a model", actWriter},
	{CodeHeaderEffort, Corrupt, "the request header's reasoningEffort is not a non-empty string", actWriter},
	{CodeDefaults, Corrupt, "the request header's adapterDefaults must mark reasoningEffort or maxTokens with true, and only a field that the config has", actWriter},
	{CodeHeaderMember, Corrupt, "the harness loads this log, but it cannot fold this request header: the session opens, and no request can be made from there on", actWriter},

	{CodeSurfaceOpMissing, Corrupt, "the event is model-visible and must say with surfaceOp how it enters the surface", actWriter},
	{CodeSurfaceOpLogOnly, Corrupt, "the event is log-only and cannot change the surface", actWriter},
	{CodeSurfaceOpShape, Corrupt, `surfaceOp must be "append" or a replace with exactly op, start and end`, actWriter},
	{CodeSourcesLogOnly, Corrupt, "the event is log-only and cannot cite sources", actWriter},
	{CodeSourcesShape, Corrupt, "sourceEventSeqs in the committed part of the log must be an array of event numbers and of ranges of them, [first,last]; releases before 0.1.2 take no range, and refuse what else is malformed in a tail, too", actWriter},
	{CodeSourcesMany, Corrupt, "the ranges of sourceEventSeqs stand for more events than can be held", actWriter},
	{CodeSourcesEmpty, Corrupt, "sourceEventSeqs is empty, which only an assistant/message of an empty stream may be", actWriter},
	{CodeSourcesDuplicate, Corrupt, "sourceEventSeqs names an event twice", actWriter},
	{CodeSourcesForward, Corrupt, "sourceEventSeqs names an event that is not earlier than this one", actWriter},
	{CodeReplaceMissing, Corrupt, "the replace names an event that is not on the surface", actWriter},
	{CodeReplaceReversed, Corrupt, "the replace starts after it ends, in surface order", actWriter},
	{CodeReplaceSources, Corrupt, "the replace does not list every event that it removes from the surface", actWriter},
	{CodeReplaceToolTarget, Corrupt, "a tool/result may replace exactly one current tool/result", actWriter},
	{CodeReplaceToolEdit, Corrupt, "a tool/result that replaces another may differ only in the content of its result block", actWriter},
}
