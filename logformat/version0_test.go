package logformat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const plainHeader = `{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}`

// readLog reads a log of the given rows and returns its events and its refusals.
// SEQ in a row stands for the row's number.
func readLog(header string, rows ...string) (events []*Event, codes []Code) {
	text := header + "\n"
	for i, row := range rows {
		text += strings.ReplaceAll(row, "SEQ", fmt.Sprint(i)) + "\n"
	}
	r := NewReader(strings.NewReader(text), Options{})
	for e, err := range r.Events() {
		if err != nil {
			break
		}
		events = append(events, e.Clone())
	}
	for _, refusal := range r.Refusals() {
		codes = append(codes, refusal.Code)
	}
	return events, codes
}

// row writes a row of a type with its data, and more members after them.
func row(eventType, data, more string) string {
	return `{"type":"` + eventType + `","seq":SEQ,"time":1,"data":` + data + more + `}`
}

const (
	atEnd     = `,"surfaceOp":"append"`
	route     = `"provider":"p","model":"m"`
	userData  = `{"content":[],"source":{"kind":"user"},"role":"user","id":"u"}`
	modelData = `{"turn":1,"step":1,"message":{"role":"assistant","content":[],"source":{"kind":"model",` + route + `},"id":"a"}}`
	toolData  = `{"turn":1,"step":1,"message":{"role":"user","content":[{"type":"tool-result","toolCallId":"c","content":[]}],"source":{"kind":"tool","callId":"c"},"id":"t"}}`
	headData  = `{"header":{"config":{` + route + `,"reasoningEffort":"high","maxTokens":9},"adapterDefaults":{"reasoningEffort":true}},"reason":"initial"}`
)

