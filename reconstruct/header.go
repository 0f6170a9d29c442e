package reconstruct

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// An EpochHeader is a request/header snapshot in canonical form: empty system
// prompts and tool lists are absent (nil).
type EpochHeader struct {
	Seq             int64
	Time            int64
	Pos             logformat.Position
	Reason          string // initial, resume, change, or what an old log says
	Config          ecmajson.Value
	AdapterDefaults ecmajson.Value
	System          ecmajson.Value
	Tools           ecmajson.Value
	Form            ecmajson.Form
}

// FoldRequestHeader returns the header in force after e: a snapshot replaces the
// header whole, any other event leaves it. The result does not alias e.
func FoldRequestHeader(current *EpochHeader, e *logformat.Event) *EpochHeader {
	if e.Type != logformat.TypeRequestHeader {
		return current
	}
	data := append(ecmajson.Value(nil), e.Data...)
	header := data.Lookup("header")
	h := &EpochHeader{
		Seq: e.Seq, Time: e.Time, Pos: e.Pos, Form: e.Form,
		Reason: data.Lookup("reason").Text(),
		Config: header.Lookup("config"),
	}
	if defaults := header.Lookup("adapterDefaults"); isMarked(defaults) {
		h.AdapterDefaults = defaults
	}
	if system := header.Lookup("system"); hasLength(system) {
		h.System = system
	}
	if tools := header.Lookup("tools"); hasLength(tools) {
		h.Tools = tools
	}
	return h
}

func isMarked(defaults ecmajson.Value) bool {
	return defaults.Lookup("reasoningEffort").Kind() == ecmajson.True || defaults.Lookup("maxTokens").Kind() == ecmajson.True
}

// hasLength is JavaScript's v.length > 0, which is how the harness tells a
// present system prompt or tool list from an absent one.
func hasLength(v ecmajson.Value) bool {
	switch v.Kind() {
	case ecmajson.String:
		return len(v) > len(`""`)
	case ecmajson.Array:
		return len(v) > len(`[]`)
	case ecmajson.Object:
		n, ok := v.Lookup("length").Float()
		return ok && n > 0
	}
	return false
}

// HeaderPart is a part of a header that a request shows.
type HeaderPart string

// The parts.
const (
	PartConfig HeaderPart = "config"
	PartSystem HeaderPart = "system"
	PartTools  HeaderPart = "tools"
)

// ChangedParts lists the parts whose bytes differ between two headers; the old
// one may be nil.
func ChangedParts(old, current *EpochHeader) (parts []HeaderPart) {
	if old == nil {
		old = &EpochHeader{}
	}
	if string(old.Config) != string(current.Config) {
		parts = append(parts, PartConfig)
	}
	if string(old.System) != string(current.System) {
		parts = append(parts, PartSystem)
	}
	if string(old.Tools) != string(current.Tools) {
		parts = append(parts, PartTools)
	}
	return parts
}

// A layout is a request but for its messages: what stands before them and after.
type layout struct {
	members  []member
	messages int    // index in members of the messages
	prefix   []byte // up to and including the [ of the messages
	suffix   []byte // from their ] on
}

type member struct {
	key, value ecmajson.Value // the value of the messages is nil
	part       PartKind
}

// newLayout prints a request's members: config is spread first, so that a config
// key named like a later member keeps its place and takes the later value.
func newLayout(config, rest *EpochHeader, sessionID ecmajson.Value) *layout {
	l := new(layout)
	for key, value := range config.Config.Members() {
		// The live abort signal overwrites a member of that name and is not printed.
		if !key.Is("signal") {
			l.members = append(l.members, member{key, value, ConfigPart})
		}
	}
	l.set(`"messages"`, nil, MessagePart)
	if rest.System != nil {
		l.set(`"system"`, rest.System, SystemPart)
	}
	if rest.Tools != nil {
		l.set(`"tools"`, rest.Tools, ToolsPart)
	}
	l.set(`"sessionId"`, sessionID, SessionIDPart)
	l.print()
	return l
}

func (l *layout) set(key string, value ecmajson.Value, part PartKind) {
	at := -1
	for i, m := range l.members {
		if string(m.key) == key {
			at = i
		}
	}
	if at < 0 {
		at = len(l.members)
		l.members = append(l.members, member{})
	}
	l.members[at] = member{ecmajson.Value(key), value, part}
	if part == MessagePart {
		l.messages = at
	}
}

func (l *layout) print() {
	b := []byte{'{'}
	for i, m := range l.members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, m.key...)
		b = append(b, ':')
		if i == l.messages {
			l.prefix = append(b, '[')
			b = []byte{']'}
			continue
		}
		b = append(b, m.value...)
	}
	l.suffix = append(b, '}')
}
