package wire

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A writer lays a body out.
type writer struct {
	body    *Body
	builder *Builder
	buf     []byte // literal text not yet in a segment
	at      int64
	message int  // index of the next wire message
	image   int  // occurrences of images seen
	plain   bool // the request goes without images: as strings, without what tool results nest

	pending       []ecmajson.Value // images of tool results that a user message will carry
	pendingOrigin int
}

func (w *writer) text(s string) {
	w.buf = append(w.buf, s...)
	w.at += int64(len(s))
}

func (w *writer) flush() {
	if len(w.buf) > 0 {
		w.body.segments = append(w.body.segments, segment{text: w.buf})
		w.buf = nil
	}
	w.body.length = w.at
}

// spliceFrom is the length from which bytes are referenced and not copied.
const spliceFrom = 256

func (w *writer) splice(b []byte) {
	w.at += int64(len(b))
	if len(b) < spliceFrom {
		w.buf = append(w.buf, b...)
		return
	}
	at := w.at
	w.flush()
	w.at = at
	w.body.segments = append(w.body.segments, segment{text: b})
}

func (w *writer) value(v ecmajson.Value) { w.splice(v) }

func (w *writer) literal(l literal) {
	for _, piece := range l {
		w.splice(piece)
	}
}

func (w *writer) hole(h Hole) {
	w.flush()
	placeholder := "?" + string(h.Kind) + "?"
	h.start, h.length = w.at, int64(len(placeholder))
	w.body.Holes = append(w.body.Holes, h)
	w.body.segments = append(w.body.segments, segment{[]byte(placeholder), len(w.body.Holes)})
	w.at += h.length
}

func (w *writer) origin(message int, start int64) {
	if w.at > start {
		w.body.Origins = append(w.body.Origins, Origin{start, w.at, message})
	}
}

// open starts a wire message of a role, up to its next key.
func (w *writer) open(role string) {
	if w.message > 0 {
		w.text(`,`)
	}
	w.message++
	w.text(`{"role":"` + role + `",`)
}

// pointer leads to a place in the wire message being written.
func (w *writer) pointer(rest string) string {
	return fmt.Sprintf("/messages/%d%s", w.message-1, rest)
}

// single writes the wire messages of the message with the given index.
func (w *writer) single(i int, m *message) {
	switch {
	case m.flat():
		w.flushPending()
		start := w.at
		w.flat(m)
		w.origin(i, start)
	default:
		w.user(i, m)
	}
}

func (w *writer) flat(m *message) {
	w.open(m.role)
	w.text(`"content":"`)
	w.joined(m.parts, nil)
	w.text(`"`)
	if len(m.reasoning) > 0 {
		w.text(`,"reasoning_content":"`)
		w.literal(m.reasoning)
		w.text(`"`)
	}
	sep := `,"tool_calls":[`
	for _, c := range m.calls {
		w.text(sep + `{`)
		sep = `,`
		w.member(`"id":`, c.id, `,`)
		w.text(`"type":"function","function":{`)
		after := ""
		if c.arguments != nil {
			after = `,`
		}
		w.member(`"name":`, c.name, after)
		w.member(`"arguments":`, c.arguments, "")
		w.text(`}}`)
	}
	if len(m.calls) > 0 {
		w.text(`]`)
	}
	w.text(`}`)
}

func (w *writer) member(key string, v ecmajson.Value, after string) {
	if v != nil {
		w.text(key)
		w.value(v)
		w.text(after)
	}
}

func (w *writer) user(index int, m *message) {
	if len(m.parts) > 0 || len(m.results) == 0 {
		w.flushPending()
		start := w.at
		w.open("user")
		w.text(`"content":`)
		w.content(m.parts)
		w.text(`}`)
		w.origin(index, start)
	}
	for _, r := range m.results {
		start := w.at
		w.open("tool")
		w.member(`"tool_call_id":`, r.callID, `,`)
		w.text(`"content":"`)
		w.result(r, index)
		w.text(`"}`)
		w.origin(index, start)
	}
}

