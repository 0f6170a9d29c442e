package recordingtest

import (
	"bytes"
	"math/rand/v2"
	"slices"
)

// pieces are what is put into texts.
var pieces = []string{
	`"`, `\`, `{`, `}`, `[`, `]`, `,`, `:`, " ", "\n", "\t", "\x00", "\xff", "\xc3", "\u00a0", "\ufeff", "\u2028", "\ufffd", "0", "null",
	`{}`, `\u0000`, `\ud800`, `"}`, `\"`, `","text":"`, `"messages":[]`, `},{`, `]]`,
}

// byteOps change any text.
var byteOps = []struct {
	name string
	do   func(r *rand.Rand, text []byte, at int) []byte
}{
	{"flip", func(r *rand.Rand, text []byte, at int) []byte {
		text[at] ^= 1 << r.IntN(8)
		return text
	}},
	{"set", func(r *rand.Rand, text []byte, at int) []byte {
		return slices.Concat(text[:at], []byte(pieces[r.IntN(len(pieces))]), text[at+1:])
	}},
	{"insert", func(r *rand.Rand, text []byte, at int) []byte {
		return slices.Insert(text, at, []byte(pieces[r.IntN(len(pieces))])...)
	}},
	{"remove", func(r *rand.Rand, text []byte, at int) []byte {
		return slices.Delete(text, at, min(len(text), at+1+r.IntN(20)))
	}},
	{"repeat", func(r *rand.Rand, text []byte, at int) []byte {
		end := min(len(text), at+1+r.IntN(100))
		return slices.Concat(text[:end], text[at:])
	}},
	{"cut", func(_ *rand.Rand, text []byte, at int) []byte { return text[:at] }},
	{"cut in front", func(_ *rand.Rand, text []byte, at int) []byte { return text[at:] }},
	{"cut near the end", func(r *rand.Rand, text []byte, _ int) []byte { return text[:len(text)-1-r.IntN(min(len(text), 12))] }},
	{"append", func(r *rand.Rand, text []byte, _ int) []byte {
		return append(text, pieces[r.IntN(len(pieces))]...)
	}},
	{"prepend", func(r *rand.Rand, text []byte, _ int) []byte {
		return append([]byte(pieces[r.IntN(len(pieces))]), text...)
	}},
	{"case", func(_ *rand.Rand, text []byte, at int) []byte {
		if c := text[at] | 0x20; c >= 'a' && c <= 'z' {
			text[at] ^= 0x20
		}
		return text
	}},
	{"line ends", func(_ *rand.Rand, text []byte, _ int) []byte {
		return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}},
	{"mark", func(_ *rand.Rand, text []byte, _ int) []byte { return append([]byte("\xef\xbb\xbf"), text...) }},
}

func mutateBytes(r *rand.Rand, text []byte) ([]byte, string) {
	if len(text) < 2 {
		return text, ""
	}
	op := byteOps[r.IntN(len(byteOps))]
	return op.do(r, bytes.Clone(text), r.IntN(len(text))), "bytes: " + op.name
}

// lineOps change a text of lines. The lines keep their line feeds.
var lineOps = []struct {
	name string
	do   func(r *rand.Rand, lines [][]byte, i int) [][]byte
}{
	{"delete", func(_ *rand.Rand, l [][]byte, i int) [][]byte { return slices.Delete(l, i, i+1) }},
	{"double", func(_ *rand.Rand, l [][]byte, i int) [][]byte { return slices.Insert(l, i, l[i]) }},
	{"double elsewhere", func(r *rand.Rand, l [][]byte, i int) [][]byte { return slices.Insert(l, r.IntN(len(l)+1), l[i]) }},
	{"tampered before", func(r *rand.Rand, l [][]byte, i int) [][]byte { return slices.Insert(l, i, tamperedLine(r, l[i])) }},
	{"tampered after", func(r *rand.Rand, l [][]byte, i int) [][]byte { return slices.Insert(l, i+1, tamperedLine(r, l[i])) }},
	{"tampered elsewhere", func(r *rand.Rand, l [][]byte, i int) [][]byte {
		return slices.Insert(l, r.IntN(len(l)+1), tamperedLine(r, l[i]))
	}},
	{"tampered", func(r *rand.Rand, l [][]byte, i int) [][]byte {
		l[i] = tamperedLine(r, l[i])
		return l
	}},
	{"swap", func(r *rand.Rand, l [][]byte, i int) [][]byte {
		j := r.IntN(len(l))
		l[i], l[j] = l[j], l[i]
		return l
	}},
	{"join", func(_ *rand.Rand, l [][]byte, i int) [][]byte {
		l[i] = bytes.TrimRight(l[i], "\n")
		return l
	}},
	{"split", func(r *rand.Rand, l [][]byte, i int) [][]byte {
		at := r.IntN(len(l[i]))
		return slices.Replace(l, i, i+1, append(bytes.Clone(l[i][:at]), '\n'), l[i][at:])
	}},
	{"blank", func(_ *rand.Rand, l [][]byte, i int) [][]byte { return slices.Insert(l, i, []byte(" \n")) }},
	{"another's number", func(r *rand.Rand, l [][]byte, i int) [][]byte {
		l[i] = bytes.Replace(l[i], []byte(`"turn":`), []byte(`"turn":1`), 1)
		return l
	}},
	{"another session", func(r *rand.Rand, l [][]byte, i int) [][]byte {
		other := []string{`"sessionId":"x`, `"sessionId": "`, `"sessionId":" `, `"SessionId":"`, `"sessionId":"x","sessionId":"`}[r.IntN(5)]
		l[i] = bytes.Replace(l[i], []byte(`"sessionId":"`), []byte(other), 1)
		return l
	}},
	{"session after", func(r *rand.Rand, l [][]byte, i int) [][]byte {
		return slices.Insert(l, i, hidden(tamperedLine(r, l[i])))
	}},
}

// tamperedLine changes a line's JSON a little.
func tamperedLine(r *rand.Rand, line []byte) []byte {
	root := parse(line)
	if root == nil {
		return bytes.ToUpper(line)
	}
	m := root
	if i := slices.IndexFunc(root.children, func(m *member) bool { return string(m.key) == `"request"` }); i >= 0 && r.IntN(4) > 0 {
		m = root.children[i].value
	}
	m.tamper(r)
	return append(root.print(nil), '\n')
}

// hidden gives a line another session at its beginning, and its own at its end.
func hidden(line []byte) []byte {
	root := parse(line)
	if root == nil {
		return line
	}
	for _, m := range root.children {
		if string(m.key) == `"sessionId"` {
			root.children = append(root.children, &member{m.key, m.value.clone()})
			m.value.text = []byte(`"another"`)
			break
		}
	}
	return append(root.print(nil), '\n')
}

func mutateLines(r *rand.Rand, text []byte) ([]byte, string) {
	var lines [][]byte
	for line := range bytes.Lines(text) {
		lines = append(lines, bytes.Clone(line))
	}
	if len(lines) == 0 {
		return text, ""
	}
	op := lineOps[r.IntN(len(lineOps))]
	return bytes.Join(op.do(r, lines, r.IntN(len(lines))), nil), "line: " + op.name
}

// mutateLineMembers changes members of one line.
func mutateLineMembers(r *rand.Rand, text []byte) ([]byte, string) {
	var lines [][]byte
	for line := range bytes.Lines(text) {
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return text, ""
	}
	i := r.IntN(len(lines))
	line, what := members(r, lines[i])
	lines[i] = append(bytes.Clone(line), '\n')
	return bytes.Join(lines, nil), what
}
