package reconstruct

import (
	"crypto/sha256"
	"hash"
	"sort"
)

// checkpointSpacing is how many message bytes may lie between two checkpoints,
// so that a replace in the middle re-hashes at most that much before it.
const checkpointSpacing = 64 << 10

// A checkpoint is the state of a request's hash right after a message.
//
// Invariants of a digester's stack: checkpoints ascend along the surface; each
// holds for the current layout's prefix and for all nodes up to and including
// its own. A replace drops those at the first removed node and after it; a new
// prefix drops all.
type checkpoint struct {
	node  *Message
	state hash.Cloner
	count int   // messages up to and including node
	bytes int64 // of the messages and the commas between them
}

// A digester computes the digests of successive requests, each from the longest
// prefix that it shares with earlier ones.
type digester struct {
	prefix string
	base   hash.Cloner // the state after the prefix
	stack  []checkpoint
}

// sum fills in the request's count, length and digest.
func (d *digester) sum(q *Request) {
	if q.kept != nil {
		d.sumKept(q)
		return
	}
	d.setPrefix(q.layout.prefix)
	at := d.nearest(q.last)
	h := d.cloneOf(at)
	at = d.extend(h, at, q)
	for i := range q.variants {
		if v := &q.variants[i]; string(v.layout.prefix) == d.prefix {
			other := clone(h)
			other.Write(v.layout.suffix)
			other.Sum(v.digest[:0])
			v.summed = true
		}
	}
	h.Write(q.layout.suffix)
	h.Sum(q.digest[:0])
	q.summed = true
	q.count = at.count
	q.length = int64(len(q.layout.prefix)) + at.bytes + int64(len(q.layout.suffix))
}

// sumKept hashes a request whose messages do not follow the live list.
func (d *digester) sumKept(q *Request) {
	q.length = int64(len(q.layout.prefix) + len(q.layout.suffix))
	for m := range q.Messages() {
		if q.count > 0 {
			q.length++
		}
		q.count++
		q.length += int64(len(m.Bytes))
	}
	q.Digest()
}

func (d *digester) setPrefix(prefix []byte) {
	if d.base != nil && d.prefix == string(prefix) {
		return
	}
	d.prefix = string(prefix)
	h := sha256.New()
	h.Write(prefix)
	d.base = h.(hash.Cloner)
	d.stack = d.stack[:0]
}

// nearest returns the last checkpoint at or before node, which may be none.
func (d *digester) nearest(node *Message) checkpoint {
	if node == nil {
		return checkpoint{}
	}
	after := sort.Search(len(d.stack), func(i int) bool { return d.stack[i].node.label > node.label })
	if after == 0 {
		return checkpoint{}
	}
	return d.stack[after-1]
}

func (d *digester) cloneOf(at checkpoint) hash.Cloner {
	state := at.state
	if at.node == nil {
		state = d.base
	}
	return clone(state)
}

func clone(state hash.Cloner) hash.Cloner {
	c, err := state.Clone()
	if err != nil {
		panic("reconstruct: SHA-256 state does not clone: " + err.Error())
	}
	return c
}

// extend hashes the messages after at up to the request's last, leaving a
// checkpoint there and where the spacing asks for one.
func (d *digester) extend(h hash.Cloner, at checkpoint, q *Request) checkpoint {
	if q.last == nil || at.node == q.last {
		return at
	}
	node := q.first
	if at.node != nil {
		node = at.node.next
	}
	since := int64(0)
	for ; ; node = node.next {
		at.node = node
		if node.Bytes != nil {
			if at.count > 0 {
				h.Write(comma)
				at.bytes++
			}
			h.Write(node.Bytes)
			at.count++
			at.bytes += int64(len(node.Bytes))
			since += int64(len(node.Bytes))
		}
		if node == q.last {
			break
		}
		if since >= checkpointSpacing {
			since = 0
			d.push(h, at)
		}
	}
	d.push(h, at)
	return at
}

func (d *digester) push(h hash.Cloner, at checkpoint) {
	if n := len(d.stack); n > 0 && d.stack[n-1].node.label >= at.node.label {
		return
	}
	at.state = clone(h)
	d.stack = append(d.stack, at)
}

// before returns the count and bytes of the messages before node, counted
// on from the nearest checkpoint; first is the head of the surface. ok is false
// when no request was summed yet.
func (d *digester) before(first, node *Message) (count int, bytes int64, ok bool) {
	if d.base == nil {
		return 0, 0, false
	}
	at := d.nearest(node.prev)
	m := first
	if at.node != nil {
		m = at.node.next
	}
	for ; m != node; m = m.next {
		if m.Bytes == nil {
			continue
		}
		if at.count > 0 {
			at.bytes++
		}
		at.count++
		at.bytes += int64(len(m.Bytes))
	}
	return at.count, at.bytes, true
}

// drop forgets the checkpoints at node and after it, which is about to leave.
func (d *digester) drop(node *Message) {
	n := len(d.stack)
	for n > 0 && d.stack[n-1].node.label >= node.label {
		n--
	}
	clear(d.stack[n:])
	d.stack = d.stack[:n]
}
