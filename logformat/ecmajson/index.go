package ecmajson

import "iter"

// indexDepth is how deep an [Index] remembers values.
const indexDepth = 6

// An Index remembers where the outer values of a text are, so that finding
// members costs the members looked at and not the bytes in between. It holds
// the values down to a depth of six; numbers in arrays are left out, because
// arrays of numbers are long and nobody looks for one of them.
//
// Lookup by key compares spellings, so an index is for canonical texts, in
// which a key has one spelling and appears once.
type Index struct {
	src   []byte
	nodes []indexNode
}

// Invariants: nodes are in the order in which their values start; first and
// next are links to a later node, or 0 for none (node 0 is the root and nobody's
// child).
type indexNode struct {
	key         span // empty for elements and the root
	start, end  int
	first, next int32
}

// A Node is a value of an index. The zero Node is absent.
type Node struct {
	x *Index
	i int32
}

// Check is [Check], and fills the index. Its nodes are valid until the next call.
func (x *Index) Check(src []byte) (Form, error) {
	x.src, x.nodes = src, x.nodes[:0]
	c := checkers.Get().(*checker)
	c.src, c.form, c.index = src, 0, x
	form, err := c.text()
	c.index = nil
	c.release()
	if cap(x.nodes) > keptStack {
		x.nodes = append(make([]indexNode, 0, len(x.nodes)), x.nodes...)
	}
	return form, err
}

// Root returns the node of the whole text.
func (x *Index) Root() Node {
	if len(x.nodes) == 0 {
		return Node{}
	}
	return Node{x, 0}
}

// open adds the node of a value that starts at start, as the next child of
// parent; -1 when it is not remembered.
func (x *Index) open(parent *open, depth int, key span, start int) int32 {
	if depth > 0 && (parent.node < 0 || depth > indexDepth) {
		return -1
	}
	if b := x.src[start]; depth > 0 && !parent.object && (b == '-' || b >= '0' && b <= '9') {
		return -1
	}
	n := int32(len(x.nodes))
	x.nodes = append(x.nodes, indexNode{key: key, start: start})
	if depth > 0 {
		if parent.lastChild > 0 {
			x.nodes[parent.lastChild].next = n
		} else {
			x.nodes[parent.node].first = n
		}
		parent.lastChild = n
	}
	return n
}

// Value returns the node's bytes; nil when it is absent.
func (n Node) Value() Value {
	if n.x == nil {
		return nil
	}
	at := &n.x.nodes[n.i]
	return n.x.src[at.start:at.end:at.end]
}

// Span returns where the node's bytes are in the text.
func (n Node) Span() (start, end int) {
	if n.x == nil {
		return 0, 0
	}
	return n.x.nodes[n.i].start, n.x.nodes[n.i].end
}

// Key returns the node's key as a string value; nil for an element.
func (n Node) Key() Value {
	key := n.x.nodes[n.i].key
	return n.x.src[key.start:key.end:key.end]
}

// Kind returns what the node is.
func (n Node) Kind() Kind {
	if n.x == nil {
		return Absent
	}
	return Value(n.x.src[n.x.nodes[n.i].start:]).Kind()
}

// Lookup returns an object's member; absent when there is none.
func (n Node) Lookup(key string) Node {
	if n.Kind() != Object {
		return Node{}
	}
	for i := n.x.nodes[n.i].first; i != 0; i = n.x.nodes[i].next {
		k := n.x.nodes[i].key
		if k.end-k.start == len(key)+2 && string(n.x.src[k.start+1:k.end-1]) == key {
			return Node{n.x, i}
		}
	}
	return Node{}
}

// Children yields an object's members, or an array's elements except numbers.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.x == nil {
			return
		}
		for i := n.x.nodes[n.i].first; i != 0; i = n.x.nodes[i].next {
			if !yield(Node{n.x, i}) {
				return
			}
		}
	}
}

// Is reports whether the node is a string whose text is s.
func (n Node) Is(s string) bool { return n.Value().Is(s) }

// Text returns the text of a string.
func (n Node) Text() string { return n.Value().Text() }

// SafeInt returns a number that is a safe integer.
func (n Node) SafeInt() (int64, bool) { return n.Value().SafeInt() }
