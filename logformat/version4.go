package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// Version4 is the format of the releases from 0.1.7-alpha.1 on: tool results have a role
// of their own, sources name who made them, and tools are announced within the history.
// Its rules are those of the loader of 0.2.1-rc.2.
var Version4 = &Version{
	Releases: "harness releases from 0.1.7-alpha.1 on",
	number:   4,
	header:   laterHeader,
	types:    version4Types,
	early:    true,
	sources:  (*citationReader).readEarlier,
	replace:  [2]string{"startSeq", "endSeq"},
	phases:   laterPhases,
	tail:     tailRule{closes: closesAny},
	outlook:  newWriterSigns,
	begin:    func(r *Reader) rules { return newLaterLog(r, version4Rules) },
}

var version4Rules = &laterRules{
	related: PhaseRelations, surface: PhaseRelations, head: true, omits: true, tools: true,
	checkpoint: isCheckpoint, titler: isTitler,
}

func isCheckpoint(source ecmajson.Node) bool { return source.Lookup("kind").Is("compact-checkpoint") }

func isTitler(source ecmajson.Value) bool { return source.Lookup("kind").Is("dsh-session-title-llm") }

// version4Types are the vocabulary of format 4.
var version4Types = version4Vocabulary()

func version4Vocabulary() map[string]*typeRules {
	table := withDeveloper(withSystem(laterTypes()))
	dispatches(table, TypeToolPTCDispatchStart, TypeToolPTCDispatch)
	logOnlyTypes(table, TypeSubagentCatalog, TypeDeliverablesPresented, TypeWorkspaceChanges, TypeImageOffload)
	since("0.2.1-alpha", table, TypeWorkingDirectory)
	since("0.2.1", table, TypeJobRegistered, TypeJobSettled)
	table[TypeSystemMessage].message = promptMessage
	return typeTable(early4(withOffload(retiredDispatches(table))))
}

// withDeveloper adds the messages that announce tools.
func withDeveloper(table map[string]*typeRules) map[string]*typeRules {
	table[TypeDeveloperMessage] = &typeRules{class: onSurface, since: "0.1.7-rc.2", message: developerMessage, relate: relateDeveloper}
	table[TypeToolResult] = &typeRules{class: onSurface, message: toolMessage, relate: relateResult}
	return table
}

// early4 adds what format 4 looks at before it decodes a row.
func early4(table map[string]*typeRules) map[string]*typeRules {
	for name, check := range map[string]func(row *envelope) *Refusal{
		TypeUserMessage:         earlyUser,
		TypeAssistantMessage:    earlyAssistant,
		TypeAssistantAttempt:    earlyAssistant,
		TypeSystemMessage:       earlySystem4,
		TypeDeveloperMessage:    earlyDeveloper,
		TypeToolResult:          earlyResult,
		TypeRequestHeader:       earlyHeader4,
		TypeAgentInboxSpliced:   earlyMessages("inserted"),
		TypeSessionTitleRequest: earlyMessages("messages"),
		TypeTeamMessageQueued:   earlyQueued,
		TypeCompactionSummary:   earlyBlocks("summary", "rawOutput"),
		TypeToolPTCDispatch:     earlyBlocks("content"),
	} {
		table[name].early = check
	}
	return table
}
