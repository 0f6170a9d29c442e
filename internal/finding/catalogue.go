package finding

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/authored"
	"github.com/dsh-verify/dsh-verify/logformat/exportzip"
	"github.com/dsh-verify/dsh-verify/logformat/sqlitestore"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// An Entry describes a code: what it means and what to do about it.
type Entry struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Group    string   `json:"group"` // refusal, tail, request, recording, object, …
	Meaning  string   `json:"meaning"`
	Action   string   `json:"action,omitempty"`
}

// Catalogue returns every code that the tool can report, refusals first.
func Catalogue() []Entry {
	var all []Entry
	for _, list := range [][]logformat.CodeInfo{logformat.Codes(), exportzip.Codes(), sqlitestore.Codes(), authored.Codes()} {
		for _, info := range list {
			all = append(all, Entry{string(info.Code), Error, "refusal", info.Meaning, info.Action})
		}
	}
	all = append(all, entries...)
	for _, info := range objectstore.Codes() {
		all = append(all, Entry{string(info.Code), Error, "object", info.Meaning, info.Action})
	}
	return all
}

// Lookup returns the entry of a code.
func Lookup(code string) (Entry, bool) {
	for _, e := range Catalogue() {
		if e.Code == code {
			return e, true
		}
	}
	return Entry{}, false
}

// New returns a finding of the catalogue; detail says what was found there.
func New(code, detail string, place Place) Finding {
	entry, _ := Lookup(code)
	message := entry.Meaning
	if detail != "" {
		message = detail + ": " + message
	}
	return Finding{Code: code, Severity: entry.Severity, Message: message, Place: place, Action: entry.Action}
}

// FromRefusal returns the finding of a refusal.
func FromRefusal(refusal *logformat.Refusal) Finding {
	entry, _ := Lookup(string(refusal.Code))
	message := entry.Meaning
	if refusal.Detail != "" {
		message = refusal.Detail + ": " + message
	}
	return Finding{
		Code: string(refusal.Code), Severity: Error, Message: message, Action: entry.Action,
		Place: Place{Line: refusal.Pos.Line, Offset: refusal.Pos.Offset, Frame: refusal.Pos.Frame, Seq: refusal.Seq},
	}
}

