package reconstruct_test

import (
	"strings"
	"testing"
)

// asked is the request that a log with this header makes, between its messages and
// its end.
func asked(t *testing.T, header string) string {
	t.Helper()
	f := foldText(t, `
		turn 1
		step 1.1
		header `+header+`
		chunk`)
	if f.refusal != nil || len(f.requests) != 1 {
		t.Fatalf("%s: %d requests, refusal %v", header, len(f.requests), f.refusal)
	}
	return string(f.requests[0].Bytes())
}

// TestSystemAndTools is section 6 of the format: empty is JavaScript's .length > 0.
func TestSystemAndTools(t *testing.T) {
	const start, end = `{"provider":"p","model":"m","messages":[]`, `,"sessionId":"s"}`
	for _, c := range []struct{ header, want string }{
		{`m`, ``},
		{`m system=""`, ``},
		{`m system="S"`, `,"system":"S"`},
		{`m system=["S"]`, `,"system":["S"]`},
		{`m system=[]`, ``},
		{`m system=7`, ``},
		{`m system=true`, ``},
		{`m system={"a":1}`, ``},
		{`m system={"length":1}`, `,"system":{"length":1}`},
		{`m system={"length":0}`, ``},
		{`m tools=[]`, ``},
		{`m tools=""`, ``},
		{`m tools="{{tools}}"`, `,"tools":"{{tools}}"`},
		{`m tools=[{"name":"t"}]`, `,"tools":[{"name":"t"}]`},
		{`m tools=[null]`, `,"tools":[null]`},
		{`m tools=0`, ``},
		{`m tools={}`, ``},
		{`m system="S" tools=[1]`, `,"system":"S","tools":[1]`},
		{`m defaults={}`, ``},
	} {
		if got := asked(t, c.header); got != start+c.want+end {
			t.Errorf("header %s:\n got %s\nwant %s", c.header, got, start+c.want+end)
		}
	}
}

// TestConfigSpread: config comes first with its own keys and their order; a key that
// is also a later member keeps its place and takes the later value.
func TestConfigSpread(t *testing.T) {
	for _, c := range []struct{ name, config, rest, want string }{
		{
			"its own order", `{"model":"m","temperature":0.5,"provider":"p","stop":["x"]}`, ``,
			`{"model":"m","temperature":0.5,"provider":"p","stop":["x"],"messages":[],"sessionId":"s"}`,
		},
		{
			"unknown keys go along", `{"provider":"p","model":"m","seed":[1,{}],"ü":null}`, ``,
			`{"provider":"p","model":"m","seed":[1,{}],"ü":null,"messages":[],"sessionId":"s"}`,
		},
		{
			"messages", `{"provider":"p","messages":"mine","model":"m"}`, ``,
			`{"provider":"p","messages":[],"model":"m","sessionId":"s"}`,
		},
		{
			"sessionId", `{"sessionId":1,"provider":"p","model":"m"}`, ``,
			`{"sessionId":"s","provider":"p","model":"m","messages":[]}`,
		},
		{
			"system and tools, given", `{"provider":"p","tools":1,"system":2,"model":"m"}`, `system="S" tools=["t"]`,
			`{"provider":"p","tools":["t"],"system":"S","model":"m","messages":[],"sessionId":"s"}`,
		},
		{
			"system and tools, not given: config's own stay", `{"provider":"p","tools":1,"system":2,"model":"m"}`, ``,
			`{"provider":"p","tools":1,"system":2,"model":"m","messages":[],"sessionId":"s"}`,
		},
		{
			"a live signal is not data", `{"provider":"p","signal":{},"model":"m"}`, ``,
			`{"provider":"p","model":"m","messages":[],"sessionId":"s"}`,
		},
		{
			"array indexes first, in order", `{"provider":"p","10":1,"2":2,"model":"m"}`, ``,
			`{"2":2,"10":1,"provider":"p","model":"m","messages":[],"sessionId":"s"}`,
		},
		{
			"a repeated key keeps its place and takes the last value", `{"provider":"p","model":"m","x":1,"y":2,"x":3}`, ``,
			`{"provider":"p","model":"m","x":3,"y":2,"messages":[],"sessionId":"s"}`,
		},
	} {
		if got := asked(t, "m config="+c.config+" "+c.rest); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestSnapshotsReplaceWhole: no member of an earlier snapshot is left over.
func TestSnapshotsReplaceWhole(t *testing.T) {
	holds(t, []rule{
		{"system and tools go when the next has none", `
			turn 1
			step 1.1
			header one system="S" tools=[1]
			chunk
			step end
			step 1.2
			header two
			chunk`, `
			1.1.1 one system="S" tools=[1]:
			1.2.1 two:`},
		{"a resume that changes nothing", `
			turn 1
			step 1.1
			header one system="S"
			chunk
			step end
			end-seed
			turn 2
			step 2.1
			header one system="S" reason="resume"
			chunk`, `
			1.1.1 one system="S":
			2.1.1 one system="S":`},
		{"a reason that nobody writes any more", `
			turn 1
			step 1.1
			header one reason="continuation"
			chunk`, `1.1.1 one:`},
	})
}

// TestAdapterDefaults are absent unless one of their marks is true.
func TestAdapterDefaults(t *testing.T) {
	for _, c := range []struct{ defaults, want string }{
		{``, ``},
		{`{}`, ``},
		{`{"maxTokens":true}`, `{"maxTokens":true}`},
		{`{"reasoningEffort":true,"maxTokens":true}`, `{"reasoningEffort":true,"maxTokens":true}`},
	} {
		f := foldText(t, `header m config={"provider":"p","model":"m","maxTokens":1,"reasoningEffort":"high"} defaults=`+c.defaults)
		if got := string(f.session.Epoch().AdapterDefaults); got != c.want {
			t.Errorf("%s gives %q, want %q", c.defaults, got, c.want)
		}
	}
}

// TestEpoch is what a snapshot remembers, and that it does not go with the record.
func TestEpoch(t *testing.T) {
	f := foldText(t, `
		turn 1
		h: header one system="S" tools=["t"] reason="initial"
		user "a long message that the reader puts where the header was: `+strings.Repeat("x", 4000)+`"`)
	e := f.session.Epoch()
	if e.Seq != f.log.Seq["h"] || e.Time != 2001 || e.Pos.Line != 3 || e.Reason != "initial" {
		t.Errorf("seq %d, time %d, line %d, reason %s", e.Seq, e.Time, e.Pos.Line, e.Reason)
	}
	if string(e.Config) != `{"provider":"p","model":"one"}` || string(e.System) != `"S"` || string(e.Tools) != `["t"]` {
		t.Errorf("config %s, system %s, tools %s", e.Config, e.System, e.Tools)
	}
	if foldText(t, `turn 1`).session.Epoch() != nil {
		t.Error("there is a header before the first snapshot")
	}
}
