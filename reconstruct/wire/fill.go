package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// fill returns what a capture holds in a hole, false when it cannot be that. What is
// in a hole never ends the JSON string around it: otherwise bytes that are equal around
// holes could be another JSON value.
func (b *Body) fill(hole *Hole, rest []byte, segment int, seen *fillings) ([]byte, bool) {
	switch hole.Kind {
	case ImageSize:
		n := pixelsEnd(rest)
		return rest[:n], n > 0
	case FileID:
		n := fileIDEnd(rest)
		return rest[:n], n > 0
	case OmissionText:
		if seen.omission == "" {
			seen.omission = string(rest[:omissionEnd(rest, b.literalBehind(segment))])
		}
		n := len(seen.omission)
		if n == 0 || !bytes.HasPrefix(rest, []byte(seen.omission)) || !isInside(rest[:n]) {
			return nil, false
		}
		hole.Proved = isOmissionText(rest[:n])
		return rest[:n], true
	case CodeText:
		n := max(0, stringEnd(rest))
		return rest[:n], n > 0 && isInside(rest[:n])
	case ObjectPath:
		n := seen.path(rest, hole.below)
		return rest[:n], n > 0
	}
	end := bytes.IndexByte(rest, '"')
	if end < 1 {
		return nil, false
	}
	return rest[:end], hole.image(rest[:end])
}

// What must be the same in all holes of a kind, as the first one has it.
type fillings struct {
	omission string
	root     string // of the attachment store
}

// path returns the length of an object's path at the start of rest: a JSON string
// inside of one, up to its closing quote. It is 0 where the path is none, is another
// object's, or is in another folder than the one before.
func (f *fillings) path(rest []byte, below []string) int {
	end := quotedEnd(rest)
	if end <= 0 {
		return 0
	}
	path, ok := unquoteTwice(rest[:end])
	if !ok {
		return 0
	}
	root, ok := rootOf(path, below)
	if !ok || f.root != "" && f.root != root {
		return 0
	}
	f.root = root
	return end
}

// quotedEnd returns where a JSON string inside of a JSON string ends, -1 if it does
// not.
func quotedEnd(text []byte) int {
	for i := 0; i+1 < len(text); i++ {
		switch {
		case text[i] == '"':
			return -1
		case text[i] != '\\':
		case text[i+1] == '"':
			return i
		case text[i+1] == '\\' && i+2 < len(text) && text[i+2] == '\\':
			i += 3 // an escape of the inner string whose sign is escaped in the outer one
		default:
			i++
		}
	}
	return -1
}

// isInside reports whether a text is the inside of one JSON string.
func isInside(text []byte) bool {
	quoted := slices.Concat([]byte(`"`), text, []byte(`"`))
	end, form, ok := ecmajson.ConsumeString(quoted, 0)
	return ok && end == len(quoted) && form&ecmajson.InvalidUTF8 == 0
}

// unquoteTwice returns the text of a JSON string inside of a JSON string; it is not
// ok when either is not as JSON.stringify prints it.
func unquoteTwice(inside []byte) (string, bool) {
	text := string(inside)
	for range 2 {
		quoted := []byte(`"` + text + `"`)
		if form, err := ecmajson.Check(quoted); err != nil || !form.Canonical() {
			return "", false
		}
		text = ecmajson.Value(quoted).Text()
	}
	return text, true
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
// does not check that.
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

// decodeDataURL returns the bytes of an image's data URL. The media type that it names
// is that of the bytes: the harness reads it from them.
func decodeDataURL(url []byte) ([]byte, bool) {
	head, data, ok := bytes.Cut(url, []byte(";base64,"))
	if !ok || bytes.ContainsAny(data, "\r\n") {
		return nil, false // a decoder skips line ends, and no JSON string holds them
	}
	encoded, err := base64.StdEncoding.Strict().AppendDecode(nil, data)
	if err != nil {
		return nil, false
	}
	image, err := objectstore.Sniff(bytes.NewReader(encoded))
	if err != nil || string(head) != "data:"+image.MediaType {
		return nil, false
	}
	return encoded, true
}
