package logformat

import (
	"fmt"
	"math"
	"strconv"
	"strings"

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
	SeedLength      int64 // events inherited from the parent; 0 when absent
	HasSeedLength   bool
	Origin          string // "" or "subagent"
	DelegationDepth int64
	AgentPreset     string
	Line            []byte        // the line's own bytes, without its line feed
	Form            ecmajson.Form // of the line
	Unknown         []string      // keys that the format does not know; the harness drops them
}

// Format returns the number of the log's format, to be printed: what differs between
// formats is asked of nothing by its number.
func (h *SessionHeader) Format() int64 { return h.Version.Number }

// AppendPosted appends the header as the harness posts it to a provider with the
// session's events: what the header line says, in an order of its own. A depth
// of 0 is absent until the session is resumed.
func (h *SessionHeader) AppendPosted(dst []byte, depth bool) []byte {
	dst = ecmajson.AppendString(append(fmt.Appendf(dst, `{"version":%d`, h.Format()), `,"id":`...), h.ID)
	dst = fmt.Appendf(dst, `,"createdAt":%d`, h.CreatedAt)
	if h.HasCwd {
		dst = ecmajson.AppendString(append(dst, `,"cwd":`...), h.Cwd)
	}
	if h.HasParent {
		dst = ecmajson.AppendString(append(dst, `,"parentSession":`...), h.ParentSession)
	}
	if h.HasSeedLength {
		dst = fmt.Appendf(dst, `,"seedLength":%d`, h.SeedLength)
	}
	if h.Origin != "" {
		dst = ecmajson.AppendString(append(dst, `,"origin":`...), h.Origin)
	}
	if depth {
		dst = fmt.Appendf(dst, `,"delegationDepth":%d`, h.DelegationDepth)
	}
	if h.AgentPreset != "" {
		dst = ecmajson.AppendString(append(dst, `,"agentPreset":`...), h.AgentPreset)
	}
	return append(dst, '}')
}

// parseHeader reads the first line of a log in a file of that name. late is a fault
// that the harness finds only after the lines and events were read; refusal decides
// at once.
func parseHeader(line []byte, fileName string) (h *SessionHeader, late, refusal *Refusal) {
	pos := Position{Line: 1}
	fault := func(code Code, phase Phase, detail string) *Refusal {
		return &Refusal{Code: code, Phase: phase, Pos: pos, Seq: -1, Detail: detail}
	}
	if strings.HasPrefix(string(line[:min(3, len(line))]), "\xef\xbb\xbf") {
		return nil, nil, fault(CodeHeaderBOM, PhaseHeader, "")
	}
	h = &SessionHeader{Version: Version0, Line: append([]byte(nil), line...)}
	canonical, form, err := ecmajson.Canonical(h.Line)
	if err != nil {
		return nil, nil, fault(CodeHeaderNotJSON, PhaseHeader, err.Error())
	}
	h.Form = form
	v := ecmajson.Value(canonical)
	raw := trimSpace(h.Line)
	if version := v.Lookup("version"); version.Kind() == ecmajson.Number || isOverflow(raw, "version") {
		n, _ := version.Float()
		if isOverflow(raw, "version") {
			n = math.Inf(1)
		}
		if detail := otherGeneration(fileName, n, string(ecmajson.Value(raw).Lookup("version"))); detail != "" {
			return nil, nil, fault(CodeHeaderGeneration, PhaseVersion, detail)
		}
		switch {
		case n > float64(Version0.Number):
			return nil, nil, fault(CodeVersionNewer, PhaseVersion, "the header says version "+string(version))
		case n < float64(Version0.Number):
			return nil, nil, fault(CodeVersionOlder, PhaseVersion, "the header says version "+string(version))
		}
	}
	if detail := h.parseShape(v, raw); detail != "" {
		return nil, nil, fault(CodeHeaderShape, PhaseHeader, detail)
	}
	for _, key := range []string{"sandboxMode", "approvalPolicy"} {
		if v.Lookup(key) != nil {
			return nil, nil, fault(CodeHeaderRetired, PhaseHeader, strconv.Quote(key))
		}
	}
	if code, detail := h.parseLate(v, raw); code != "" {
		late = fault(code, PhaseHeaderLate, detail)
	}
	return h, late, nil
}

// otherGeneration says how the version of a file's name differs from the header's,
// "" where it does not. A name without a version is that of format 0, whose releases
// know no other name: they see only that the version is newer.
func otherGeneration(fileName string, version float64, text string) string {
	stated, compressed, ok := ParseFileName(fileName)
	if !ok || stated == 0 || float64(stated) == version {
		return ""
	}
	detail := fmt.Sprintf("the name says format %d and the header says version %s", stated, text)
	if version >= 0 && version <= maxGeneration && version == math.Trunc(version) {
		detail += "; its own name would be " + FileName(int64(version), compressed)
	}
	return detail
}

