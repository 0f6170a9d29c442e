package main

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// evil is a text with everything that a terminal, a CI service or an eye obeys.
const evil = "::error::\x1b]0;owned\x07\x1b[2J\u202e\u2066\u0085\u007f\u009b2J\u061c\u00ad\u034f\u180e\u2028\u2800\u3164\uffa0\ufe0f\U000e0041" +
	"##[error]x ##vso[task.x]y section_start:1:n\r\x1b[0Kz"

// evilName is one that a file can have.
var evilName = evil + "\n \u3000::warning::w"

// evilSession is a log with two requests, an edit of it, a recording of it and a store
// with it, all in folders and under names that are as evil as its texts.
func evilSession(t *testing.T) (log string) {
	t.Helper()
	t.Chdir(t.TempDir())
	line := jsonString(evil)
	several := jsonString(evil + "\n" + evil + "\n \u3000" + evil)
	var b strings.Builder
	seq := 0
	event := func(kind, data, rest string) {
		fmt.Fprintf(&b, `{"type":%q,"seq":%d,"time":%d,"data":%s%s}`+"\n", kind, seq, seq, data, rest)
		seq++
	}
	fmt.Fprintf(&b, `{"type":"session","version":0,"id":%s,"createdAt":1,"cwd":%s,"delegationDepth":0}`+"\n", line, jsonString("/"+evil))
	for turn := 1; turn <= 2; turn++ {
		event("turn/start", fmt.Sprintf(`{"turn":%d}`, turn), "")
		event("step/start", fmt.Sprintf(`{"turn":%d,"step":1}`, turn), "")
		event("user/message", fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"source":{"kind":%s},"role":"user","id":%s}`, several, line, jsonString(evil+fmt.Sprint(turn))), `,"surfaceOp":"append"`)
		event("request/header", fmt.Sprintf(`{"header":{"config":{"provider":%s,"model":%s,%s:%d},"system":%s,"tools":[{"name":%s,"description":%s,"parameters":{%s:1}}]},"reason":"change"}`,
			line, jsonString(evil+fmt.Sprint(turn)), line, turn, jsonString(evil+"\n"+evil+fmt.Sprint(turn)), line, several, line), "")
		event("assistant/chunk", fmt.Sprintf(`{"turn":%d,"step":1,"chunk":{"type":"finish","reason":{"kind":"stop"}}}`, turn), "")
		event("assistant/message", fmt.Sprintf(`{"turn":%d,"step":1,"message":{"role":"assistant","content":[{"type":"tool-call","id":%s,"name":%s,"arguments":%s}],"source":{"kind":"model","provider":%s,"model":"m"},"id":"a%d"}}`,
			turn, line, line, line, line, turn), fmt.Sprintf(`,"surfaceOp":"append","sourceEventSeqs":[%d]`, seq-1))
		event("step/end", fmt.Sprintf(`{"turn":%d,"step":1}`, turn), "")
		event("turn/end", fmt.Sprintf(`{"turn":%d,"reason":{"kind":"completed"}}`, turn), "")
	}
	log = filepath.Join(evilName, "session.jsonl")
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	write(log, b.String())
	write(filepath.Join(evilName, "edited", "session.jsonl"), strings.Replace(b.String(), "step/end", "step/ende", 1))
	write(filepath.Join(evilName, "changed", "session.jsonl"), strings.Replace(b.String(), `ufe0f\`, `ufe0fa\`, 1))
	write(filepath.Join(evilName, "short", "session.jsonl"), b.String()[:900])
	write(filepath.Join(evilName, "policy", "session.jsonl"), strings.Replace(b.String(), `"user"`, `"usar"`, 1)[:2000])
	return log
}

// jsonString is a string in JSON whose every character that is not a plain one is an
// escape, as a program that is careful writes it; the log's reader has to undo it.
func jsonString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case r < ' ' || r > '~' || r == '"' || r == '\\':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// evilContainers puts the log into other files, whose own names and texts are evil too,
// and returns command lines that read them.
func evilContainers(t *testing.T, log string) (lines [][]string) {
	t.Helper()
	dir, q := filepath.Dir(log), jsonString(evil)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	archive := func(name string, entries ...string) string {
		var b strings.Builder
		z := zip.NewWriter(&b)
		for _, entry := range entries {
			w, err := z.Create(entry)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(text)
		}
		z.Close()
		return write(name, b.String())
	}
	for _, path := range []string{
		archive("a.zip", "session.jsonl", "subagents/"+evil+"/session.jsonl", evil), archive("b.zip", evil), archive("c.zip", "session.jsonl", "../"+evil),
		archive("d.zip", evil+"/session.jsonl", evil+"/session.jsonl"), archive("e.zip", "session.jsonl", "subagents/"+strings.ReplaceAll(evil, "/", "")+"x"),
	} {
		lines = append(lines, []string{"replay", path}, []string{"replay", "--session", evil, path}, []string{"attachments", path}, []string{"requests", path})
	}
	body := `{"model":` + q + `,"messages":[{"role":"user","content":` + q + `}],` + q + `:1}`
	har := func(rest string) string {
		return `{"log":{"entries":[{"request":{"method":"POST","url":"http://x/` + "chat/completions" + `","headers":[{"name":"x-deepseek-harness-session-id","value":` + q + `}],"postData":{"text":` + jsonString(body) + rest + `}}}]}}`
	}
	recordings := []string{
		write("good.har", har("")), write("coded.har", har(`,"encoding":`+q)), write("bad.har", har("")+evil), write("odd.har", `{"log":{"entries":`+q+`}}`), write("cut.har", har("")[:200]),
		filepath.Dir(write("wire/index.jsonl", `{"file":`+q+`,"sessionId":`+q+`,"headers":{"content-type":`+q+`}}`+"\n")),
		filepath.Dir(write("wire2/index.jsonl", `{"file":`+jsonString("../"+evil)+`}`+"\n")), filepath.Dir(write("wire3/index.jsonl", `{"file":1,`+q+`:`)),
		filepath.Dir(write("wire4/"+evil+".json", body)), write("r1.jsonl", `{"sessionId":`+q+`,"turn":1,"step":1,"attempt":1,"request":{"a":`+q+`}}`+"\n"), write("r2.jsonl", `{"sessionId":`+q+`,"turn":`+q+`}`+"\n"+evil+"\n"),
	}
	for _, recording := range recordings {
		lines = append(lines, []string{"replay", "--recorded", recording, log}, []string{"replay", "--format", "json", "--recorded", recording, log}, []string{"diff", "--recorded", recording, log, "1"})
	}
	return append(lines, evilPolicies(write)...)
}

// evilPolicies are command lines that read policies, and files that flags name.
func evilPolicies(write func(name, text string) string) (lines [][]string) {
	refused := filepath.Dir(write("policy/x", ""))
	y := strconv.QuoteToASCII(evil) // YAML has the same escapes
	for i, text := range []string{
		"ignore:\n  - code: '*'\n    reason: " + y + "\n", "ignore:\n  - code: tail/torn\n    reason: " + y + "\nvocabulary:\n  - " + y + "\n",
		y + ": 1\n", "severities:\n  " + y + ": note\n", "severities:\n  tail/torn: " + y + "\n", "images:\n  mode: " + y + "\n", "attachments:\n  - " + y + "\n", "a: [\n" + evil + ": }{", y,
	} {
		policy := write(fmt.Sprintf("p%d.yaml", i), text)
		lines = append(lines, []string{"replay", "--config", policy, refused}, []string{"replay", "--format", "sarif", "--config", policy, refused}, []string{"config", "check", "--config", policy})
	}
	list := write("list"+evil, evil+"\n")
	for _, flag := range []string{"--vocabulary", "--file-ids", "--config", "--attachments", "--recorded"} {
		lines = append(lines, []string{"replay", flag, list, refused})
	}
	return lines
}
