package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// Version2 is the format of releases 0.1.3-alpha.1 and -alpha.2: chunks moved into the
// settlements that they make. Its own loader cannot be had; the rules are those of the
// published packages, and of the releases that migrate such a log, which refuse by every
// rule across rows.
var Version2 = &Version{
	Releases: "harness releases 0.1.3-alpha.1 and 0.1.3-alpha.2",
	number:   2,
	header:   laterHeader,
	types:    version2Types,
	sources:  (*citationReader).readEarlier,
	replace:  [2]string{"start", "end"},
	phases:   laterPhases,
	tail:     tailRule{closes: closesVersion2},
	outlook:  onlySeed,
	begin:    func(r *Reader) rules { return newLaterLog(r, version2Rules) },
}

var version2Rules = &laterRules{
	related: PhaseRelations, surface: PhaseRelations, wrapped: true, objects: true, exactly: true,
	checkpoint: isPluginCheckpoint, titler: isPluginTitler,
}

// closesVersion2 (V2-10): a turn/end was committed if it decodes; after a line that does
// not parse at all, any was.
func closesVersion2(row *envelope, malformed, issue *Refusal) bool {
	return row.typ.Is(TypeTurnEnd) && (malformed == nil || unparsable(issue.Code))
}

// version2Types are the vocabulary of format 2.
var version2Types = typeTable(dispatches(laterTypes(), TypeToolCodeDispatchStart, TypeToolCodeDispatch))

// Until format 4, what the harness's own plugins put into a log has a source of kind plugin.
func isPluginCheckpoint(source ecmajson.Node) bool {
	return source.Lookup("kind").Is("plugin") && source.Lookup("plugin").Is("compact")
}

func isPluginTitler(source ecmajson.Value) bool {
	return source.Lookup("kind").Is("plugin") && source.Lookup("plugin").Is("dsh-session-title-llm")
}
