package wire

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A picture is what a route sends of an attachment.
type picture struct {
	ref     objectstore.Reference
	variant bool  // a resized one, not the object itself
	size    int64 // bytes of what is sent, as far as it is known

	// Empty when it is not available.
	url    []byte // the data URL
	pixels string // "WxH"
	reason string // why something is not available
}

// A pictureKey tells what is sent of an attachment apart by how it was made.
type pictureKey struct {
	ref       objectstore.Reference
	transform objectstore.Transform
}

// images finds the images of a request and decides which are omitted.
func (w *writer) images(messages []*message) error {
	p := w.builder.policy
	for _, m := range messages {
		w.body.Images += m.images
		if m.flat() && m.images > 0 && p.Images != TextOnly {
			return unsupported("an image stands in a message of role " + m.role)
		}
	}
	w.plain = w.body.Images == 0 || p.Images == TextOnly
	if w.body.Images == 0 {
		return nil
	}
	w.assume("images", string(p.Images))
	if p.Images == TextOnly {
		return nil
	}
	if p.Handle == NoHandle && p.Images == Files {
		return unsupported("releases without a handle upload no images")
	}
	w.assume("picture-handle", string(p.Handle))
	w.assume("pixel-budget", strconv.FormatInt(p.PixelBudget, 10))
	w.assume("byte-cap", strconv.FormatInt(p.ByteCap, 10))
	if p.ShownFixed {
		p.Omit = max(0, w.body.Images-p.Shown)
	}
	if p.Omit >= 0 {
		w.body.Omitted = min(p.Omit, w.body.Images)
		w.assume("omitted-images", strconv.Itoa(w.body.Omitted))
		return nil
	}
	w.body.Omitted = w.builder.omittedByBounds(messages)
	w.assume("image-bounds", fmt.Sprintf("%d images", p.Count.Max))
	return nil
}

func (w *writer) assume(name, value string) {
	w.body.Assumptions = append(w.body.Assumptions, Assumption{name, value})
}

// omittedByBounds makes the adapter's two passes: by the references' lengths
// against the bounds for files, then by the lengths of what is sent.
func (b *Builder) omittedByBounds(messages []*message) int {
	var refs []ecmajson.Value
	for _, m := range messages {
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
	if b.policy.Handle == NoHandle {
		return omittedByBase64(sizes, b.policy.InlineBytes.Max)
	}
	for i := range sizes {
		sizes[i] = min(sizes[i], b.policy.ByteCap)
	}
	first := omitted(sizes, b.policy.Count, b.policy.FileBytes)
	bytes := b.policy.FileBytes
	if b.policy.Images == Inline {
		bytes = b.policy.InlineBytes
	}
	for i := first; i < len(refs); i++ {
		if ref, failure := objectstore.ParseReference(refs[i]); failure == nil {
			sizes[i] = b.picture(ref).size
		}
		if b.policy.Images == Inline {
			sizes[i] = int64(base64.StdEncoding.EncodedLen(int(sizes[i])))
		}
	}
	return first + omitted(sizes[first:], b.policy.Count, bytes)
}

// omittedByBase64 is the bound of releases without a handle: images are dropped until
// what they take inline fits.
func omittedByBase64(sizes []int64, most int64) int {
	for i, n := range sizes {
		sizes[i] = (n + 2) / 3 * 4
	}
	return omitted(sizes, Bound{Max: math.MaxInt64, Quantum: 1}, Bound{Max: most, Quantum: 1})
}

func appendReferences(refs []ecmajson.Value, parts []part) []ecmajson.Value {
	for _, p := range parts {
		if p.text == nil {
			refs = append(refs, p.image)
		}
	}
	return refs
}

// picture returns what the route sends of an attachment.
func (b *Builder) picture(ref objectstore.Reference) *picture {
	ref.Name = ""
	key := pictureKey{ref, b.policy.Handle.transform()}
	if p := b.pictures[key]; p != nil {
		return p
	}
	p := &picture{ref: ref, size: min(ref.Bytes, b.policy.ByteCap)}
	b.pictures[key] = p
	fits := key.transform == "" || ref.Height <= b.policy.PixelBudget/ref.Width && ref.Bytes <= b.policy.ByteCap
	if fits {
		p.pixels = fmt.Sprintf("%dx%d", ref.Width, ref.Height)
	}
	p.variant = !fits
	switch {
	case b.objects == nil:
		p.reason = "no object store is available"
	case fits:
		data, failure := b.objects.Bytes(ref)
		if failure != nil {
			p.reason = "the object fails: " + failure.Error()
			return p
		}
		p.setData(data, ref.MediaType)
	default:
		name := key.transform.Key(ref.AttachmentID, b.policy.PixelBudget, b.policy.ByteCap)
		data, failure := b.objects.RequestImage(name)
		if failure != nil {
			p.reason = "the resized image " + name[:12] + "… is not in the request-image cache"
			return p
		}
		image, err := objectstore.Sniff(bytes.NewReader(data))
		if err != nil {
			p.reason = "the cached resized image " + name[:12] + "… is no image"
			return p
		}
		p.pixels = fmt.Sprintf("%dx%d", image.Width, image.Height)
		p.setData(data, image.MediaType)
	}
	return p
}

func (p *picture) setData(data []byte, mediaType string) {
	p.size = int64(len(data))
	p.url = append([]byte("data:"+mediaType+";base64,"), make([]byte, base64.StdEncoding.EncodedLen(len(data)))...)
	base64.StdEncoding.Encode(p.url[len(p.url)-base64.StdEncoding.EncodedLen(len(data)):], data)
}
