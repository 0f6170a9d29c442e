package reconstruct

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// A layout is a request without its messages: what comes before them and after.
type layout struct {
	shape    string // its name, where a format has several
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
func newLayout(config *EpochHeader, shape shape, value func(PartKind) ecmajson.Value) *layout {
	l := &layout{shape: shape.name}
	for key, value := range config.Config.Members() {
		// The live abort signal overwrites a member of that name and is not printed.
		if !key.Is("signal") {
			l.members = append(l.members, member{key, value, ConfigPart})
		}
	}
	for _, part := range shape.members {
		if v := value(part); v != nil || part == MessagePart {
			l.set(memberKeys[part], v, part)
		}
	}
	l.print()
	return l
}

// memberKeys are the keys of the members after those of config.
var memberKeys = map[PartKind]string{
	MessagePart: `"messages"`, SystemPart: `"system"`, ToolHistoryPart: `"toolHistory"`, ToolsPart: `"tools"`, SessionIDPart: `"sessionId"`,
}

// A layoutKey is what layouts depend on.
type layoutKey struct {
	config, rest *EpochHeader
	tools        int // revision of the tool history
}

// layoutsOf returns the layouts of a header pair, one for each shape: those of the
// request before when nothing that they depend on is another.
func (s *Session) layoutsOf(config, rest *EpochHeader) []*layout {
	key := layoutKey{config: config, rest: rest}
	if s.tools != nil {
		key.tools = s.tools.revision()
	}
	if s.layouts != nil && s.layoutKey == key {
		return s.layouts
	}
	s.layoutKey, s.layouts = key, nil
	for _, shape := range s.dialect.shapes {
		s.layouts = append(s.layouts, newLayout(config, shape, func(part PartKind) ecmajson.Value { return s.memberValue(part, rest) }))
	}
	return s.layouts
}

// memberValue returns a member after those of config, nil when it is absent.
func (s *Session) memberValue(part PartKind, rest *EpochHeader) ecmajson.Value {
	switch part {
	case SystemPart:
		return rest.System
	case ToolsPart:
		return rest.Tools
	case ToolHistoryPart:
		return s.tools.value()
	case SessionIDPart:
		return s.sessionID
	}
	return nil
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
