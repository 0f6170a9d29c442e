package logformat

import (
	"slices"
	"strings"
	"testing"
)

// TestVersion0Header has a line for each rule of the header line: what it says in
// place of a member of a good one, and the code that refuses it.
func TestVersion0Header(t *testing.T) {
	const good = `{"type":"session","version":0,"id":"s","createdAt":1,"cwd":"/w","parentSession":"p","seedLength":0,"origin":"subagent","delegationDepth":2,"agentPreset":"code"}`
	for _, c := range []struct {
		old, new string
		want     Code
	}{
		{`"version":0`, `"version":-0`, ""},
		{`"version":0`, `"version":0.0`, ""},
		{`"version":0`, `"version":1`, ""},
		{`"version":0`, `"version":5`, CodeVersionNewer},
		{`"version":0`, `"version":0.5`, CodeVersionNewer},
		{`"version":0`, `"version":1e400`, CodeVersionNewer},
		{`"version":0`, `"version":-1`, CodeVersionOlder},
		{`"version":0`, `"version":"0"`, CodeHeaderShape},
		{`"version":0,`, ``, CodeHeaderShape},
		{`"session"`, `"log"`, CodeHeaderShape},
		{`"id":"s"`, `"id":1`, CodeHeaderShape},
		{`"id":"s"`, `"id":""`, CodeHeaderField},
		{`"createdAt":1`, `"createdAt":-1`, CodeHeaderShape},
		{`"createdAt":1`, `"createdAt":-0`, CodeHeaderShape},
		{`"createdAt":1`, `"createdAt":1.5`, CodeHeaderShape},
		{`"createdAt":1`, `"createdAt":1.0`, ""},
		{`"delegationDepth":2,`, ``, CodeHeaderShape},
		{`"delegationDepth":2`, `"delegationDepth":-0`, CodeHeaderShape},
		{`"subagent"`, `"user"`, CodeHeaderShape},
		{`"agentPreset":"code"`, `"agentPreset":null`, CodeHeaderShape},
		{`"agentPreset":"code"`, `"sandboxMode":null`, CodeHeaderRetired},
		{`"agentPreset":"code"`, `"approvalPolicy":1`, CodeHeaderRetired},
		{`"agentPreset":"code"`, `"colour":1`, ""},
		{`"cwd":"/w"`, `"cwd":"w"`, CodeHeaderCwd},
		{`"cwd":"/w"`, `"cwd":null`, CodeHeaderCwd},
		{`"cwd":"/w"`, `"cwd":"C:\\w"`, ""},
		{`"parentSession":"p"`, `"parentSession":{}`, CodeHeaderField},
		{`"seedLength":0`, `"seedLength":-0`, CodeHeaderField},
		{`"seedLength":0`, `"seedLength":"0"`, CodeHeaderField},
		{`"seedLength":0`, `"seedLength":1`, CodeSeedLength},
	} {
		line := strings.Replace(good, c.old, c.new, 1)
		if line == good {
			t.Fatalf("%s is not there", c.old)
		}
		r := NewReader(strings.NewReader(line+"\n"), Options{})
		r.Drain()
		var got Code
		if all := r.Refusals(); len(all) > 0 {
			got = all[0].Code
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.new, got, c.want)
		}
	}
}

// TestHeaderMembers reads every member, and names those that are unknown.
func TestHeaderMembers(t *testing.T) {
	r := NewReader(strings.NewReader(`{"b":1,"type":"session","version":0,"id":"s","createdAt":1,"cwd":"/w","parentSession":"p","seedLength":3,"origin":"subagent","delegationDepth":2,"agentPreset":"code","a":1}`+"\n"), Options{})
	if r.Version() != nil {
		t.Error("there is a version before there is a header")
	}
	h, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(h.Unknown, []string{"b", "a"}) || h.Version != Version0 || r.Version() != Version0 || h.Version.String() != "format 0" {
		t.Errorf("%+v", h)
	}
	const want = `{"version":0,"id":"s","createdAt":1,"cwd":"/w","parentSession":"p","seedLength":3,"origin":"subagent","delegationDepth":2,"agentPreset":"code"}`
	if got := string(h.AppendPosted(nil, true)); got != want {
		t.Errorf("%s\n%s", got, want)
	}
}

// TestChooseVersion: the header line decides, then the name, and a line that states
// nothing is read by the rules of the oldest.
func TestChooseVersion(t *testing.T) {
	for _, v := range Versions() {
		for _, compressed := range []bool{false, true} {
			name := v.FileName(compressed)
			if number, packed, ok := ParseFileName(name); !ok || packed != compressed || versionOf(float64(number)) != v {
				t.Errorf("%s has the name %s", v, name)
			}
			if got, refusal := chooseVersion(headerLine{value: []byte(`{}`), raw: []byte(`{}`)}, name); got != v || refusal != nil {
				t.Errorf("%s gives %v, %v", name, got, refusal)
			}
		}
	}
	for _, line := range []string{`{}`, `[]`, `{"version":null}`, `{"version":"4"}`} {
		got, refusal := chooseVersion(headerLine{value: []byte(line), raw: []byte(line)}, "copy.jsonl")
		if got != versions[0] || refusal != nil {
			t.Errorf("%s gives %v, %v", line, got, refusal)
		}
	}
}