// TestVersion0Rows has a row for each rule that one row alone can break: what it says
// in place of a part of a good one, and the code of its first fault.
func TestVersion0Rows(t *testing.T) {
	user, model, tool := row(TypeUserMessage, userData, atEnd), row(TypeAssistantMessage, modelData, atEnd), row(TypeToolResult, toolData, atEnd)
	head, end := row(TypeRequestHeader, headData, ""), row(TypeTurnEnd, `{"turn":1,"reason":{"kind":"completed"}}`, "")
	title := row(TypeSessionTitle, `null`, "")
	for _, c := range []struct {
		good, old, new string
		want           Code
	}{
		{user, `"id":"u"`, `"id":""`, CodeMessageID},
		{user, `"role":"user"`, `"role":"system"`, CodeMessageRole},
		{user, `{"kind":"user"}`, `{"kind":""}`, CodeMessageSource},
		{user, `"content":[]`, `"content":"hi"`, CodeMessageBody},
		{model, `"id":"a"`, `"id":1`, CodeMessageID},
		{model, `"assistant","content"`, `"user","content"`, CodeMessageRole},
		{model, `"kind":"model"`, `"kind":"user"`, CodeMessageSource},
		{model, `"provider":"p"`, `"provider":""`, CodeMessageSource},
		{model, `"model":"m"`, `"model":null`, CodeMessageSource},
		{model, `"content":[]`, `"content":{}`, CodeMessageBody},
		{model, `"content":[]`, `"content":[null]`, CodeDataShape},
		{tool, `"kind":"tool"`, `"kind":"user"`, CodeMessageSource},
		{tool, `"callId":"c"`, `"callId":""`, CodeMessageSource},
		{tool, `"toolCallId":"c"`, `"toolCallId":"d"`, CodeMessageBody},
		{tool, `"type":"tool-result"`, `"type":"text"`, CodeMessageBody},
		{tool, `"content":[]}]`, `"content":[]},{}]`, CodeMessageBody},
		{tool, `"content":[]}]`, `"content":"x"}]`, CodeMessageBody},
		{head, `"provider":"p"`, `"provider":1`, CodeHeaderRoute},
		{head, `"model":"m",`, ``, CodeHeaderRoute},
		{head, `"high"`, `""`, CodeHeaderEffort},
		{head, `{"reasoningEffort":true}`, `{"reasoningEffort":false}`, CodeDefaults},
		{head, `{"reasoningEffort":true}`, `{"maxTokens":true,"stop":true}`, CodeDefaults},
		{head, `{"reasoningEffort":true}`, `[]`, CodeDefaults},
		{head, `{"reasoningEffort":true}`, `{"maxTokens":true}`, ""},
		{head, `,"maxTokens":9},"adapterDefaults":{"reasoningEffort":true}`, `},"adapterDefaults":{"maxTokens":true}`, CodeDefaults},
		{head, `"adapterDefaults":{"reasoningEffort":true}`, `"tools":null`, CodeHeaderMember},
		{head, `"adapterDefaults":{"reasoningEffort":true}`, `"system":null`, CodeHeaderMember},
		{head, `"initial"`, `"fallback"`, CodeFallback},
		{head, `"initial"`, `"series","startsSeries":true`, ""},
		{head, headData, `null`, CodeHeaderRoute},
		{end, `{"kind":"completed"}`, `{"kind":"completed","step":1}`, CodeTurnEnd},
		{end, `"turn":1`, `"turn":0`, CodeTurnEnd},
		{end, `"turn":1`, `"turn":1,"step":1`, CodeTurnEnd},
		{end, `"completed"`, `"unheard-of"`, ""},
		{end, `{"kind":"completed"}`, `{"kind":"error"}`, CodeTurnEnd},
		{row(TypeTurnStart, `{"turn":1}`, ""), `{"turn":1}`, `null`, CodeDataShape},
		{row(TypeTurnStart, `{"turn":1}`, ""), `{"turn":1}`, `{"turn":1,"trigger":{}}`, CodeLegacyShape},
		{row(TypeToolCall, `{}`, ""), `"data":{}`, `"data":null`, CodeDataShape},
		{title, TypeSessionTitle, "x/y", CodeTypeUnknown},
		{title, `null`, `null,"ignorable":true`, ""},
		{title, `null`, `null,"ignorable":false`, CodeEnvelope},
		{title, `null`, `null,"more":1`, CodeEnvelope},
		{title, `"time":1`, `"time":1.5`, CodeEnvelope},
		{title, `,"data":null`, ``, CodeEnvelope},
		{title, `null`, `null,"surfaceOp":"append"`, CodeSurfaceOpLogOnly},
		{title, `null`, `null,"sourceEventSeqs":[]`, CodeSourcesLogOnly},
		{user, atEnd, ``, CodeSurfaceOpMissing},
		{user, `"append"`, `"prepend"`, CodeSurfaceOpShape},
		{user, `"append"`, `{"op":"replace","startSeq":0,"endSeq":0}`, CodeSurfaceOpShape},
		{user, `"append"`, `{"op":"replace","start":0,"end":0,"more":1}`, CodeSurfaceOpShape},
		{user, `"append"`, `"append","sourceEventSeqs":[]`, CodeSourcesEmpty},
		{model, `"append"`, `"append","sourceEventSeqs":[]`, ""},
		{title, TypeSessionTitle, TypeModeSet, CodeLegacyMode},
		{title, TypeSessionTitle, TypeRequestHeaderDelta, CodeLegacyDelta},
		{title, TypeSessionTitle, TypeSteeringMessage, CodeLegacyShape},
		{title, TypeSessionTitle, TypeModelSelection, ""},
	} {
		bad := strings.Replace(c.good, c.old, c.new, 1)
		if bad == c.good {
			t.Fatalf("%s has no %s", c.good, c.old)
		}
		_, codes := readLog(plainHeader, bad)
		if _, good := readLog(plainHeader, c.good); len(good) > 0 {
			t.Errorf("%s: %v", c.good, good)
		}
		if c.want == "" && len(codes) > 0 || c.want != "" && (len(codes) == 0 || codes[0] != c.want) {
			t.Errorf("%s\n%v, want %q", bad, codes, c.want)
		}
	}
}

