package chat

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// A layout is a body under way.
type layout struct {
	request          wire.Request
	thinking, effort string

	plain   bool // the request goes without images: as strings, without what tool results nest
	omitted int  // how many of the oldest images are replaced by a text

	message int // index of the next message on the wire
	image   int // occurrences of images seen

	pending       []ecmajson.Value // images of tool results that a user message will carry
	pendingOrigin int
}

// Begin writes what stands before the messages, the system prompt included.
func (protocol) Begin(w *wire.Writer, q wire.Request, messages []wire.Message) (wire.Layout, error) {
	l := &layout{request: q}
	if err := l.think(w); err != nil {
		return nil, err
	}
	if err := l.images(w, messages); err != nil {
		return nil, err
	}
	w.Text(`{`)
	if model := q.Member("model"); model != nil {
		w.Text(`"model":`)
		w.Value(model)
		w.Text(`,`)
	}
	w.Text(`"messages":[`)
	if system := q.Member("system"); system != nil {
		l.open(w, "system")
		start := w.Len()
		w.Text(`"content":`)
		w.Value(system)
		w.Text(`}`)
		w.Origin(wire.FromSystem, start)
	}
	return l, nil
}

// State is how many messages there are on the wire.
func (l *layout) State() any { return l.message }

// Resume goes on behind as many messages.
func (l *layout) Resume(state any) { l.message = state.(int) }

// End writes what stands after the messages.
func (l *layout) End(w *wire.Writer) error {
	l.flushPending(w)
	w.Text(`],"stream":true,"stream_options":{"include_usage":true}`)
	if l.thinking != "" {
		w.Text(`,"thinking":{"type":"` + l.thinking + `"}`)
	}
	if l.effort != "" {
		w.Text(`,"reasoning_effort":"` + l.effort + `"`)
	}
	if err := writeTools(w, l.request.Member("tools")); err != nil {
		return err
	}
	for _, m := range []struct{ key, member string }{{"temperature", "temperature"}, {"max_tokens", "maxTokens"}, {"stop", "stop"}} {
		if v := l.request.Member(m.member); v != nil {
			w.Text(`,"` + m.key + `":`)
			w.Value(v)
		}
	}
	w.Text(`}`)
	return nil
}

// think resolves the effort of the request and what the deployment adds to it.
func (l *layout) think(w *wire.Writer) error {
	if l.request.Member("purpose").Is("session-title") {
		l.thinking = "disabled"
		return nil
	}
	policy := w.Policy()
	v := l.request.Member("reasoningEffort")
	effort := v.Text()
	if v == nil {
		effort = policy.Effort
		w.Assume("default-effort", orNone(effort))
	}
	switch effort {
	case "off":
		l.thinking = "disabled"
		return nil
	case "low", "high", "max":
		l.thinking, l.effort = "enabled", effort
		return nil
	case "":
		if v == nil {
			l.thinking = policy.Thinking
			w.Assume("thinking", orNone(policy.Thinking))
			return nil
		}
	}
	return &wire.Unsupported{Reason: fmt.Sprintf("it knows no reasoning effort %.60q", effort), Bare: "it does not know the reasoning effort"}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// writeTools writes the tool list, absent when it is empty.
func writeTools(w *wire.Writer, tools ecmajson.Value) error {
	if tools == nil || tools.Kind() == ecmajson.Array && tools.Len() == 0 {
		return nil
	}
	if tools.Kind() != ecmajson.Array {
		return unsupported("the tools are no list")
	}
	w.Text(`,"tools":`)
	start := w.Len()
	sep := `[`
	for tool := range tools.Elements() {
		if tool.Kind() == ecmajson.Null {
			return unsupported("a tool is null")
		}
		w.Text(sep + `{"type":"function","function":{`)
		sep = `,`
		inner := ""
		for _, key := range []string{"name", "description", "parameters"} {
			if v := tool.Lookup(key); v != nil {
				w.Text(inner + `"` + key + `":`)
				w.Value(v)
				inner = `,`
			}
		}
		w.Text(`}}`)
	}
	w.Text(`]`)
	w.Origin(wire.FromTools, start)
	return nil
}
