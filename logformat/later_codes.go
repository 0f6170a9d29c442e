package logformat

// The codes of what formats 2 to 4 refuse besides. Behind each stands the rule of the
// specification, by its number there.
const (
	CodeHeaderSystem    Code = "request-header/system"           // V3-01
	CodeHeaderReason    Code = "request-header/reason"           // V2-43
	CodeHeaderEmpty     Code = "request-header/empty-member"     // V3-08
	CodeDeferLoading    Code = "request-header/defer-loading"    // V4-08
	CodeSystemShape     Code = "system-message/malformed"        // V3-02
	CodeRetiredDispatch Code = "event/code-dispatch"             // V3-03
	CodePluginSource    Code = "message/plugin-source"           // V4-01
	CodeResultBlock     Code = "message/tool-result-block"       // V4-02
	CodeToolBlock       Code = "message/tool-announcement-block" // V4-07
	CodeToolResult      Code = "tool-result/malformed"           // V4-03
	CodeForkedResult    Code = "tool-result/forked"              // V4-09
	CodeErrorOnSuccess  Code = "tool-result/error-on-success"    // V3-09
	CodeDeveloper       Code = "developer-message/malformed"     // V4-04
	CodeHeaderSeqShape  Code = "developer-message/header-seq"    // V4-05
	CodeHeaderSeq       Code = "developer-message/unknown-tool"  // V4-06
	CodeSettlement      Code = "settlement/malformed"            // V2-44
	CodeSourcesAnswer   Code = "sources/on-assistant-message"    // V2-17
	CodeOffload         Code = "image-offload/malformed"         // V3-10

	CodeTurnStart       Code = "turn/unexpected-start"     // V2-22
	CodeTurnClose       Code = "turn/unexpected-end"       // V2-23
	CodeCallUnanswered  Code = "tool-call/unanswered"      // V2-24
	CodeStepBounds      Code = "step/unexpected"           // V2-25
	CodeOtherStep       Code = "step/not-open"             // V2-26, V3-04
	CodeCallID          Code = "tool-call/advertised"      // V2-27
	CodeCallUnknown     Code = "tool-call/unannounced"     // V2-28
	CodeResultUnknown   Code = "tool-result/unannounced"   // V2-29
	CodeOutsideTurn     Code = "turn/outside"              // V2-30, V2-31
	CodeDispatch        Code = "dispatch/unpaired"         // V2-32
	CodeRetry           Code = "retry/chain"               // V2-33
	CodeRetryStarted    Code = "retry/unpaired"            // V2-34
	CodeCompaction      Code = "compaction/unpaired"       // V2-35
	CodeCompactionSpan  Code = "compaction/span"           // V2-36
	CodeCompactionEnd   Code = "compaction/no-summary"     // V2-37
	CodeCompactionTurn  Code = "compaction/crosses-turn"   // V2-38
	CodeCommand         Code = "command/unpaired"          // V2-40
	CodeTitle           Code = "title/citations"           // V2-41
	CodeDelivery        Code = "delivery/other-session"    // V2-42
	CodeHeadMissing     Code = "system-message/no-head"    // V3-05
	CodeHeadReplaced    Code = "replace/protected-head"    // V3-06
	CodeHeadShadowed    Code = "compaction/protected-head" // V3-07
	CodeSubagentCatalog Code = "subagent/catalog-row"      // V4-10
)

// actRelation is what to do about rows that do not fit each other.
const actRelation = "Rows were lost, added or moved, or two programs wrote one log: compare with another copy of the log. A plugin or a converter may have written the row, too."

