package harnesstest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// inventions are events that may stand anywhere; their numbers are given later.
var inventions = strings.Split(strings.TrimSpace(`
{"type":"user/message","seq":0,"time":1,"data":{"content":[{"type":"text","text":"and this"}],"source":{"kind":"user"},"role":"user","id":"i1"},"surfaceOp":"append"}
{"type":"user/message","seq":0,"time":1,"data":{"id":"i2","role":"user","content":[],"source":{"kind":"plugin","plugin":"p"}},"surfaceOp":"append"}
{"type":"user/message","seq":0,"time":1,"data":{"content":[{"type":"text","text":"no identity"}],"source":{"kind":"user"}},"surfaceOp":"append"}
{"type":"steering/message","seq":0,"time":1,"data":{"turn":1,"content":[{"type":"text","text":"steer"}],"source":{"kind":"user"}},"surfaceOp":"append"}
{"type":"assistant/message","seq":0,"time":1,"data":{"turn":1,"step":1,"message":{"role":"assistant","content":[],"source":{"kind":"model","provider":"p","model":"m"},"id":"i3"}},"sourceEventSeqs":[],"surfaceOp":"append"}
{"type":"assistant/message","seq":0,"time":1,"data":{"turn":1,"step":1,"message":{"role":"assistant","content":[{"type":"text","text":"said"}],"source":{"kind":"model","provider":"p","model":"m"},"id":"i4"}},"surfaceOp":"append"}
{"type":"assistant/message","seq":0,"time":1,"data":{"turn":1,"step":1,"content":[{"type":"text","text":"old"}],"provenance":{"provider":"p","model":"m"}},"surfaceOp":"append"}
{"type":"assistant/message","seq":0,"time":1,"data":{"turn":1,"step":1,"message":{"role":"assistant","content":[{"type":"tool-call","id":"c9","name":"look","arguments":{}}],"source":{"kind":"model","provider":"p","model":"m"},"id":"i5"}},"surfaceOp":"append"}
{"type":"assistant/message","seq":0,"time":1,"data":{"turn":1,"step":1,"message":{"role":"assistant","content":[{"type":"tool-call","id":"","name":"look","arguments":{}}],"source":{"kind":"model","provider":"p","model":"m"},"id":"i6"}},"surfaceOp":"append"}
{"type":"tool/call","seq":0,"time":1,"data":{"turn":1,"step":1,"callId":"c9","name":"look","arguments":{}}}
{"type":"tool/result","seq":0,"time":1,"data":{"turn":1,"step":1,"message":{"id":"i7","role":"user","source":{"kind":"tool","callId":"c9"},"content":[{"type":"tool-result","toolCallId":"c9","content":[{"type":"text","text":"seen"}],"isError":false}]}},"surfaceOp":"append"}
{"type":"tool/result","seq":0,"time":1,"data":{"turn":1,"step":1,"callId":"c9","content":[],"isError":true},"surfaceOp":"append"}
{"type":"request/header","seq":0,"time":1,"data":{"header":{"config":{"provider":"p","model":"other"}},"reason":"change"}}
{"type":"request/header","seq":0,"time":1,"data":{"header":{"config":{"provider":"p","model":"m","reasoningEffort":"high"},"adapterDefaults":{"reasoningEffort":true},"system":"Say it.","tools":[{"name":"look"}]},"reason":"resume"}}
{"type":"request/header","seq":0,"time":1,"data":{"header":{"config":{"messages":1,"model":"m","2":"two","provider":"p","1":1.50,"tools":3,"sessionId":"s","signal":{}},"system":"","tools":[]},"reason":"continuation"}}
{"type":"request/header","seq":0,"time":1,"data":{"header":{"config":{"provider":"p","model":"m"},"system":["a"],"tools":"t","messagePrefix":[]},"reason":"initial"}}
{"type":"request/header","seq":0,"time":1,"data":{"header":{"config":{"provider":"p","model":"m"},"system":{"length":2},"tools":{"length":-1}},"reason":"series"}}
{"type":"request/header","seq":0,"time":1,"data":{"header":{"config":{"provider":"p","model":"m"},"system":null},"reason":"change"}}
{"type":"request/header","seq":0,"time":1,"data":{"header":{"config":{"provider":"p","model":"m"},"tools":null},"reason":"change","startsSeries":true}}
{"type":"request/header","seq":0,"time":1,"data":{"header":{"config":{"provider":"p","model":"m"}},"reason":"fallback"}}
{"type":"request/context","seq":0,"time":1,"data":{"provider":"p","model":"m","contextWindow":1000}}
{"type":"session/end-seed","seq":0,"time":1,"data":{}}
{"type":"llm/retry","seq":0,"time":1,"data":{"turn":1,"step":1}}
{"type":"llm/retry-started","seq":0,"time":1,"data":{"turn":1,"step":1}}
{"type":"compaction/start","seq":0,"time":1,"data":{}}
{"type":"compaction/summary","seq":0,"time":1,"data":{}}
{"type":"compaction/prune","seq":0,"time":1,"data":{}}
{"type":"plan/mode","seq":0,"time":1,"data":null}
{"type":"turn/start","seq":0,"time":1,"data":{"turn":7}}
{"type":"turn/start","seq":0,"time":1,"data":{"turn":7,"trigger":{"kind":"user"}}}
{"type":"turn/end","seq":0,"time":1,"data":{"turn":7,"reason":{"kind":"completed"}}}
{"type":"turn/end","seq":0,"time":1,"data":{"turn":7,"reason":{"kind":"disposed"}}}
{"type":"turn/end","seq":0,"time":1,"data":{"turn":7,"reason":{"kind":"error","step":1,"message":"m"}}}
{"type":"turn/end","seq":0,"time":1,"data":{"turn":7,"reason":{"kind":"later","with":1}}}
{"type":"step/start","seq":0,"time":1,"data":{"turn":7,"step":3}}
{"type":"step/end","seq":0,"time":1,"data":{"turn":7,"step":3}}
{"type":"assistant/chunk","seq":0,"time":1,"data":{"turn":7,"step":3,"chunk":{"type":"text-delta","index":0,"text":"and"}}}
{"type":"assistant/chunk","seq":0,"time":1,"data":{"turn":7,"step":3,"chunk":{"type":"finish","reason":{"kind":"error"}}}}
{"type":"assistant/chunk","seq":0,"time":1,"data":{}}
{"type":"model/selection","seq":0,"time":1,"data":{"model":"m"}}
{"type":"subagent/model-selection-policy","seq":0,"time":1,"data":{}}
{"type":"session-log-deepseek/delivery-accepted","seq":0,"time":1,"data":{}}
{"type":"feedback/message-put","seq":0,"time":1,"data":{}}
{"type":"assistant/attempt","seq":0,"time":1,"data":{"turn":1,"step":1,"stream":[]}}
{"type":"mode/set","seq":0,"time":1,"data":{}}
{"type":"request/header-delta","seq":0,"time":1,"data":{}}
{"type":"plugin/own","seq":0,"time":1,"data":{},"ignorable":true}
{"type":"plugin/own","seq":0,"time":1,"data":{"text":"`+"\u2028"+`\ud800"},"ignorable":true,"surfaceOp":"append"}
`), "\n")

