package wire

import (
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A Writer takes a body, as a protocol lays it out. What it is given is not copied
// where it is long: it must stay as it is while the body is in use.
type Writer struct {
	body    *Body
	builder *Builder
	buf     []byte // literal text not yet in a segment
	at      int64
}

// Policy returns the policy of the body.
func (w *Writer) Policy() *Policy { return &w.builder.policy }

// Len is the length in bytes of what was written so far.
func (w *Writer) Len() int64 { return w.at }

// Text writes text as it is.
func (w *Writer) Text(s string) {
	w.buf = append(w.buf, s...)
	w.at += int64(len(s))
}

// Value writes a JSON value as it is spelled.
func (w *Writer) Value(v ecmajson.Value) { w.splice(v) }

// Literal writes the inside of a JSON string.
func (w *Writer) Literal(l Literal) {
	for _, piece := range l {
		w.splice(piece)
	}
}

// Inside writes the inside of a JSON string in canonical form.
func (w *Writer) Inside(v ecmajson.Value) { w.splice(v[1 : len(v)-1]) }

// Escaped writes text as the inside of a JSON string.
func (w *Writer) Escaped(text string) {
	w.Inside(ecmajson.AppendString(nil, text))
}

// Hole writes a placeholder.
func (w *Writer) Hole(h Hole) {
	w.flush()
	placeholder := "?" + string(h.Kind) + "?"
	h.start, h.length = w.at, int64(len(placeholder))
	w.body.Holes = append(w.body.Holes, h)
	w.body.segments = append(w.body.segments, segment{[]byte(placeholder), len(w.body.Holes)})
	w.at += h.length
}

// Origin says that what was written since start comes from the message with the
// given index, or is one of [FromSystem] and [FromTools].
func (w *Writer) Origin(message int, start int64) {
	if w.at > start {
		w.body.Origins = append(w.body.Origins, Origin{start, w.at, message})
	}
}

// Assume lists a setting that the body rests on.
func (w *Writer) Assume(name, value string) {
	w.body.Assumptions = append(w.body.Assumptions, Assumption{name, value})
}

// CountImages says how many images the request holds, and how many of them are
// replaced by a text because of the bounds.
func (w *Writer) CountImages(images, omitted int) {
	w.body.Images, w.body.Omitted = images, omitted
}

// FileID writes, inside of a string, the file id that the provider gave an image.
func (w *Writer) FileID(image ecmajson.Value, pointer string) {
	id := image.Lookup("attachmentId").Text()
	if fileID := w.builder.policy.FileIDs[id]; fileID != "" {
		w.Escaped(fileID)
		return
	}
	w.Hole(Hole{Kind: FileID, AttachmentID: id, Pointer: pointer, Reason: "the provider issues file ids, and the log does not keep them"})
}

// DataURL writes, inside of a string, the data URL of what is sent of an image.
func (w *Writer) DataURL(image ecmajson.Value, pointer string) {
	hole := Hole{Kind: ImageData, AttachmentID: image.Lookup("attachmentId").Text(), Pointer: pointer}
	ref, failure := objectstore.ParseReference(image)
	if failure != nil {
		hole.Reason = failure.Error()
		w.Hole(hole)
		return
	}
	p := w.builder.picture(ref)
	if p.url != nil {
		w.splice(p.url)
		return
	}
	hole.Reason = p.reason
	if !p.variant {
		hole.digest = ref.Digest()
	}
	w.Hole(hole)
}

func (w *Writer) flush() {
	if len(w.buf) > 0 {
		w.body.segments = append(w.body.segments, segment{text: w.buf})
		w.buf = nil
	}
	w.body.length = w.at
}

// spliceFrom is the length from which bytes are referenced and not copied.
const spliceFrom = 256

func (w *Writer) splice(b []byte) {
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
