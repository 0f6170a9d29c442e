package wire

import (
	"crypto/sha256"
	"hash"
)

// A roll remembers the hash of the last body after each of its messages, so that
// the next body, which mostly has the same messages and some more, is hashed from
// where they part.
type roll struct {
	prefix string
	keys   []*byte // of the messages' JSON
	states []rollState
}

// A rollState is the hash after a number of messages; the first is that of the
// prefix alone.
type rollState struct {
	hash   hash.Cloner
	length int64
	layout any // what [Layout.State] gave
}

// Digest returns the length and SHA-256 of the body of a request without laying it
// out, at the cost of what is new in it. It is not ok when the request holds
// images or files: then only [Builder.Body] tells. The error is an [Unsupported].
func (b *Builder) Digest(q Request) (length int64, digest [sha256.Size]byte, ok bool, err error) {
	messages, err := b.messages(q)
	if err != nil {
		return 0, digest, false, err
	}
	w := b.writer()
	layout, err := b.protocol.Begin(w, q, messages)
	if err != nil {
		return 0, digest, false, err
	}
	for _, m := range messages {
		if m.Attachments() > 0 {
			return 0, digest, false, nil
		}
	}
	w.flush()
	at := b.roll.common(string(w.body.Bytes()), layout.State(), q)
	state := b.roll.states[at]
	layout.Resume(state.layout)
	h := clone(state.hash)
	length = state.length
	keys := b.roll.keys[:at]
	i := 0
	for v := range q.MessageValues() {
		if i >= at {
			length += b.hash(h, func(w *Writer) { layout.Message(w, i, messages[i]) })
			keys = append(keys, &v[0])
			b.roll.states = append(b.roll.states, rollState{clone(h), length, layout.State()})
		}
		i++
	}
	b.roll.keys = keys
	length += b.hash(h, func(w *Writer) { err = layout.End(w) })
	if err != nil {
		return 0, digest, false, err
	}
	h.Sum(digest[:0])
	return length, digest, true, nil
}

// hash adds what write writes to a hash, and returns its length.
func (b *Builder) hash(h hash.Hash, write func(*Writer)) int64 {
	w := b.writer()
	write(w)
	w.flush()
	w.body.WriteTo(h)
	return w.body.length
}

// common returns how many messages of the last body are a prefix of the request's,
// and drops what is remembered after them. Begin is the layout's state before them.
func (r *roll) common(prefix string, begin any, q Request) int {
	if r.states == nil || prefix != r.prefix {
		h := sha256.New()
		h.Write([]byte(prefix))
		*r = roll{prefix: prefix, states: []rollState{{h.(hash.Cloner), int64(len(prefix)), begin}}}
		return 0
	}
	n := 0
	for v := range q.MessageValues() {
		if n == len(r.keys) || r.keys[n] != &v[0] {
			break
		}
		n++
	}
	r.states = r.states[:n+1]
	return n
}

func clone(h hash.Cloner) hash.Cloner {
	c, err := h.Clone()
	if err != nil {
		panic("wire: SHA-256 state does not clone: " + err.Error())
	}
	return c
}
