package logformat

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A SessionHeader is the log's first line.
type SessionHeader struct {
	Version         *Version
	ID              string // WTF-8: may hold lone surrogates
	CreatedAt       int64  // milliseconds since the Unix epoch
	Cwd             string
	HasCwd          bool
	ParentSession   string
	HasParent       bool
	SeedLength      int64 // events inherited from the parent; 0 when absent. Where Seeded is set, what the markers read so far say: final at the end of the log
	HasSeedLength   bool
	Seeded          bool   // the log began as a copy of another's events, and a marker among its events tells of how many
	Origin          string // "" or "subagent"
	DelegationDepth int64
	AgentPreset     string
	Line            []byte        // the line's own bytes, without its line feed
	Form            ecmajson.Form // of the line
	Unknown         []string      // keys that the format does not know; the harness drops them
	// Lifetimes are those of formats whose writers make requests in several shapes.
	Lifetimes []Lifetime
	// Chosen is Shape of [Options].
	Chosen string
}

// Format returns the number of the log's format, to be printed: what differs between
// formats is asked of nothing by its number.
func (h *SessionHeader) Format() int64 { return h.Version.number }

// AppendPosted appends the header as the harness posts it to a provider with the
// session's events: what the header line says, in an order of its own. A depth
// of 0 is absent until the session is resumed.
func (h *SessionHeader) AppendPosted(dst []byte, depth bool) []byte {
	return h.Version.header.posted(h, dst, depth)
}

// A headerRules is what a version says of the header line.
type headerRules struct {
	members []headerMember // in the order in which they are checked, before any row is read
	retired []string       // names of members that are refused
	closed  bool           // what it does not know is refused too; and both before any member is read
	late    []headerMember // what is checked after the rows
	posted  func(h *SessionHeader, dst []byte, depth bool) []byte
}

// A headerMember reads one member into the header. Its value is nil when it is absent.
type headerMember struct {
	name string
	read func(h *SessionHeader, v headerValue) (code Code, fault string)
}

// A headerValue is the value of a member. It is printed as 0 when it is -0.
type headerValue struct {
	ecmajson.Value
	negativeZero bool
}

// A headerLine is the first line of a log, parsed.
type headerLine struct {
	value ecmajson.Value // in canonical form
	raw   ecmajson.Value // the line's own bytes, which show what is printed as something else
}

func (l headerLine) fault(code Code, phase Phase, detail string) *Refusal {
	return &Refusal{Code: code, Phase: phase, Pos: Position{Line: 1}, Seq: -1, Detail: detail}
}

// parseHeader reads the first line of a log in a file of that name. late is a fault
// that the harness finds only after the lines and events were read; refusal decides
// at once.
func parseHeader(text []byte, fileName string) (h *SessionHeader, late, refusal *Refusal) {
	var line headerLine
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return nil, nil, line.fault(CodeHeaderBOM, PhaseHeader, "")
	}
	h = &SessionHeader{Line: bytes.Clone(text)}
	canonical, form, err := ecmajson.Canonical(h.Line)
	if err != nil {
		return nil, nil, line.fault(CodeHeaderNotJSON, PhaseHeader, err.Error())
	}
	h.Form = form
	line.value, line.raw = canonical, bytes.Trim(h.Line, " \t\r\n")
	if refusal = otherProgram(line); refusal != nil {
		return nil, nil, refusal
	}
	if h.Version, refusal = chooseVersion(line, fileName); refusal != nil {
		return nil, nil, refusal
	}
	late, refusal = h.read(line)
	if refusal != nil {
		return nil, nil, refusal
	}
	return h, late, nil
}

// read reads the line by the rules of the header's version.
func (h *SessionHeader) read(line headerLine) (late, refusal *Refusal) {
	rules := &h.Version.header
	if line.value.Kind() != ecmajson.Object || !line.value.Lookup("type").Is("session") {
		return nil, line.fault(CodeHeaderShape, PhaseHeader, `it is not an object of type "session"`)
	}
	if line.value.Lookup("version").Kind() != ecmajson.Number {
		return nil, line.fault(CodeHeaderShape, PhaseHeader, "version is not a number")
	}
	if rules.closed {
		if refusal := rules.refusedMember(line); refusal != nil {
			return nil, refusal
		}
	}
	if code, detail := h.readMembers(rules.members, line); code != "" {
		return nil, line.fault(code, PhaseHeader, detail)
	}
	if refusal := rules.refusedMember(line); refusal != nil {
		return nil, refusal
	}
	h.Unknown = rules.unknown(line.value)
	if code, detail := h.readMembers(rules.late, line); code != "" {
		late = line.fault(code, PhaseHeaderLate, detail)
	}
	return late, nil
}

// refusedMember looks for members that are refused by their name.
func (rules *headerRules) refusedMember(line headerLine) *Refusal {
	for _, key := range rules.retired {
		if line.value.Lookup(key) != nil {
			return line.fault(CodeHeaderRetired, PhaseHeader, strconv.Quote(key))
		}
	}
	if !rules.closed {
		return nil
	}
	if names := rules.unknown(line.value); len(names) > 0 {
		return line.fault(CodeHeaderUnknown, PhaseHeader, strconv.Quote(names[0]))
	}
	return nil
}

// readMembers reads members up to the first that is at fault.
func (h *SessionHeader) readMembers(members []headerMember, line headerLine) (code Code, fault string) {
	for _, m := range members {
		v := headerValue{line.value.Lookup(m.name), line.raw.Lookup(m.name).IsNegativeZero()}
		if code, fault := m.read(h, v); code != "" {
			return code, fault
		}
	}
	return "", ""
}

// unknown returns the names of the members that the version does not know.
func (rules *headerRules) unknown(v ecmajson.Value) (names []string) {
	for key := range v.Members() {
		is := func(m headerMember) bool { return key.Is(m.name) }
		if !key.Is("type") && !key.Is("version") && !slices.ContainsFunc(rules.members, is) && !slices.ContainsFunc(rules.late, is) {
			names = append(names, key.Text())
		}
	}
	return names
}
