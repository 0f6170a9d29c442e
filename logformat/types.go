package logformat

import (
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// typeRules are what a version says of the events of one type.
type typeRules struct {
	name     string
	class    typeClass // 0: the type is not in the vocabulary
	since    string    // the first release that is known to write it; "": the first of the format
	admitted bool      // by Options, as a log-only type

	// early looks at a row before it is decoded, and where no event is taken any more: what it
	// finds refuses the log even in a tail that would be dropped. nil: nothing does.
	early func(row *envelope) *Refusal
	// refuse looks for what is refused by name wherever it stands; nil: for nothing.
	refuse func(row *envelope) *Refusal
	// legacy is an old shape that is upgraded on load; nil: there is none.
	legacy *legacyShape
	// message is where the event's message lies and what it must be; nil: it has none.
	message *messageRules
	// citesNone allows an empty list of cited events.
	citesNone bool
	// relate holds an event to what other rows say; nil: nothing does.
	relate func(log *laterLog, row *envelope, event *Event) *Refusal
	// shape holds its data to what they must be; nil: anything.
	shape func(log *laterLog, row *envelope) *Refusal
	// late keeps its surface members from being looked at when a row is decoded.
	late bool
	// data holds the rest of the data to its rules; nil: there are none.
	data func(r *Reader, row *envelope) *Refusal
}

type typeClass uint8

const (
	logOnly typeClass = iota + 1
	onSurface
)

func (t *typeRules) known() bool { return t != nil && t.class != 0 }

// messageRules returns the rules of the message that events of the type carry, nil when
// they carry none.
func (t *typeRules) messageRules() *messageRules {
	if t == nil {
		return nil
	}
	return t.message
}

// typeTable gives each entry of a table its name.
func typeTable(table map[string]*typeRules) map[string]*typeRules {
	for name, t := range table {
		t.name = name
	}
	return table
}

// logOnlyTypes adds names of which no more is said than that they are known.
func logOnlyTypes(table map[string]*typeRules, names ...string) map[string]*typeRules {
	for _, name := range names {
		table[name] = &typeRules{class: logOnly}
	}
	return table
}

// since adds log-only names that came with a release after the format's first.
func since(release string, table map[string]*typeRules, names ...string) map[string]*typeRules {
	for _, name := range names {
		table[name] = &typeRules{class: logOnly, since: release}
	}
	return table
}

// noType is of events whose type is no string.
var noType = &typeRules{}

// typeOf returns the rules of a type, without allocating for names seen before.
func (r *Reader) typeOf(typ ecmajson.Value) *typeRules {
	if typ.Kind() != ecmajson.String {
		return noType
	}
	if t, ok := r.types[string(typ)]; ok {
		return t
	}
	name := typ.Text()
	t := r.version.types[name]
	if !t.known() && slices.Contains(r.opts.KnownTypes, name) {
		admitted := typeRules{name: name}
		if t != nil {
			admitted = *t
		}
		admitted.admitted = true
		t = &admitted
	}
	if t == nil {
		t = &typeRules{name: name}
	}
	if len(r.types) < 256 { // names of a hostile log are not collected
		r.types[string(typ)] = t
	}
	return t
}
