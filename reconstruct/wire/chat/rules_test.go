package chat_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

// body is the body of a request, or why there is none.
func body(t *testing.T, policy wire.Policy, request string) string {
	t.Helper()
	b, err := wire.NewBuilder(chat.Protocol, policy, nil).Body(wire.JSON(request))
	if err != nil {
		return err.Error()
	}
	return string(b.Bytes())
}

// TestLiteralBodies holds what JSON.stringify prints of the adapter's body, by a
// JavaScript engine.
func TestLiteralBodies(t *testing.T) {
	policy := wire.DefaultPolicy()
	policy.Effort = ""
	for _, c := range []struct{ name, request, body string }{
		{
			"halves of a surrogate pair in two blocks join",
			`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a\ud83d"},{"type":"text","text":"\ude00b"}]}]}`,
			`{"model":"m","messages":[{"role":"user","content":"a😀b"}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			"an escaped backslash is no half",
			`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a\\ud83d"},{"type":"text","text":"\ude00b"}]}]}`,
			`{"model":"m","messages":[{"role":"user","content":"a\\ud83d\ude00b"}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			"members that are absent stay absent, null stays null",
			`{"model":"m","reasoningEffort":"off","temperature":null,"stop":["x"],"messages":[],"tools":[{"name":"t","parameters":{}}]}`,
			`{"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true},"thinking":{"type":"disabled"},"tools":[{"type":"function","function":{"name":"t","parameters":{}}}],"temperature":null,"stop":["x"]}`,
		},
		{
			"a user message with text and tool results",
			`{"model":"m","system":"s","messages":[{"role":"user","content":[{"type":"tool-result","toolCallId":"1","content":[]},{"type":"text","text":"t"},{"type":"tool-result","toolCallId":"2","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}]}]}`,
			`{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"t"},{"role":"tool","tool_call_id":"1","content":"(no output)"},{"role":"tool","tool_call_id":"2","content":"xy"}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			"an assistant's blocks",
			`{"model":"m","messages":[{"role":"assistant","content":[{"type":"reasoning","text":"r"},{"type":"tool-call","id":"1","name":"n","arguments":"{}"},{"type":"text","text":"t"}]},{"role":"user","content":[]}]}`,
			`{"model":"m","messages":[{"role":"assistant","content":"t","reasoning_content":"r","tool_calls":[{"id":"1","type":"function","function":{"name":"n","arguments":"{}"}}]},{"role":"user","content":""}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
	} {
		if got := body(t, policy, c.request); got != c.body {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.body)
		}
	}
}

// TestThinking holds what follows the messages by the effort of a request and the
// deployment's defaults.
func TestThinking(t *testing.T) {
	const enabled, disabled = `,"thinking":{"type":"enabled"}`, `,"thinking":{"type":"disabled"}`
	for _, c := range []struct{ members, thinking, effort, want string }{
		{`,"reasoningEffort":"off"`, "", "high", disabled},
		{`,"reasoningEffort":"low"`, "", "high", enabled + `,"reasoning_effort":"low"`},
		{`,"reasoningEffort":"high"`, "disabled", "", enabled + `,"reasoning_effort":"high"`},
		{`,"reasoningEffort":"max"`, "", "off", enabled + `,"reasoning_effort":"max"`},
		{``, "", "high", enabled + `,"reasoning_effort":"high"`},
		{``, "", "off", disabled},
		{``, "", "", ``},
		{``, "enabled", "", enabled},
		{``, "disabled", "", disabled},
		{`,"purpose":"session-title"`, "", "high", disabled},
		{`,"purpose":"session-title","reasoningEffort":"max"`, "enabled", "high", disabled},
		{`,"purpose":"compaction"`, "", "high", enabled + `,"reasoning_effort":"high"`},
	} {
		policy := wire.DefaultPolicy()
		policy.Thinking, policy.Effort = c.thinking, c.effort
		want := `{"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}` + c.want + `}`
		if got := body(t, policy, `{"model":"m","messages":[]`+c.members+`}`); got != want {
			t.Errorf("%s with thinking %q and effort %q:\n got %s\nwant %s", c.members, c.thinking, c.effort, got, want)
		}
	}
}

const (
	id     = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	image  = `{"type":"image","attachment":{"attachmentId":"` + id + `","mediaType":"image/png","bytes":100,"width":3,"height":2}}`
	handle = `Image ` + id + `; request image 3x2px.`
	fileID = `{"type":"file","file_id":"f"}`
	shown  = `{"type":"text","text":"` + handle + `"},` + fileID
	after  = `{"type":"text","text":"\n` + handle + `"},` + fileID
	gone   = `[gone]`
)

// TestImages holds where the images of a request go.
func TestImages(t *testing.T) {
	text := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	user := func(content string) string { return `{"role":"user","content":` + content + `}` }
	tool := func(call, content string) string {
		return `{"type":"tool-result","toolCallId":"` + call + `","content":[` + content + `]}`
	}
	const attached = `{"type":"text","text":"Attached image(s) from tool result:"}`
	for _, c := range []struct {
		name     string
		omit     int
		mode     wire.ImageMode
		messages string
		want     string
	}{
		{"a lone image", 0, wire.Files, user(`[` + image + `]`), user(`[` + shown + `]`)},
		{"an image behind text", 0, wire.Files, user(`[` + text("t") + `,` + image + `]`), user(`[` + text("t") + `,` + after + `]`)},
		{"an image behind empty text", 0, wire.Files, user(`[` + text("") + `,` + image + `]`), user(`[` + shown + `]`)},
		{"an image between texts", 0, wire.Files, user(`[` + image + `,` + text("t") + `,` + text("u") + `]`), user(`[` + shown + `,` + text("t") + `,` + text("u") + `]`)},
		{"text beside an image elsewhere", 0, wire.Files, user(`[`+text("t")+`,`+text("u")+`]`) + `,` + user(`[`+image+`]`), user(`"tu"`) + `,` + user(`[`+shown+`]`)},
		{
			"a tool's image", 0, wire.Files, user(`[` + tool("1", text("t")+`,`+image) + `]`),
			`{"role":"tool","tool_call_id":"1","content":"t\n` + handle + `"},` + user(`[`+attached+`,`+fileID+`]`),
		},
		{
			"two tools' images", 0, wire.Files, user(`[`+tool("1", image)+`,`+tool("2", image)+`]`) + `,` + user(`[`+text("t")+`]`),
			`{"role":"tool","tool_call_id":"1","content":"` + handle + `"},{"role":"tool","tool_call_id":"2","content":"` + handle + `"},` + user(`[`+attached+`,`+fileID+`,`+fileID+`]`) + `,` + user(`"t"`),
		},
		{"the oldest omitted", 1, wire.Files, user(`[`+image+`]`) + `,` + user(`[`+image+`]`), user(`"`+gone+`"`) + `,` + user(`[`+shown+`]`)},
		{"the first of a message omitted", 1, wire.Files, user(`[` + image + `,` + image + `]`), user(`[` + text(gone) + `,` + after + `]`)},
		{"a tool's image omitted", 1, wire.Files, user(`[` + tool("1", image) + `]`), `{"role":"tool","tool_call_id":"1","content":"` + gone + `"}`},
		{"a model that takes text", 0, wire.TextOnly, user(`[` + text("t") + `,` + image + `]`), user(`"t[image omitted because this model accepts text only; attachment sha256:01234567]"`)},
	} {
		policy := wire.DefaultPolicy()
		policy.Images, policy.Omit, policy.OmissionText, policy.FileIDs = c.mode, c.omit, gone, map[string]string{id: "f"}
		got := body(t, policy, `{"model":"m","reasoningEffort":"off","messages":[`+c.messages+`]}`)
		got = strings.TrimSuffix(strings.TrimPrefix(got, `{"model":"m","messages":[`), `],"stream":true,"stream_options":{"include_usage":true},"thinking":{"type":"disabled"}}`)
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestBounds holds how many images the bounds leave out: what exceeds one is rounded
// up to quanta, and bytes must exceed theirs.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name         string
		images       int
		count, bytes wire.Bound
		omitted      int
	}{
		{"all fit", 5, wire.Bound{Max: 5, Quantum: 2}, wire.Bound{Max: 500, Quantum: 100}, 0},
		{"one too many", 6, wire.Bound{Max: 5, Quantum: 1}, wire.Bound{Max: 1000, Quantum: 100}, 1},
		{"one too many, by twos", 6, wire.Bound{Max: 5, Quantum: 2}, wire.Bound{Max: 1000, Quantum: 100}, 2},
		{"a byte too many, by a quantum", 6, wire.Bound{Max: 9, Quantum: 1}, wire.Bound{Max: 599, Quantum: 100}, 2},
		{"a byte too many", 6, wire.Bound{Max: 9, Quantum: 1}, wire.Bound{Max: 599, Quantum: 1}, 1},
		{"more asked than there is", 2, wire.Bound{Max: 1, Quantum: 20}, wire.Bound{Max: 500, Quantum: 100}, 2},
	} {
		policy := wire.DefaultPolicy()
		policy.Count, policy.FileBytes, policy.OmissionText = c.count, c.bytes, gone
		messages := strings.TrimSuffix(strings.Repeat(`{"role":"user","content":[`+image+`]},`, c.images), ",")
		b, err := wire.NewBuilder(chat.Protocol, policy, nil).Body(wire.JSON(`{"model":"m","reasoningEffort":"off","messages":[` + messages + `]}`))
		if err != nil || b.Images != c.images || b.Omitted != c.omitted {
			t.Errorf("%s: %d of %d omitted, want %d: %v", c.name, b.Omitted, b.Images, c.omitted, err)
		}
	}
}

// TestNotPosted holds what the adapter posts nothing for.
func TestNotPosted(t *testing.T) {
	for _, c := range []struct{ name, request, reason string }{
		{"an effort of its own", `{"reasoningEffort":"extreme","messages":[]}`, `it knows no reasoning effort "extreme"`},
		{"an image of the assistant", `{"reasoningEffort":"off","messages":[{"role":"assistant","content":[` + image + `]}]}`, "an image stands in a message of role assistant"},
		{"an image in the prompt", `{"reasoningEffort":"off","messages":[{"role":"system","content":[` + image + `]}]}`, "an image stands in a message of role system"},
		{"tools that are no list", `{"reasoningEffort":"off","messages":[],"tools":{}}`, "the tools are no list"},
		{"a tool that is null", `{"reasoningEffort":"off","messages":[],"tools":[null]}`, "a tool is null"},
		{"text that is a number", `{"reasoningEffort":"off","messages":[{"role":"user","content":[{"type":"text","text":1}]}]}`, "the text of a block is no string"},
	} {
		_, err := wire.NewBuilder(chat.Protocol, wire.DefaultPolicy(), nil).Body(wire.JSON(c.request))
		if e, ok := errors.AsType[*wire.Unsupported](err); !ok || e.Reason != c.reason {
			t.Errorf("%s: %v, want %s", c.name, err, c.reason)
		}
	}
}

// TestFiles holds the text in place of a file, with the path of its copy and without.
func TestFiles(t *testing.T) {
	const (
		file  = `{"type":"file","attachment":{"attachmentId":"` + id + `","name":"a \"b\".txt","bytes":11}}`
		named = `[File \"a \\\"b\\\".txt\" (11 bytes, sha256:01234567)`
		saved = named + `: verbatim read-only copy saved at \"/home/ada/store/files/01/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef/a \\\"b\\\".txt\".` +
			` Read that path with your file tools when its contents are needed; copy it to a writable location before modifying it. When delegating file work,` +
			` include this saved path in the delegation prompt; only subagents sharing this execution environment can read it.]`
		lost = named + ` was uploaded, but the current execution environment cannot access a readable path. Report that limitation if its contents are needed; do not claim to have read it.]`
	)
	for _, c := range []struct {
		name     string
		handle   wire.HandleForm
		messages string
		want     string
	}{
		{"no path", wire.PreviewHandle, `{"role":"user","content":[{"type":"text","text":"t"},` + file + `]}`, `{"role":"user","content":"t` + lost + `"}`},
		{"a path", wire.PathHandle, `{"role":"user","content":[` + file + `]}`, `{"role":"user","content":"` + saved + `"}`},
		{
			"beside an image", wire.PreviewHandle, `{"role":"user","content":[` + file + `,` + image + `]}`,
			`{"role":"user","content":[{"type":"text","text":"` + lost + `"},{"type":"text","text":"\nImage ` + id +
				`; request preview 3x2px. It may be resized or re-encoded; source dimensions, format, and byte size may differ."},` + fileID + `]}`,
		},
	} {
		policy := wire.DefaultPolicy()
		policy.Handle, policy.Root, policy.FileIDs = c.handle, "/home/ada/store", map[string]string{id: "f"}
		got := body(t, policy, `{"model":"m","reasoningEffort":"off","messages":[`+c.messages+`]}`)
		want := `{"model":"m","messages":[` + c.want + `],"stream":true,"stream_options":{"include_usage":true},"thinking":{"type":"disabled"}}`
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
	}
}
