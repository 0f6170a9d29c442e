package wire

import (
	"bytes"
	"encoding/base64"
	"fmt"

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

// SentSize is how many bytes are sent of an image, as far as it is known.
func (w *Writer) SentSize(ref objectstore.Reference) int64 { return w.builder.picture(ref).size }

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
