package harnesstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A plan is a random history of sessions: what each process plays. The driver
// reads it as JSON; <<d83d>> in a text stands for a lone surrogate.
type plan struct {
	Seed        uint64      `json:"seed"`
	Compression string      `json:"compression"`
	PackChunks  bool        `json:"packChunks"`
	BatchMs     int         `json:"batchMs"`
	RecordDir   string      `json:"recordDir,omitempty"`
	Lifetimes   []*lifetime `json:"lifetimes"`
}

// A lifetime is what one process does with one session.
type lifetime struct {
	Op               string         `json:"op"`
	Session          string         `json:"session"`
	Parent           string         `json:"parent,omitempty"`
	At               float64        `json:"at,omitempty"`
	Cwd              string         `json:"cwd,omitempty"`
	Provider         string         `json:"provider"`
	Model            string         `json:"model"`
	MaxTokens        int            `json:"maxTokens,omitempty"`
	DefaultMaxTokens int            `json:"defaultMaxTokens,omitempty"`
	Efforts          []string       `json:"efforts,omitempty"`
	Window           int            `json:"window,omitempty"`
	System           string         `json:"system,omitempty"`
	Context          string         `json:"context,omitempty"`
	Summary          string         `json:"summary,omitempty"`
	Retry            bool           `json:"retry,omitempty"`
	Compact          map[string]any `json:"compact,omitempty"`
	Prune            map[string]any `json:"prune,omitempty"`
	Tools            []object       `json:"tools,omitempty"`
	EarlyActs        [][]object     `json:"earlyActs,omitempty"`
	Turns            []*turn        `json:"turns"`
}

type turn struct {
	Before  []object   `json:"before,omitempty"`
	Message object     `json:"message,omitempty"`
	Replies [][]object `json:"replies,omitempty"`
	Timed   []object   `json:"timed,omitempty"`
}

// An object is an action, a chunk of a reply, a message or a tool.
type object = map[string]any

// lossy reports whether a process dies with events that were not stored, so
// that the recording holds more than the log.
func (p *plan) lossy() bool {
	text, err := json.Marshal(p)
	return err != nil || bytes.Contains(text, []byte(`"do":"kill","flush":false`))
}

// lateNote is the plugin that appends to the surface at odd moments.
const lateNote = "late-note"

// A planner makes plans; everything it decides comes from its seed.
type planner struct {
	*rand.Rand
	calls, configs int
	tools          []string // that the model believes in
	life           *lifetime
}

func newPlan(seed uint64) *plan {
	g := &planner{Rand: rand.New(rand.NewPCG(seed, 1))}
	p := &plan{Seed: seed, Compression: g.any("none", "zstd"), PackChunks: g.chance(2), BatchMs: 1 + g.IntN(40)}
	if g.chance(4) {
		p.RecordDir = "recorded"
	}
	session := "ses-" + g.any("lamp", "barge", "kiln", "~odd id~", "π", "a.b", "..")
	forks := 0
	for i := range 1 + g.IntN(3) {
		l := &lifetime{Op: "resume", Session: session}
		if i == 0 {
			l.Op, l.Cwd = "create", g.any("", "/srv/kiln", "/srv/λ dir/x:y", "/")
		} else if g.chance(3) {
			forks++
			l.Op, l.Parent, l.At = "fork", session, float64(g.IntN(100))/100
			session = fmt.Sprintf("ses-fork-%d", forks)
			l.Session, l.Cwd = session, p.Lifetimes[0].Cwd
		}
		g.fill(l)
		p.Lifetimes = append(p.Lifetimes, l)
	}
	return p
}

// chance is true once in n times.
func (g *planner) chance(n int) bool { return g.IntN(n) == 0 }

func (g *planner) any(of ...string) string { return of[g.IntN(len(of))] }

var phrases = []string{
	"The kiln is warm.", "Count the barges again, please.", "zwölf Öfen und ein 🫖", "\u2028between\u2029", `a "quoted" \ back / slash`, "\x00\x01\x1f\x7f", "<<d83d>> alone", "low <<dc00>> one",
	"{{story}} {{", "", " ", "\ufeffmark", "e\u0301", "line\r\n\tnext", "👩‍👩‍👧", "<<d83d>><<de00>>", "</script>&amp;", "0", "null", "𝒳 and \U0010ffff",
}

func (g *planner) words() string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(phrases[g.IntN(len(phrases))])
	}
	if g.chance(6) {
		b.WriteString(strings.Repeat("clay and water ", 20+g.IntN(300)))
	}
	return b.String()
}

// oddJSON is any JSON value that the harness stores without loss.
func (g *planner) oddJSON(depth int) any {
	switch n := g.IntN(9); {
	case n < 3 && depth > 0:
		o := object{}
		for range g.IntN(5) {
			o[g.any("0", "10", "2", "01", "-1", "4294967294", "4294967295", "a", "b\n", "é", "constructor", "toJSON", "length", "<<d800>>", "")] = g.oddJSON(depth - 1)
		}
		return o
	case n == 3 && depth > 0:
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.oddJSON(depth-1))
		}
		return list
	case n == 4:
		return nil
	case n == 5:
		return g.chance(2)
	case n == 6:
		return g.words()
	}
	return []any{0, 1, -1, 0.1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 123456789012345680000.0, 9007199254740993.0, -2.5e-10, 1e6, 0.000001, 100000000000000000000.0}[g.IntN(14)]
}

