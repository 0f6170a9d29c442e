package harnesstest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A damage is one way to spoil a log; it says what it did.
type damage struct {
	name string
	do   func(r *rand.Rand, text []byte) []byte
}

// textDamage spoils decoded text.
var textDamage = []damage{
	{"flip a bit", flip},
	{"set a byte", func(r *rand.Rand, b []byte) []byte {
		if len(b) > 0 {
			b[r.IntN(len(b))] = "\x00\n\r\"\\{}[],:0-e \xff\xc3\xf0"[r.IntN(18)]
		}
		return b
	}},
	{"cut", cut},
	{"remove a line", onLines(func(r *rand.Rand, l [][]byte, i int) [][]byte { return append(l[:i], l[i+1:]...) })},
	{"remove a run of lines", onLines(func(r *rand.Rand, l [][]byte, i int) [][]byte {
		return append(l[:i], l[min(len(l), i+1+r.IntN(5)):]...)
	})},
	{"duplicate a line", onLines(func(r *rand.Rand, l [][]byte, i int) [][]byte { return insert(l, i, l[i]) })},
	{"move a line", onLines(func(r *rand.Rand, l [][]byte, i int) [][]byte {
		moved := l[i]
		l = append(l[:i], l[i+1:]...)
		return insert(l, r.IntN(len(l)+1), moved)
	})},
	{"swap neighbours", onLines(func(r *rand.Rand, l [][]byte, i int) [][]byte {
		if i+1 < len(l) {
			l[i], l[i+1] = l[i+1], l[i]
		}
		return l
	})},
	{"glue lines", onLines(func(r *rand.Rand, l [][]byte, i int) [][]byte {
		l[i] = bytes.TrimSuffix(l[i], []byte("\n"))
		return l
	})},
	{"cut a line", onLines(func(r *rand.Rand, l [][]byte, i int) [][]byte {
		l[i] = append(append([]byte(nil), l[i][:r.IntN(len(l[i]))]...), '\n')
		return l
	})},
	{"break a line", onLines(func(r *rand.Rand, l [][]byte, i int) [][]byte {
		at := r.IntN(len(l[i]))
		l[i] = append(append(append([]byte(nil), l[i][:at]...), '\n'), l[i][at:]...)
		return l
	})},
	{"insert a line", onLines(func(r *rand.Rand, l [][]byte, i int) [][]byte {
		odd := pick(r, "", " ", "null", "[]", "{}", "7", `"x"`, "\r", "\ufeff", "garbage", `{"type":"turn/end"}`,
			`{"type":"turn/end","seq":0,"time":0,"data":{"turn":1,"reason":{"kind":"completed"}}}`, `[{"type":"turn/end"}]`,
			`{"type":"text-chunks","seq0":0,"time0":0,"data":{}}`)
		return insert(l, i, []byte(odd+"\n"))
	})},
	{"end lines with CRLF", func(r *rand.Rand, b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }},
	{"put a byte order mark", func(r *rand.Rand, b []byte) []byte { return append([]byte("\ufeff"), b...) }},
	{"edit a field", editField},
	{"edit a field", editField},
	{"edit a field", editField},
	{"edit a field", editField},
	{"edit an outer field", editOuter},
	{"edit an outer field", editOuter},
	{"edit the header", editHeader},
	{"renumber", renumber},
}

// fileDamage spoils the bytes of a compressed log.
var fileDamage = []damage{
	{"flip a bit of the file", flip},
	{"cut the file", cut},
	{"append to the file", func(r *rand.Rand, b []byte) []byte {
		return append(b, pick(r, "\x00", "\x28", "\x28\xb5", "\x28\xb5\x2f", "\x28\xb5\x2f\xfd", "\x28\xb5\x2f\xfd\x04", "abcd", "\x50\x2a\x4d\x18\x00\x00\x00\x00",
			"\x28\xb5\x2f\xfd\x00\x58\x01\x00\x00", "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00")...)
	}},
	{"remove a frame", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte { return append(f[:i], f[i+1:]...) })},
	{"duplicate a frame", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte { return insert(f, i, f[i]) })},
	{"swap frames", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte {
		j := r.IntN(len(f))
		f[i], f[j] = f[j], f[i]
		return f
	})},
	{"cut a frame", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte {
		f[i] = f[i][:r.IntN(len(f[i]))]
		return f
	})},
	{"cut the last frame", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte {
		last := len(f) - 1
		f[last] = f[last][:r.IntN(len(f[last]))]
		return f
	})},
	{"flip a bit of a frame's head", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte {
		f[i] = append([]byte(nil), f[i]...)
		f[i][r.IntN(min(9, len(f[i])))] ^= 1 << r.IntN(8)
		return f
	})},
}

