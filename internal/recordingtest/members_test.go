package recordingtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
)

// memberOps change the members or elements of one object or list.
var memberOps = []struct {
	name string
	do   func(r *rand.Rand, n *node, i int)
}{
	{"delete", func(_ *rand.Rand, n *node, i int) { n.children = slices.Delete(n.children, i, i+1) }},
	{"double", func(r *rand.Rand, n *node, i int) { n.insert(r, i, n.children[i]) }},
	{"tampered before", func(r *rand.Rand, n *node, i int) { n.insertAt(i, n.children[i].tampered(r)) }},
	{"tampered after", func(r *rand.Rand, n *node, i int) { n.insertAt(i+1, n.children[i].tampered(r)) }},
	{"tampered first", func(r *rand.Rand, n *node, i int) { n.insertAt(0, n.children[i].tampered(r)) }},
	{"tampered last", func(r *rand.Rand, n *node, i int) { n.insertAt(len(n.children), n.children[i].tampered(r)) }},
	{"tamper", func(r *rand.Rand, n *node, i int) { n.children[i].value.tamper(r) }},
	{"swap", func(r *rand.Rand, n *node, i int) {
		j := r.IntN(len(n.children))
		n.children[i], n.children[j] = n.children[j], n.children[i]
	}},
	{"move", func(r *rand.Rand, n *node, i int) {
		m := n.children[i]
		n.children = slices.Delete(n.children, i, i+1)
		n.insertAt(r.IntN(len(n.children)+1), m)
	}},
	{"another case", func(_ *rand.Rand, n *node, i int) { n.children[i].otherCase() }},
	{"genuine in another case, tampered in its own", func(r *rand.Rand, n *node, i int) {
		genuine := &member{bytes.Clone(n.children[i].key), n.children[i].value.clone()}
		genuine.otherCase()
		n.children[i].value.tamper(r)
		n.insert(r, i, genuine)
	}},
	{"tampered in another case", func(r *rand.Rand, n *node, i int) {
		m := n.children[i].tampered(r)
		m.otherCase()
		n.insert(r, i, m)
	}},
	{"escape", func(r *rand.Rand, n *node, i int) { n.children[i].key = escape(r, n.children[i].key) }},
	{"tampered under an escaped name", func(r *rand.Rand, n *node, i int) {
		m := n.children[i].tampered(r)
		m.key = escape(r, m.key)
		n.insert(r, i, m)
	}},
	{"escape the value", func(r *rand.Rand, n *node, i int) {
		if s := n.children[i].value; s.open == 0 && s.text[0] == '"' {
			s.text = escape(r, s.text)
		}
	}},
	{"another kind", func(r *rand.Rand, n *node, i int) {
		n.children[i].value = parse([]byte([]string{"null", "0", `""`, "[]", "{}", "true", "[{}]", `{"a":1}`}[r.IntN(8)]))
	}},
	{"another's value", func(r *rand.Rand, n *node, i int) {
		n.children[i].value = n.children[r.IntN(len(n.children))].value.clone()
	}},
	{"respell", func(_ *rand.Rand, n *node, i int) {
		if s := n.children[i].value; s.open == 0 && s.text[0] >= '1' && s.text[0] <= '9' && !bytes.ContainsAny(s.text, ".eE") {
			s.text = append(s.text, ".0"...)
		}
	}},
	{"deeper", func(_ *rand.Rand, n *node, i int) {
		n.children[i].value = &node{open: '[', children: []*member{{nil, n.children[i].value}}}
	}},
}

// insert puts a child in front of or after the i-th.
func (n *node) insert(r *rand.Rand, i int, m *member) {
	n.insertAt(i+r.IntN(2), &member{m.key, m.value.clone()})
}

func (n *node) insertAt(i int, m *member) { n.children = slices.Insert(n.children, i, m) }

func (m *member) tampered(r *rand.Rand) *member {
	c := &member{bytes.Clone(m.key), m.value.clone()}
	c.value.tamper(r)
	return c
}

// otherCase writes the first letter of a name in the other case.
func (m *member) otherCase() {
	for i, c := range m.key {
		if c|0x20 >= 'a' && c|0x20 <= 'z' && (i == 0 || m.key[i-1] != '\\') {
			m.key[i] ^= 0x20
			return
		}
	}
}

// escape writes a character of a JSON string as an escape.
func escape(r *rand.Rand, text []byte) []byte {
	if len(text) < 3 || bytes.IndexByte(text, '\\') >= 0 {
		return text
	}
	at := 1 + r.IntN(len(text)-2)
	if text[at] >= 0x80 {
		return text
	}
	return slices.Concat(text[:at], fmt.Appendf(nil, `\u%04x`, text[at]), text[at+1:])
}

// members applies a random operation to a JSON text; "" when it is none.
func members(r *rand.Rand, text []byte) ([]byte, string) {
	root := parse(text)
	if root == nil || len(root.children) == 0 {
		return text, ""
	}
	n := root.pick(r)
	i := r.IntN(len(n.children))
	op := memberOps[r.IntN(len(memberOps))]
	op.do(r, n, i)
	return root.print(nil), "member: " + op.name
}