// The codes of replaying a log.
const (
	TailTorn        = "tail/torn"
	TailIssue       = "tail/unreadable"
	LogInvalidUTF8  = "log/invalid-utf8"
	LogForeignJSON  = "log/foreign-json"
	LogNoChecksum   = "log/no-checksum"
	LogIgnored      = "log/ignored-event"
	LogAdmitted     = "log/admitted-event"
	LogUpgraded     = "log/upgraded"
	LogHeaderKeys   = "log/header-keys"
	RequestPrepared = "request/prepared"
	RequestDoubt    = "request/not-as-sent"
	RequestOverOld  = "request/over-upgraded-history"
	RequestHeadless = "request/no-header"

	RecordingDrift           = "recording/drift"
	RecordingMissing         = "recording/missing"
	RecordingExtra           = "recording/extra"
	RecordingOrder           = "recording/order"
	RecordingSuperseded      = "recording/superseded"
	RecordingDuplicate       = "recording/duplicate"
	RecordingMalformed       = "recording/malformed"
	RecordingUnread          = "recording/unreadable"
	RecordingProves          = "recording/proves-dispatch"
	RecordingElsewhere       = "recording/other-session"
	CaptureDrift             = "capture/drift"
	CaptureMissing           = "capture/missing"
	CaptureExtra             = "capture/extra"
	CaptureIncomparable      = "capture/not-comparable"
	CaptureAssumed           = "capture/assumed"
	CaptureHole              = "capture/not-determined"
	CaptureProved            = "capture/proved-by-digest"
	CaptureRenewed           = "capture/file-id-renewed"
	CaptureRepost            = "capture/posted-again"
	CaptureOneshot           = "capture/one-shot"
	CaptureOneshotDrift      = "capture/one-shot-drift"
	CaptureOneshotUnverified = "capture/one-shot-unverified"
	CaptureUnknown           = "capture/unknown-bodies"
	CaptureElsewhere         = "capture/other-traffic"
	ObjectsNotChecked        = "object/not-checked"
	ObjectUnreferenced       = "object/unreferenced"
	ObjectCacheUnknown       = "object/request-image-unexplained"
	ObjectSymbolicLink       = "object/symbolic-link"
	InputUnreadable          = "input/unreadable"
	LineageAbsent            = "lineage/parent-absent"
	LineageEvents            = "lineage/inherited-events"
	LineageDepth             = "lineage/depth"
	StoreTwoEncodings        = "store/two-encodings"
	StoreMixed               = "store/mixed-encodings"
	StoreFlatFile            = "store/flat-file"
	StoreDuplicate           = "store/duplicate-id"
	StoreLeftover            = "store/leftover"
	StoreOlder               = "store/older-generation"
	StoreNoFallback          = "store/no-fallback"
	StoreNewer               = "store/newer-generation"
	StoreNoGeneration        = "store/no-generation"
	StoreNoLog               = "store/no-log"
	StorePlaceholder         = "store/placeholder"
	StoreMoved               = "store/changed"
	InputNoSession           = "input/no-session"
	InputForeignArchive      = "input/foreign-archive"
	InputLink                = "input/link"
	InputTooDeep             = "input/too-deep"
	ScanInterrupted          = "scan/interrupted"
	ScanStopped              = "scan/stopped"
	ScanNothing              = "scan/nothing-left"
	RecordingNotMatched      = "recording/nothing-matched"
)

// The codes of the audit: a log against itself.
const (
	AuditTurnOrder      = "audit/turn-order"
	AuditStepOrder      = "audit/step-order"
	AuditTurnReason     = "audit/turn-reason"
	AuditOutsideStep    = "audit/outside-step"
	AuditOpenTurn       = "audit/open-turn"
	AuditBlocks         = "audit/assembly-blocks"
	AuditText           = "audit/assembly-text"
	AuditToolBlock      = "audit/assembly-tool-call"
	AuditSources        = "audit/assembly-sources"
	AuditFinish         = "audit/assembly-failed"
	AuditUsage          = "audit/usage"
	AuditReplayState    = "audit/replay-state"
	AuditDeltasDiffer   = "audit/deltas-differ"
	AuditChunkLate      = "audit/chunk-late"
	AuditSecondMessage  = "audit/second-message"
	AuditMessageMissing = "audit/message-missing"
	AuditInterrupted    = "audit/interrupted-message"
	AuditRoute          = "audit/message-route"
	AuditToolCall       = "audit/tool-call-differs"
	AuditToolResult     = "audit/tool-result-unasked"
	AuditResultSources  = "audit/tool-result-sources"
	AuditToolOrder      = "audit/tool-order"
	AuditUnanswered     = "audit/tool-unanswered"
	AuditRepeatedCall   = "audit/tool-call-repeated"
	AuditEmptyCallID    = "audit/tool-call-empty-id"
	AuditHeaderOutside  = "audit/header-outside-turn"
	AuditHeaderReason   = "audit/header-reason"
	AuditHeaderOld      = "audit/header-reason-unknown"
	AuditHeaderMissing  = "audit/header-missing"
	AuditContext        = "audit/request-context"
	AuditRetry          = "audit/retry-record"
	AuditCloser         = "audit/closer"
	AuditForkBoundary   = "audit/fork-boundary"
	AuditCompaction     = "audit/compaction-record"
	AuditPrune          = "audit/prune-record"
	AuditReplace        = "audit/replace-unannounced"
	AuditInbox          = "audit/inbox"
	AuditEntered        = "audit/inbox-message-differs"
	AuditNotEntered     = "audit/inbox-not-entered"
	AuditMessageID      = "audit/message-id-repeated"
	AuditTitle          = "audit/title"
	AuditTodo           = "audit/todo-outside-turn"
	AuditTimeBackwards  = "audit/time-backwards"
	AuditLoneSurrogate  = "audit/lone-surrogate"
	AuditNUL            = "audit/nul"
	AuditInvalidUTF8    = "audit/invalid-utf8"
	AuditLarge          = "audit/large-message"
)

