package chat

import (
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// A message is a loop message, taken apart as the adapter does.
type message struct {
	role string

	parts  []part
	images int // in parts and results; of a system or assistant message those that only a text can stand for

	files int // in parts and results

	// Of assistant messages.
	reasoning wire.Literal
	calls     []call

	// Of user messages.
	results []result
}

// flat reports whether the message goes as one string, which holds no images.
func (m *message) flat() bool { return m.role == "system" || m.role == "assistant" }

// A call is a tool call of an assistant message.
type call struct {
	id, name, arguments ecmajson.Value
}

// A result is a tool-result block.
type result struct {
	callID ecmajson.Value
	parts  []part
}

// A part is a text, a file, or an image.
type part struct {
	text  ecmajson.Value // a JSON string that is not empty; nil: something else
	file  ecmajson.Value // the attachment reference, which a text stands for
	image ecmajson.Value // the attachment reference

	first  bool // of its content: no part stands before it there
	nested bool // in a tool-result block of a tool result, which a text-only request drops
}

// Attachments is how many images and files the message shows or stands a text for.
func (m *message) Attachments() int { return m.images + m.files }

// Parse takes a message apart.
func (protocol) Parse(v ecmajson.Value) (wire.Message, error) {
	m := &message{role: v.Lookup("role").Text()}
	content := v.Lookup("content")
	if m.flat() {
		return m, m.parseFlat(content)
	}
	for block := range content.Elements() {
		if block.Lookup("type").Is("tool-result") {
			r := result{callID: block.Lookup("toolCallId")}
			if err := appendParts(&r.parts, block.Lookup("content"), false); err != nil {
				return nil, err
			}
			m.results = append(m.results, r)
			m.images += countImages(r.parts)
			m.files += countFiles(r.parts)
			continue
		}
		if err := appendPart(&m.parts, block, len(m.parts) == 0, false); err != nil {
			return nil, err
		}
	}
	m.images += countImages(m.parts)
	m.files += countFiles(m.parts)
	return m, nil
}

func (m *message) parseFlat(content ecmajson.Value) error {
	for block := range content.Elements() {
		kind := block.Lookup("type")
		switch {
		case kind.Is("text"), kind.Is("image"), kind.Is("file"):
			if err := appendPart(&m.parts, block, len(m.parts) == 0, false); err != nil {
				return err
			}
		case kind.Is("tool-result"):
			m.images += nestedImages(block)
		case m.role != "assistant":
		case kind.Is("reasoning"):
			text, err := textOf(block)
			if err != nil {
				return err
			}
			m.reasoning.Add(text)
		case kind.Is("tool-call"):
			m.calls = append(m.calls, call{block.Lookup("id"), block.Lookup("name"), block.Lookup("arguments")})
		}
	}
	m.images += countImages(m.parts)
	m.files += countFiles(m.parts)
	return nil
}

func appendParts(parts *[]part, content ecmajson.Value, nested bool) error {
	start := len(*parts)
	for block := range content.Elements() {
		if err := appendPart(parts, block, len(*parts) == start, nested); err != nil {
			return err
		}
	}
	return nil
}

func appendPart(parts *[]part, block ecmajson.Value, first, nested bool) error {
	kind := block.Lookup("type")
	switch {
	case kind.Is("text"):
		text, err := textOf(block)
		if err == nil && len(text) > len(`""`) {
			*parts = append(*parts, part{text: text, first: first, nested: nested})
		}
		return err
	case kind.Is("image"):
		*parts = append(*parts, part{image: block.Lookup("attachment"), first: first, nested: nested})
	case kind.Is("file"):
		*parts = append(*parts, part{file: block.Lookup("attachment"), first: first, nested: nested})
	case kind.Is("tool-result"):
		return appendParts(parts, block.Lookup("content"), true)
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

// nestedImages counts the images in a tool-result block where none of it is sent.
func nestedImages(block ecmajson.Value) (n int) {
	for inner := range block.Lookup("content").Elements() {
		switch kind := inner.Lookup("type"); {
		case kind.Is("image"):
			n++
		case kind.Is("tool-result"):
			n += nestedImages(inner)
		}
	}
	return n
}

func countImages(parts []part) (n int) {
	for _, p := range parts {
		if p.isImage() {
			n++
		}
	}
	return n
}

func (p *part) isImage() bool { return p.text == nil && p.file == nil }

func countFiles(parts []part) (n int) {
	for _, p := range parts {
		if p.file != nil {
			n++
		}
	}
	return n
}
