package logformat

import (
	"strings"
	"testing"
)

// laterRows are the rows of a sound log of format 4, in which each rule across rows has
// something to hold. Formats 2 and 3 have it with other words: see laterLogs.
const laterRows = `{"type":"session","version":4,"id":"ses","createdAt":1,"cwd":"/w","isSeeded":false,"delegationDepth":0}
{"type":"agent/inbox/spliced","seq":0,"time":1,"data":{"target":"next-turn","start":0,"inserted":[{"content":[],"source":{"kind":"user"},"role":"user","id":"q"}]}}
{"type":"turn/start","seq":1,"time":1,"data":{"turn":1}}
{"type":"step/start","seq":2,"time":1,"data":{"turn":1,"step":1}}
{"type":"system/message","seq":3,"time":1,"data":{"turn":1,"step":1,"message":{"id":"s","role":"system","source":{"kind":"system-prompt"},"content":[{"type":"text","text":"Count the boats."}]}},"surfaceOp":"append"}
{"type":"user/message","seq":4,"time":1,"data":{"content":[{"type":"text","text":"How many?"},{"type":"image"},{"type":"image"}],"source":{"kind":"user"},"role":"user","id":"u"},"surfaceOp":"append"}
{"type":"request/header","seq":5,"time":1,"data":{"header":{"config":{"provider":"p","model":"m","maxTokens":9},"adapterDefaults":{"maxTokens":true},"tools":[{"name":"look","description":"Look.","parameters":{}}]},"reason":"initial"}}
{"type":"request/context","seq":6,"time":1,"data":{"provider":"p","model":"m"}}
{"type":"assistant/message","seq":7,"time":1,"data":{"turn":1,"step":1,"message":{"role":"assistant","content":[{"type":"tool-call","id":"c","name":"look","arguments":"{}"}],"source":{"kind":"model","provider":"p","model":"m"},"id":"a"},"stream":[{"type":"chunk","time":1,"chunk":{"type":"block-start","index":0,"blockType":"tool-call"}}]},"surfaceOp":"append"}
{"type":"tool/call","seq":8,"time":1,"data":{"turn":1,"step":1,"callId":"c","name":"look","arguments":"{}"}}
{"type":"tool/ptc-dispatch-start","seq":9,"time":1,"data":{"rootCallId":"c","parentCallId":"c","subCallId":"d","name":"look","arguments":{"a":1}}}
{"type":"tool/ptc-dispatch","seq":10,"time":1,"data":{"rootCallId":"c","parentCallId":"c","subCallId":"d","name":"look","arguments":{"a":1},"isError":false,"content":[]}}
{"type":"tool/result","seq":11,"time":1,"data":{"turn":1,"step":1,"message":{"role":"tool","source":{"kind":"tool","callId":"c"},"toolCallId":"c","content":[{"type":"text","text":"Two."}],"isError":false,"id":"t"}},"sourceEventSeqs":[8],"surfaceOp":"append"}
{"type":"step/end","seq":12,"time":1,"data":{"turn":1,"step":1}}
{"type":"step/start","seq":13,"time":1,"data":{"turn":1,"step":2}}
{"type":"request/header","seq":14,"time":1,"data":{"header":{"config":{"provider":"p","model":"m"},"tools":[{"name":"dig","description":"Dig.","parameters":{}}]},"reason":"change"}}
{"type":"developer/message","seq":15,"time":1,"data":{"turn":1,"step":2,"message":{"source":{"kind":"tool-registry"},"content":[{"type":"tool-addition","toolName":"dig"},{"type":"tool-removal","toolName":"look"}],"role":"developer","id":"v"},"headerSeq":14},"surfaceOp":"append"}
{"type":"assistant/attempt","seq":16,"time":1,"data":{"turn":1,"step":2,"stream":[]}}
{"type":"llm/retry","seq":17,"time":1,"data":{"retryId":"r","turn":1,"step":2,"provider":"p","policyKey":"k","retry":1}}
{"type":"llm/retry-started","seq":18,"time":1,"data":{"retryId":"r","turn":1,"step":2,"retry":1}}
{"type":"image/offload","seq":19,"time":1,"data":{"targets":[{"seq":4,"imageIndexes":[1]}]}}
{"type":"assistant/message","seq":20,"time":1,"data":{"turn":1,"step":2,"message":{"role":"assistant","content":[{"type":"text","text":"Two boats."}],"source":{"kind":"model","provider":"p","model":"m"},"id":"b"},"stream":[]},"surfaceOp":"append"}
{"type":"step/end","seq":21,"time":1,"data":{"turn":1,"step":2}}
{"type":"compaction/prune","seq":22,"time":1,"data":{"shadowedRange":{"start":11,"end":11},"shadowedSeqs":[11]}}
{"type":"tool/result","seq":23,"time":1,"data":{"turn":1,"step":1,"message":{"role":"tool","source":{"kind":"tool","callId":"c"},"toolCallId":"c","content":[],"isError":false,"id":"t"}},"sourceEventSeqs":[11],"surfaceOp":{"op":"replace","startSeq":11,"endSeq":11}}
{"type":"turn/end","seq":24,"time":1,"data":{"turn":1,"reason":{"kind":"completed"}}}
{"type":"command/run","seq":25,"time":1,"data":{"commandId":"w","name":"compact","source":{"kind":"user"}}}
{"type":"compaction/start","seq":26,"time":1,"data":{"compactionId":"k","sourceCommandId":"w","turn":null}}
{"type":"compaction/summary","seq":27,"time":1,"data":{"compactionId":"k","sourceCommandId":"w","summary":[{"type":"text","text":"Two."}],"shadowedRange":{"start":7,"end":15},"shadowedSeqs":[7,23,15]}}
{"type":"user/message","seq":28,"time":1,"data":{"content":[],"source":{"kind":"compact-checkpoint","compactionId":"k","sourceCommandId":"w"},"role":"user","id":"x"},"surfaceOp":{"op":"replace","startSeq":7,"endSeq":15},"sourceEventSeqs":[26,27,7,23,15]}
{"type":"compaction/end","seq":29,"time":1,"data":{"compactionId":"k","sourceCommandId":"w","turn":null}}
{"type":"command/done","seq":30,"time":1,"data":{"commandId":"w","kind":"success","sourceEventSeq":28}}
{"type":"session/title","seq":31,"time":1,"data":{"title":"Boats","messageSeqs":[4],"source":{"kind":"provider"}}}
{"type":"session/title-llm-request","seq":32,"time":1,"data":{"messageSeqs":[4],"messages":[{"content":[{"type":"text","text":"Boats?"}],"source":{"kind":"dsh-session-title-llm"},"role":"user","id":"y"}]}}
{"type":"session-log-deepseek/delivery-accepted","seq":33,"time":1,"data":{"sessionId":"ses","throughSeq":32,"sessionFormatVersion":4}}
{"type":"subagent/catalog","seq":34,"time":1,"data":{"version":1,"childId":"ch","childCreatedAt":1,"mode":"continuable","label":"boats"}}
{"type":"lab/novelty","seq":35,"time":1,"data":{},"ignorable":true,"surfaceOp":7}
{"type":"team/message/queued","seq":36,"time":1,"data":{"message":{"content":[{"type":"text","text":"x"}]}}}
{"type":"session/end-seed","seq":37,"time":1,"data":{}}
`

