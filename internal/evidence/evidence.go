// Package evidence recognises files that a verifier reads: logs, stores, archives,
// recordings, captured traffic, images, sum files and seals. No output takes the
// place of one, whatever it is called and wherever it lies.
//
// A file is recognised by how it begins. That holds for every name of a file: links
// of both kinds, and spellings that a file system takes for equal.
package evidence

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"regexp"
	"unicode/utf8"

	"github.com/dsh-verify/dsh-verify/internal/regular"
)

// window is how much of a file's beginning is looked at, in bytes.
const window = 4096

// A Kind is what a file holds.
type Kind string

// The kinds that are no evidence by themselves.
const (
	None   Kind = ""              // an empty file, or no file
	Report Kind = "a report"      // a report in JSON, as this tool writes it
	JSON   Kind = "a JSON file"   // JSON of another kind
	Text   Kind = "a text file"   // any other text
	Binary Kind = "a binary file" // what is no text
)

// The kinds of evidence.
const (
	Log       Kind = "a session log"
	Recording Kind = "a recording"
	Traffic   Kind = "captured traffic"
	Body      Kind = "a captured body"
	Packed    Kind = "a compressed file"
	Archive   Kind = "an archive"
	Store     Kind = "a SQLite store"
	Image     Kind = "an image"
	Sum       Kind = "a sum file"
	Seal      Kind = "a seal"
)

// IsEvidence reports whether a file of that kind is evidence wherever it lies.
func (k Kind) IsEvidence() bool {
	switch k {
	case None, Report, JSON, Text, Binary:
		return false
	}
	return true
}

// Of returns what the file at path holds; links are followed. The error is that of
// opening or reading it.
func Of(path string) (Kind, error) {
	f, err := regular.Open(path)
	if os.IsNotExist(err) {
		return None, nil
	}
	if err != nil {
		return None, err
	}
	defer f.Close()
	head := make([]byte, window)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return None, err
	}
	return Recognise(head[:n]), nil
}

// signatures are how files that are no text begin.
var signatures = []struct {
	begins string
	kind   Kind
}{
	{"\x28\xb5\x2f\xfd", Packed},                  // Zstandard
	{"\x1f\x8b", Packed},                          // gzip
	{"PK\x03\x04", Archive},                       // a ZIP with an entry
	{"PK\x05\x06", Archive},                       // an empty one
	{"SQLite format 3\x00", Store},                //
	{"\x37\x7f\x06\x82", Store},                   // its write-ahead log
	{"\x37\x7f\x06\x83", Store},                   // in the other byte order
	{"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", Store},   // its rollback journal
	{"\x89PNG\r\n\x1a\n", Image},                  //
	{"\xff\xd8\xff", Image},                       // JPEG
	{"GIF8", Image},                               //
	{"dsh-verify requests.sum ", Sum},             //
	{"\x18\xe2\x2d\x00", Store},                   // the shared memory of a store, little-endian
	{"\x00\x2d\xe2\x18", Store},                   // big-endian
	{"\xef\xbb\xbfdsh-verify requests.sum ", Sum}, // as an editor saves it
}

// Recognise returns what a file holds that begins with head.
func Recognise(head []byte) Kind {
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.begins)) {
			return s.kind
		}
	}
	switch {
	case len(head) == 0:
		return None
	case len(head) > 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return Image
	case isSkippable(head):
		return Packed
	}
	kind := Text
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		kind = ofJSON(text)
	}
	if !kind.IsEvidence() && !isText(head) {
		return Binary
	}
	return kind
}

// isSkippable tells a Zstandard file that begins with a skippable frame.
func isSkippable(head []byte) bool {
	return len(head) >= 4 && binary.LittleEndian.Uint32(head)&^0xf == 0x184d2a50
}

// isText reports whether head is UTF-8 without NUL; its last character may be cut.
func isText(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for cut := 0; cut < utf8.UTFMax && cut <= len(head); cut++ {
		if utf8.Valid(head[:len(head)-cut]) {
			return true
		}
	}
	return false
}

// ofJSON tells JSON apart by the members with which the kinds begin. What is read
// may have its members in another order, so they are looked for, not parsed.
func ofJSON(text []byte) Kind {
	for _, k := range shapes {
		if k.shape.Match(text) {
			return k.kind
		}
	}
	return JSON
}

var shapes = []struct {
	shape *regexp.Regexp
	kind  Kind
}{
	{regexp.MustCompile(`^\{\s*"kind":\s*"dsh-verify seal"`), Seal},
	{regexp.MustCompile(`^\{\s*"(schemaVersion|\$schema)":`), Report},
	{regexp.MustCompile(`^\{"file":"(?:[^"\\]|\\.)*","verdict":`), Report},
	{regexp.MustCompile(`"type"\s*:\s*"session"`), Log},
	{regexp.MustCompile(`^\{\s*"log"\s*:\s*\{`), Traffic},
	{regexp.MustCompile(`^\{[^{}\[\]]*"(sessionId|file|sha256)"\s*:`), Recording},
	{regexp.MustCompile(`"messages"\s*:\s*\[`), Body},
	{regexp.MustCompile(`^\{[^{}\[\]]*"model"\s*:`), Body},
}
