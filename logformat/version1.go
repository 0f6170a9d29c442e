package logformat

// Version1 is a step of the migration from format 0 to format 2: the rows of format 0 in
// a log whose header line says 1. No release is known to leave such a file. Its loader
// upgrades nothing: what format 0 has of its time before identities is refused.
var Version1 = &Version{
	Releases: "no release; a step between formats 0 and 2",
	number:   1,
	header:   version0Header,
	types:    version1Types(),
	sources:  (*citationReader).read,
	replace:  [2]string{"start", "end"},
	packed:   version0Packed,
	fast:     (*Reader).takeChunks,
	phases:   version0Phases,
	tail:     tailRule{closer: TypeTurnEnd, closes: closesDecoded},
	begin:    func(r *Reader) rules { return &version0Log{r: r} },
}

// version1Types are those of format 0 without the shapes that it upgrades, and without
// the names that it refuses by themselves.
func version1Types() map[string]*typeRules {
	table := make(map[string]*typeRules, len(version0Types))
	for name, t := range version0Types {
		if t.class == 0 {
			continue
		}
		current := *t
		current.since = ""
		if t.legacy != nil {
			current.legacy = &legacyShape{t.legacy.looks, refuseLegacy(t.legacy.upgrade)}
		}
		table[name] = &current
	}
	return table
}

// refuseLegacy refuses what format 0 would upgrade.
func refuseLegacy(upgrade func(e *legacyEvent) (Upgrade, *Refusal)) func(e *legacyEvent) (Upgrade, *Refusal) {
	return func(e *legacyEvent) (Upgrade, *Refusal) {
		upgraded, refusal := upgrade(e)
		if upgraded != "" {
			refusal = e.fault(string(upgraded))
		}
		return "", refusal
	}
}