var laterCodes = []CodeInfo{
	{CodeHeaderUnknown, Corrupt, "the header line has a member that its format does not know, and the harness refuses the log for it", actWriter},
	{CodeSeedMarker, Corrupt, "the header line says with isSeeded whether the log began as a copy of another's events, and a session/end-seed among the events marks their end: both must say the same", actFork},

	{CodeHeaderSystem, Corrupt, "a request/header must hold a header without the member system, which became a message in format 3", actWriter},
	{CodeHeaderReason, Corrupt, "the reason of a request/header must be initial, resume, change or series, and startsSeries is only true", actWriter},
	{CodeHeaderEmpty, Corrupt, "what is empty must be absent in a request header", actWriter},
	{CodeDeferLoading, Corrupt, "deferLoading of a tool is only true", actWriter},
	{CodeSystemShape, Corrupt, "a system/message does not have the shape of its format", actWriter},
	{CodeRetiredDispatch, Corrupt, "the event has the name that dispatches of code had before format 3; it may stand only where it is marked ignorable", actWriter},
	{CodePluginSource, Corrupt, "a message has the source kind plugin, or none: in format 4 a source's kind names who made the message", "A plugin made for a release before 0.1.7 writes this; read the log with an update of the plugin, or of the harness."},
	{CodeResultBlock, Corrupt, "a tool-result block stands in a place where format 4 has none: tool results are messages of their own there", actWriter},
	{CodeToolBlock, Corrupt, "a block that announces tools stands outside of a developer/message", actWriter},
	{CodeToolResult, Corrupt, "a tool/result does not have the shape of a tool's message in format 4", actWriter},
	{CodeForkedResult, Corrupt, "the result of a call that a fork cut off does not have the shape that a fork writes", actWriter},
	{CodeErrorOnSuccess, Corrupt, "a tool/result says that the call succeeded, and holds an error", actWriter},
	{CodeDeveloper, Corrupt, "a developer/message does not have the shape of its format", actWriter},
	{CodeHeaderSeqShape, Corrupt, "headerSeq of a developer/message must be an event number where tools are added, and absent where none is", actWriter},
	{CodeHeaderSeq, Corrupt, "a developer/message adds a tool that stands not exactly once, whole, in the request/header that it names", actRelation},
	{CodeSettlement, Corrupt, "an assistant/message or assistant/attempt must name turn and step and hold its stream", actWriter},
	{CodeSourcesAnswer, Corrupt, "an assistant/message holds its stream and cites nothing", actWriter},
	{CodeOffload, Corrupt, "an image/offload must name images that are there, on the surface and not offloaded before", actRelation},

	{CodeTurnStart, Corrupt, "a turn starts while another one is open, or out of its number", actRelation},
	{CodeTurnClose, Corrupt, "a turn ends that is not the open one, or while a step is open", actRelation},
	{CodeCallUnanswered, Corrupt, "a turn or step ends although a tool call of it has no result", actRelation},
	{CodeStepBounds, Corrupt, "a step starts or ends out of its turn or number", actRelation},
	{CodeOtherStep, Corrupt, "the event names a turn and step that are not open", actRelation},
	{CodeCallID, Corrupt, "the id of a tool call must be a non-empty string, and stand once in a step", actRelation},
	{CodeCallUnknown, Corrupt, "a tool/call must start a call that the assistant made in this step, with its name and arguments, and only once", actRelation},
	{CodeResultUnknown, Corrupt, "a tool/result must answer a call of this step once; one that was not started has only the answer that a repair writes", actRelation},
	{CodeOutsideTurn, Corrupt, "the event stands outside of a turn", actRelation},
	{CodeDispatch, Corrupt, "a dispatch starts once and ends once, with the same root, parent, name and arguments, below its root", actRelation},
	{CodeRetry, Corrupt, "a retry must belong to the open step and the provider of the header in force, and count on from the one before it", actRelation},
	{CodeRetryStarted, Corrupt, "a retry that starts must be one that was planned, and start once", actRelation},
	{CodeCompaction, Corrupt, "the rows of a compaction must name the one that is open", actRelation},
	{CodeCompactionSpan, Corrupt, "what a compaction or a pruning shadows is not the surface between its two ends", actRelation},
	{CodeCompactionEnd, Corrupt, "a compaction has one summary, and ends with it or with an error, in the turn in which it started", actRelation},
	{CodeCompactionTurn, Corrupt, "a turn starts or ends during a compaction", actRelation},
	{CodeCommand, Corrupt, "a command runs once under its id, and is done after that", actRelation},
	{CodeTitle, Corrupt, "a title must name the messages of the user that it was made from", actRelation},
	{CodeDelivery, Corrupt, "a delivery names another session than the log's, or events after it", actRelation},
	{CodeHeadMissing, Corrupt, "a system/message comes after other messages, and the surface does not begin with one", actRelation},
	{CodeHeadReplaced, Corrupt, "the system prompt at the head of the surface can be replaced only by another one, and alone", actRelation},
	{CodeHeadShadowed, Corrupt, "a compaction or a pruning shadows the system prompt at the head of the surface", actRelation},
	{CodeSubagentCatalog, Corrupt, "a row of the catalogue of subagents is malformed, or names a child for the second time", actRelation},
}