func (g *planner) message() object {
	m := object{"text": g.words()}
	switch g.IntN(8) {
	case 0:
		m["source"] = object{"kind": "plugin", "plugin": g.any("kiln-watch", "π"), "note": g.oddJSON(2)}
	case 1:
		m["content"] = []object{{"type": "text", "text": g.words()}, {"type": "text", "text": g.words(), "extra": g.oddJSON(2)}}
	case 2:
		m["image"] = 2 + g.IntN(6)
	}
	return m
}

func (g *planner) fill(l *lifetime) {
	g.life = l
	l.Provider, l.Model = g.any("scripted", "scripted", "other", "deepseek-official"), g.any("kiln-1", "kiln-2", "π-model")
	if g.chance(3) {
		l.MaxTokens = 100 + g.IntN(1000)
	}
	if g.chance(4) {
		l.DefaultMaxTokens = 4096
	}
	if g.chance(3) {
		l.Efforts = []string{"low", "high"}
	}
	if g.chance(4) {
		l.System = g.words()
	}
	if g.chance(4) {
		l.Context = g.words()
	}
	l.Retry = !g.chance(3)
	l.Summary = g.words() + "."
	if g.chance(3) {
		l.Window = 400 + g.IntN(1500)
		l.Compact = object{"thresholdRatio": 0.6, "retainRatio": 0.2}
	}
	if g.chance(3) {
		l.Prune = object{"thresholdChars": 200, "headChars": 40, "tailChars": 20}
	}
	g.tools = nil
	for range g.IntN(4) {
		l.Tools = append(l.Tools, g.tool())
	}
	if g.chance(8) {
		for range 1 + g.IntN(3) {
			l.EarlyActs = append(l.EarlyActs, g.acts())
		}
	}
	for range 1 + g.IntN(4) {
		l.Turns = append(l.Turns, g.turn())
	}
	if g.chance(4) {
		last := l.Turns[len(l.Turns)-1]
		kill := object{"do": "kill", "flush": !g.chance(4)}
		if len(last.Replies) == 0 {
			last.Replies = [][]object{nil}
		}
		i := g.IntN(len(last.Replies))
		at := g.IntN(len(last.Replies[i]) + 1)
		last.Replies[i] = append(append(append([]object(nil), last.Replies[i][:at]...), kill), last.Replies[i][at:]...)
	}
}

func (g *planner) tool() object {
	name := fmt.Sprintf("tool_%d", len(g.tools))
	g.tools = append(g.tools, name)
	t := object{
		"name": name, "description": g.words(), "result": g.words(),
		"parameters": object{"type": "object", "properties": object{"10": object{"type": "string", "description": g.words()}, "2": object{"type": "number"}, g.any("x", "é", "b\n"): object{"type": "boolean"}}},
	}
	if g.chance(2) {
		t["parallel"] = true
	}
	switch g.IntN(9) {
	case 0:
		t["fails"] = g.words() + "!"
	case 1:
		t["slow"] = 1 + g.IntN(30)
	case 2:
		t["context"] = g.words()
	case 3:
		t["concludes"] = true
	case 4:
		t["image"] = 2 + g.IntN(4)
	case 5:
		t["repeat"] = 1 + g.IntN(200)
	case 6:
		t["meta"] = g.oddJSON(2)
	case 7:
		t["acts"] = g.acts()
	}
	if g.chance(25) {
		t["acts"] = []object{{"do": "kill", "flush": !g.chance(4)}}
	}
	return t
}

// act is something that may happen at any moment.
func (g *planner) act() object {
	with := func(m object, do string) object {
		m["do"] = do
		return m
	}
	switch g.IntN(13) {
	case 0:
		return with(g.message(), "steer")
	case 1:
		return with(g.message(), "inject")
	case 2:
		m := g.message()
		m["source"] = object{"kind": "plugin", "plugin": lateNote, "note": g.oddJSON(2)}
		return with(m, "append")
	case 3:
		return object{"do": "system", "text": g.words()}
	case 4:
		return object{"do": "context", "text": g.words()}
	case 5, 6:
		return object{"do": "config", "config": g.config()}
	case 7:
		return object{"do": "tool", "tool": g.tool()}
	case 8:
		return object{"do": "event", "data": g.oddJSON(3)}
	case 9:
		return object{"do": "flush"}
	case 10:
		return object{"do": "wait", "ms": 1 + g.IntN(4)}
	case 11:
		return with(g.message(), "followup")
	}
	if len(g.life.Tools) > 0 { // one that is there: it goes
		return object{"do": "tool", "tool": g.life.Tools[g.IntN(len(g.life.Tools))]}
	}
	return object{"do": "flush"}
}

