package logformat

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// writerSigns finds in a log of format 4 which of the two shapes of requests its writers
// sent (section 11.3 of the specification). Four in five lifetimes bear no sign.
type writerSigns struct {
	lifetimes []lifetimeSigns
	waiting   lifetimeSigns   // seen before the header that its lifetime begins with
	between   bool            // a process went on with the log, and no header of its own came yet
	names     map[string]bool // of the tools of the latest header; nil: none
	renamed   bool            // the row before is a header with other names
}

// lifetimeSigns are those of one lifetime.
type lifetimeSigns struct {
	seq      int64
	new, old bool // signs of the shapes 0.2 and 0.1.7
	migrated bool // its requests were those of an older format
}

func newWriterSigns() outlook { return new(writerSigns) }

// signNames are the types that say something about their writer.
var signNames = []string{
	TypeRequestHeader, TypeDeveloperMessage, TypeJobRegistered, TypeJobSettled, TypeWorkingDirectory, TypeSessionEndSeed, TypeSystemMessage,
}

// wants goes by the type where it stands first, as the harness writes it.
func (w *writerSigns) wants(line []byte) bool {
	if rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`)); ok {
		end := bytes.IndexByte(rest, '"')
		return end >= 0 && slices.Contains(signNames, string(rest[:end]))
	}
	return slices.ContainsFunc(signNames, func(name string) bool { return bytes.Contains(line, []byte(name)) })
}

func (w *writerSigns) see(row *outlookRow) {
	if row == nil {
		row = &outlookRow{}
	}
	if w.renamed && !row.typ.Is(TypeDeveloperMessage) {
		w.current().old = true
	}
	w.renamed = false
	switch typ := row.typ; {
	case typ.Is(TypeRequestHeader):
		w.header(row)
	case typ.Is(TypeSessionEndSeed):
		w.between, w.waiting = true, lifetimeSigns{}
	case typ.Is(TypeSystemMessage):
		if strings.HasPrefix(row.data.Lookup("message").Lookup("id").Text(), migratedSystem) {
			w.current().migrated = true
		}
	case typ.Is(TypeDeveloperMessage), typ.Is(TypeJobRegistered), typ.Is(TypeJobSettled), typ.Is(TypeWorkingDirectory):
		w.current().new = true
	}
}

// migratedSystem begins the id of a system prompt that a migration made of a header's.
const migratedSystem = "v2-to-v3-system-"

// current is the lifetime that the next row is of.
func (w *writerSigns) current() *lifetimeSigns {
	if w.between || len(w.lifetimes) == 0 {
		return &w.waiting
	}
	return &w.lifetimes[len(w.lifetimes)-1]
}

func (w *writerSigns) header(row *outlookRow) {
	reason := row.data.Lookup("reason")
	begins := reason.Is("initial") || reason.Is("resume")
	if begins || len(w.lifetimes) == 0 {
		w.waiting.seq = row.seq
		w.waiting.new = w.waiting.new || begins && row.data.Lookup("startsSeries").Kind() == ecmajson.True
		w.lifetimes = append(w.lifetimes, w.waiting)
		w.between, w.waiting = false, lifetimeSigns{}
	}
	names := make(map[string]bool)
	for tool := range row.data.Lookup("header").Lookup("tools").Elements() {
		names[tool.Lookup("name").Text()] = true
	}
	w.renamed = w.names != nil && !maps.Equal(names, w.names)
	w.names = names
}

// tell writes the lifetimes into the header. Requests before the last row that a migration
// made were sent in no shape of this format.
func (w *writerSigns) tell(h *SessionHeader) {
	began := slices.ContainsFunc(w.lifetimes, func(l lifetimeSigns) bool { return l.migrated })
	migrated := false
	for _, l := range slices.Backward(w.lifetimes) {
		migrated = migrated || l.migrated
		of := Lifetime{Seq: l.seq, Migrated: migrated, Disagrees: !migrated && l.new && l.old}
		switch {
		case migrated || l.new == l.old:
		case l.new:
			of.Shape = Shape02
		case !began: // where a migration ended does not show, and older formats announce no tools
			of.Shape = Shape017
		}
		h.Lifetimes = append(h.Lifetimes, of)
	}
	slices.Reverse(h.Lifetimes)
}
