package harnesstest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// odd are values that a field may be given.
var odd = []string{
	"null", "true", "false", "0", "-0", "1", "-1", "1.0", "1.5", "1e0", "10e-1", "1e400", "-1e400", "1e-400", "9007199254740991", "9007199254740992", "-9007199254740991",
	"1e21", "01", "1.", "-", "NaN", `""`, `"0"`, `"append"`, `"\ud800"`, `"\ud83d\ude00"`, `"\u0000"`, `"\x"`, `"user"`, `"tool"`, `"model"`, `"assistant"`, `"completed"`, `"turn/end"`, `"error"`, `"fallback"`,
	`"subagent"`, `"/x"`, `"x"`, "[]", "[[]]", "[null]", "[0]", "[0,0]", "[1,2]", `["x"]`, "{}", `{"op":"replace","start":0,"end":0}`, `{"kind":"completed"}`, `{"kind":"user"}`, `{"kind":"disposed"}`,
	`{"0":1}`, `{"__proto__":1}`, `{"type":"text","text":"x"}`, `{"length":1}`, `[{"type":"text","text":"x"}]`, strings.Repeat("[", 300) + strings.Repeat("]", 300),
}

// keys are names that a member may be given.
var keys = []string{
	"type", "seq", "time", "data", "surfaceOp", "sourceEventSeqs", "ignorable", "id", "role", "content", "source", "kind", "message", "header", "config", "system", "tools", "reason",
	"provider", "model", "turn", "step", "adapterDefaults", "reasoningEffort", "maxTokens", "error", "failure", "code", "trigger", "callId", "isError", "provenance", "toolCallId", "version", "createdAt", "cwd",
	"seedLength", "parentSession", "origin", "delegationDepth", "agentPreset", "sandboxMode", "approvalPolicy", "messages", "sessionId", "messagePrefix", "__proto__", "constructor", "toJSON", "0", "x",
	"texts", "dt", "args", "index", "seq0", "time0", "name", "op", "start", "end",
}

var types = []string{
	"user/message", "assistant/message", "tool/result", "steering/message", "request/header", "request/header-delta", "mode/set", "turn/start", "turn/end", "step/start", "step/end", "tool/call",
	"assistant/chunk", "text-chunks", "reasoning-chunks", "tool-call-chunks", "session/end-seed", "plan/mode", "plugin/unknown", "session", "",
}

// editField spoils one member or element anywhere in a line.
func editField(r *rand.Rand, b []byte) []byte { return editAt(r, b, -1, -1) }

// editOuter spoils a member near the outside of a line.
func editOuter(r *rand.Rand, b []byte) []byte { return editAt(r, b, -1, 3) }

func editHeader(r *rand.Rand, b []byte) []byte { return editAt(r, b, 0, -1) }

func editAt(r *rand.Rand, b []byte, line, depth int) []byte {
	lines := bytes.SplitAfter(b, []byte("\n"))
	if line < 0 {
		line = r.IntN(len(lines))
		for range 3 { // surface events matter most and are few among chunks
			if !bytes.Contains(lines[line], []byte("chunk")) {
				break
			}
			line = r.IntN(len(lines))
		}
	}
	spans := scan(lines[line], depth)
	if len(spans) == 0 {
		return b
	}
	lines[line] = edit(r, lines[line], spans)
	return bytes.Join(lines, nil)
}

func edit(r *rand.Rand, text []byte, spans []span) []byte {
	s := spans[r.IntN(len(spans))]
	replace := func(from, to int, with string) []byte {
		return append(append(append([]byte(nil), text[:from]...), with...), text[to:]...)
	}
	value := func() string {
		if r.IntN(5) == 0 {
			other := spans[r.IntN(len(spans))]
			return string(text[other.value:other.end])
		}
		if string(text[s.start:s.value]) == `"type":` && r.IntN(2) == 0 {
			return `"` + types[r.IntN(len(types))] + `"`
		}
		return odd[r.IntN(len(odd))]
	}
	switch r.IntN(8) {
	case 0:
		from, to := withComma(text, s)
		return replace(from, to, "")
	case 1: // another beside it
		if s.start == s.value {
			return replace(s.start, s.start, value()+",")
		}
		return replace(s.start, s.start, fmt.Sprintf(`"%s":%s,`, keys[r.IntN(len(keys))], value()))
	case 2: // twice
		if s.start < s.value && r.IntN(2) == 0 {
			return replace(s.end, s.end, ","+string(text[s.start:s.value])+value())
		}
		return replace(s.end, s.end, ","+string(text[s.start:s.end]))
	case 3: // another name
		if s.start < s.value {
			return replace(s.start, s.value, fmt.Sprintf(`"%s":`, keys[r.IntN(len(keys))]))
		}
		fallthrough
	default:
		return replace(s.value, s.end, value())
	}
}

// withComma is a span with the comma that goes when it is removed.
func withComma(text []byte, s span) (from, to int) {
	switch {
	case s.end < len(text) && text[s.end] == ',':
		return s.start, s.end + 1
	case s.start > 0 && text[s.start-1] == ',':
		return s.start - 1, s.end
	}
	return s.start, s.end
}

// renumber changes a seq and what follows, so that later lines stay contiguous
// or do not.
func renumber(r *rand.Rand, b []byte) []byte {
	lines := bytes.SplitAfter(b, []byte("\n"))
	from := r.IntN(len(lines))
	by := r.IntN(3) - 1
	for i := from; i < len(lines); i++ {
		at := bytes.Index(lines[i], []byte(`"seq":`))
		if at < 0 {
			continue
		}
		var n, used int
		if _, err := fmt.Sscanf(string(lines[i][at+6:]), "%d", &n); err != nil {
			continue
		}
		used = len(fmt.Sprint(n))
		lines[i] = append(append(append([]byte(nil), lines[i][:at+6]...), fmt.Sprint(n+by)...), lines[i][at+6+used:]...)
	}
	return bytes.Join(lines, nil)
}

// A span is a member of an object or an element of an array in a line: its
// start (of the key, if it has one), its value's start, and its end.
type span struct{ start, value, end int }

// scan finds the members and elements of a well-formed line down to a depth,
// -1 for all.
func scan(text []byte, depth int) (spans []span) {
	s := scanner{text: text, limit: depth}
	defer func() {
		if recover() != nil { // not well-formed: edit what was found
			spans = s.spans
		}
	}()
	s.value(0)
	return s.spans
}

type scanner struct {
	text  []byte
	at    int
	limit int
	spans []span
}

func (s *scanner) value(depth int) {
	switch s.text[s.at] {
	case '{', '[':
		object := s.text[s.at] == '{'
		for s.at++; s.text[s.at] != '}' && s.text[s.at] != ']'; {
			if s.text[s.at] == ',' {
				s.at++
			}
			m := span{start: s.at}
			if object {
				s.quoted()
				s.at++ // the colon
			}
			m.value = s.at
			s.value(depth + 1)
			m.end = s.at
			if m.end == m.value {
				panic("stuck")
			}
			if s.limit < 0 || depth < s.limit {
				s.spans = append(s.spans, m)
			}
		}
		s.at++
	case '"':
		s.quoted()
	default:
		for !bytes.ContainsRune([]byte(",]}\n"), rune(s.text[s.at])) {
			s.at++
		}
	}
}

func (s *scanner) quoted() {
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
}
