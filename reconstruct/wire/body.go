package wire

import (
	"bytes"
	"crypto/sha256"
	"io"
	"slices"
)

// HoleKind is what a hole stands for.
type HoleKind string

// The kinds of hole.
const (
	FileID       HoleKind = "file-id"       // the provider's id of an uploaded image
	ImageData    HoleKind = "image-data"    // a data URL whose bytes are not available
	ImageSize    HoleKind = "image-size"    // the size of a resized image that is not available
	ObjectPath   HoleKind = "object-path"   // where the model's tools find an image: one folder for all of a session
	CodeText     HoleKind = "code-text"     // a text that is code of the harness and in no log, as [Body.Open] left it
	OmissionText HoleKind = "omission-text" // the adapter's text in place of an omitted image
)

// A Hole is a place of a body that request, policy and store do not determine.
type Hole struct {
	Kind         HoleKind `json:"kind"`
	AttachmentID string   `json:"attachmentId,omitempty"`
	Pointer      string   `json:"pointer"` // of the string that it is part of, in the body
	Reason       string   `json:"reason"`
	// Proved says, after a match, that what the capture holds there is known to
	// be right: its bytes have the digest that the log names.
	Proved bool   `json:"proved,omitempty"`
	Filled string `json:"-"` // what the capture holds there, after a match

	start  int64
	length int64    // of the placeholder
	below  []string // the folders and the name of a path below the store's folder
	digest string   // the SHA-256 that the filling's image must have, when it is known
}

// An Assumption is a setting of the deployment that a body rests on.
type Assumption struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// An Origin says which message of the request a span of the body comes from.
type Origin struct {
	Start, End int64
	Message    int // index in the request; -1 for the system prompt, -2 for the tools
}

// The origins that are no message.
const (
	FromSystem = -1
	FromTools  = -2
)

// A Body is a rope: what would be posted, with a placeholder for each hole.
type Body struct {
	Holes       []Hole
	Assumptions []Assumption
	Origins     []Origin
	Images      int // occurrences of images in the request
	Omitted     int // of them, replaced by a text because of the bounds

	// Root is the folder of the attachment store, as a match found it in the
	// handles; "" where none says it.
	Root string

	segments []segment
	length   int64
}

// A segment is literal text, or a hole.
type segment struct {
	text []byte
	hole int // index plus 1; 0: literal
}

// Len returns the body's length in bytes, placeholders included.
func (b *Body) Len() int64 { return b.length }

// WriteTo writes the body, a placeholder in each hole.
func (b *Body) WriteTo(w io.Writer) (int64, error) {
	var n int64
	for _, s := range b.segments {
		k, err := w.Write(s.text)
		n += int64(k)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Bytes returns the body in one slice, a placeholder in each hole.
func (b *Body) Bytes() []byte {
	out := make([]byte, 0, b.length)
	for _, s := range b.segments {
		out = append(out, s.text...)
	}
	return out
}

// Digest returns the SHA-256 of the body; it means something only without holes.
func (b *Body) Digest() (d [sha256.Size]byte) {
	h := sha256.New()
	b.WriteTo(h)
	h.Sum(d[:0])
	return d
}

// OriginAt returns what the byte at offset comes from, false for punctuation and
// for what the configuration decides.
func (b *Body) OriginAt(offset int64) (Origin, bool) {
	for _, o := range b.Origins {
		if offset >= o.Start && offset < o.End {
			return o, true
		}
	}
	return Origin{}, false
}

// Open makes a hole of a text that stands once in the body, inside of a string, and
// that the request only had in the place of one that nobody knows. It reports
// whether the text is there.
func (b *Body) Open(text, reason string) bool {
	start := int64(0)
	for i, s := range b.segments {
		before, after, ok := bytes.Cut(s.text, []byte(text))
		if !ok || s.hole != 0 {
			start += int64(len(s.text))
			continue
		}
		start += int64(len(before))
		b.Holes = append(b.Holes, Hole{Kind: CodeText, Reason: reason, start: start, length: int64(len(text))})
		hole := segment{[]byte(text), len(b.Holes)}
		b.segments = slices.Replace(b.segments, i, i+1, segment{text: before}, hole, segment{text: after})
		return true
	}
	return false
}

// A Difference is where a body and a capture part.
type Difference struct {
	Body    int64 // offset in the body, placeholders included
	Capture int64 // offset in the capture
}

// Match compares the body with captured bytes. It returns nil when they are
// equal except for the holes, which are then filled with what the capture holds.
func (b *Body) Match(captured []byte) *Difference {
	var at, own int64
	var seen fillings
	for i, s := range b.segments {
		rest := captured[at:]
		if s.hole == 0 {
			n := commonPrefix(s.text, rest)
			if n < len(s.text) {
				return &Difference{own + int64(n), at + int64(n)}
			}
			at, own = at+int64(n), own+int64(n)
			continue
		}
		hole := &b.Holes[s.hole-1]
		filling, ok := b.fill(hole, rest, i, &seen)
		if !ok {
			return &Difference{own, at}
		}
		hole.Filled = string(filling)
		at, own = at+int64(len(filling)), own+int64(len(s.text))
	}
	if at < int64(len(captured)) {
		return &Difference{own, at}
	}
	if seen.root != "" {
		b.Root = seen.root
	}
	return nil
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	if bytes.Equal(a[:n], b[:n]) {
		return n
	}
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
