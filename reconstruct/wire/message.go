package wire

import (
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A message is a loop message, taken apart as the adapter does.
type message struct {
	role string

	// Of system and assistant messages.
	text      literal
	reasoning literal
	calls     []call

	// Of user messages.
	parts   []part
	results []result
	images  int // in parts and results
}

// A call is a tool call of an assistant message.
type call struct {
	id, name, arguments ecmajson.Value
}

// A result is a tool-result block.
type result struct {
	callID ecmajson.Value
	parts  []part
}

// A part is a text or an image of a user message or a tool result.
type part struct {
	text  ecmajson.Value // a JSON string that is not empty; nil: an image
	image ecmajson.Value // the attachment reference
}

// messages takes the messages of a request apart; those of the request before
// are not looked at again.
func (b *Builder) messages(q Request) ([]*message, error) {
	b.before, b.now = b.now, make(map[*byte]*message, len(b.now)+4)
	var list []*message
	for v := range q.MessageValues() {
		key := &v[0]
		m := b.before[key]
		if m == nil {
			var err error
			if m, err = parse(v); err != nil {
				return nil, err
			}
		}
		b.now[key] = m
		list = append(list, m)
	}
	return list, nil
}

func parse(v ecmajson.Value) (*message, error) {
	m := &message{role: v.Lookup("role").Text()}
	content := v.Lookup("content")
	if m.role == "system" || m.role == "assistant" {
		return m, m.parseFlat(content)
	}
	for block := range content.Elements() {
		if block.Lookup("type").Is("tool-result") {
			r := result{callID: block.Lookup("toolCallId")}
			if err := appendParts(&r.parts, block.Lookup("content")); err != nil {
				return nil, err
			}
			m.results = append(m.results, r)
			m.images += countImages(r.parts)
			continue
		}
		if err := appendPart(&m.parts, block); err != nil {
			return nil, err
		}
	}
	m.images += countImages(m.parts)
	return m, nil
}

func (m *message) parseFlat(content ecmajson.Value) error {
	for block := range content.Elements() {
		kind := block.Lookup("type")
		switch {
		case kind.Is("text"):
			text, err := textOf(block)
			if err != nil {
				return err
			}
			m.text.add(text)
		case m.role != "assistant":
		case kind.Is("reasoning"):
			text, err := textOf(block)
			if err != nil {
				return err
			}
			m.reasoning.add(text)
		case kind.Is("tool-call"):
			m.calls = append(m.calls, call{block.Lookup("id"), block.Lookup("name"), block.Lookup("arguments")})
		}
		if kind.Is("image") {
			return unsupported("an image stands in a message of role " + m.role)
		}
	}
	return nil
}

func appendParts(parts *[]part, content ecmajson.Value) error {
	for block := range content.Elements() {
		if err := appendPart(parts, block); err != nil {
			return err
		}
	}
	return nil
}

func appendPart(parts *[]part, block ecmajson.Value) error {
	kind := block.Lookup("type")
	switch {
	case kind.Is("text"):
		text, err := textOf(block)
		if err == nil && len(text) > len(`""`) {
			*parts = append(*parts, part{text: text})
		}
		return err
	case kind.Is("image"):
		*parts = append(*parts, part{image: block.Lookup("attachment")})
	case kind.Is("tool-result"):
		return appendParts(parts, block.Lookup("content"))
	}
	return nil
}

// textOf returns the text of a block, a JSON string.
func textOf(block ecmajson.Value) (ecmajson.Value, error) {
	text := block.Lookup("text")
	switch text.Kind() {
	case ecmajson.String:
		return text, nil
	case ecmajson.Absent, ecmajson.Null:
		return ecmajson.Value(`""`), nil // as JavaScript joins them
	}
	return nil, unsupported("the text of a block is no string")
}

func countImages(parts []part) (n int) {
	for _, p := range parts {
		if p.text == nil {
			n++
		}
	}
	return n
}
