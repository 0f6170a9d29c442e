package objectstore

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// RequestImageKey returns the name under which the harness caches the variant of
// an object that fits a route: pixelBudget in pixels, byteBudget in bytes. It is
// the SHA-256 of a JSON description of the transformation.
func RequestImageKey(attachmentID string, pixelBudget, byteBudget int64) string {
	b := []byte(`{"transformVersion":"request-image-v4","attachmentId":`)
	b = ecmajson.AppendString(b, attachmentID)
	b = append(b, `,"routePixelBudget":`...)
	b = strconv.AppendInt(b, pixelBudget, 10)
	b = append(b, `,"encodedByteBudget":`...)
	b = strconv.AppendInt(b, byteBudget, 10)
	b = append(b, `,"encoding":{"png":{"compressionLevel":9,"palette":"opaque-only"},"webpQualities":[85,80],"jpegQualities":[85,80],"order":["low-colour:png-webp","alpha:webp","opaque:jpeg"],"colourspace":"srgb"}}`...)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
