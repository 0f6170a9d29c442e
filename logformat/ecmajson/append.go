package ecmajson

import (
	"math"
	"sort"
)

// Append appends what JSON.stringify(JSON.parse(text)) prints, text being src
// decoded with invalid UTF-8 replaced. It costs time and memory linear in src.
// The error is that of [Check].
func Append(dst, src []byte) ([]byte, error) {
	return appendText(dst, printer{src: src})
}

// AppendParsed is Append, but that a number beyond the doubles stays a number:
// it prints as 1e999 or -1e999. That is the text as JavaScript holds it after
// parsing, and Append prints it as JSON.stringify would.
func AppendParsed(dst, src []byte) ([]byte, error) {
	return appendText(dst, printer{src: src, keepOverflow: true})
}

func appendText(dst []byte, p printer) ([]byte, error) {
	form, err := Check(p.src)
	if err != nil {
		return dst, err
	}
	if form.Canonical() {
		return append(dst, p.src...), nil
	}
	p.skipSpace()
	root := p.parse()
	return p.print(dst, root), nil
}

// A printer holds a text as a tree, because the order in which members print
// is known only when all of an object's keys are.
type printer struct {
	src   []byte
	at    int
	nodes []node

	keepOverflow bool
}

// node is a value: a scalar by its bytes, an array or object by its members.
type node struct {
	start, end int // of a scalar's bytes
	kind       Kind
	members    []printMember
}

type printMember struct {
	key   span // of an object's member
	index int64
	value int // in nodes
}

func (p *printer) skipSpace() {
	for p.at < len(p.src) && p.src[p.at] <= ' ' {
		p.at++
	}
}

// parse reads the value at p.at, which Check accepted, and returns its node.
func (p *printer) parse() int {
	v := Value(p.src[p.at:])
	kind := v.Kind()
	n := node{start: p.at, kind: kind}
	if kind == Array || kind == Object {
		n.members = p.parseMembers(kind)
	} else {
		p.at = Skip(p.src, p.at)
	}
	n.end = p.at
	p.nodes = append(p.nodes, n)
	return len(p.nodes) - 1
}

func (p *printer) parseMembers(kind Kind) (members []printMember) {
	close := closer(kind == Object)
	p.at++
	p.skipSpace()
	for p.src[p.at] != close {
		m := printMember{index: -1}
		if kind == Object {
			end := Skip(p.src, p.at)
			m.key = span{p.at, end}
			p.at = end
			p.skipSpace()
			p.at++ // the colon
			p.skipSpace()
		}
		m.value = p.parse()
		members = append(members, m)
		p.skipSpace()
		if p.src[p.at] == ',' {
			p.at++
			p.skipSpace()
		}
	}
	p.at++
	if kind == Object {
		members = p.arrange(members)
	}
	return members
}

// arrange puts an object's members in the order in which they print.
func (p *printer) arrange(members []printMember) []printMember {
	place := make(map[string]int, len(members))
	kept := members[:0]
	indexed := false
	for _, m := range members {
		text := string(appendUnescaped(nil, p.src[m.key.start:m.key.end]))
		if at, ok := place[text]; ok {
			kept[at].value = m.value
			continue
		}
		if index, ok := arrayIndex([]byte(`"` + text + `"`)); ok {
			m.index, indexed = index, true
		}
		place[text] = len(kept)
		kept = append(kept, m)
	}
	if indexed {
		sort.SliceStable(kept, func(i, j int) bool {
			a, b := kept[i].index, kept[j].index
			if a < 0 || b < 0 {
				return a >= 0 && b < 0
			}
			return a < b
		})
	}
	return kept
}

func (p *printer) print(dst []byte, at int) []byte {
	n := &p.nodes[at]
	switch n.kind {
	case Array, Object:
		return p.printMembers(dst, n)
	case String:
		return p.printString(dst, p.src[n.start:n.end])
	case Number:
		f := parseNumber(p.src[n.start:n.end])
		switch {
		case p.keepOverflow && math.IsInf(f, 1):
			return append(dst, "1e999"...)
		case p.keepOverflow && math.IsInf(f, -1):
			return append(dst, "-1e999"...)
		}
		return AppendNumber(dst, f)
	}
	return append(dst, p.src[n.start:n.end]...)
}

func (p *printer) printMembers(dst []byte, n *node) []byte {
	object := n.kind == Object
	dst = append(dst, p.src[n.start])
	for i, m := range n.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		if object {
			dst = append(p.printString(dst, p.src[m.key.start:m.key.end]), ':')
		}
		dst = p.print(dst, m.value)
	}
	return append(dst, closer(object))
}

func (p *printer) printString(dst, lit []byte) []byte {
	if _, form, _ := ConsumeString(lit, 0); form.Canonical() {
		return append(dst, lit...)
	}
	return AppendString(dst, string(appendUnescaped(nil, lit)))
}
