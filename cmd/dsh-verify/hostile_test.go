package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostileLog writes a log whose every text tries to drive a terminal, with a long
// string (1 MB, or 10 with -thorough) and a deep tool schema, and two requests in it.
func hostileLog(t *testing.T) string {
	const evil = `\u001b]0;owned\u0007\u001b[31m\u202e\u2066\u009b2J\r\b\u061c\u00ad\u034f\u2800\u3164\ufe0f##[error]x`
	long := strings.Repeat("x", 1<<20)
	if *thorough {
		long = strings.Repeat(long, 10)
	}
	deep := strings.Repeat("[", 9_900) + strings.Repeat("]", 9_900)
	var b bytes.Buffer
	b.WriteString(`{"type":"session","version":0,"id":"` + evil + `","createdAt":1,"cwd":"/` + evil + `","delegationDepth":0}` + "\n")
	seq := 0
	event := func(kind, data, rest string) {
		fmt.Fprintf(&b, `{"type":%q,"seq":%d,"time":%d,"data":%s%s}`+"\n", kind, seq, seq, data, rest)
		seq++
	}
	request := func(turn int, text string) {
		event("turn/start", fmt.Sprintf(`{"turn":%d}`, turn), "")
		event("step/start", fmt.Sprintf(`{"turn":%d,"step":1}`, turn), "")
		event("user/message", `{"content":[{"type":"text","text":"`+text+`"}],"source":{"kind":"`+evil+`"},"role":"user","id":"`+evil+fmt.Sprint(turn)+`"}`, `,"surfaceOp":"append"`)
		if turn == 1 {
			event("request/header", `{"header":{"config":{"provider":"`+evil+`","model":"`+evil+`"},"system":"`+evil+`","tools":[{"name":"`+evil+`","description":"`+evil+`","parameters":`+deep+`}]},"reason":"initial"}`, "")
		} else {
			event("request/header", `{"header":{"config":{"provider":"`+evil+`","model":"`+evil+`2","`+evil+`":1},"system":"`+evil+`\n`+evil+`","tools":[{"name":"2`+evil+`"}]},"reason":"resume"}`, "")
			event("session/title-llm-request", `{"route":{"provider":"`+evil+`","model":"`+evil+`"},"messages":[]}`, "")
		}
		event("assistant/chunk", fmt.Sprintf(`{"turn":%d,"step":1,"chunk":{"type":"finish","reason":{"kind":"stop"}}}`, turn), "")
		event("assistant/message", fmt.Sprintf(`{"turn":%d,"step":1,"message":{"role":"assistant","content":[],"source":{"kind":"model","provider":"%s","model":"m"},"id":"a%d"}}`, turn, evil, turn), fmt.Sprintf(`,"surfaceOp":"append","sourceEventSeqs":[%d]`, seq-1))
		event("step/end", fmt.Sprintf(`{"turn":%d,"step":1}`, turn), "")
		event("turn/end", fmt.Sprintf(`{"turn":%d,"reason":{"kind":"completed"}}`, turn), "")
	}
	request(1, evil+long)
	request(2, evil)
	path := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	edited := bytes.Replace(b.Bytes(), []byte("xxxx"), []byte("xXxx"), 1)
	if err := os.WriteFile(path+".edited", edited, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHostileLog checks that no view for people passes anything on that a terminal
// obeys, and that none stalls.
func TestHostileLog(t *testing.T) {
	log := hostileLog(t)
	for _, args := range [][]string{
		{"replay", log},
		{"replay", "--format", "json", log},
		{"requests", log},
		{"explain", log, "1"},
		{"explain", "--at", "/messages/0/content/0/text", log, "1"},
		{"show", "--messages", log, "2"},
		{"show", "--header", log, "2"},
		{"show", "--pretty", log, "2"},
		{"diff", log, "2"},
		{"diff", log, "1", log + ".edited", "1"},
		{"attachments", log},
		{"scan", log},
		{"audit", log},
		{"check-upgrade", log},
		{"check-upgrade", "--format", "json", log},
		{"cache", log},
		{"cache", "--format", "json", log},
		{"cache", "--format", "csv", log},
		{"requests", "--oneshots", log},
		{"show", "--pretty", log, "title:1"},
		{"seal", "-o", "-", log},
		{"check-seal", "../../internal/seal/testdata/other.seal.json", log},
		{"show", log, "9"},
		{"diff", "--recorded", log, log, "1"},
	} {
		var out, errs bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, env: func(string) string { return "" }}
		start := time.Now()
		a.run(context.Background(), append([]string{"dsh-verify"}, args...))
		name := strings.ReplaceAll(strings.Join(args, " "), log, "LOG")
		t.Logf("%s: %s, %d bytes", name, time.Since(start).Round(time.Millisecond), out.Len())
		for _, text := range []string{out.String(), errs.String()} {
			if bad := unsafe(text); bad != "" {
				t.Errorf("%s prints %s", name, bad)
			}
		}
	}
}
