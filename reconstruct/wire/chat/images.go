package chat

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// images counts the images of a request and decides which are omitted.
func (l *layout) images(w *wire.Writer, messages []wire.Message) error {
	p := w.Policy()
	images, files := 0, 0
	for _, m := range messages {
		m := m.(*message)
		images += m.images
		files += m.files
		if m.flat() && m.images > 0 && p.Images != wire.TextOnly {
			return unsupported("an image stands in a message of role " + m.role)
		}
	}
	w.CountImages(images, 0)
	l.plain = images == 0 || p.Images == wire.TextOnly
	if files > 0 {
		w.Assume("file-path", map[bool]string{true: "known", false: "none"}[p.Handle == wire.PathHandle])
	}
	if images == 0 {
		return nil
	}
	w.Assume("images", string(p.Images))
	if p.Images == wire.TextOnly {
		return nil
	}
	if p.Handle == wire.NoHandle && p.Images == wire.Files {
		return unsupported("releases without a handle upload no images")
	}
	w.Assume("picture-handle", string(p.Handle))
	w.Assume("pixel-budget", strconv.FormatInt(p.PixelBudget, 10))
	w.Assume("byte-cap", strconv.FormatInt(p.ByteCap, 10))
	omit := p.Omit
	if p.ShownFixed {
		omit = max(0, images-p.Shown)
	}
	if omit >= 0 {
		l.omitted = min(omit, images)
		w.Assume("omitted-images", strconv.Itoa(l.omitted))
	} else {
		l.omitted = omittedByBounds(w, messages)
		w.Assume("image-bounds", fmt.Sprintf("%d images", p.Count.Max))
	}
	w.CountImages(images, l.omitted)
	return nil
}

// omittedByBounds makes the adapter's two passes: by the references' lengths
// against the bounds for files, then by the lengths of what is sent.
func omittedByBounds(w *wire.Writer, messages []wire.Message) int {
	p := w.Policy()
	var refs []ecmajson.Value
	for _, m := range messages {
		m := m.(*message)
		refs = appendReferences(refs, m.parts)
		for _, r := range m.results {
			refs = appendReferences(refs, r.parts)
		}
	}
	sizes := make([]int64, len(refs))
	for i, v := range refs {
		n, _ := v.Lookup("bytes").SafeInt()
		sizes[i] = max(n, 0)
	}
	if p.Handle == wire.NoHandle {
		return omittedByBase64(sizes, p.InlineBytes.Max)
	}
	for i := range sizes {
		sizes[i] = min(sizes[i], p.ByteCap)
	}
	first := omitted(sizes, p.Count, p.FileBytes)
	bytes := p.FileBytes
	if p.Images == wire.Inline {
		bytes = p.InlineBytes
	}
	for i := first; i < len(refs); i++ {
		if ref, failure := objectstore.ParseReference(refs[i]); failure == nil {
			sizes[i] = w.SentSize(ref)
		}
		if p.Images == wire.Inline {
			sizes[i] = int64(base64.StdEncoding.EncodedLen(int(sizes[i])))
		}
	}
	return first + omitted(sizes[first:], p.Count, bytes)
}

// omittedByBase64 is the bound of releases without a handle: images are dropped until
// what they take inline fits.
func omittedByBase64(sizes []int64, most int64) int {
	for i, n := range sizes {
		sizes[i] = (n + 2) / 3 * 4
	}
	return omitted(sizes, wire.Bound{Max: math.MaxInt64, Quantum: 1}, wire.Bound{Max: most, Quantum: 1})
}

func appendReferences(refs []ecmajson.Value, parts []part) []ecmajson.Value {
	for _, p := range parts {
		if p.isImage() {
			refs = append(refs, p.image)
		}
	}
	return refs
}

// omitted returns how many of the oldest images the bounds drop; sizes are the
// images' lengths, oldest first.
func omitted(sizes []int64, count, bytes wire.Bound) int {
	total := int64(0)
	for _, n := range sizes {
		total += n
	}
	targetCount := excess(int64(len(sizes)), count)
	targetBytes := excess(total, bytes)
	if targetBytes > 0 && bytes.Quantum > 1 {
		targetBytes++ // the removed bytes must exceed a target of whole quanta
	}
	dropped, droppedBytes := 0, int64(0)
	for dropped < len(sizes) && (int64(dropped) < targetCount || droppedBytes < targetBytes) {
		droppedBytes += sizes[dropped]
		dropped++
	}
	return dropped
}

func excess(n int64, b wire.Bound) int64 {
	if n <= b.Max {
		return 0
	}
	q := max(1, b.Quantum)
	return (n - b.Max + q - 1) / q * q
}
