package logformat

import (
	"fmt"
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

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
