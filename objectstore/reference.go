package objectstore

import (
	"iter"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Reference is an attachment reference as a message holds it.
type Reference struct {
	AttachmentID string // "sha256:" and 64 lower-case hexadecimal digits
	MediaType    string // image/png, image/jpeg, image/webp or image/gif
	Bytes        int64
	Width        int64 // pixels
	Height       int64
	Name         string // for display; may be empty
}

// Digest returns the 64 hexadecimal digits of the id.
func (r Reference) Digest() string { return strings.TrimPrefix(r.AttachmentID, idPrefix) }

const idPrefix = "sha256:"

// ParseReference reads a reference. The failure is of code [CodeReference].
func ParseReference(v ecmajson.Value) (Reference, *Failure) {
	r := Reference{
		AttachmentID: v.Lookup("attachmentId").Text(),
		MediaType:    v.Lookup("mediaType").Text(),
		Name:         v.Lookup("name").Text(),
	}
	if !isID(r.AttachmentID) {
		return r, &Failure{CodeReference, "attachmentId is not sha256: and 64 hexadecimal digits"}
	}
	for _, field := range []struct {
		name string
		to   *int64
	}{{"bytes", &r.Bytes}, {"width", &r.Width}, {"height", &r.Height}} {
		n, ok := v.Lookup(field.name).SafeInt()
		if !ok || n < 1 {
			return r, &Failure{CodeReference, field.name + " is not a positive integer"}
		}
		*field.to = n
	}
	switch r.MediaType {
	case "image/png", "image/jpeg", "image/webp", "image/gif":
		return r, nil
	}
	return r, &Failure{CodeReference, "mediaType is none that the harness stores"}
}

func isID(id string) bool {
	digest, ok := strings.CutPrefix(id, idPrefix)
	return ok && IsDigest(digest)
}

// IsDigest reports whether s is 64 lower-case hexadecimal digits.
func IsDigest(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// References yields the references of a message's image blocks, those in the
// content of its tool-result blocks included.
func References(message ecmajson.Value) iter.Seq[ecmajson.Value] {
	return func(yield func(ecmajson.Value) bool) {
		for block := range message.Lookup("content").Elements() {
			if !blockReferences(block, yield) {
				return
			}
		}
	}
}

func blockReferences(block ecmajson.Value, yield func(ecmajson.Value) bool) bool {
	switch {
	case block.Lookup("type").Is("image"):
		return yield(block.Lookup("attachment"))
	case block.Lookup("type").Is("tool-result"):
		for inner := range block.Lookup("content").Elements() {
			if inner.Lookup("type").Is("image") && !yield(inner.Lookup("attachment")) {
				return false
			}
		}
	}
	return true
}