// The codes of checking a log against its seal.
const (
	SealChanged   = "seal/event-changed"
	SealRemoved   = "seal/event-removed"
	SealInserted  = "seal/event-inserted"
	SealReordered = "seal/event-moved"
	SealTruncated = "seal/truncated"
	SealMissing   = "seal/event-missing"
	SealTree      = "seal/tree"
	SealHeader    = "seal/header"
	SealSession   = "seal/other-session"
	SealRequest   = "seal/request"
	SealStored    = "seal/stored-otherwise"
	SealGrown     = "seal/grown"
	SealEmpty     = "seal/empty"
)

const actSealed = "Treat the log as edited since it was sealed."

// The codes of golden transcripts.
const (
	GoldenSession        = "golden/changed-session"
	GoldenHeaderAdded    = "golden/header-added"
	GoldenHeaderRemoved  = "golden/header-removed"
	GoldenHeader         = "golden/changed-header"
	GoldenConfig         = "golden/changed-config"
	GoldenConfigOrder    = "golden/config-reordered"
	GoldenSystem         = "golden/changed-system"
	GoldenToolAdded      = "golden/tool-added"
	GoldenToolRemoved    = "golden/tool-removed"
	GoldenTool           = "golden/changed-tool"
	GoldenToolsOrder     = "golden/tools-reordered"
	GoldenTools          = "golden/changed-tools"
	GoldenMessageAdded   = "golden/message-added"
	GoldenMessageRemoved = "golden/message-removed"
	GoldenMessage        = "golden/changed-message"
	GoldenMessageMoved   = "golden/message-moved"
	GoldenReplace        = "golden/changed-replace"
	GoldenRequestAdded   = "golden/request-added"
	GoldenRequestRemoved = "golden/request-removed"
	GoldenRequest        = "golden/changed-request"
	GoldenLinesOrder     = "golden/lines-reordered"
	GoldenMore           = "golden/more-changes"
	GoldenNew            = "golden/new"
	GoldenMissing        = "golden/missing"
	GoldenSum            = "golden/sum-malformed"
	GoldenAuthored       = "golden/authored"
	GoldenNoOldLog       = "golden/no-old-log"
	GoldenUnwritten      = "golden/not-written"
	GoldenLink           = "golden/link"
)

const actGolden = "If it was meant, accept it with dsh-verify golden check --update; if not, find what changed it."

const actEdited = "Treat the log as edited from there on: the harness does not write this."