// TestVersion0Phases: of two faults the one of the earlier phase decides, wherever the
// two stand.
func TestVersion0Phases(t *testing.T) {
	faults := []struct {
		row  string
		code Code
	}{
		{row(TypeRequestHeaderDelta, `{}`, ""), CodeLegacyDelta},
		{row(TypeModeSet, `{}`, ""), CodeLegacyMode},
		{row(TypeRequestHeader, `{"reason":"fallback"}`, ""), CodeFallback},
		{row(TypeUserMessage, `{"id":""}`, atEnd), CodeMessageID},
		{row("x/y", `{}`, ""), CodeTypeUnknown},
		{row(TypeStepStart, `null`, ""), CodeDataShape},
		{row(TypeSessionTitle, `{}`, `,"more":1`), CodeEnvelope},
		{row(TypeRequestHeader, `{"header":{"config":{`+route+`},"tools":null},"reason":"initial"}`, ""), CodeHeaderMember},
	}
	seeded := strings.Replace(plainHeader, `"delegationDepth"`, `"seedLength":9,"cwd":"w","delegationDepth"`, 1)
	for i, a := range faults {
		for _, b := range faults[i+1:] {
			for _, rows := range [][]string{{a.row, b.row}, {b.row, a.row}} {
				if _, codes := readLog(plainHeader, rows...); len(codes) == 0 || codes[0] != a.code {
					t.Errorf("%v, want %s, in\n%s", codes, a.code, strings.Join(rows, "\n"))
				}
			}
		}
		// A late fault of the header, and a seed that is too long, have their places among them.
		_, codes := readLog(strings.Replace(seeded, `"seedLength":9,`, "", 1), a.row)
		if first := a.code; slices.Index(codes, CodeHeaderCwd) == 0 != (first == CodeEnvelope || first == CodeHeaderMember) {
			t.Errorf("%s with a cwd that is none: %v", first, codes)
		}
		_, codes = readLog(strings.Replace(seeded, `"cwd":"w",`, "", 1), a.row)
		if late := a.code == CodeDataShape || a.code == CodeEnvelope || a.code == CodeHeaderMember; slices.Index(codes, CodeSeedLength) == 0 != late {
			t.Errorf("%s with a seed that is too long: %v", a.code, codes)
		}
	}
}

// TestVersion0Closers: a turn that is open at the end is closed on load, and a call
// without an id cannot be answered.
func TestVersion0Closers(t *testing.T) {
	start, end := row(TypeTurnStart, `{"turn":1}`, ""), row(TypeTurnEnd, `{"turn":1,"reason":{"kind":"completed"}}`, "")
	calls := func(id string) string {
		return row(TypeAssistantMessage, strings.Replace(modelData, `"content":[]`, `"content":[{"type":"tool-call","id":`+id+`}]`, 1), atEnd)
	}
	for _, c := range []struct {
		rows    []string
		refused bool
	}{
		{[]string{start, calls(`""`)}, true},
		{[]string{start, calls(`7`)}, true},
		{[]string{start, calls(`"c"`)}, false},
		{[]string{start, calls(`""`), end}, false},
		{[]string{start, calls(`""`), row(TypeStepEnd, `{}`, "")}, false},
		{[]string{start, calls(`""`), end, start}, false},
		{[]string{calls(`""`)}, false}, // no turn is open
	} {
		if _, codes := readLog(plainHeader, c.rows...); slices.Equal(codes, []Code{CodeCloserCallID}) != c.refused || !c.refused && len(codes) > 0 {
			t.Errorf("%v of\n%s", codes, strings.Join(c.rows, "\n"))
		}
	}
}

