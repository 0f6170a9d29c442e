package logformat

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

var version0Header = headerRules{
	members: []headerMember{
		{"id", readID},
		{"createdAt", readCreatedAt},
		{"delegationDepth", readDelegationDepth},
		{"origin", readOrigin},
		{"agentPreset", readAgentPreset},
	},
	retired: []string{"sandboxMode", "approvalPolicy"},
	late: []headerMember{
		{"id", requireID},
		{"cwd", readCwd},
		{"parentSession", readParentSession},
		{"seedLength", readSeedLength},
	},
	posted: appendPosted,
}

func readID(h *SessionHeader, v headerValue) (Code, string) {
	if v.Kind() != ecmajson.String {
		return CodeHeaderShape, "id is not a string"
	}
	h.ID = v.Text()
	return "", ""
}

func requireID(h *SessionHeader, _ headerValue) (Code, string) {
	if h.ID == "" {
		return CodeHeaderField, "the session id is empty"
	}
	return "", ""
}

func readCreatedAt(h *SessionHeader, v headerValue) (Code, string) {
	var ok bool
	if h.CreatedAt, ok = v.count(); !ok {
		return CodeHeaderShape, "createdAt is not a time in milliseconds"
	}
	return "", ""
}

func readDelegationDepth(h *SessionHeader, v headerValue) (Code, string) {
	var ok bool
	if h.DelegationDepth, ok = v.count(); !ok {
		return CodeHeaderShape, "delegationDepth is not a non-negative integer"
	}
	return "", ""
}

func readOrigin(h *SessionHeader, v headerValue) (Code, string) {
	if v.Value == nil {
		return "", ""
	}
	if !v.Is("subagent") {
		return CodeHeaderShape, `origin is not "subagent"`
	}
	h.Origin = "subagent"
	return "", ""
}

func readAgentPreset(h *SessionHeader, v headerValue) (Code, string) {
	if v.Value == nil {
		return "", ""
	}
	if v.Kind() != ecmajson.String {
		return CodeHeaderShape, "agentPreset is not a string"
	}
	h.AgentPreset = v.Text()
	return "", ""
}

func readCwd(h *SessionHeader, v headerValue) (Code, string) {
	if v.Value == nil {
		return "", ""
	}
	if v.Kind() != ecmajson.String {
		return CodeHeaderCwd, "cwd is not a string"
	}
	h.Cwd, h.HasCwd = v.Text(), true
	if !isAbsolute(h.Cwd) {
		return CodeHeaderCwd, "cwd is " + strconv.Quote(h.Cwd)
	}
	return "", ""
}

func readParentSession(h *SessionHeader, v headerValue) (Code, string) {
	if v.Value == nil {
		return "", ""
	}
	if v.Kind() != ecmajson.String {
		return CodeHeaderField, "parentSession is not a string"
	}
	h.ParentSession, h.HasParent = v.Text(), true
	return "", ""
}

func readSeedLength(h *SessionHeader, v headerValue) (Code, string) {
	if v.Value == nil {
		return "", ""
	}
	var ok bool
	if h.SeedLength, ok = v.count(); !ok {
		return CodeHeaderField, "seedLength is not a non-negative safe integer"
	}
	h.HasSeedLength = true
	return "", ""
}

// count reads a non-negative safe integer other than -0.
func (v headerValue) count() (int64, bool) {
	n, ok := nonNegative(v.Value)
	return n, ok && !v.negativeZero
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

// appendPosted appends the header as it is posted.
func appendPosted(h *SessionHeader, dst []byte, depth bool) []byte {
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

// seedFault compares the events that were kept with the inherited ones that the
// header counts. A store is of releases that do not look.
func seedFault(r *Reader) *Refusal {
	h := r.header
	if h.SeedLength <= r.nextSeq || r.rows != nil {
		return nil
	}
	return &Refusal{
		Code: CodeSeedLength, Phase: PhaseSeed, Pos: Position{Line: 1}, Seq: -1,
		Detail: "seedLength is " + strconv.FormatInt(h.SeedLength, 10) + ", and " + strconv.FormatInt(r.nextSeq, 10) + " events were kept",
	}
}