// packChunks packs a run of chunks of one block into a row.
func packChunks(r *rand.Rand, p *plotted) {
	start := r.IntN(len(p.events))
	for i := range p.events {
		at := (start + i) % len(p.events)
		n := 0
		for at+n < len(p.events) && n < 6 && isDelta(p.events[at+n].line) {
			n++
		}
		if n > 0 {
			row := event{line: packed(p.events[at : at+n]), was: p.events[at].was, count: int64(n)}
			p.drop(at, n)
			p.insert(at, row)
			return
		}
	}
}

func isDelta(line ecmajson.Value) bool {
	return line.Lookup("data").Lookup("chunk").Lookup("type").Is("text-delta")
}

func packed(run []event) ecmajson.Value {
	first := run[0].line.Lookup("data")
	dt, texts := []byte{'['}, []byte{'['}
	for i, e := range run {
		if i > 0 {
			dt, texts = append(dt, "0,"...), append(texts, ',')
		}
		texts = append(texts, e.line.Lookup("data").Lookup("chunk").Lookup("text")...)
	}
	return fmt.Appendf(nil, `{"type":"text-chunks","seq0":0,"time0":%s,"data":{"turn":%s,"step":%s,"index":%s,"dt":%s],"texts":%s]}}`,
		run[0].line.Lookup("time"), first.Lookup("turn"), first.Lookup("step"), first.Lookup("chunk").Lookup("index"), bytes.TrimSuffix(dt, []byte(",")), texts)
}

// unpackRow takes a row apart.
func unpackRow(r *rand.Rand, p *plotted) {
	start := r.IntN(len(p.events))
	for i := range p.events {
		at := (start + i) % len(p.events)
		row := p.events[at]
		if !row.line.Lookup("type").Is("text-chunks") {
			continue
		}
		data := row.line.Lookup("data")
		var apart []event
		for text := range data.Lookup("texts").Elements() {
			line := fmt.Appendf(nil, `{"type":"assistant/chunk","seq":0,"time":%s,"data":{"turn":%s,"step":%s,"chunk":{"type":"text-delta","index":%s,"text":%s}}}`,
				row.line.Lookup("time0"), data.Lookup("turn"), data.Lookup("step"), data.Lookup("index"), text)
			apart = append(apart, event{line: line, was: row.was + int64(len(apart)), count: 1})
		}
		p.drop(at, 1)
		p.insert(at, apart...)
		return
	}
}
