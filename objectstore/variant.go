package objectstore

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Transform is a way in which the harness encodes an image again to fit a route.
// Each has cache entries of its own; all lie in the folder request-images.
type Transform string

// The transforms.
const (
	TransformV4 Transform = "request-image-v4" // of release 0.1.1
	TransformV5 Transform = "request-image-v5" // from release 0.1.2 on
)

var transformEncoding = map[Transform]string{
	TransformV4: `{"png":{"compressionLevel":9,"palette":"opaque-only"},"webpQualities":[85,80],"jpegQualities":[85,80],"order":["low-colour:png-webp","alpha:webp","opaque:jpeg"],"colourspace":"srgb"}`,
	TransformV5: `{"webpQualities":[85,75,60],"webpEffort":0,"jpegQualities":[85,75,60],"order":["alpha:webp","opaque:jpeg"],"colourspace":"srgb"}`,
}

// Key returns the name under which the harness caches the variant of an object that
// fits a route: pixelBudget in pixels, byteBudget in bytes. It is the SHA-256 of a
// JSON description of the transformation.
func (t Transform) Key(attachmentID string, pixelBudget, byteBudget int64) string {
	b := []byte(`{"transformVersion":"` + t + `","attachmentId":`)
	b = ecmajson.AppendString(b, attachmentID)
	b = append(b, `,"routePixelBudget":`...)
	b = strconv.AppendInt(b, pixelBudget, 10)
	b = append(b, `,"encodedByteBudget":`...)
	b = strconv.AppendInt(b, byteBudget, 10)
	b = append(b, `,"encoding":`+transformEncoding[t]+`}`...)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