var entries = []Entry{
	{TailTorn, Note, "tail", "the log ends in a record that was never completed, as a crash leaves it; it is not part of the session", "Nothing: the harness drops it too."},
	{TailIssue, Warning, "tail", "what follows the last sound record does not decode and no turn ends behind it, so the harness drops it as a torn tail", "If the log was not cut by a crash, look for a tool that edited it: everything behind this line is lost to the harness."},
	{LogInvalidUTF8, Warning, "log", "lines hold bytes that are not UTF-8; the harness reads them as U+FFFD, so the original bytes are lost", "Find what wrote the log: the harness writes UTF-8 only."},
	{LogForeignJSON, Warning, "log", "lines are not as JSON.stringify prints them, so something else than the harness wrote or edited them; they were rebuilt by JavaScript's rules", "Treat the log as edited unless you know the writer."},
	{LogNoChecksum, Note, "log", "Zstandard frames have no content checksum; the harness always writes one, so the log was compressed again", ""},
	{LogIgnored, Note, "log", "events of unknown types are marked ignorable and were skipped, as the harness does", ""},
	{LogAdmitted, Note, "log", "events of a type outside the format were admitted on request", ""},
	{LogUpgraded, Note, "log", "events have shapes that early harness builds wrote; they were upgraded as the harness does on load", ""},
	{LogHeaderKeys, Note, "log", "the header line has keys that the format does not know; the harness drops them", ""},
	{RequestPrepared, Note, "request", "the log cannot show whether these requests were sent: their steps have neither a chunk nor an assistant message", "A recording that holds them proves it: pass --recorded."},
	{RequestDoubt, Warning, "request", "the rebuilt bytes are what the harness makes of this log today, not the bytes that were sent: the lifetime that sent them wrote legacy shapes, or lines that the harness does not print", ""},
	{RequestOverOld, Note, "request", "these requests were sent over history that the harness upgraded or printed anew when it loaded the log; their bytes are its own and exact", ""},
	{RequestHeadless, Warning, "request", "chunks show requests for which the log has no request header before them; they cannot be rebuilt", ""},

	{RecordingDrift, Error, "recording", "the recorded request is not what the log says was sent", "Look at the event named: either the log was changed after the request, or the recording is of another one."},
	{RecordingMissing, Error, "recording", "the log shows a request that the recording does not hold", "The recording is incomplete, or the log was extended."},
	{RecordingExtra, Error, "recording", "the recording holds a request that the log does not show", "The log lost events, or the recording is of another session."},
	{RecordingOrder, Error, "recording", "the recorded requests are not in the order in which the log shows them", "Something reordered the recording: it is written in dispatch order."},
	{RecordingSuperseded, Warning, "recording", "the recording holds an earlier request of this number, which the log does not show: a process died before its last events were stored, and a later one used the number again", "Nothing, if a crash explains it: the harness lost that tail too."},
	{RecordingDuplicate, Error, "recording", "the recording holds a request more often than the log shows it, and no lifetime of the log explains that", "Look at what wrote the recording: two recorders, a copy, an edit, or a process that died before anything was stored leave this."},
	{RecordingMalformed, Error, "recording", "a line of the recording is not a request record", "Each line must be {\"sessionId\",\"turn\",\"step\",\"attempt\",\"request\"}."},
	{RecordingUnread, Error, "recording", "the recording could not be read", ""},
	{ObjectUnreferenced, Note, "object", "objects that no session at hand references", "Nothing, unless you expected a session to hold them: another session may."},
	{ObjectCacheUnknown, Note, "object", "cached request images that no reference explains under the given policy", "Nothing: another policy, or a session that is gone, made them."},
	{CaptureDrift, Error, "capture", "the captured body is not what the adapter makes of this log", "Look at the event named: either the log was changed after the request, or something between loop and network changed the body."},
	{CaptureMissing, Error, "capture", "the log shows requests that no captured body equals", "The capture is incomplete, or the log was extended."},
	{CaptureExtra, Error, "capture", "bodies of this session were captured that the log does not show", "The log lost events, or an unknown one-shot was posted."},
	{CaptureIncomparable, Warning, "capture", "bodies were captured in a form that cannot be compared; nothing is said about them", "Capture whole bodies: dsh-verify record keeps them byte for byte."},
	{CaptureAssumed, Note, "capture", "settings of the deployment that no log holds; the captured bodies are explained by them", ""},
	{CaptureHole, Note, "capture", "places that neither log nor store determines; everything around them was compared", ""},
	{CaptureProved, Note, "capture", "image bytes that no store holds were taken from the capture and have the digest that the log names", ""},
	{CaptureRenewed, Note, "capture", "an image was uploaded again and got another file id", ""},
	{CaptureRepost, Note, "capture", "one attempt was posted more than once, as it was or with renewed file ids; how often a dispatch posts is not in the log", ""},
	{CaptureOneshot, Note, "capture", "a request outside the loop, equal to what the log says of it", ""},
	{CaptureOneshotDrift, Error, "capture", "the captured body of a request outside the loop is not what the log says of it", "Look at the event named: either the log was changed after the request, or something between harness and network changed the body."},
	{CaptureOneshotUnverified, Note, "capture", "a request outside the loop that the log does not describe: it was not compared", ""},
	{CaptureUnknown, Warning, "capture", "bodies that name no session equal nothing that the log explains; they were not compared", "Capture the request headers too: x-deepseek-harness-session-id says whose a body is."},
	{CaptureElsewhere, Note, "capture", "captured bodies belong to other sessions; they were not compared", ""},
	{RecordingProves, Note, "recording", "the recording proves that a request was sent which the log alone cannot show as sent", ""},
	{RecordingElsewhere, Note, "recording", "the recording also holds requests of other sessions, which were left aside", ""},
	{RecordingNotMatched, Warning, "recording", "the recording holds no request of this session, so nothing was compared", "Check that it belongs to the log."},

	{ObjectsNotChecked, Warning, "object", "requests reference attachments, and no object store is at hand: the objects were not checked", "Pass --attachments DIR (the attachments/v1 folder)."},
	{ObjectSymbolicLink, Note, "object", "the object is a symbolic link; it was followed, as the harness does", ""},
	{StoreTwoEncodings, Warning, "store", "a session's folder holds logs in two encodings; the harness, which is set to one, refuses every session of such a root", "Find out which one the harness wrote last, and move the other away."},
	{StoreMixed, Warning, "store", "a store root holds logs of both encodings; the harness, which is set to one, refuses every session of such a root", "Convert one kind, or keep them in roots of their own."},
	{StoreFlatFile, Warning, "store", "a log lies flat in its project's folder, a layout that the harness no longer reads", "Move it to a folder of its own, named after its session."},
	{StoreDuplicate, Warning, "store", "two sessions of the root have the same id", "One of them is a copy: the harness refuses to open an id that is not unique."},
	{StoreLeftover, Note, "store", "a temporary file was left behind, as by a crash while the session's log was created; it is no part of a session", ""},
	{StoreOlder, Note, "store", "older generations of the session lie beside its log; an upgrade leaves them as they were, and they are not read", ""},
	{StoreNoFallback, Warning, "store", "older generations of the session lie beside its newest log, which cannot be used; the harness does not fall back to them, and they were not read here", "Verify the older file by its own name to see what is left of the session."},
	{StoreNewer, Warning, "store", "a newer generation of the session lies beside this file, and is what the harness reads; this one is as it was before an upgrade", "Name the folder or the newer file to verify the session as it is now."},
	{StoreNoGeneration, Warning, "store", "files look like logs, and have names that the harness does not read; a sync program makes such copies when two machines wrote, and so do backups and people, and they may hold other turns than the log", "Verify such a file by its own name, and move it away when it is not needed."},
	{StoreNoLog, Warning, "store", "a session's folder has no log in it that the harness would read, so nothing of this session was checked", "Look for the log: a session of which nothing was stored has none, and a renamed file is not found."},
	{StorePlaceholder, Error, "store", "a sync program left a placeholder where the session's log was, so the log is not on this machine", "Download it, and verify it again."},
	{StoreMoved, Error, "store", "a writer changed the store while it was read, so what was read may not belong together", "Try again, or verify a copy."},
	{LineageAbsent, Note, "lineage", "the session's parent is not at hand, so what it inherited was not compared", "Name the parent's log too, or the store root that holds both."},
	{LineageEvents, Error, "lineage", "what the session says it inherited is not what its parent's log holds", "One of the two logs was changed after the fork."},
	{LineageDepth, Error, "lineage", "a subagent must be one level deeper than the session that started it", "The header was edited, or the parent is another session."},
	{InputUnreadable, Error, "input", "the input could not be read", ""},
	{InputNoSession, Error, "input", "nothing there is a session log", "Name a session.jsonl or session.jsonl.zstd, an export ZIP, a store, or a folder that holds one."},
	{InputForeignArchive, Note, "input", "a ZIP archive in the folder cannot be read and names no session.jsonl; it was left aside", ""},
	{InputLink, Note, "input", "links to folders were not followed", "Name what they lead to, if sessions lie there."},
	{InputTooDeep, Warning, "input", "folders lie so deep that no session was looked for in them", "Name a folder that is nearer to them."},
	{ScanInterrupted, Error, "scan", "the scan was interrupted before every session was checked", "Run it again; --since and --project make it shorter."},
	{ScanStopped, Note, "scan", "the scan stopped at a session that does not verify, as --fail-fast says; the others were not checked", ""},
	{ScanNothing, Error, "scan", "no session that was found is one that the scan should check, so nothing was checked", "Look at --since and --project; where such scans are expected, lower it in a policy."},

	{AuditTurnOrder, Error, "audit", "turns count up from 1 without gaps, and one is open at a time", actEdited},
	{AuditStepOrder, Error, "audit", "the steps of a turn count up from 1, one is open at a time, and all lie inside their turn", actEdited},
	{AuditTurnReason, Error, "audit", "the reason of the turn's end does not fit the steps in it", actEdited},
	{AuditOutsideStep, Error, "audit", "chunks, assistant messages, tool calls and their results belong to the open turn and step and name them", actEdited},
	{AuditOpenTurn, Note, "audit", "the log ends inside a turn: the session is still running, or it crashed and was not resumed since", ""},
	{AuditBlocks, Error, "audit", "the blocks of an assistant message are not those that its chunks give", actEdited},
	{AuditText, Error, "audit", "the text of an assistant message is not what its chunks give", actEdited},
	{AuditToolBlock, Error, "audit", "a tool call of an assistant message is not what its chunks give", actEdited},
	{AuditSources, Error, "audit", "an assistant message cites exactly the chunks of its attempt", actEdited},
	{AuditFinish, Error, "audit", "an assistant message stands where its attempt failed; the harness writes none there", actEdited},
	{AuditUsage, Error, "audit", "the usage of an assistant message is that of the last usage chunk", "Do not trust the token counts of this step: either the message or the chunk was edited."},
	{AuditReplayState, Error, "audit", "the replay state of an assistant message is not what its finish chunk gives", actEdited},
	{AuditDeltasDiffer, Note, "audit", "the deltas of a block do not add up to the block that closed it; the harness takes the closed block, so an adapter may do this", "Look at the deltas if the adapter is known to stream what it closes."},
	{AuditChunkLate, Error, "audit", "a chunk stands behind the assistant message of its step", actEdited},
	{AuditSecondMessage, Error, "audit", "a step has more than one assistant message", actEdited},
	{AuditMessageMissing, Error, "audit", "chunks were received and no assistant message holds them, where the harness writes one", actEdited},
	{AuditInterrupted, Error, "audit", "an interrupted assistant message stands in a turn that was not aborted", actEdited},
	{AuditRoute, Error, "audit", "an assistant message names another provider or model than the request header in force", actEdited},
	{AuditToolCall, Error, "audit", "a tool call is not what the assistant message asked for", "Find out what was run: the log says one thing where the model asked for another."},
	{AuditToolResult, Error, "audit", "a tool result answers no call of its step", actEdited},
	{AuditResultSources, Error, "audit", "a tool result cites the call that it answers", actEdited},
	{AuditToolOrder, Note, "audit", "tool calls were made in another order than the model asked for them", ""},
	{AuditUnanswered, Error, "audit", "a tool call has no result, so a provider rejects every later request that holds it", "Start the session anew from before that step; if the turn did not fail, look for what removed the result."},
	{AuditRepeatedCall, Warning, "audit", "two tool calls of an answer have the same id, so their results cannot be told apart and a provider may reject them", "If later requests fail, start anew from before that step."},
	{AuditEmptyCallID, Warning, "audit", "a tool call has an empty id; providers reject it, and the harness cannot reopen a session that crashes on it", "If later requests fail, start anew from before that step."},
	{AuditHeaderOutside, Error, "audit", "request headers and contexts are written inside a turn", actEdited},
	{AuditHeaderReason, Error, "audit", "the reason of a request header does not fit its place in the log", actEdited},
	{AuditHeaderOld, Note, "audit", "a request header has a reason that this format does not know; old logs hold such", ""},
	{AuditHeaderMissing, Error, "audit", "each lifetime of the harness writes a request header before its first answer, and there is none", actEdited},
	{AuditContext, Error, "audit", "a request context does not belong to the request header before it", actEdited},
	{AuditRetry, Error, "audit", "the record of a retry does not fit the attempts around it", actEdited},
	{AuditCloser, Error, "audit", "a turn that a crash left open is not closed in the way the harness does it on resume", actEdited},
	{AuditForkBoundary, Error, "audit", "a fork's own events begin behind a session/end-seed, at the header's seedLength", actEdited},
	{AuditCompaction, Error, "audit", "the record of a compaction does not agree with what was replaced", actEdited},
	{AuditPrune, Error, "audit", "the record of a pruning does not agree with what was replaced", actEdited},
	{AuditReplace, Note, "audit", "a part of the history was replaced, and no compaction or pruning is recorded right before it: a plugin did it, or an editor", "Find out which plugin rewrites history."},
	{AuditInbox, Error, "audit", "the splices of the inbox do not fit together", actEdited},
	{AuditEntered, Warning, "audit", "a message entered the conversation with other content than it had in the inbox; a plugin may have rewritten it", "If no plugin rewrites messages, treat the log as edited."},
	{AuditNotEntered, Note, "audit", "a message was claimed from the inbox for a step and did not enter it; a plugin may have dropped or exchanged it", ""},
	{AuditMessageID, Error, "audit", "two messages have the same id", actEdited},
	{AuditTitle, Error, "audit", "a title names the user messages that it is made of", actEdited},
	{AuditTodo, Error, "audit", "todo lists are written inside a turn", actEdited},
	{AuditTimeBackwards, Note, "audit", "the time runs far backwards: the clock was set, or events were moved", ""},
	{AuditLoneSurrogate, Warning, "audit", "text holds half of a surrogate pair, which is no valid Unicode; some providers reject every request with it", "If requests fail, start anew from before that message."},
	{AuditNUL, Warning, "audit", "text holds the character U+0000, for which some providers reject every request", "If requests fail, start anew from before that message."},
	{AuditInvalidUTF8, Warning, "audit", "a line holds bytes that are not UTF-8: what the model sees are replacement characters", "Find what wrote the log: the harness writes UTF-8 only."},
	{AuditLarge, Warning, "audit", "a message is very large, and every later request holds it", "If requests fail, compact the session or start anew from before that message."},
	{GoldenSession, Error, "golden", "the transcript is of another session than was recorded", actGolden},
	{GoldenHeaderAdded, Error, "golden", "the transcript has a request header more than was recorded", actGolden},
	{GoldenHeaderRemoved, Error, "golden", "the transcript has a request header less than was recorded", actGolden},
	{GoldenHeader, Error, "golden", "a request header has another reason than was recorded", actGolden},
	{GoldenConfig, Error, "golden", "a field of the config is not what was recorded", actGolden},
	{GoldenConfigOrder, Error, "golden", "the fields of the config are in another order than was recorded", actGolden},
	{GoldenSystem, Error, "golden", "the system prompt is not what was recorded", actGolden},
	{GoldenToolAdded, Error, "golden", "the model is offered a tool that was not recorded", actGolden},
	{GoldenToolRemoved, Error, "golden", "the model is no longer offered a tool that was recorded", actGolden},
	{GoldenTool, Error, "golden", "a tool is described in another way than was recorded", actGolden},
	{GoldenToolsOrder, Error, "golden", "the tools are in another order than was recorded", actGolden},
	{GoldenTools, Error, "golden", "the tools are not what was recorded", actGolden},
	{GoldenMessageAdded, Error, "golden", "the transcript has a message that was not recorded", actGolden},
	{GoldenMessageRemoved, Error, "golden", "the transcript lacks a message that was recorded", actGolden},
	{GoldenMessage, Error, "golden", "a message is not what was recorded", actGolden},
	{GoldenMessageMoved, Error, "golden", "a message is at another place than was recorded", actGolden},
	{GoldenReplace, Error, "golden", "a message takes the place of others than was recorded", actGolden},
	{GoldenRequestAdded, Error, "golden", "the transcript shows requests that were not recorded", actGolden},
	{GoldenRequestRemoved, Error, "golden", "the transcript does not show requests that were recorded", actGolden},
	{GoldenRequest, Error, "golden", "a request is not what was recorded, although its messages and headers are: they enter it at other places", actGolden},
	{GoldenLinesOrder, Error, "golden", "headers, messages and requests are as recorded but follow each other in another order", actGolden},
	{GoldenMore, Error, "golden", "the transcript has further changes", actGolden},
	{GoldenNew, Error, "golden", "the transcript has no sum file, so nothing holds it", "Record it with dsh-verify golden record, and commit the sum file with it."},
	{GoldenMissing, Error, "golden", "a sum file has no transcript beside it", "Restore the transcript, or remove the sum file with dsh-verify golden check --update."},
	{GoldenSum, Error, "golden", "the sum file cannot be read, so the transcript was not checked", "Look for a conflict that a merge left in it, or record it again with --update."},
	{GoldenAuthored, Note, "golden", "the transcript is authored: event numbers and times were put in, and tokens replaced where sidecars are at hand", ""},
	{GoldenNoOldLog, Note, "golden", "the log to compare with does not hold this transcript, so the text of the change cannot be shown", ""},
	{GoldenUnwritten, Error, "golden", "the sum file could not be written or removed", "Look at what stands in its place, and at the permissions of its folder."},
	{GoldenLink, Warning, "golden", "links to folders were not followed, so transcripts behind them were not checked", "Name what they lead to, if transcripts lie there."},

	{SealChanged, Error, "seal", "an event is not the one that was sealed", actSealed},
	{SealRemoved, Error, "seal", "sealed events were taken out", actSealed},
	{SealInserted, Error, "seal", "events were put in between sealed ones", actSealed},
	{SealReordered, Error, "seal", "sealed events stand in another order", actSealed},
	{SealTruncated, Error, "seal", "sealed events at the end of the log are gone", "The log was cut, by a crash or by a hand: look for a copy."},
	{SealMissing, Error, "seal", "a sealed event is not at its place: it was taken out or moved, or one was put in front of it", actSealed},
	{SealTree, Error, "seal", "the log is not consistent with the sealed tree", actSealed},
	{SealHeader, Error, "seal", "the header line is not the one that was sealed", actSealed},
	{SealSession, Error, "seal", "the seal is of another session", "Pass the seal of this log."},
	{SealRequest, Error, "seal", "equal events give other requests than the seal has", "Another version of this tool made the seal, or it was edited: seal the log again with the first version, and compare."},
	{SealStored, Note, "seal", "the stored bytes are not those that were sealed, and the events are: the log was compressed, packed or printed anew", ""},
	{SealGrown, Note, "seal", "the log has grown, and what was sealed is its unchanged beginning", ""},
	{SealEmpty, Warning, "seal", "the seal is of a log without events: it holds the header line and nothing else", "Seal the log again once it holds something."},
}
