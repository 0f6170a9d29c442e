package logformat

// Version3 is the format of releases 0.1.5-alpha.1 to 0.1.6-alpha.2: the system prompt
// became a message. Its rules are those of the loader of 0.1.5-rc.1, with the names that
// 0.1.6 added. That loader does not look at most rules across rows; 0.2.1-rc.2, which
// migrates such a log, refuses by all of them, so what breaks one is named
// by [Reader.Later].
var Version3 = &Version{
	Releases: "harness releases 0.1.5-alpha.1 to 0.1.6-alpha.2",
	number:   3,
	header:   laterHeader,
	types:    version3Types,
	sources:  (*citationReader).readEarlier,
	replace:  [2]string{"startSeq", "endSeq"},
	phases:   laterPhases,
	tail:     tailRule{closes: closesAny},
	outlook:  onlySeed,
	begin:    func(r *Reader) rules { return newLaterLog(r, version3Rules) },
}

var version3Rules = &laterRules{surface: PhaseMessages, wrapped: true, head: true}

// version3Types are the vocabulary of format 3.
var version3Types = typeTable(since("0.1.6", since("0.1.5", since("0.1.5-alpha.2", logOnlyTypes(withSystem(laterTypes()),
	TypeToolPTCDispatch,
	TypeToolPTCDispatchStart,
),
	TypeSubagentCatalog,
),
	TypeDeliverablesPresented,
),
	TypeWorkspaceChanges,
	TypeImageOffload,
))