func (g *planner) acts() (list []object) {
	for range 1 + g.IntN(2) {
		list = append(list, g.act())
	}
	return list
}

// config is an override of the next requests' configuration. Its temperature
// is a new one each time: what else changes would not always be logged alone.
func (g *planner) config() object {
	g.configs++
	c := object{"temperature": float64(g.configs) / 1000}
	if g.chance(3) {
		c["stop"] = []string{g.words(), "END"}
	}
	if g.chance(4) {
		c["maxTokens"] = 10 + g.IntN(90)
	}
	if g.chance(4) {
		c["reasoningEffort"] = g.any("low", "high", "off")
	}
	if g.chance(5) {
		c["provider"], c["model"] = g.any("scripted", "other"), g.any("kiln-3", "kiln-4")
	}
	if g.chance(4) {
		c[g.any("extra", "7", "x-π")] = g.oddJSON(2)
	}
	if g.chance(6) {
		c["stop"] = nil
	}
	return c
}

func (g *planner) turn() *turn {
	t := &turn{}
	if g.chance(3) {
		t.Before = g.acts()
	}
	switch g.IntN(12) {
	case 0:
		t.Before = append(t.Before, object{"do": "compact"})
	case 1:
		t.Before = append(t.Before, object{"do": "prune"})
	case 2:
		m := g.message()
		m["do"], m["how"] = "batch", g.any("reject", "empty", "reverse", "add", "add")
		t.Before = append(t.Before, m)
	}
	t.Message = g.message()
	for range g.IntN(5) {
		t.Replies = append(t.Replies, g.reply())
	}
	if g.chance(6) {
		t.Timed = append(t.Timed, object{"do": "cancel", "at": g.IntN(60), "keep": g.chance(2)})
	}
	return t
}

// reply is what the model streams for one request, with what happens meanwhile.
func (g *planner) reply() (chunks []object) {
	add := func(c ...object) {
		if g.chance(10) {
			chunks = append(chunks, g.act())
		}
		chunks = append(chunks, c...)
	}
	calls, index := 0, 0
	for range g.IntN(4) {
		switch g.IntN(3) {
		case 0, 1:
			g.block(index, add)
		case 2:
			calls++
			g.call(index, add)
		}
		index++
	}
	if g.chance(2) {
		add(object{"type": "usage", "usage": object{"inputTokens": g.IntN(10000), "outputTokens": g.IntN(100), "cacheReadTokens": g.IntN(50)}})
	}
	end := "stop"
	if calls > 0 {
		end = "tool-calls"
	}
	finish := object{"type": "finish", "reason": object{"kind": end}}
	if g.chance(10) {
		chunks = append(chunks, g.act())
	}
	return g.ending(chunks, finish)
}

// block adds a block of text or reasoning, delta by delta.
func (g *planner) block(index int, add func(...object)) {
	kind := g.any("text", "text", "reasoning")
	if g.chance(2) {
		add(object{"type": "block-start", "index": index, "blockType": kind})
	}
	all := ""
	for range 1 + g.IntN(6) {
		w := g.words()
		all += w
		add(object{"type": kind + "-delta", "index": index, "text": w})
	}
	if g.chance(3) {
		add(object{"type": "block-end", "index": index, "block": object{"type": kind, "text": all}})
	}
}

// call adds a tool call in two deltas.
func (g *planner) call(index int, add func(...object)) {
	g.calls++
	id, name := fmt.Sprintf("call-%d%s", g.calls, g.any("", "", "é")), fmt.Sprintf("tool_%d", g.IntN(len(g.tools)+1))
	args := g.any("{}", "", `{"10":"x","2":1e21,"é":"\ud800"}`, `{"a":`, `{"2":2}`, `"text"`, `{"x":true,"__proto__":{"y":1}}`)
	first := object{"type": "tool-call-delta", "index": index, "id": id, "name": name, "argumentsDelta": args[:len(args)/2]}
	add(first, object{"type": "tool-call-delta", "index": index, "id": id, "argumentsDelta": args[len(args)/2:]})
}

// ending ends an answer: with its finish, with another one, or without.
func (g *planner) ending(chunks []object, finish object) []object {
	switch g.IntN(12) {
	case 0:
		finish["reason"] = object{"kind": "max-tokens"}
	case 1, 2:
		return append(chunks, object{"do": "throw", "code": g.any("SERVER", "RATE_LIMIT", "TRANSPORT", "CONTEXT_WINDOW_EXCEEDED", "AUTH", "EMPTY_RESPONSE"), "message": g.words() + "?"})
	case 3:
		return append(chunks, object{"do": "cancel", "keep": g.chance(2)})
	case 4:
		return chunks // ends without a finish
	case 5:
		finish["replayState"] = object{"response": g.oddJSON(2)}
	case 6:
		finish["reason"] = object{"kind": g.any("error", "aborted"), "failure": object{"code": g.any("SERVER", "ABORTED", "CONTEXT_WINDOW_EXCEEDED"), "message": g.words() + "?"}}
	}
	return append(chunks, finish)
}
