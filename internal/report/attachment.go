package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	_ "image/gif" // formats that an attachment may have
	_ "image/jpeg"
	"image/png"
	"strings"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// An Attachment is an image that requests reference.
type Attachment struct {
	Anchor   string
	ID       string
	Short    string
	Name     string
	Type     string
	Size     string
	Requests string
	Verdict  finding.Verdict
	Says     string // what the verdict means
	Picture  template.URL
	Without  string // why there is no picture
}

// The bounds of the pictures on the page.
const (
	thumbnailSide = 160       // pixels
	maxPixels     = 40 << 20  // of an image that is decoded
	maxPicture    = 48 << 10  // bytes of one picture
	maxPictures   = 400 << 10 // bytes of a log's pictures
)

func shortID(id string) string {
	return clip(strings.TrimPrefix(id, "sha256:"), 12)
}

// attachment adds an attachment to the page, once.
func (c *collector) attachment(ref objectstore.Reference) *Attachment {
	if a := c.attachments[ref.AttachmentID]; a != nil {
		return a
	}
	a := &Attachment{
		Anchor: fmt.Sprintf("%s-o%d", c.session.Anchor, len(c.attachments)+1),
		ID:     c.ink.name(ref.AttachmentID), Short: shortID(ref.AttachmentID), Type: c.ink.name(ref.MediaType),
		Size: fmt.Sprintf("%d × %d pixels, %s", ref.Width, ref.Height, size(ref.Bytes)),
	}
	if ref.Name != "" {
		a.Name = c.ink.line(clip(ref.Name, 100))
	}
	c.attachments[ref.AttachmentID] = a
	c.session.Attachments = append(c.session.Attachments, a)
	for _, checked := range c.log.Attachments {
		if checked.ID == ref.AttachmentID {
			a.Verdict, a.Requests = checked.Verdict, counted(checked.Requests, "request", "requests")
		}
	}
	switch a.Verdict {
	case finding.Verified:
		a.Says = "its digest, length, type and size are those that the log names"
	case finding.Drift:
		a.Says = "it is not what the log names, or is gone: see the findings"
	default:
		a.Verdict, a.Says = finding.Unverifiable, "not checked: no store available"
	}
	a.Picture, a.Without = c.picture(ref, a.Verdict)
	return a
}

// picture returns the image as a small PNG that was encoded here: only
// pixels passes from the log's image to the page.
func (c *collector) picture(ref objectstore.Reference, verdict finding.Verdict) (template.URL, string) {
	switch {
	case c.ink.redactor != nil:
		return "", "redacted"
	case c.source.Objects == nil || verdict != finding.Verified:
		return "", "no picture: the object is not available or fails"
	case ref.Width*ref.Height > maxPixels:
		return "", "too large to be shown"
	}
	object, failure := c.source.Objects.Bytes(ref)
	if failure != nil {
		return "", "no picture: " + c.ink.line(failure.Error())
	}
	decoded, _, err := image.Decode(bytes.NewReader(object))
	if err != nil {
		return "", "its header is sound, but it does not decode here"
	}
	for side := thumbnailSide; side >= 20; side /= 2 {
		var out bytes.Buffer
		if err := png.Encode(&out, shrink(decoded, side)); err != nil {
			return "", "it cannot be encoded"
		}
		if out.Len() <= maxPicture && c.pictures+out.Len() <= maxPictures {
			c.pictures += out.Len()
			return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes())), ""
		}
	}
	return "", "left out: the page has enough pictures"
}

// shrink returns the image with no side longer than the given one.
func shrink(src image.Image, side int) image.Image {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	if w > side || h > side {
		scale := float64(side) / float64(max(w, h))
		w, h = max(1, int(float64(w)*scale)), max(1, int(float64(h)*scale))
	}
	dst := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(dst, dst.Bounds(), src, b, draw.Src, nil)
	return dst
}
