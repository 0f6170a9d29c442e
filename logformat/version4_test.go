package logformat

import "testing"

// version4Cases has a case or more for each rule of format 4.
var version4Cases = []laterCase{
	{"V2-01", `{"type":"session"`, "\ufeff{" + `"type":"session"`, CodeHeaderBOM},
	{"V2-03", `"isSeeded"`, `"sandboxMode":"x","isSeeded"`, CodeHeaderRetired},
	{"V2-04", `"isSeeded"`, `"seedLength":0,"isSeeded"`, CodeHeaderUnknown},
	{"V2-05", `"isSeeded":false`, `"isSeeded":0`, CodeHeaderField},
	{"V2-05", `"id":"ses"`, `"id":""`, CodeHeaderField},
	{"V2-05", `"createdAt":1`, `"createdAt":-0`, CodeHeaderShape},
	{"V2-05", `"cwd":"/w"`, `"cwd":"w"`, CodeHeaderCwd},
	{"V2-06", "\n{\"type\":\"turn/start\"", "\n\n{\"type\":\"turn/start\"", CodeLineBlank},
	{"V2-07", `"seq":2,"time":1`, `"seq":2,"time":-0`, CodeEnvelope},
	{"V2-07", `"seq":2,"time":1`, `"seq":2,"time":1,"note":1`, CodeEnvelope},
	{"V2-08", `"sourceEventSeqs":[8]`, `"sourceEventSeqs":[[8,11]]`, CodeSourcesShape},
	{"V2-08", `"sourceEventSeqs":[8]`, `"sourceEventSeqs":[8,8]`, CodeSourcesShape},
	{"V2-08", `"sourceEventSeqs":[8]`, `"sourceEventSeqs":[[7,8]]`, ""},
	{"V2-08", `"seq":2,`, `"seq":-0,`, CodeSeqShape},
	{"V2-09", `"seq":2,`, `"seq":3,`, CodeSeqGap},
	{"V2-20", `"seq":37,"time":1,"data":{}`, `"seq":37,"time":1,"data":{"inherited":true}`, CodeSeedMarker},
	{"V2-20", `"isSeeded":false`, `"isSeeded":true`, CodeSeedMarker},

	{"V3-01", `"reason":"change"`, `"reason":"change"},"data":{"header":{"system":null}`, CodeHeaderSystem},
	{"V3-02", `"role":"system"`, `"role":"user"`, CodeSystemShape},
	{"V3-02", `"text":"Count the boats."`, `"text":1`, CodeSystemShape},
	{"V3-02", `"source":{"kind":"system-prompt"}`, `"source":{"kind":"system-prompt"},"note":1`, ""},
	{"V3-03", `"lab/novelty","seq":35,"time":1,"data":{},"ignorable":true,"surfaceOp":7`, `"tool/code-dispatch","seq":35,"time":1,"data":{}`, CodeRetiredDispatch},
	{"V3-09", `"isError":false,"id":"t"}}`, `"isError":false,"id":"t"},"error":{}}`, CodeErrorOnSuccess},
	{"V4-01", `"source":{"kind":"user"},"role":"user","id":"u"`, `"source":{"kind":"plugin"},"role":"user","id":"u"`, CodePluginSource},
	{"V4-01", `"source":{"kind":"user"},"role":"user","id":"q"`, `"source":{},"role":"user","id":"q"`, CodePluginSource},
	{"V4-01", `"inserted":[`, `"inserted":[1,`, CodeMessageBody},
	{"V4-02", `{"type":"text","text":"How many?"}`, `{"type":"tool-result"}`, CodeResultBlock},
	{"V4-02", `"blockType":"tool-call"`, `"blockType":"tool-result"`, CodeResultBlock},
	{"V4-02", `{"type":"text","text":"x"}`, `{"type":"tool-result"}`, CodeResultBlock},
	{"V4-03", `"toolCallId":"c"`, `"toolCallId":"e"`, CodeToolResult},
	{"V4-03", `"role":"tool"`, `"role":"user"`, CodeToolResult},
	{"V4-04", `"toolName":"look"`, `"toolName":""`, CodeDeveloper},
	{"V4-04", `"toolName":"dig"`, `"toolName":"dig","tool":{}`, CodeDeveloper},
	{"V4-04", `"kind":"tool-registry"`, `"kind":"plugin"`, CodeDeveloper},
	{"V4-04", `"role":"user","id":"u"`, `"role":"developer","id":"u"`, CodeDeveloper},
	{"V4-05", `,"headerSeq":14`, ``, CodeHeaderSeqShape},
	{"V4-05", `{"type":"tool-addition","toolName":"dig"},`, ``, CodeHeaderSeqShape},
	{"V4-06", `"headerSeq":14`, `"headerSeq":13`, CodeHeaderSeq},
	{"V4-06", `"headerSeq":14`, `"headerSeq":5`, CodeHeaderSeq},
	{"V4-06", `"description":"Dig."`, `"description":1`, CodeHeaderSeq},
	{"V4-07", `{"type":"text","text":"How many?"}`, `{"type":"tool-removal"}`, CodeToolBlock},
	{"V4-08", `"name":"dig"`, `"name":"dig","deferLoading":false`, CodeDeferLoading},
	{"V4-09", `"isError":false,"id":"t"}},"sourceEventSeqs":[8]`, `"isError":true,"id":"forked-tool-result-c-10"},"error":{"name":"ToolNotStartedError","code":"TOOL_NOT_STARTED"}}`, CodeForkedResult},
	{"V4-09", `"isError":false,"id":"t"}},"sourceEventSeqs":[8]`, `"isError":true,"id":"forked-tool-result-c-11"},"error":{"name":"ToolNotStartedError","code":"TOOL_NOT_STARTED"}}`, CodeReplaceToolEdit},
	{"V4-10", `"version":1,"childId"`, `"version":3,"childId"`, CodeSubagentCatalog},
	{"V4-10", `"continuable","label":"boats"`, `"continuable"`, CodeSubagentCatalog},

	{"V2-13", `"ignorable":true`, `"surfaceOp":"append"`, CodeTypeUnknown},
	{"V2-14", `"reason":"change"`, `"reason":"fallback"`, CodeFallback},
	{"V2-15", `"id":"u"},"surfaceOp":"append"`, `"id":"u"}`, CodeSurfaceOpMissing},
	{"V2-15", `"data":{"turn":1}}`, `"data":{"turn":1},"surfaceOp":"append"}`, CodeSurfaceOpLogOnly},
	{"V2-16", `"startSeq":11`, `"start":11`, CodeSurfaceOpShape},
	{"V2-17", `"id":"b"},"stream":[]},`, `"id":"b"},"stream":[]},"sourceEventSeqs":[],`, CodeSourcesAnswer},
	{"V2-17", `"sourceEventSeqs":[8]`, `"sourceEventSeqs":[]`, CodeSourcesEmpty},
	{"V2-18", `[26,27,7,23,15]`, `[26,27,7,15]`, CodeReplaceSources},
	{"V2-18", `"startSeq":11,`, `"startSeq":12,`, CodeReplaceMissing},
	{"V2-19", `"content":[],"isError":false`, `"content":[],"isError":true`, CodeReplaceToolEdit},
	{"V2-21", `"kind":"model","provider":"p","model":"m"},"id":"b"`, `"kind":"model","provider":"p","model":""},"id":"b"`, CodeMessageSource},
	{"V2-43", `"provider":"p","model":"m","maxTokens":9`, `"provider":"p","model":"m"`, CodeDefaults},
	{"V2-43", `"reason":"change"`, `"reason":"continuation"`, CodeHeaderReason},
	{"V2-43", `"tools":[{"name":"look","description":"Look.","parameters":{}}]`, `"tools":[null]`, CodeHeaderMember},
	{"V2-44", `"step":2,"stream":[]}`, `"step":2}`, CodeSettlement},
	{"V3-08", `"tools":[{"name":"look","description":"Look.","parameters":{}}]`, `"tools":[]`, CodeHeaderEmpty},
	{"V3-10", `"imageIndexes":[1]`, `"imageIndexes":[2]`, CodeOffload},
	{"V3-10", `"imageIndexes":[1]`, `"imageIndexes":[1,1]`, CodeOffload},
	{"V3-10", `{"type":"image"},{"type":"image"}`, `{"type":"image"},{"type":"image","offloaded":true}`, CodeOffload},
}

