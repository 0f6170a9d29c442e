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
	early:    true,
	sources:  (*citationReader).readEarlier,
	replace:  [2]string{"startSeq", "endSeq"},
	phases:   laterPhases,
	tail:     tailRule{closes: closesAny},
	outlook:  onlySeed,
	begin:    func(r *Reader) rules { return newLaterLog(r, version3Rules) },
}

var version3Rules = &laterRules{
	surface: PhaseEvents, wrapped: true, head: true, decoded: true,
	checkpoint: isPluginCheckpoint, titler: isPluginTitler,
}

// version3Types are the vocabulary of format 3.
var version3Types = version3Vocabulary()

func version3Vocabulary() map[string]*typeRules {
	table := withSystem(laterTypes())
	dispatches(table, TypeToolPTCDispatchStart, TypeToolPTCDispatch)
	since("0.1.5-alpha.2", table, TypeSubagentCatalog)
	since("0.1.5", table, TypeDeliverablesPresented)
	since("0.1.6", table, TypeWorkspaceChanges, TypeImageOffload)
	return typeTable(late(withOffload(early3(retiredDispatches(table)))))
}

// late marks the names that the decoder of a row does not know yet.
func late(table map[string]*typeRules) map[string]*typeRules {
	for _, name := range []string{TypeSubagentCatalog, TypeDeliverablesPresented, TypeWorkspaceChanges, TypeImageOffload} {
		table[name].late = true
	}
	return table
}

// early3 adds what format 3 looks at before it decodes a row.
func early3(table map[string]*typeRules) map[string]*typeRules {
	table[TypeRequestHeader].early = earlyHeader
	table[TypeSystemMessage].early = earlySystem3
	return table
}