// parseShape fills in what the harness checks before it reads any event.
func (h *SessionHeader) parseShape(v ecmajson.Value, raw []byte) (fault string) {
	if v.Kind() != ecmajson.Object || !v.Lookup("type").Is("session") {
		return `it is not an object of type "session"`
	}
	if v.Lookup("version").Kind() != ecmajson.Number {
		return "version is not a number"
	}
	if v.Lookup("id").Kind() != ecmajson.String {
		return "id is not a string"
	}
	h.ID = v.Lookup("id").Text()
	var ok bool
	if h.CreatedAt, ok = nonNegative(v.Lookup("createdAt")); !ok || isNegativeZero(raw, "createdAt") {
		return "createdAt is not a time in milliseconds"
	}
	if h.DelegationDepth, ok = nonNegative(v.Lookup("delegationDepth")); !ok || isNegativeZero(raw, "delegationDepth") {
		return "delegationDepth is not a non-negative integer"
	}
	if origin := v.Lookup("origin"); origin != nil {
		if !origin.Is("subagent") {
			return `origin is not "subagent"`
		}
		h.Origin = "subagent"
	}
	if preset := v.Lookup("agentPreset"); preset != nil {
		if preset.Kind() != ecmajson.String {
			return "agentPreset is not a string"
		}
		h.AgentPreset = preset.Text()
	}
	h.Unknown = unknownKeys(v)
	return ""
}

func (h *SessionHeader) parseLate(v ecmajson.Value, raw []byte) (code Code, detail string) {
	if h.ID == "" {
		return CodeHeaderField, "the session id is empty"
	}
	if cwd := v.Lookup("cwd"); cwd != nil {
		if cwd.Kind() != ecmajson.String {
			return CodeHeaderCwd, "cwd is not a string"
		}
		h.Cwd, h.HasCwd = cwd.Text(), true
		if !isAbsolute(h.Cwd) {
			return CodeHeaderCwd, "cwd is " + strconv.Quote(h.Cwd)
		}
	}
	if parent := v.Lookup("parentSession"); parent != nil {
		if parent.Kind() != ecmajson.String {
			return CodeHeaderField, "parentSession is not a string"
		}
		h.ParentSession, h.HasParent = parent.Text(), true
	}
	if seed := v.Lookup("seedLength"); seed != nil {
		var ok bool
		if h.SeedLength, ok = nonNegative(seed); !ok || isNegativeZero(raw, "seedLength") {
			return CodeHeaderField, "seedLength is not a non-negative safe integer"
		}
		h.HasSeedLength = true
	}
	return "", ""
}

func nonNegative(v ecmajson.Value) (int64, bool) {
	n, ok := v.SafeInt()
	return n, ok && n >= 0
}

// isNegativeZero and isOverflow look at the line's own bytes, because both
// values print as something else.
func isNegativeZero(raw []byte, key string) bool {
	return ecmajson.Value(raw).Lookup(key).IsNegativeZero()
}

func isOverflow(raw []byte, key string) bool {
	v := ecmajson.Value(raw).Lookup(key)
	f, ok := v.Float()
	return ok && v.Kind() == ecmajson.Number && f-f != 0
}

func trimSpace(line []byte) []byte {
	return []byte(strings.Trim(string(line), " \t\r\n"))
}

// isAbsolute accepts what is absolute on any platform that the harness runs on:
// a log is often verified on another one.
func isAbsolute(path string) bool {
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\`) {
		return true
	}
	return len(path) >= 3 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') &&
		(path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
}

func unknownKeys(v ecmajson.Value) (keys []string) {
	for key := range v.Members() {
		switch k := key.Text(); k {
		case "type", "version", "id", "createdAt", "cwd", "parentSession", "seedLength", "origin",
			"delegationDepth", "agentPreset":
		default:
			keys = append(keys, k)
		}
	}
	return keys
}

// seedFault holds the events that were kept against the inherited ones that the
// header counts. A store is of releases that do not look.
func (r *Reader) seedFault() *Refusal {
	h := r.header
	if h.SeedLength <= r.nextSeq || r.rows != nil {
		return nil
	}
	return &Refusal{
		Code: CodeSeedLength, Phase: PhaseSeed, Pos: Position{Line: 1}, Seq: -1,
		Detail: "seedLength is " + strconv.FormatInt(h.SeedLength, 10) + ", and " + strconv.FormatInt(r.nextSeq, 10) + " events were kept",
	}
}
