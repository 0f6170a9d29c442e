package wire

import (
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A Builder makes the bodies of successive requests of one session. It is not
// safe for concurrent use.
type Builder struct {
	protocol Protocol
	policy   Policy
	objects  *objectstore.Verifier // nil: no store available

	// Parsed messages by the address of their JSON: of the last body, and of
	// the one being built. What a body does not use is forgotten.
	before, now map[*byte]Message
	pictures    map[pictureKey]*picture
	roll        roll
}

// NewBuilder returns a builder of a protocol's bodies; objects may be nil.
func NewBuilder(protocol Protocol, policy Policy, objects *objectstore.Verifier) *Builder {
	return &Builder{
		protocol: protocol, policy: policy, objects: objects,
		now: map[*byte]Message{}, pictures: map[pictureKey]*picture{},
	}
}

// SetPolicy changes the policy for the bodies that follow.
func (b *Builder) SetPolicy(policy Policy) {
	if policy.PixelBudget != b.policy.PixelBudget || policy.ByteCap != b.policy.ByteCap {
		clear(b.pictures)
	}
	b.policy = policy
}

// Policy returns the policy in force.
func (b *Builder) Policy() Policy { return b.policy }

// Protocol returns the protocol of the bodies.
func (b *Builder) Protocol() Protocol { return b.protocol }

// Body returns the body that is posted for a request. It is valid as long as the
// request is. The error is an [Unsupported].
func (b *Builder) Body(q Request) (*Body, error) {
	messages, err := b.messages(q)
	if err != nil {
		return nil, err
	}
	w := b.writer()
	layout, err := b.protocol.Begin(w, q, messages)
	if err != nil {
		return nil, err
	}
	for i, m := range messages {
		layout.Message(w, i, m)
	}
	if err := layout.End(w); err != nil {
		return nil, err
	}
	w.flush()
	return w.body, nil
}

func (b *Builder) writer() *Writer { return &Writer{body: &Body{}, builder: b} }

// messages parses the messages of a request; those of the request before are not
// looked at again.
func (b *Builder) messages(q Request) ([]Message, error) {
	b.before, b.now = b.now, make(map[*byte]Message, len(b.now)+4)
	var list []Message
	for v := range q.MessageValues() {
		key := &v[0]
		m := b.before[key]
		if m == nil {
			var err error
			if m, err = b.protocol.Parse(v); err != nil {
				return nil, err
			}
		}
		b.now[key] = m
		list = append(list, m)
	}
	return list, nil
}
