package recordingtest

import (
	"bytes"
	"math/rand/v2"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A node is a JSON value that can be changed and printed: members keep their order and
// their spelling, and may stand twice.
type node struct {
	open     byte   // { or [; 0: a scalar
	text     []byte // of a scalar
	children []*member
}

// A member is a child of a node; key is nil in lists.
type member struct {
	key   []byte
	value *node
}

// parse returns the tree of a text, nil when it is no JSON.
func parse(text []byte) *node {
	if _, err := ecmajson.Check(text); err != nil {
		return nil
	}
	return tree(ecmajson.Value(bytes.TrimSpace(text)))
}

func tree(v ecmajson.Value) *node {
	n := &node{}
	switch v.Kind() {
	case ecmajson.Object:
		n.open = '{'
		for key, value := range v.Members() {
			n.children = append(n.children, &member{bytes.Clone(key), tree(value)})
		}
	case ecmajson.Array:
		n.open = '['
		for value := range v.Elements() {
			n.children = append(n.children, &member{nil, tree(value)})
		}
	default:
		n.text = bytes.Clone(v)
	}
	return n
}

func (n *node) print(dst []byte) []byte {
	if n.open == 0 {
		return append(dst, n.text...)
	}
	dst = append(dst, n.open)
	for i, m := range n.children {
		if i > 0 {
			dst = append(dst, ',')
		}
		if m.key != nil {
			dst = append(append(dst, m.key...), ':')
		}
		dst = m.value.print(dst)
	}
	return append(dst, n.open+2)
}

func (n *node) clone() *node {
	c := &node{open: n.open, text: bytes.Clone(n.text)}
	for _, m := range n.children {
		c.children = append(c.children, &member{bytes.Clone(m.key), m.value.clone()})
	}
	return c
}

// pick returns an object or list somewhere in the tree, mostly near its root, that has
// children.
func (n *node) pick(r *rand.Rand) *node {
	at := n
	for len(at.children) > 0 && r.IntN(4) > 0 {
		m := at.children[r.IntN(len(at.children))]
		if len(m.value.children) == 0 {
			break
		}
		at = m.value
	}
	return at
}

// scalar returns a scalar somewhere in the tree.
func (n *node) scalar(r *rand.Rand) *node {
	for len(n.children) > 0 {
		n = n.children[r.IntN(len(n.children))].value
	}
	return n
}

// tamper changes one scalar of a tree a little.
func (n *node) tamper(r *rand.Rand) {
	for range 10 {
		s := n.scalar(r)
		switch {
		case s.open != 0:
			continue
		case len(s.text) > 2 && s.text[0] == '"':
			at := 1 + r.IntN(len(s.text)-2)
			if c := s.text[at]; c != '\\' && (at < 2 || s.text[at-1] != '\\') && c < 0x80 && c != 'u' {
				s.text[at] = "abcdefghijklmnopqrstuvwxyz0123456789"[r.IntN(36)]
				return
			}
		case s.text[0] != '"':
			s.text = []byte(strings.TrimSpace([]string{"0", "1", "2", "7", "null", "true", "false", `""`}[r.IntN(8)]))
			return
		}
	}
}
