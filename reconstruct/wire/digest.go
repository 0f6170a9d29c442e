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
}

// Digest returns the length and SHA-256 of the body of a request without laying it
// out, at the cost of what is new in it. It is not ok when the request holds
// images: then only DeepSeek tells. The error is an [Unsupported].
func (b *Builder) Digest(q Request) (length int64, digest [sha256.Size]byte, ok bool, err error) {
	thinking, effort, _, err := b.thinking(q)
	if err != nil {
		return 0, digest, false, err
	}
	messages, err := b.messages(q)
	if err != nil {
		return 0, digest, false, err
	}
	for _, m := range messages {
		if m.images > 0 {
			return 0, digest, false, nil
		}
	}
	w := &writer{body: &Body{}, builder: b, plain: true}
	w.prefix(q)
	w.flush()
	at := b.roll.common(string(w.body.Bytes()), q)
	state := b.roll.states[at]
	h := clone(state.hash)
	length = state.length
	keys := b.roll.keys[:at]
	i := 0
	for v := range q.MessageValues() {
		if i >= at {
			part := &writer{body: &Body{}, builder: b, plain: true, message: w.message + i}
			part.single(i, messages[i])
			part.flush()
			part.body.WriteTo(h)
			length += part.body.length
			keys = append(keys, &v[0])
			b.roll.states = append(b.roll.states, rollState{clone(h), length})
		}
		i++
	}
	b.roll.keys = keys
	end := &writer{body: &Body{}, builder: b}
	if err := end.suffix(q, thinking, effort); err != nil {
		return 0, digest, false, err
	}
	end.flush()
	end.body.WriteTo(h)
	h.Sum(digest[:0])
	return length + end.body.length, digest, true, nil
}

// common returns how many messages of the last body are a prefix of the request's,
// and drops what is remembered after them.
func (r *roll) common(prefix string, q Request) int {
	if r.states == nil || prefix != r.prefix {
		h := sha256.New()
		h.Write([]byte(prefix))
		*r = roll{prefix: prefix, states: []rollState{{h.(hash.Cloner), int64(len(prefix))}}}
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
