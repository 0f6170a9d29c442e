package chat

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// Message writes the wire messages of the message with the given index.
func (l *layout) Message(w *wire.Writer, index int, of wire.Message) {
	m := of.(*message)
	if !m.flat() {
		l.user(w, index, m)
		return
	}
	l.flushPending(w)
	start := w.Len()
	l.flat(w, m)
	w.Origin(index, start)
}

// open starts a wire message of a role, up to its next key.
func (l *layout) open(w *wire.Writer, role string) {
	if l.message > 0 {
		w.Text(`,`)
	}
	l.message++
	w.Text(`{"role":"` + role + `",`)
}

// pointer leads to a place in the wire message being written.
func (l *layout) pointer(format string, args ...any) string {
	return fmt.Sprintf("/messages/%d", l.message-1) + fmt.Sprintf(format, args...)
}

// flat writes a system or assistant message.
func (l *layout) flat(w *wire.Writer, m *message) {
	l.open(w, m.role)
	w.Text(`"content":"`)
	l.joined(w, m.parts, nil)
	w.Text(`"`)
	if len(m.reasoning) > 0 {
		w.Text(`,"reasoning_content":"`)
		w.Literal(m.reasoning)
		w.Text(`"`)
	}
	sep := `,"tool_calls":[`
	for _, c := range m.calls {
		w.Text(sep + `{`)
		sep = `,`
		member(w, `"id":`, c.id, `,`)
		w.Text(`"type":"function","function":{`)
		after := ""
		if c.arguments != nil {
			after = `,`
		}
		member(w, `"name":`, c.name, after)
		member(w, `"arguments":`, c.arguments, "")
		w.Text(`}}`)
	}
	if len(m.calls) > 0 {
		w.Text(`]`)
	}
	w.Text(`}`)
}

// member writes a member that may be absent.
func member(w *wire.Writer, key string, v ecmajson.Value, after string) {
	if v != nil {
		w.Text(key)
		w.Value(v)
		w.Text(after)
	}
}

// user writes a user message and the tool results in it.
func (l *layout) user(w *wire.Writer, index int, m *message) {
	if len(m.parts) > 0 || len(m.results) == 0 {
		l.flushPending(w)
		start := w.Len()
		l.open(w, "user")
		w.Text(`"content":`)
		l.content(w, m.parts)
		w.Text(`}`)
		w.Origin(index, start)
	}
	for _, r := range m.results {
		start := w.Len()
		l.open(w, "tool")
		member(w, `"tool_call_id":`, r.callID, `,`)
		w.Text(`"content":"`)
		l.result(w, r, index)
		w.Text(`"}`)
		w.Origin(index, start)
	}
}

// content writes a user message's content: a string, or a list of parts when an
// image is left in it.
func (l *layout) content(w *wire.Writer, parts []part) {
	if l.shown(countImages(parts)) == 0 {
		w.Text(`"`)
		l.joined(w, parts, nil)
		w.Text(`"`)
		return
	}
	w.Text(`[`)
	n := 0 // parts on the wire
	text := func(write func(pointer string)) {
		if n > 0 {
			w.Text(`,`)
		}
		w.Text(`{"type":"text","text":"`)
		write(l.pointer("/content/%d/text", n))
		w.Text(`"}`)
		n++
	}
	for _, p := range parts {
		switch {
		case p.text != nil:
			text(func(string) { w.Inside(p.text) })
			continue
		case p.file != nil:
			text(func(pointer string) { w.File(p.file, pointer) })
			continue
		case l.replaced():
			text(func(pointer string) { l.substitute(w, p.image, pointer) })
		default:
			if w.Policy().Handle != wire.NoHandle {
				text(func(pointer string) { handle(w, p, pointer) })
			}
			if n > 0 {
				w.Text(`,`)
			}
			imagePart(w, p.image, l.pointer("/content/%d", n))
			n++
		}
		l.image++
	}
	w.Text(`]`)
}

// shown is how many of the next images are not replaced by a text.
func (l *layout) shown(images int) int {
	if l.plain {
		return 0
	}
	return max(0, images-max(0, l.omitted-l.image))
}

// replaced reports whether the next image is replaced by a text.
func (l *layout) replaced() bool { return l.plain || l.image < l.omitted }

// substitute writes the text in place of an image that is not sent.
func (l *layout) substitute(w *wire.Writer, image ecmajson.Value, pointer string) {
	if l.plain {
		w.TextOnly(image)
	} else {
		w.Omitted(image, pointer)
	}
}

// handle writes the text that names an image to the model.
func handle(w *wire.Writer, p part, pointer string) {
	if w.Policy().Handle != wire.NoHandle && !p.first {
		w.Text(`\n`)
	}
	w.Handle(p.image, pointer)
}

// joined writes parts as the inside of one string; images that are shown leave
// their handle there and go through show.
func (l *layout) joined(w *wire.Writer, parts []part, show func(image ecmajson.Value)) {
	var run wire.Literal // texts that stand side by side
	spill := func() {
		w.Literal(run)
		run = nil
	}
	for _, p := range parts {
		switch {
		case p.nested && l.plain:
			continue
		case p.text != nil:
			run.Add(p.text)
			continue
		case p.file != nil:
			spill()
			w.File(p.file, l.pointer("/content"))
			continue
		case l.replaced() || show == nil:
			spill()
			l.substitute(w, p.image, l.pointer("/content"))
		default:
			spill()
			handle(w, p, l.pointer("/content"))
			show(p.image)
		}
		l.image++
	}
	spill()
}

// result writes the inside of a tool result's content.
func (l *layout) result(w *wire.Writer, r result, index int) {
	start, shown := w.Len(), false
	l.joined(w, r.parts, func(image ecmajson.Value) {
		l.pending = append(l.pending, image)
		l.pendingOrigin, shown = index, true
	})
	switch {
	case w.Len() > start:
	case shown:
		w.Text(`(see attached image)`)
	default:
		w.Text(`(no output)`)
	}
}

// flushPending writes the user message that carries the images of the tool
// results before it.
func (l *layout) flushPending(w *wire.Writer) {
	if len(l.pending) == 0 {
		return
	}
	start := w.Len()
	l.open(w, "user")
	w.Text(`"content":[{"type":"text","text":"Attached image(s) from tool result:"}`)
	for i, image := range l.pending {
		w.Text(`,`)
		imagePart(w, image, l.pointer("/content/%d", i+1))
	}
	w.Text(`]}`)
	w.Origin(l.pendingOrigin, start)
	l.pending = nil
}

// imagePart writes an image, as a file or inline.
func imagePart(w *wire.Writer, image ecmajson.Value, pointer string) {
	if w.Policy().Images == wire.Files {
		w.Text(`{"type":"file","file_id":"`)
		w.FileID(image, pointer+"/file_id")
		w.Text(`"}`)
		return
	}
	w.Text(`{"type":"image_url","image_url":{"url":"`)
	w.DataURL(image, pointer+"/image_url/url")
	w.Text(`"}}`)
}
