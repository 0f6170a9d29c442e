package logformat

// Version4 is the format of the releases from 0.1.7-alpha.1 on: tool results have a role
// of their own, sources name who made them, and tools are announced within the history.
// Its rules are those of the loader of 0.2.1-rc.2.
var Version4 = &Version{
	Releases: "harness releases from 0.1.7-alpha.1 on",
	number:   4,
	header:   laterHeader,
	types:    version4Types,
	sources:  (*citationReader).readEarlier,
	replace:  [2]string{"startSeq", "endSeq"},
	phases:   laterPhases,
	tail:     tailRule{closes: closesAny},
	outlook:  newWriterSigns,
	begin:    func(r *Reader) rules { return newLaterLog(r, version4Rules) },
}

var version4Rules = &laterRules{related: PhaseRelations, surface: PhaseRelations, head: true}

// version4Types are the vocabulary of format 4.
var version4Types = typeTable(since("0.2.1", since("0.2.1-alpha", logOnlyTypes(withDeveloper(withSystem(laterTypes())),
	TypeToolPTCDispatch,
	TypeToolPTCDispatchStart,
	TypeSubagentCatalog,
	TypeDeliverablesPresented,
	TypeWorkspaceChanges,
	TypeImageOffload,
),
	TypeWorkingDirectory,
),
	TypeJobRegistered,
	TypeJobSettled,
))

// withDeveloper adds the messages that announce tools.
func withDeveloper(table map[string]*typeRules) map[string]*typeRules {
	table[TypeDeveloperMessage] = &typeRules{class: onSurface, since: "0.1.7-rc.2", message: developerMessage}
	table[TypeToolResult] = &typeRules{class: onSurface, message: toolMessage}
	return table
}
