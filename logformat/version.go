package logformat

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Version is the grammar of one log format. It is chosen once the header line was
// read, and what reads logs asks it instead of branching on a number: all that only
// one format has stands in that format's files.
type Version struct {
	Releases string // the harness releases that write it, in words

	number  int64
	header  headerRules           // of the first line
	types   map[string]*typeRules // of events, by name
	sources sourceCoding          // of the numbers of cited events
	replace [2]string             // names of the members of a replace that hold its ends
	packed  map[string]RowKind    // tags of rows that pack runs of chunk events; nil: there are none
	early   bool                  // types have checks that refuse a row wherever it stands
	fast    fastReader            // takes frequent lines in one pass; nil: there are none
	phases  []Phase               // the order in which the harness checks: an earlier fault outranks a later one
	tail    tailRule              // which damaged lines a crash can leave
	outlook func() outlook        // of what only the rest of the log tells; nil: nothing is looked for
	begin   func(r *Reader) rules // of rows and across them, for one log
}

// rules are those of a version for the rows of one log, with what they keep of it.
type rules interface {
	// admit decodes what is coded in a row before any of its events is looked at, and
	// returns why the row counts as a line that does not parse. raw is nil, or the row as
	// the log has it where that shows what is printed otherwise.
	admit(row *envelope, raw ecmajson.Value) *Refusal
	// event makes an event of a row, or returns the first fault of it in the order of
	// the version's phases.
	event(row *envelope, form ecmajson.Form) (*Event, *Refusal)
	// finish returns the faults that only the end of the log shows.
	finish() []*Refusal
}

// A sourceCoding decodes a list of cited events, and returns what is wrong with it.
type sourceCoding func(c *citationReader, list ecmajson.Value) (fault string)

// A fastReader takes a line if it is of a frequent form; one that it does not take has
// changed nothing.
type fastReader func(r *Reader, l line) (rec *Record, ok bool)

// A tailRule tells lines that a crash left from lines that were damaged: those were
// committed, as a later row shows.
type tailRule struct {
	// closer stands in every row that closes, unless an escape hides it: other lines of a
	// tail are passed over. "" where they have to be looked at.
	closer string
	// closes reports whether a row shows that what stands before it was committed.
	// malformed is why the row counts as a line that does not parse, and issue the fault that
	// the tail began with.
	closes func(row *envelope, malformed, issue *Refusal) bool
}

// versions are the formats that are read, from the oldest to the newest.
var versions = []*Version{Version0, Version1, Version2, Version3, Version4}

// Versions lists the formats that are read.
func Versions() []*Version { return slices.Clone(versions) }

// formatsRead names them in words.
func formatsRead() string {
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.String()
	}
	return strings.Join(names, ", ")
}

// String names the format, to be printed.
func (v *Version) String() string { return "format " + strconv.FormatInt(v.number, 10) }

// FileName returns the name of the file of a log of the version.
func (v *Version) FileName(compressed bool) string { return FileName(v.number, compressed) }

// Known reports whether the type is in the version's vocabulary.
func (v *Version) Known(eventType string) bool { return v.types[eventType].known() }

// OnSurface reports whether events of the type are model-visible: they must
// carry surfaceOp, and no other type may.
func (v *Version) OnSurface(eventType string) bool {
	t := v.types[eventType]
	return t.known() && t.class == onSurface
}

// Since returns the first release that is known to write a type of the vocabulary, "" where
// that is the first of the format. An older release of the same format refuses the type.
func (v *Version) Since(eventType string) string {
	if t := v.types[eventType]; t.known() {
		return t.since
	}
	return ""
}

// Types returns the vocabulary in alphabetical order.
func (v *Version) Types() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(v.types)), func(name string) bool { return !v.Known(name) })
}

// Outranks reports whether a decides the verdict when b is a fault of the same log:
// the earlier phase, then the lower event, then the lower line.
func (v *Version) Outranks(a, b *Refusal) bool {
	if a.Phase != b.Phase {
		return v.rank(a.Phase) < v.rank(b.Phase)
	}
	return a.precedes(b)
}

// rank returns the place of a phase. The phases before a version is known are the
// same in all.
func (v *Version) rank(p Phase) int {
	if v == nil {
		return int(p)
	}
	return slices.Index(v.phases, p)
}
