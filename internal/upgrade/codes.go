package upgrade

import (
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// The codes of what only an upgrade refuses. What a format's own reader refuses too has that
// reader's code.
const (
	CodeHeaderLine logformat.Code = "upgrade/header-line"
	CodeName       logformat.Code = "upgrade/event-type"
	CodeData       logformat.Code = "upgrade/event-data"
	CodeChunks     logformat.Code = "upgrade/cited-chunks"
	CodeChunk      logformat.Code = "upgrade/chunk"
	CodeCut        logformat.Code = "upgrade/inherited-attempt"
	CodeHeadless   logformat.Code = "upgrade/message-before-step"
	CodePrompt     logformat.Code = "upgrade/prompt-outside-step"
	CodeOpenTurn   logformat.Code = "upgrade/open-turn"
	CodeReference  logformat.Code = "upgrade/reference"
	CodeLegacy     logformat.Code = "upgrade/early-shape"
	CodeDelivery   logformat.Code = "upgrade/delivery"
	CodePlugin     logformat.Code = "upgrade/plugin-source"
	CodeNested     logformat.Code = "upgrade/nested-result"
	CodeDeferred   logformat.Code = "upgrade/defer-loading"
	CodeCatalog    logformat.Code = "upgrade/subagent-catalog"
	CodeMessageID  logformat.Code = "upgrade/message-id"
	CodeNewer      logformat.Code = "upgrade/newer-format"
	CodeLaterName  logformat.Code = "upgrade/later-type"
	CodeStore      logformat.Code = "upgrade/store"

	CodeStream  logformat.Code = "publish/stream"
	CodeContent logformat.Code = "publish/content"
	CodeUsage   logformat.Code = "publish/usage"
	CodeReplay  logformat.Code = "publish/replay-state"
)

const (
	actStay    = "Go on with this session in a release that writes its format; its log can be verified and exported as it is."
	actPlugin  = "Look for the plugin or the program that wrote it. " + actStay
	actPublish = "The later release shows the session and cannot go on with it. " + actStay
)

var codes = []logformat.CodeInfo{
	{Code: CodeHeaderLine, Class: logformat.Foreign, Meaning: "the header line of formats 0 and 1 has a member that the upgrade does not know, or one of another type", Action: actPlugin},
	{Code: CodeName, Class: logformat.Foreign, Meaning: "the upgrade knows every type of event, also of those that are marked ignorable, and not this one", Action: actPlugin},
	{Code: CodeData, Class: logformat.Foreign, Meaning: "the data of an event have a member that the upgrade does not know, or one of another type; it could hold an event number, so the upgrade does not guess", Action: actPlugin},
	{Code: CodeChunks, Class: logformat.Foreign, Meaning: "an assistant message must cite all chunks of its attempt in order, or none when no attempt is open", Action: actStay},
	{Code: CodeChunk, Class: logformat.Foreign, Meaning: "a chunk cannot be packed into the stream of its attempt", Action: actStay},
	{Code: CodeCut, Class: logformat.Foreign, Meaning: "what the session inherited ends inside an attempt, which then cannot become one stream", Action: actStay},
	{Code: CodeHeadless, Class: logformat.Foreign, Meaning: "a message stands before the first step, so the upgrade has no place for the system prompt before it", Action: actStay},
	{Code: CodePrompt, Class: logformat.Foreign, Meaning: "the system prompt changes outside a step, where the upgrade has no place for it", Action: actStay},
	{Code: CodeOpenTurn, Class: logformat.Foreign, Meaning: "a turn starts while another one is open, and no splice into the next turn stands before it", Action: actStay},
	{Code: CodeReference, Class: logformat.Foreign, Meaning: "an event refers to one that the upgrade does not keep under a number of its own", Action: actStay},
	{Code: CodeLegacy, Class: logformat.Foreign, Meaning: "the event has a shape of early builds that is not complete, or one that was retired", Action: actStay},
	{Code: CodeDelivery, Class: logformat.Foreign, Meaning: "a delivery claims to be of a format that did not exist when it was logged", Action: actPlugin},
	{Code: CodePlugin, Class: logformat.Foreign, Meaning: "the source of a message is a plugin without a name", Action: actPlugin},
	{Code: CodeNested, Class: logformat.Foreign, Meaning: "a tool result holds another tool result, for which format 4 has no place", Action: actPlugin},
	{Code: CodeDeferred, Class: logformat.Foreign, Meaning: "a tool has deferLoading, which only format 4 has", Action: actPlugin},
	{Code: CodeCatalog, Class: logformat.Foreign, Meaning: "the catalog of subagents says another thing of a subagent than the subagent's own log", Action: "Verify the log of the subagent."},
	{Code: CodeMessageID, Class: logformat.Foreign, Meaning: "two messages would have one id after the upgrade", Action: actStay},
	{Code: CodeNewer, Class: logformat.Foreign, Meaning: "the log's format is newer than the one that the release writes", Action: "Read it with a later release."},
	{Code: CodeLaterName, Class: logformat.Foreign, Meaning: "the release does not know the event's type yet, although a later release of the same format does", Action: "Read it with a later release."},
	{Code: CodeStore, Class: logformat.Foreign, Meaning: "the log lies in a SQLite store, which releases after 0.1.2 do not have", Action: "Export the session with the release that wrote it."},

	{Code: CodeStream, Class: logformat.Foreign, Meaning: "a record in the stream of a settlement cannot be expanded into chunks, so the upgraded log is not put beside the old one", Action: actPublish},
	{Code: CodeContent, Class: logformat.Foreign, Meaning: "the content of an assistant message is not what its stream gives, so the upgraded log is not put beside the old one", Action: actPublish},
	{Code: CodeUsage, Class: logformat.Foreign, Meaning: "the usage of an assistant message is not the last of its stream, so the upgraded log is not put beside the old one", Action: actPublish},
	{Code: CodeReplay, Class: logformat.Foreign, Meaning: "the replay state of an assistant message is not what its stream gives, so the upgraded log is not put beside the old one", Action: actPublish},
}

// Codes returns the codes that this package adds to those of logformat.
func Codes() []logformat.CodeInfo { return slices.Clone(codes) }

// Info returns what a refusal's code means, and what can be done.
func Info(code logformat.Code) logformat.CodeInfo {
	for _, info := range codes {
		if info.Code == code {
			return info
		}
	}
	return code.Info()
}