// format3 is the log in the words of format 3, without what that format lacks, and format2
// in those of format 2. The rows that fall away leave one of no meaning.
func format3() string {
	log := cutRows(laterRows, "developer/message", `{"type":"plan/mode","seq":15,"time":1,"data":{}}`)
	log = strings.NewReplacer(
		`"version":4`, `"version":3`, `"sessionFormatVersion":4`, `"sessionFormatVersion":3`,
		`{"kind":"system-prompt"}`, `{"kind":"plugin","plugin":"prompt"}`,
		`"kind":"compact-checkpoint"`, `"kind":"plugin","plugin":"compact"`,
		`"kind":"dsh-session-title-llm"`, `"kind":"plugin","plugin":"dsh-session-title-llm"`,
		`"endSeq":15`, `"endSeq":23`, `"end":15`, `"end":23`, `7,23,15]`, `7,23]`,
	).Replace(log)
	for _, content := range []string{`[{"type":"text","text":"Two."}]`, `[]`} {
		log = strings.Replace(log, `"role":"tool","source":{"kind":"tool","callId":"c"},"toolCallId":"c","content":`+content+`,"isError":false`,
			`"role":"user","source":{"kind":"tool","callId":"c"},"content":[{"type":"tool-result","toolCallId":"c","content":`+content+`,"isError":false}]`, 1)
	}
	return log
}

func format2() string {
	log := cutRows(format3(), "system/message", `{"type":"plan/mode","seq":3,"time":1,"data":{}}`)
	log = cutRows(log, "image/offload", `{"type":"plan/mode","seq":19,"time":1,"data":{}}`)
	log = cutRows(log, "subagent/catalog", `{"type":"plan/mode","seq":34,"time":1,"data":{}}`)
	return strings.NewReplacer(`"version":3`, `"version":2`, `"sessionFormatVersion":3`, `"sessionFormatVersion":2`,
		`startSeq`, `start`, `endSeq`, `end`, `tool/ptc-`, `tool/code-`).Replace(log)
}

// cutRows puts another row in place of each of a type.
func cutRows(log, eventType, instead string) string {
	lines := strings.Split(log, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, `{"type":"`+eventType+`"`) {
			lines[i] = instead
		}
	}
	return strings.Join(lines, "\n")
}

// verdict reads a log, and returns the code that refuses it, that of what a later release
// refuses, and how many events were taken.
func verdict(log string) (code, later Code, events int64) {
	r := NewReader(strings.NewReader(log), Options{})
	for _, err := range r.Records() {
		if err != nil {
			break
		}
	}
	if all := r.Refusals(); len(all) > 0 {
		code = all[0].Code
	}
	if r.Later() != nil {
		later = r.Later().Code
	}
	return code, later, r.Stats().Events
}

// A laterCase changes one thing in a sound log. Its rule is that of the specification.
type laterCase struct {
	rule, old, new string
	want           Code
}

func (c *laterCase) check(t *testing.T, log string) {
	t.Helper()
	edited := strings.Replace(log, c.old, c.new, 1)
	if edited == log {
		t.Errorf("%s: %s is not there", c.rule, c.old)
		return
	}
	if code, later, _ := verdict(edited); code != c.want || c.want == "" && later != "" {
		t.Errorf("%s: %s: %q, want %q; later %q", c.rule, c.new, code, c.want, later)
	}
}

// TestLaterSound: the logs that the tables change are accepted as they are.
func TestLaterSound(t *testing.T) {
	for name, log := range map[string]string{"4": laterRows, "3": format3(), "2": format2()} {
		if code, later, events := verdict(log); code != "" || later != "" || events != 38 {
			t.Errorf("format %s: %s, later %s, %d events", name, code, later, events)
		}
	}
}