// mutate spoils a log's file, and returns what was done to it.
func mutate(r *rand.Rand, log *baseLog) (file []byte, how string) {
	var names []string
	text := append([]byte(nil), log.text...)
	atFile := log.compressed && r.IntN(3) == 0
	if !atFile {
		for range 1 + r.IntN(2)*r.IntN(3) {
			d := textDamage[r.IntN(len(textDamage))]
			text = d.do(r, text)
			names = append(names, d.name)
		}
	}
	if !log.compressed {
		return text, strings.Join(names, ", ")
	}
	file = append([]byte(nil), log.file...)
	if !atFile {
		file = compress(r, text)
	}
	if atFile || r.IntN(6) == 0 {
		d := fileDamage[r.IntN(len(fileDamage))]
		file = d.do(r, file)
		names = append(names, d.name)
	}
	return file, strings.Join(names, ", ")
}

func flip(r *rand.Rand, b []byte) []byte {
	if len(b) > 0 {
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	}
	return b
}

func cut(r *rand.Rand, b []byte) []byte { return b[:r.IntN(len(b)+1)] }

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func insert(l [][]byte, i int, line []byte) [][]byte {
	out := append([][]byte(nil), l[:i]...)
	return append(append(out, append([]byte(nil), line...)), l[i:]...)
}

// onLines works on lines, mostly not the first.
func onLines(do func(r *rand.Rand, lines [][]byte, i int) [][]byte) func(*rand.Rand, []byte) []byte {
	return func(r *rand.Rand, b []byte) []byte {
		lines := bytes.SplitAfter(b, []byte("\n"))
		if len(lines[len(lines)-1]) == 0 {
			lines = lines[:len(lines)-1]
		}
		if len(lines) == 0 {
			return b
		}
		i := r.IntN(len(lines))
		if i == 0 && r.IntN(8) > 0 {
			i = len(lines) - 1
		}
		return bytes.Join(do(r, lines, i), nil)
	}
}

func onFrames(do func(r *rand.Rand, frames [][]byte, i int) [][]byte) func(*rand.Rand, []byte) []byte {
	return func(r *rand.Rand, b []byte) []byte {
		frames := splitFrames(b)
		if len(frames) == 0 {
			return b
		}
		return bytes.Join(do(r, frames, r.IntN(len(frames))), nil)
	}
}

// splitFrames cuts before every frame magic, which is exact enough to spoil.
func splitFrames(b []byte) (frames [][]byte) {
	magic := []byte("\x28\xb5\x2f\xfd")
	for len(b) > 0 {
		next := -1
		if len(b) > 4 {
			next = bytes.Index(b[4:], magic)
		}
		if next < 0 {
			return append(frames, b)
		}
		frames, b = append(frames, b[:next+4:next+4]), b[next+4:]
	}
	return frames
}

// compress writes text as the harness does, a frame for the header line and
// one for each batch; now and then a batch ends inside a line.
func compress(r *rand.Rand, text []byte) (file []byte) {
	checksum := r.IntN(8) > 0
	w, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(checksum), zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		panic(err)
	}
	defer w.Close()
	head := bytes.IndexByte(text, '\n') + 1
	file = w.EncodeAll(text[:head], nil)
	for text = text[head:]; len(text) > 0; {
		n := min(len(text), 1+r.IntN(1+len(text)))
		if end := bytes.IndexByte(text[n:], '\n'); end >= 0 && r.IntN(6) > 0 {
			n += end + 1
		}
		file, text = w.EncodeAll(text[:n], file), text[n:]
	}
	return file
}

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
	case 0: // remove it
		if s.end < len(text) && text[s.end] == ',' {
			return replace(s.start, s.end+1, "")
		}
		if s.start > 0 && text[s.start-1] == ',' {
			return replace(s.start-1, s.end, "")
		}
		return replace(s.start, s.end, "")
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