// relationCases are the rules across rows that formats 2 to 4 share.
var relationCases = []laterCase{
	{"V2-22", `"turn/start","seq":1,"time":1,"data":{"turn":1}`, `"turn/start","seq":1,"time":1,"data":{"turn":2}`, CodeTurnStart},
	{"V2-23", `{"turn":1,"reason"`, `{"turn":2,"reason"`, CodeTurnClose},
	{"V2-24", `"id":"c","name":"look","arguments":"{}"}`, `"id":"c","name":"look","arguments":"{}"},{"type":"tool-call","id":"e"}`, CodeCallUnanswered},
	{"V2-25", `"seq":13,"time":1,"data":{"turn":1,"step":2}`, `"seq":13,"time":1,"data":{"turn":1,"step":3}`, CodeStepBounds},
	{"V2-26", `"seq":16,"time":1,"data":{"turn":1,"step":2`, `"seq":16,"time":1,"data":{"turn":1,"step":1`, CodeOtherStep},
	{"V2-27", `{"type":"tool-call","id":"c"`, `{"type":"tool-call","id":"c"},{"type":"tool-call","id":"c"`, CodeCallID},
	{"V2-28", `"callId":"c","name":"look","arguments":"{}"`, `"callId":"c","name":"look","arguments":"{ }"`, CodeCallUnknown},
	{"V2-29", `{"type":"tool/call","seq":8,"time":1,"data":{"turn":1,"step":1,"callId":"c","name":"look","arguments":"{}"}}`, `{"type":"plan/mode","seq":8,"time":1,"data":{}}`, CodeResultUnknown},
	{"V2-31", `{"type":"session/title","seq":31`, `{"type":"request/context","seq":31`, CodeOutsideTurn},
	{"V2-32", `"parentCallId":"c","subCallId":"d","name":"look","arguments":{"a":1}}`, `"parentCallId":"e","subCallId":"d","name":"look","arguments":{"a":1}}`, CodeDispatch},
	{"V2-32", `"arguments":{"a":1},"isError"`, `"arguments":{"a":2},"isError"`, CodeDispatch},
	{"V2-33", `"provider":"p","policyKey"`, `"provider":"o","policyKey"`, CodeRetry},
	{"V2-33", `"policyKey":"k","retry":1`, `"policyKey":"k","retry":2`, CodeRetry},
	{"V2-34", `"turn":1,"step":2,"retry":1`, `"turn":1,"step":2,"retry":2`, CodeRetryStarted},
	{"V2-35", `"compactionId":"k","sourceCommandId":"w","turn":null`, `"compactionId":"k","sourceCommandId":"w","turn":1`, CodeCompaction},
	{"V2-35", `"compactionId":"k","sourceCommandId":"w"},"role"`, `"compactionId":"j","sourceCommandId":"w"},"role"`, CodeCompaction},
	{"V2-36", `"shadowedSeqs":[7,23`, `"shadowedSeqs":[7,7,23`, CodeCompactionSpan},
	{"V2-37", `"compaction/end","seq":29,"time":1,"data":{"compactionId":"k","sourceCommandId":"w","turn":null`, `"compaction/end","seq":29,"time":1,"data":{"compactionId":"k","sourceCommandId":"w","turn":1`, CodeCompactionEnd},
	{"V2-40", `"command/done","seq":30,"time":1,"data":{"commandId":"w"`, `"command/done","seq":30,"time":1,"data":{"commandId":"z"`, CodeCommand},
	{"V2-40", `"sourceEventSeq":28`, `"sourceEventSeq":25`, CodeCommand},
	{"V2-41", `"title":"Boats","messageSeqs":[4]`, `"title":"Boats","messageSeqs":[28]`, CodeTitle},
	{"V2-41", `"messageSeqs":[4],"messages"`, `"messageSeqs":[],"messages"`, CodeTitle},
	{"V2-42", `"sessionId":"ses"`, `"sessionId":"other"`, CodeDelivery},
}

// headCases are those of formats 3 and 4.
var headCases = []laterCase{
	{"V2-42", `"throughSeq":32`, `"throughSeq":33`, CodeDelivery},
	{"V3-04", `"seq":3,"time":1,"data":{"turn":1,"step":1`, `"seq":3,"time":1,"data":{"turn":1,"step":2`, CodeOtherStep},
	{"V3-07", `"shadowedRange":{"start":7`, `"shadowedRange":{"start":3`, CodeCompactionSpan},
	{"V4-10", `"version":1,"childId"`, `"version":3,"childId"`, CodeSubagentCatalog},
}

func TestVersion4Rules(t *testing.T) {
	for _, list := range [][]laterCase{version4Cases, relationCases, headCases} {
		for _, c := range list {
			c.check(t, laterRows)
		}
	}
}
