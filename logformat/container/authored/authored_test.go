package authored_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/authored"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

const header = `{"type":"session","version":0,"id":"a","createdAt":0,"cwd":"{{cwd}}/x","delegationDepth":0}` + "\n"

// TestLines holds what becomes of single lines.
func TestLines(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"an event", `{"type":"a","data":{}}`, `{"type":"a","seq":0,"time":0,"data":{}}`},
		{"type last", `{"data":{},"type":"a"}`, `{"data":{},"type":"a","seq":0,"time":0}`},
		{"no type", `{"data":{}}`, `{"seq":0,"time":0,"data":{}}`},
		{"no members", `{}`, `{"seq":0,"time":0}`},
		{"white space", ` { "type" : "a", "data" : 1 }`, `{"type":"a","seq":0,"time":0,"data":1}`},
		{"a row", `{"type":"text-chunks","data":{"dt":[3],"texts":["a","b"]}}`, `{"type":"text-chunks","seq0":0,"time0":0,"data":{"dt":[3],"texts":["a","b"]}}`},
		{"a row without gaps", `{"type":"tool-call-chunks","data":{"args":["a","b","c"]}}`, `{"type":"tool-call-chunks","seq0":0,"time0":0,"data":{"args":["a","b","c"],"dt":[0,0]}}`},
		{"a row without data", `{"type":"text-chunks","data":{}}`, `{"type":"text-chunks","seq0":0,"time0":0,"data":{"dt":[]}}`},
		{"no JSON", `{"type":`, `{"type":`},
		{"no object", `[1]`, `[1]`},
		{"blank", ``, ``},
		{"tokens without sidecars", `{"type":"request/header","data":{"header":{"system":"{{system}}","tools":"{{tools}}"}}}`, `{"type":"request/header","seq":0,"time":0,"data":{"header":{"system":"{{system}}","tools":"{{tools}}"}}}`},
		{"tokens elsewhere", `{"type":"a","data":{"header":{"system":"{{system}}"}}}`, `{"type":"a","seq":0,"time":0,"data":{"header":{"system":"{{system}}"}}}`},
	} {
		log, err := authored.Complete([]byte(header+c.line+"\n"), authored.Sidecars{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		_, got, _ := strings.Cut(string(log.Text), "\n")
		if got != c.want+"\n" {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if !strings.Contains(string(log.Text), `"cwd":"/{{cwd}}/x"`) {
			t.Errorf("%s: the cwd is not absolute: %s", c.name, log.Text)
		}
	}
}

// TestNumbers checks that rows count by their members, and that a last line
// without a line feed stays one.
func TestNumbers(t *testing.T) {
	text := header + `{"type":"a","data":1}
{"type":"text-chunks","data":{"texts":["a","b","c"],"dt":[0,0]}}
{"type":"b","data":1}`
	log, err := authored.Complete([]byte(text), authored.Sidecars{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(log.Text), "\n")
	for i, want := range []string{1: `"seq":0,`, 2: `"seq0":1,`, 3: `"seq":4,`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d: %s, want %s", i+1, lines[i], want)
		}
	}
}

// TestSidecars holds which prompt and which tools a header gets.
func TestSidecars(t *testing.T) {
	event := func(reason string) string {
		return `{"type":"request/header","data":{"header":{"system":"{{system}}","tools":"{{tools}}"},"reason":"` + reason + `"}}` + "\n"
	}
	text := header + event("initial") + event("change") + event("resume") + event("change") + event("change")
	tools := `{"initial":[{"name":"t0"}],"changes":[[{"name":"t1"}],[],[{"name":"t3"}]]}`
	for _, c := range []struct {
		name, system string
		want         []string
	}{
		{"each change", "p0\n\n<!-- request/header change 1 -->\n\np1\n\nmore\n\n<!-- request/header change 2 -->\n\np2\n\n<!-- request/header change 3 -->\n\np3\n", []string{"p0", `p1\n\nmore`, "p0", "p2", "p3"}},
		{"counted from 0", "p0\n\n<!-- request/header change 0 -->\n\np1\n\n<!-- request/header change 1 -->\n\np2\n\n<!-- request/header change 2 -->\n\np3\n", []string{"p0", "p1", "p0", "p2", "p3"}},
		{"the second only", "p0\n\n<!-- request/header change 2 -->\n\np2\n", []string{"p0", "p0", "p0", "p2", "p2"}},
		{"no line feed", "p0", []string{"p0", "p0", "p0", "p0", "p0"}},
		{"carriage returns", "p0\r\n\r\n<!-- request/header change 1 -->\r\n\r\np1\r\n", []string{"p0", "p1", "p0", "p1", "p1"}},
		{"empty", "", []string{"", "", "", "", ""}},
	} {
		log, err := authored.Complete([]byte(text), authored.Sidecars{System: []byte(c.system), Tools: []byte(tools)})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		lines := strings.Split(string(log.Text), "\n")[1:]
		for i, want := range c.want {
			tools := []string{`[{"name":"t0"}]`, `[{"name":"t1"}]`, `[{"name":"t0"}]`, `[]`, `[{"name":"t3"}]`}[i]
			if want := fmt.Sprintf(`{"system":"%s","tools":%s}`, want, tools); !strings.Contains(lines[i], want) {
				t.Errorf("%s: header %d is %s, want %s", c.name, i+1, lines[i], want)
			}
		}
		if log.Taken != 10 || log.Left != 0 {
			t.Errorf("%s: %d tokens taken, %d left", c.name, log.Taken, log.Left)
		}
	}
}

// TestRefusals holds what is no authored transcript.
func TestRefusals(t *testing.T) {
	change := `{"type":"request/header","data":{"header":{"tools":"{{tools}}"},"reason":"change"}}`
	for _, c := range []struct {
		name, lines, tools string
		code               logformat.Code
		line               int64
	}{
		{"a numbered line among others", `{"type":"a","data":1}` + "\n" + `{"type":"a","seq":1,"time":0,"data":1}`, "", authored.CodeMixed, 3},
		{"a time", `{"type":"a","time":0,"data":1}`, "", authored.CodeMixed, 2},
		{"a numbered row", `{"type":"text-chunks","seq0":0,"time0":0,"data":{"texts":["a"],"dt":[]}}`, "", authored.CodeMixed, 2},
		{"too few changes", change + "\n" + change, `{"initial":[],"changes":[]}`, authored.CodeSidecar, 3},
		{"no JSON", change, `{"initial":`, authored.CodeSidecar, 0},
		{"no initial", change, `{"changes":[]}`, authored.CodeSidecar, 0},
		{"changes of another shape", change, `{"initial":[],"changes":[{}]}`, authored.CodeSidecar, 0},
	} {
		side := authored.Sidecars{}
		if c.tools != "" {
			side.Tools = []byte(c.tools)
		}
		_, err := authored.Complete([]byte(header+c.lines+"\n"), side)
		refusal, ok := errors.AsType[*logformat.Refusal](err)
		if !ok || refusal.Code != c.code || refusal.Pos.Line != c.line {
			t.Errorf("%s: %v, want %s at line %d", c.name, err, c.code, c.line)
		}
	}
}

// TestIs holds how an authored transcript is told from a log.
func TestIs(t *testing.T) {
	complete := strings.ReplaceAll(header, "{{cwd}}", "/home")
	for _, c := range []struct {
		first, second string
		want          bool
	}{
		{header, `{"type":"turn/start","data":{}}`, true},
		{complete, `{"type":"turn/start","data":{}}`, true},
		{header, `{"type":"turn/start","seq":0,"time":0,"data":{}}`, false},
		{complete, `{"type":"turn/start","time":0,"data":{}}`, false},
		{header, ``, true},
		{complete, ``, false},
		{complete, `{"data":{}}`, false},
		{complete, `garbage`, false},
		{"garbage", `{"type":"turn/start","data":{}}`, false},
		{`{"type":"other"}`, `{"type":"turn/start","data":{}}`, false},
	} {
		if got := authored.Is([]byte(c.first), []byte(c.second)); got != c.want {
			t.Errorf("%s %s: %v", c.first, c.second, got)
		}
	}
}

var (
	event = regexp.MustCompile(`"seq":[0-9]+,"time":[0-9]+,`)
	row   = regexp.MustCompile(`"seq0":[0-9]+,"time0":[0-9]+,`)
	gaps  = regexp.MustCompile(`"dt":\[[0-9,]*\],?`)
)

// TestProjected projects recorded logs to the authored form, without times,
// gaps, prompts and tools, and completes them again: the requests are those that the
// harness sent.
func TestProjected(t *testing.T) {
	for _, dir := range []string{"header-changes", "tools-sequential", "tools-parallel", "retry-attempts", "compaction-pressure", "tool-result-pruning", "json-torture"} {
		complete, err := os.ReadFile(filepath.Join("../../../fixtures", dir, "session.jsonl"))
		if err != nil {
			continue
		}
		var text bytes.Buffer
		var side authored.Sidecars
		prompts, changes := []string{}, []string{}
		for line := range bytes.Lines(complete) {
			line = event.ReplaceAll(line, nil)
			if row.Match(line) {
				line = gaps.ReplaceAll(row.ReplaceAll(line, nil), nil)
			}
			header := ecmajson.Value(line[:len(line)-1]).Lookup("data").Lookup("header")
			if system, tools := header.Lookup("system"), header.Lookup("tools"); tools != nil && system != nil {
				prompts, changes = append(prompts, system.Text()), append(changes, string(tools))
				line = bytes.Replace(line, append([]byte(`"system":`), system...), []byte(`"system":"{{system}}"`), 1)
				line = bytes.Replace(line, append([]byte(`"tools":`), tools...), []byte(`"tools":"{{tools}}"`), 1)
			} else if header != nil {
				prompts, changes = append(prompts, "none"), append(changes, "[]")
			}
			text.Write(line)
		}
		for i, prompt := range prompts {
			if i > 0 {
				prompt = fmt.Sprintf("\n<!-- request/header change %d -->\n\n%s", i, prompt)
			}
			side.System = append(side.System, prompt+"\n"...)
		}
		side.Tools = fmt.Appendf(nil, `{"initial":%s,"changes":[%s]}`, changes[0], strings.Join(changes[1:], ","))
		log, err := authored.Complete(text.Bytes(), side)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		want, got := requests(t, complete), requests(t, log.Text)
		if got != want || want == "" {
			t.Errorf("%s: requests\n%s\nwant\n%s", dir, got, want)
		}
	}
}

func requests(t *testing.T, text []byte) (digests string) {
	t.Helper()
	r := logformat.NewReader(bytes.NewReader(text), logformat.Options{})
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	for q, err := range reconstruct.NewSession(header, reconstruct.Options{}).Requests(r) {
		if err != nil {
			t.Error(err)
			break
		}
		digests += fmt.Sprintln(q.Key(), q.Boundary, q.Digest())
	}
	return digests
}

// FuzzComplete checks that no input makes it fail in another way than by a refusal,
// and that lines keep their number.
func FuzzComplete(f *testing.F) {
	for _, path := range []string{"night-ferry/session.jsonl", "log-book/session.jsonl"} {
		text, err := os.ReadFile(filepath.Join("../../../fixtures/authored", path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, []byte("a\n\n<!-- request/header change 1 -->\n\nb\n"), []byte(`{"initial":[],"changes":[[],[]]}`))
	}
	f.Fuzz(func(t *testing.T, text, system, tools []byte) {
		log, err := authored.Complete(text, authored.Sidecars{System: system, Tools: tools})
		if err != nil {
			if _, ok := errors.AsType[*logformat.Refusal](err); !ok {
				t.Error(err)
			}
			return
		}
		if bytes.Count(log.Text, []byte("\n")) != bytes.Count(text, []byte("\n")) {
			t.Error("the log has another number of lines")
		}
	})
}