// TestVersion0Upgrades: what the harness makes of old shapes.
func TestVersion0Upgrades(t *testing.T) {
	const id = `"id":"legacy-message:s:0","role":`
	for _, c := range []struct {
		row       string
		eventType string
		data      string
		upgrade   Upgrade
	}{
		{row(TypeUserMessage, `{"content":[],"source":{"kind":"user"}}`, atEnd), TypeUserMessage, `{"content":[],"source":{"kind":"user"},` + id + `"user"}`, UpgradeMessage},
		{row(TypeSteeringMessage, `{"turn":1,"content":[],"source":{"kind":"user"}}`, atEnd), TypeUserMessage, `{"content":[],"source":{"kind":"user"},` + id + `"user"}`, UpgradeSteering},
		{row(TypeSteeringMessage, `{"turn":1,"message":`+userData+`}`, atEnd), TypeUserMessage, userData, UpgradeSteering},
		{
			row(TypeAssistantMessage, `{"turn":1,"step":2,"content":[],"provenance":{`+route+`}}`, atEnd), TypeAssistantMessage,
			`{"turn":1,"step":2,"message":{` + id + `"assistant","content":[],"source":{` + route + `,"kind":"model"}}}`, UpgradeMessage,
		},
		{
			row(TypeToolResult, `{"turn":1,"callId":"c","content":[],"isError":false}`, atEnd), TypeToolResult,
			`{"turn":1,"message":{` + id + `"user","content":[{"type":"tool-result","toolCallId":"c","content":[],"isError":false}],"source":{"kind":"tool","callId":"c"}}}`, UpgradeMessage,
		},
		{row(TypeTurnStart, `{"turn":1,"trigger":{"kind":"user"}}`, ""), TypeTurnStart, `{"turn":1}`, UpgradeTurnStart},
		{row(TypeTurnEnd, `{"reason":{"kind":"disposed"},"turn":1}`, ""), TypeTurnEnd, `{"reason":{"kind":"aborted","reason":{"kind":"disposed"}},"turn":1}`, UpgradeTurnEnd},
		{row(TypeTurnEnd, `{"turn":1,"reason":{"kind":"aborted"}}`, ""), TypeTurnEnd, `{"turn":1,"reason":{"kind":"aborted","reason":{"kind":"legacy"}}}`, UpgradeTurnEnd},
		{row(TypeTurnEnd, `{"turn":1,"reason":{"kind":"error","step":0,"message":"m"}}`, ""), TypeTurnEnd, `{"turn":1,"reason":{"kind":"error","error":{"message":"m","code":"UNKNOWN"}}}`, UpgradeTurnEnd},
		{row(TypeTurnEnd, `{"turn":1,"reason":{"kind":"aborted","reason":{"kind":"x"}}}`, ""), TypeTurnEnd, `{"turn":1,"reason":{"kind":"aborted","reason":{"kind":"x"}}}`, ""},
		{row(TypeUserMessage, userData, atEnd), TypeUserMessage, userData, ""},
	} {
		events, codes := readLog(plainHeader, c.row)
		if len(codes) > 0 || len(events) != 1 {
			t.Errorf("%s\n%d events, %v", c.row, len(events), codes)
			continue
		}
		if e := events[0]; e.Type != c.eventType || string(e.Data) != c.data || e.Upgraded != c.upgrade {
			t.Errorf("%s\nis %s %s, by %q\nwant %s %s, by %q", c.row, e.Type, e.Data, e.Upgraded, c.eventType, c.data, c.upgrade)
		}
	}
}

// TestPhasesAreRanked: a version gives each phase a place, those of the opening the first.
func TestPhasesAreRanked(t *testing.T) {
	for _, v := range Versions() {
		seen := make(map[Phase]bool)
		for _, p := range v.phases {
			if seen[p] {
				t.Errorf("%s has phase %d twice", v, p)
			}
			seen[p] = true
		}
		if !slices.Equal(v.phases[:3], []Phase{PhaseContainer, PhaseVersion, PhaseHeader}) {
			t.Errorf("%s begins with %v", v, v.phases[:3])
		}
		for p := PhaseContainer; p <= PhaseFold; p++ {
			if !seen[p] {
				t.Errorf("%s has no place for phase %d", v, p)
			}
		}
	}
}
