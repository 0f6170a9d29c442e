package upgrade

import (
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// headerMembers are the members that a header line may have, by whether it must.
type headerMembers struct{ required, optional []string }

var (
	headerMembers0 = headerMembers{
		[]string{"type", "version", "id", "createdAt", "delegationDepth"},
		[]string{"cwd", "parentSession", "seedLength", "origin", "agentPreset"},
	}
	headerMembers2 = headerMembers{
		[]string{"type", "version", "id", "createdAt", "isSeeded", "delegationDepth"},
		[]string{"cwd", "parentSession", "origin", "agentPreset"},
	}
)

// readHeader reads a header line. named is the format that the file's name states. The
// result is the header, and how many events formats 0 and 1 say were inherited.
func readHeader(text []byte, named int64) (*Header, int64, *Refusal) {
	v, err := jsvalue.Parse(text)
	if err != nil || !v.IsObject() {
		return nil, 0, headerFault(logformat.CodeHeaderNotJSON, "", "the first line is no JSON object")
	}
	version, ok := v.Get("version").Count()
	if !ok {
		return nil, 0, headerFault(logformat.CodeHeaderField, "version", "the version is no count").found(v.Get("version"))
	}
	if version != named {
		return nil, 0, headerFault(logformat.CodeHeaderGeneration, "version", "the version is not that of the file's name").found(v.Get("version"))
	}
	for _, retired := range []string{"sandboxMode", "approvalPolicy"} {
		if v.Has(retired) {
			return nil, 0, headerFault(logformat.CodeHeaderRetired, retired, "the member is retired")
		}
	}
	h := &Header{
		Version: version, ID: v.Get("id").Text(), CreatedAt: v.Get("createdAt"), Cwd: v.Get("cwd"), ParentSession: v.Get("parentSession"),
		Seeded: v.Get("isSeeded").IsTrue(), Origin: v.Get("origin"), Depth: v.Get("delegationDepth"), AgentPreset: v.Get("agentPreset"),
	}
	if version >= 2 {
		return h, 0, checkHeader(v, headerMembers2, logformat.CodeHeaderUnknown, logformat.CodeHeaderField)
	}
	if refusal := checkHeader(v, headerMembers0, CodeHeaderLine, CodeHeaderLine); refusal != nil {
		return nil, 0, refusal
	}
	cut, _ := v.Get("seedLength").Count()
	h.Seeded = v.Has("seedLength")
	return h, cut, nil
}

func headerFault(code logformat.Code, member, detail string) *Refusal {
	r := refuse(code, StageHeader, detail)
	r.Line = 1
	if member != "" {
		r.Member = "/" + member
	}
	return r
}

func checkHeader(v *jsvalue.Value, members headerMembers, names, types logformat.Code) *Refusal {
	for _, m := range v.Members() {
		if !slices.Contains(members.required, m.Key) && !slices.Contains(members.optional, m.Key) {
			return headerFault(names, m.Key, "the release does not know the member")
		}
	}
	for _, key := range members.required {
		if !v.Has(key) {
			return headerFault(names, key, "the member is missing")
		}
	}
	if !v.Get("type").Is("session") {
		return headerFault(names, "type", "the line is not the header of a session").found(v.Get("type"))
	}
	for _, key := range sortedKeys(headerTypes) {
		if t := headerTypes[key]; v.Has(key) && !t.ok(v.Get(key)) {
			return headerFault(types, key, "the member is not "+t.want).found(v.Get(key))
		}
	}
	return nil
}

var headerTypes = map[string]struct {
	want string
	ok   func(v *jsvalue.Value) bool
}{
	"id":              {"a string that is not empty", (*jsvalue.Value).Filled},
	"createdAt":       {"a count", isCount},
	"delegationDepth": {"a count", isCount},
	"seedLength":      {"a count", isCount},
	"isSeeded":        {"true or false", (*jsvalue.Value).IsBool},
	"cwd":             {"an absolute path", func(v *jsvalue.Value) bool { return isAbsolute(v.Text()) }},
	"parentSession":   {"a string", (*jsvalue.Value).IsString},
	"agentPreset":     {"a string", (*jsvalue.Value).IsString},
	"origin":          {`"subagent"`, func(v *jsvalue.Value) bool { return v.Is("subagent") }},
}

func isCount(v *jsvalue.Value) bool { _, ok := v.Count(); return ok }

// isAbsolute reports whether a path is absolute on some machine: a release asks its own, and
// a home may come from another one.
func isAbsolute(path string) bool {
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\`) {
		return true
	}
	return len(path) >= 3 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') && isLetter(path[0])
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
