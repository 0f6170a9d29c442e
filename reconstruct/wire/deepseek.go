package wire

import (
	"fmt"
	"iter"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A Request is a loop request as data; its values are canonical JSON.
type Request interface {
	// Member returns a member of the request other than its messages, absent
	// when there is none.
	Member(key string) ecmajson.Value
	// MessageValues yields the messages in order.
	MessageValues() iter.Seq[ecmajson.Value]
}

// An Unsupported error says why the adapter itself would post nothing for a
// request.
type Unsupported struct {
	Reason string
	Bare   string // the reason, without what it quotes of the request
}

func (e *Unsupported) Error() string { return "the adapter posts no body: " + e.Reason }

// unsupported says why in words that quote nothing.
func unsupported(reason string) error { return &Unsupported{reason, reason} }

// A Builder makes the bodies of successive requests of one session. It is not
// safe for concurrent use.
type Builder struct {
	policy  Policy
	objects *objectstore.Verifier // nil: no store available

	// Converted messages by the address of their JSON: of the last body, and of
	// the one being built. What a body does not use is forgotten.
	before, now map[*byte]*message
	pictures    map[pictureKey]*picture
	roll        roll
}

// NewBuilder returns a builder; objects may be nil.
func NewBuilder(policy Policy, objects *objectstore.Verifier) *Builder {
	return &Builder{policy: policy, objects: objects, now: map[*byte]*message{}, pictures: map[pictureKey]*picture{}}
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

// DeepSeek returns the body that the DeepSeek adapter posts for a request. It is
// valid as long as the request is. The error is an [Unsupported].
func (b *Builder) DeepSeek(q Request) (*Body, error) {
	thinking, effort, assumed, err := b.thinking(q)
	if err != nil {
		return nil, err
	}
	messages, err := b.messages(q)
	if err != nil {
		return nil, err
	}
	w := &writer{body: &Body{Assumptions: assumed}, builder: b}
	if err := w.images(messages); err != nil {
		return nil, err
	}
	w.prefix(q)
	for i, m := range messages {
		w.single(i, m)
	}
	w.flushPending()
	if err := w.suffix(q, thinking, effort); err != nil {
		return nil, err
	}
	w.flush()
	return w.body, nil
}

// prefix writes what stands before the messages, the system prompt included.
func (w *writer) prefix(q Request) {
	w.text(`{`)
	if model := q.Member("model"); model != nil {
		w.text(`"model":`)
		w.value(model)
		w.text(`,`)
	}
	w.text(`"messages":[`)
	if system := q.Member("system"); system != nil {
		w.open("system")
		start := w.at
		w.text(`"content":`)
		w.value(system)
		w.text(`}`)
		w.origin(FromSystem, start)
	}
}

// suffix writes what stands after the messages.
func (w *writer) suffix(q Request, thinking, effort string) error {
	w.text(`],"stream":true,"stream_options":{"include_usage":true}`)
	if thinking != "" {
		w.text(`,"thinking":{"type":"` + thinking + `"}`)
	}
	if effort != "" {
		w.text(`,"reasoning_effort":"` + effort + `"`)
	}
	if err := w.tools(q.Member("tools")); err != nil {
		return err
	}
	for _, m := range []struct{ key, member string }{{"temperature", "temperature"}, {"max_tokens", "maxTokens"}, {"stop", "stop"}} {
		if v := q.Member(m.member); v != nil {
			w.text(`,"` + m.key + `":`)
			w.value(v)
		}
	}
	w.text(`}`)
	return nil
}

// thinking resolves the effort of a request and what the deployment adds to it.
func (b *Builder) thinking(q Request) (thinking, effort string, assumed []Assumption, err error) {
	if q.Member("purpose").Is("session-title") {
		return "disabled", "", nil, nil
	}
	v := q.Member("reasoningEffort")
	effort = v.Text()
	if v == nil {
		effort = b.policy.Effort
		assumed = append(assumed, Assumption{"default-effort", orNone(effort)})
	}
	switch effort {
	case "off":
		return "disabled", "", assumed, nil
	case "low", "high", "max":
		return "enabled", effort, assumed, nil
	case "":
		if v == nil {
			return b.policy.Thinking, "", append(assumed, Assumption{"thinking", orNone(b.policy.Thinking)}), nil
		}
	}
	return "", "", nil, &Unsupported{fmt.Sprintf("it knows no reasoning effort %.60q", effort), "it does not know the reasoning effort"}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// tools writes the tool list, absent when it is empty.
func (w *writer) tools(tools ecmajson.Value) error {
	if tools == nil || tools.Kind() == ecmajson.Array && tools.Len() == 0 {
		return nil
	}
	if tools.Kind() != ecmajson.Array {
		return unsupported("the tools are no list")
	}
	w.text(`,"tools":`)
	start := w.at
	sep := `[`
	for tool := range tools.Elements() {
		if tool.Kind() == ecmajson.Null {
			return unsupported("a tool is null")
		}
		w.text(sep + `{"type":"function","function":{`)
		sep = `,`
		inner := ""
		for _, key := range []string{"name", "description", "parameters"} {
			if v := tool.Lookup(key); v != nil {
				w.text(inner + `"` + key + `":`)
				w.value(v)
				inner = `,`
			}
		}
		w.text(`}}`)
	}
	w.text(`]`)
	w.origin(FromTools, start)
	return nil
}

// JSON is a request given as canonical JSON text, as a recording holds it.
type JSON ecmajson.Value

// Member returns a member of the request.
func (q JSON) Member(key string) ecmajson.Value { return ecmajson.Value(q).Lookup(key) }

// MessageValues yields the request's messages.
func (q JSON) MessageValues() iter.Seq[ecmajson.Value] {
	return ecmajson.Value(q).Lookup("messages").Elements()
}
