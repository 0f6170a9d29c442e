package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"

	"github.com/dsh-verify/dsh-verify/objectstore"
)

// fill returns what a capture holds in a hole, false when it cannot be that. What is
// in a hole never ends the JSON string around it: otherwise bytes that are equal around
// holes could be another JSON value.
func (b *Body) fill(hole *Hole, rest []byte, segment int, omission *string) ([]byte, bool) {
	switch hole.Kind {
	case ImageSize:
		n := pixelsEnd(rest)
		return rest[:n], n > 0
	case FileID:
		n := fileIDEnd(rest)
		return rest[:n], n > 0
	case OmissionText:
		if *omission == "" {
			*omission = string(rest[:omissionEnd(rest, b.literalBehind(segment))])
		}
		n := len(*omission)
		if n == 0 || !bytes.HasPrefix(rest, []byte(*omission)) {
			return nil, false
		}
		hole.Proved = isOmissionText(rest[:n])
		return rest[:n], true
	}
	end := bytes.IndexByte(rest, '"')
	if end < 1 {
		return nil, false
	}
	return rest[:end], hole.image(rest[:end])
}

// image reports whether a filling is an image, and the right one where that is known.
func (hole *Hole) image(filling []byte) bool {
	image, ok := decodeDataURL(filling)
	if !ok || hole.digest == "" {
		return ok
	}
	sum := sha256.Sum256(image)
	hole.Proved = hex.EncodeToString(sum[:]) == hole.digest
	return hole.Proved
}

// pixelsEnd returns the length of a size such as 640x480 at the start of rest, 0 when
// there is none.
func pixelsEnd(rest []byte) int {
	width := numberEnd(rest)
	if width == 0 || width >= len(rest) || rest[width] != 'x' {
		return 0
	}
	height := numberEnd(rest[width+1:])
	if height == 0 {
		return 0
	}
	return width + 1 + height
}

func numberEnd(rest []byte) int {
	const most = 10 // digits
	n := 0
	for n < len(rest) && n < most && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	if n > 0 && rest[0] == '0' {
		return 0
	}
	return n
}

// fileIDEnd returns the length of a provider's file id, which ends at a quote: plain
// characters that need no escape. It is 0 when there is none.
func fileIDEnd(rest []byte) int {
	const most = 512
	for n := 0; n < len(rest) && n <= most; n++ {
		switch c := rest[n]; {
		case c == '"':
			return n
		case c <= ' ', c == '\\', c > '~':
			return 0
		}
	}
	return 0
}

// literalBehind returns the literal text that follows a segment.
func (b *Body) literalBehind(i int) []byte {
	for _, s := range b.segments[i+1:] {
		if s.hole != 0 {
			return nil
		}
		if len(s.text) > 0 {
			return s.text
		}
	}
	return nil
}

// The adapter's omission text is known by length and digest: enough to prove a
// capture that holds it.
const (
	omissionLength = 211
	omissionDigest = "5f4fc25be31debab7c989ddffe8a05dd180fe85b04dc13ef265627dc9aabd342"
)

func isOmissionText(text []byte) bool {
	sum := sha256.Sum256(text)
	return len(text) == omissionLength && hex.EncodeToString(sum[:]) == omissionDigest
}

// omissionEnd returns the length of the omission text at the start of rest, which
// is followed by next; 0 when rest ends inside it.
func omissionEnd(rest, next []byte) int {
	if len(rest) > omissionLength && isOmissionText(rest[:omissionLength]) {
		return omissionLength
	}
	end := stringEnd(rest)
	if end <= 0 || len(next) == 0 {
		return max(0, end)
	}
	inside := next // what follows it in the same string
	if quote := stringEnd(next); quote >= 0 {
		inside = next[:quote]
	}
	const known = 32
	if inside = inside[:min(len(inside), known)]; len(inside) == 0 {
		return end
	}
	return max(0, bytes.Index(rest[:end], inside))
}

// stringEnd returns where the JSON string that text is inside of ends, -1 when text
// does not hold that.
func stringEnd(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return -1
}

// decodeDataURL returns the bytes of an image's data URL.
func decodeDataURL(url []byte) ([]byte, bool) {
	head, data, ok := bytes.Cut(url, []byte(";base64,"))
	if !ok || !bytes.HasPrefix(head, []byte("data:image/")) || bytes.ContainsAny(data, "\r\n") {
		return nil, false // a decoder skips line ends, and no JSON string holds them
	}
	image, err := base64.StdEncoding.Strict().AppendDecode(nil, data)
	if err != nil {
		return nil, false
	}
	if _, err := objectstore.Sniff(bytes.NewReader(image)); err != nil {
		return nil, false
	}
	return image, true
}
