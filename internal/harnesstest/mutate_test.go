package harnesstest

import (
	"bytes"
	"math/rand/v2"
	"strings"
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

// mutate spoils a log's file, and returns what was done to it.
func mutate(r *rand.Rand, log *baseLog) (file []byte, how string) {
	if log.compressed && r.IntN(5) == 0 {
		return reframe(r, log.text)
	}
	var names []string
	text := append([]byte(nil), log.text...)
	atFile := log.compressed && r.IntN(3) == 0
	if !atFile {
		text, names = mutateText(r, text)
	}
	if !log.compressed {
		return text, strings.Join(names, ", ")
	}
	file = append([]byte(nil), log.file...)
	if !atFile || r.IntN(2) == 0 {
		file = compress(r, text)
	}
	if atFile && r.IntN(3) > 0 || r.IntN(12) == 0 {
		d := fileDamage[r.IntN(len(fileDamage))]
		file = d.do(r, file)
		names = append(names, d.name)
	}
	return file, strings.Join(names, ", ")
}

// mutateText changes the text of a log by its structure, by its bytes, or by both.
func mutateText(r *rand.Rand, text []byte) (_ []byte, names []string) {
	restructured := r.IntN(3) > 0
	if restructured {
		var done string
		text, done = restructure(r, text)
		names = append(names, done)
	}
	if !restructured || r.IntN(4) == 0 {
		for range 1 + r.IntN(2)*r.IntN(3) {
			d := textDamage[r.IntN(len(textDamage))]
			text = d.do(r, text)
			names = append(names, d.name)
		}
	}
	return text, names
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