// content writes a user message's content: a string, or a list of parts when an
// image is left in it.
func (w *writer) content(parts []part) {
	images := countImages(parts)
	shown := images
	if w.plain {
		shown = 0
	} else if gone := w.body.Omitted - w.image; gone > 0 {
		shown = max(0, images-gone)
	}
	if shown == 0 {
		w.text(`"`)
		w.joined(parts, nil)
		w.text(`"`)
		return
	}
	n := 0
	sep := func() {
		if n > 0 {
			w.text(`,`)
		}
		n++
	}
	w.text(`[`)
	for _, p := range parts {
		sep()
		if p.text == nil && !w.replaced() {
			if w.builder.policy.Handle != NoHandle {
				w.text(`{"type":"text","text":"`)
				w.handle(p, w.pointer(fmt.Sprintf("/content/%d/text", n-1)))
				w.text(`"}`)
				sep()
			}
			w.imagePart(p.image, w.pointer(fmt.Sprintf("/content/%d", n-1)))
			w.image++
			continue
		}
		w.text(`{"type":"text","text":"`)
		if p.text != nil {
			w.splice(p.text[1 : len(p.text)-1])
		} else {
			w.substitute(p.image, w.pointer(fmt.Sprintf("/content/%d/text", n-1)))
			w.image++
		}
		w.text(`"}`)
	}
	w.text(`]`)
}

// replaced reports whether the next image is replaced by a text.
func (w *writer) replaced() bool {
	return w.plain || w.image < w.body.Omitted
}

// joined writes parts as the inside of one string; images that are shown leave
// their handle there and go through show.
func (w *writer) joined(parts []part, show func(image ecmajson.Value)) {
	var run literal // texts that stand side by side
	spill := func() {
		w.literal(run)
		run = nil
	}
	for _, p := range parts {
		switch {
		case p.nested && w.plain:
			continue
		case p.text != nil:
			run.add(p.text)
			continue
		case w.replaced() || show == nil:
			spill()
			w.substitute(p.image, w.pointer("/content"))
		default:
			spill()
			if w.builder.policy.Handle != NoHandle {
				w.handle(p, w.pointer("/content"))
			}
			show(p.image)
		}
		w.image++
	}
	spill()
}

func (w *writer) result(r result, index int) {
	start, shown := w.at, false
	w.joined(r.parts, func(image ecmajson.Value) {
		w.pending = append(w.pending, image)
		w.pendingOrigin, shown = index, true
	})
	switch {
	case w.at > start:
	case shown:
		w.text(`(see attached image)`)
	default:
		w.text(`(no output)`)
	}
}

// flushPending writes the user message that carries the images of the tool
// results before it.
func (w *writer) flushPending() {
	if len(w.pending) == 0 {
		return
	}
	start := w.at
	w.open("user")
	w.text(`"content":[{"type":"text","text":"Attached image(s) from tool result:"}`)
	for i, image := range w.pending {
		w.text(`,`)
		w.imagePart(image, w.pointer(fmt.Sprintf("/content/%d", i+1)))
	}
	w.text(`]}`)
	w.origin(w.pendingOrigin, start)
	w.pending = nil
}

func (w *writer) escaped(text string) {
	quoted := ecmajson.AppendString(nil, text)
	w.splice(quoted[1 : len(quoted)-1])
}

func (w *writer) imagePart(image ecmajson.Value, pointer string) {
	id := image.Lookup("attachmentId").Text()
	if w.builder.policy.Images == Files {
		w.text(`{"type":"file","file_id":"`)
		if fileID := w.builder.policy.FileIDs[id]; fileID != "" {
			w.escaped(fileID)
		} else {
			w.hole(Hole{Kind: FileID, AttachmentID: id, Pointer: pointer + "/file_id", Reason: "the provider issues file ids, and the log does not keep them"})
		}
		w.text(`"}`)
		return
	}
	w.text(`{"type":"image_url","image_url":{"url":"`)
	hole := Hole{Kind: ImageData, AttachmentID: id, Pointer: pointer + "/image_url/url"}
	ref, failure := objectstore.ParseReference(image)
	if failure != nil {
		hole.Reason = failure.Error()
		w.hole(hole)
	} else if p := w.builder.picture(ref); p.url != nil {
		w.splice(p.url)
	} else {
		hole.Reason = p.reason
		if !p.variant {
			hole.digest = ref.Digest()
		}
		w.hole(hole)
	}
	w.text(`"}}`)
}
