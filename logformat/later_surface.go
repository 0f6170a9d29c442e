package logformat

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A surfaceOrder is what the model sees of a log at a point, as far as rules across rows
// need it: the order of its nodes, and of each what a later row may be compared with.
type surfaceOrder struct {
	nodes       map[int64]*surfaceNode
	first, last *surfaceNode
	head        *surfaceNode // the protected system prompt (section 7.3), nil while there is none
	free        *surfaceNode // nodes that left, to be used again
}

// A surfaceNode is one event on the surface.
type surfaceNode struct {
	seq        int64
	t          *typeRules
	prev, next *surfaceNode
	cited      int64  // the last event that cites it, plus 1
	rest       []byte // of a tool's result: its data without what a replacement may change
	images     images
}

// place is what an event does on the surface.
type place struct {
	first, last *surfaceNode // of what it replaces
	length      int
	head, cited bool // the head is among it; all of it is cited
}

// span walks what a replace covers. code is why it covers nothing.
func (s *surfaceOrder) span(e *Event) (p place, code Code, detail string) {
	p.first, p.last = s.nodes[e.Surface.Start], s.nodes[e.Surface.End]
	if p.first == nil {
		return p, CodeReplaceMissing, fmt.Sprintf("seq %d is not on the surface", e.Surface.Start)
	}
	if p.last == nil {
		return p, CodeReplaceMissing, fmt.Sprintf("seq %d is not on the surface", e.Surface.End)
	}
	for _, n := range e.Sources {
		if node := s.nodes[n]; node != nil {
			node.cited = e.Seq + 1
		}
	}
	p.cited = true
	for node := p.first; ; node = node.next {
		if node == nil {
			return p, CodeReplaceReversed, ""
		}
		p.length++
		p.head = p.head || node == s.head
		p.cited = p.cited && node.cited == e.Seq+1
		if node == p.last {
			return p, "", ""
		}
	}
}

// replaceFault (V2-18, V3-06) says why a replace may not cover what it covers.
func (s *surfaceOrder) replaceFault(p *place, t *typeRules) Code {
	switch {
	case p.head && (t.name != TypeSystemMessage || p.length != 1):
		return CodeHeadReplaced
	case !p.cited:
		return CodeReplaceSources
	}
	return ""
}

// put appends an event, or puts it in the place of what it replaces.
func (s *surfaceOrder) put(e *Event, t *typeRules, p *place) *surfaceNode {
	node := s.free
	if node == nil {
		node = new(surfaceNode)
	} else {
		s.free = node.next
	}
	*node = surfaceNode{seq: e.Seq, t: t, rest: node.rest[:0], images: images{offloaded: node.images.offloaded[:0]}}
	if s.nodes == nil {
		s.nodes = make(map[int64]*surfaceNode)
	}
	if p == nil {
		node.prev = s.last
	} else {
		node.prev, node.next = p.first.prev, p.last.next
		s.remove(p)
	}
	s.link(node)
	if p == nil && node.prev == nil && t.name == TypeSystemMessage || p != nil && p.head {
		s.head = node
	}
	s.nodes[e.Seq] = node
	return node
}

func (s *surfaceOrder) link(node *surfaceNode) {
	if node.prev != nil {
		node.prev.next = node
	} else {
		s.first = node
	}
	if node.next != nil {
		node.next.prev = node
	} else {
		s.last = node
	}
}

// remove takes a span off the surface.
func (s *surfaceOrder) remove(p *place) {
	for node := p.first; ; {
		next := node.next
		delete(s.nodes, node.seq)
		node.next, s.free = s.free, node
		if node == p.last {
			return
		}
		node = next
	}
}

// isSpan reports whether an array names the surface from one end to the other, exactly.
func (s *surfaceOrder) isSpan(seqs, start, end ecmajson.Value) bool {
	from, ok := count(start)
	to, ok2 := count(end)
	node := s.nodes[from]
	if !ok || !ok2 || node == nil || seqs.Kind() != ecmajson.Array {
		return false
	}
	last := int64(-1)
	for v := range seqs.Elements() {
		n, ok := count(v)
		if !ok || node == nil || node.seq != n {
			return false
		}
		last, node = n, node.next
	}
	return last == to
}

// without returns the data of a row with null in place of one value inside.
func without(dst []byte, data, cut ecmajson.Node) []byte {
	base, end := data.Span()
	text := data.Value()
	if cut.Kind() == ecmajson.Absent {
		return append(dst, text[:end-base]...)
	}
	from, to := cut.Span()
	dst = append(dst, text[:from-base]...)
	dst = append(dst, "null"...)
	return append(dst, text[to-base:]...)
}
