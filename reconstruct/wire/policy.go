package wire

import "fmt"

// ImageMode is how a deployment sends images.
type ImageMode string

// The modes.
const (
	Files    ImageMode = "files"     // uploaded to the Files API, and named by id
	Inline   ImageMode = "inline"    // base64 in a data URL: what the adapter does when an upload fails
	TextOnly ImageMode = "text-only" // the model is known to accept text only
)

// ParseImageMode reads a mode.
func ParseImageMode(s string) (ImageMode, error) {
	switch m := ImageMode(s); m {
	case Files, Inline, TextOnly:
		return m, nil
	}
	return "", fmt.Errorf("the image mode must be files, inline or text-only, not %q", s)
}

// A Bound limits what one request may hold. What exceeds Max is rounded up to
// whole quanta, and so much is omitted.
type Bound struct {
	Max, Quantum int64
}

// A Policy is what a deployment decides and no log holds.
type Policy struct {
	Images      ImageMode
	PixelBudget int64 // pixels; larger images are sent as a resized variant
	ByteCap     int64 // bytes; the same for longer ones
	Count       Bound // images in a request
	FileBytes   Bound // bytes of all images, when sent as files
	InlineBytes Bound // bytes of base64, when sent inline

	// Handle is how the adapter names an image to the model, and Root the folder of
	// its attachment store as the harness's tools see it, for [PathHandle]; "" when
	// it is not known.
	Handle HandleForm
	Root   string

	// Omit is how many of the oldest images are replaced by a text; negative:
	// as many as the bounds ask for.
	Omit int
	// Shown, when ShownFixed is set, is how many images are left instead: the
	// oldest others are replaced.
	Shown      int
	ShownFixed bool
	// OmissionText is the adapter's fixed text in an omitted image's place; ""
	// when it is not known.
	OmissionText string
	// FileIDs maps attachment ids to the file ids that the provider gave them.
	FileIDs map[string]string

	// Thinking and Effort are the deployment's defaults, for requests that name
	// no effort, as those of compactions: enabled, disabled or "", and off, low, high, max or "".
	Thinking string
	Effort   string
}

// DefaultPolicy returns the harness's own defaults.
func DefaultPolicy() Policy {
	return Policy{
		Images: Files, Handle: SizeHandle, PixelBudget: 640_000, ByteCap: 1 << 20,
		Count:       Bound{600, 20},
		FileBytes:   Bound{128 << 20, 64 << 20},
		InlineBytes: Bound{20 << 20, 10 << 20},
		Omit:        -1,
		Effort:      "high",
	}
}
