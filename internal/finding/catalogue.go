package finding

import (
	"slices"
	"sync"

	"github.com/dsh-verify/dsh-verify/golden"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/authored"
	"github.com/dsh-verify/dsh-verify/logformat/container/exportzip"
	"github.com/dsh-verify/dsh-verify/logformat/container/sqlitestore"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// groups is the order of the catalogue.
var groups = []string{
	"refusal", "tail", "log", "request", "recording", "capture", "object", "store", "lineage", "input", "scan", "audit",
	"golden", "seal",
}

// all is the catalogue: the codes of the packages that read, and those declared here.
var all = sync.OnceValue(func() (c struct {
	list   []Entry
	byName map[string]Code
},
) {
	var entries []*Entry
	for _, list := range [][]logformat.CodeInfo{logformat.Codes(), exportzip.Codes(), sqlitestore.Codes(), authored.Codes()} {
		for _, info := range list {
			entries = append(entries, &Entry{string(info.Code), Error, "refusal", info.Meaning, info.Action, Refused})
		}
	}
	entries = append(entries, declared...)
	for _, info := range objectstore.Codes() {
		entries = append(entries, &Entry{string(info.Code), Error, "object", info.Meaning, info.Action, Drift})
	}
	slices.SortStableFunc(entries, func(a, b *Entry) int { return slices.Index(groups, a.Group) - slices.Index(groups, b.Group) })
	c.byName = make(map[string]Code, len(entries))
	for _, e := range entries {
		c.list = append(c.list, *e)
		if _, twice := c.byName[e.Code]; !twice {
			c.byName[e.Code] = Code{e}
		}
	}
	return c
})

// Catalogue returns every code that the tool can report, refusals first. The slice
// is shared: do not change it.
func Catalogue() []Entry { return all().list }

// Parse returns the code with a name.
func Parse(name string) (Code, bool) {
	code, ok := all().byName[name]
	return code, ok
}

// must returns the code of another package's vocabulary, which the catalogue holds
// whole.
func must(name string) Code {
	code, ok := Parse(name)
	if !ok {
		panic("finding: " + name + " is in no catalogue")
	}
	return code
}

// Refusal returns the code of a refusal.
func Refusal(code logformat.Code) Code { return must(string(code)) }

// Object returns the code of an object that fails.
func Object(code objectstore.Code) Code { return must(string(code)) }

// Golden returns the code of a change of a golden transcript.
func Golden(kind golden.Kind) Code { return must("golden/" + string(kind)) }

// New returns a finding with a code; said is what was found there.
func New(code Code, said Text, place Place) Finding {
	entry := code.Entry()
	return Finding{Code: code, Severity: entry.Severity, Said: said, Place: place, Action: entry.Action}
}

// FromRefusal returns the finding of a refusal. What it says of the value that it refuses
// quotes the log.
func FromRefusal(refusal *logformat.Refusal) Finding {
	var said Text
	if refusal.Detail != "" {
		said = Text{{Kind: Private, Text: refusal.Detail}}
	}
	return New(Refusal(refusal.Code), said, Place{
		Line: refusal.Pos.Line, Offset: refusal.Pos.Offset, Frame: refusal.Pos.Frame, Seq: refusal.Seq,
	})
}

// FromObject returns the finding of an attachment whose object fails.
func FromObject(failure *objectstore.Failure, id string, place Place) Finding {
	return New(Object(failure.Code), Say("%s: %s", Span{Kind: AttachmentID, Text: id}, failure.Detail), place)
}
