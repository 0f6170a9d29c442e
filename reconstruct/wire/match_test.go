package wire_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

// A pair is a body with holes and what was captured of it.
type pair struct {
	body     *wire.Body
	captured []byte
}

// imagePairs returns recorded bodies with holes of every kind, each with a body that
// it is a capture of.
func imagePairs(t testing.TB) (pairs []pair) {
	for _, name := range []string{"image-offload-and-text-only", "image-inline-small", "image-files-api", "image-large-variant"} {
		dir := filepath.Join(fixtures, name)
		files, _ := filepath.Glob(filepath.Join(dir, "wire", "*.json"))
		var captures [][]byte
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			captures = append(captures, text)
		}
		eachRequest(t, dir, func(q *reconstruct.Request) {
			q = q.Keep()
			for _, captured := range captures {
				for _, policy := range chat.Protocol.Infer(wire.DefaultPolicy(), nil, captured) {
					body, err := wire.NewBuilder(chat.Protocol, policy, nil).Body(q)
					if err == nil && len(body.Holes) > 0 && body.Match(captured) == nil {
						pairs = append(pairs, pair{body, captured})
					}
				}
			}
		})
	}
	if len(pairs) == 0 {
		t.Fatal("no fixture has a body with holes")
	}
	return pairs
}

// TestMatchOfCutBodies cuts captured bodies, short ones at every byte: none equals then, and no
// cut is too early for the comparison, as one inside the text of an omitted image.
func TestMatchOfCutBodies(t *testing.T) {
	for _, p := range imagePairs(t) {
		step := 1 + len(p.captured)/2048
		for n := 0; n < len(p.captured); n += step {
			d := p.body.Match(p.captured[:n])
			if d == nil {
				t.Fatalf("a body cut at byte %d of %d is equal", n, len(p.captured))
			}
			if d.Capture < 0 || d.Capture > int64(n) || d.Body < 0 || d.Body > p.body.Len() {
				t.Fatalf("cut at byte %d of %d: the difference is at %+v", n, len(p.captured), *d)
			}
		}
	}
}

// TestFillings tries what a hole must not take.
func TestFillings(t *testing.T) {
	request := wire.JSON(`{"model":"m","messages":[{"role":"user","content":[{"type":"image","attachment":` +
		`{"attachmentId":"sha256:` + string(bytes.Repeat([]byte("a"), 64)) + `","mediaType":"image/png","bytes":9000000,"width":4000,"height":4000}}]}]}`)
	for _, c := range []struct {
		name   string
		images wire.ImageMode
		kind   wire.HoleKind
		text   string
		equal  bool
	}{
		{"a file id", wire.Files, wire.FileID, "file-abc_123", true},
		{"a file id that escapes the quote after it", wire.Files, wire.FileID, `file-abc\`, false},
		{"a file id with a control character", wire.Files, wire.FileID, "file\n", false},
		{"a file id beyond ASCII", wire.Files, wire.FileID, "fil\u00e9", false},
		{"no file id", wire.Files, wire.FileID, "", false},
		{"a size", wire.Files, wire.ImageSize, "640x480", true},
		{"a size without height", wire.Files, wire.ImageSize, "640x", false},
		{"a size of two signs", wire.Files, wire.ImageSize, "6xx", false},
		{"a size that starts with zero", wire.Files, wire.ImageSize, "064x48", false},
		{"an image", wire.Inline, wire.ImageData, onePixel, true},
		{"an image with a line feed", wire.Inline, wire.ImageData, onePixel[:40] + "\n" + onePixel[40:], false},
		{"an image of another type than its URL names", wire.Inline, wire.ImageData, strings.Replace(onePixel, "png", "jpeg", 1), false},
		{"a type that no JSON string holds", wire.Inline, wire.ImageData, strings.Replace(onePixel, "png", "p\x00g", 1), false},
		{"a type with a parameter", wire.Inline, wire.ImageData, strings.Replace(onePixel, "png", "png;q=1", 1), false},
		{"another scheme", wire.Inline, wire.ImageData, "https://example.test/a.png", false},
	} {
		policy := wire.DefaultPolicy()
		policy.Images = c.images
		body, err := wire.NewBuilder(chat.Protocol, policy, nil).Body(request)
		if err != nil {
			t.Fatal(err)
		}
		captured := body.Bytes()
		for _, h := range body.Holes {
			text := map[wire.HoleKind]string{wire.FileID: "file-1", wire.ImageSize: "800x800", wire.ImageData: onePixel}[h.Kind]
			if h.Kind == c.kind {
				text = c.text
			}
			captured = bytes.Replace(captured, []byte("?"+string(h.Kind)+"?"), []byte(text), 1)
		}
		if got := body.Match(captured) == nil; got != c.equal {
			t.Errorf("%s: equal is %v: %s", c.name, got, captured)
		}
	}
}

// TestOmittedImage fills the place of an omitted image that text follows in the same
// string, and cuts what was captured at every byte.
func TestOmittedImage(t *testing.T) {
	request := wire.JSON(`{"model":"m","messages":[{"role":"user","content":[{"type":"image","attachment":{}},{"type":"text","text":" then \"this\""}]}]}`)
	policy := wire.DefaultPolicy()
	policy.Omit = 1
	body, err := wire.NewBuilder(chat.Protocol, policy, nil).Body(request)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := bytes.Cut(body.Bytes(), []byte("?omission-text?"))
	if !ok {
		t.Fatalf("no hole: %s", body.Bytes())
	}
	for _, text := range []string{"[gone]", `[\"gone\"]`, ` th\n`} {
		captured := append(append(bytes.Clone(before), text...), after...)
		if d := body.Match(captured); d != nil || body.Holes[0].Filled != text {
			t.Errorf("%s: %+v, filled with %q", text, d, body.Holes[0].Filled)
		}
		for n := range captured {
			if body.Match(captured[:n]) == nil {
				t.Errorf("%s: cut at byte %d, and equal", text, n)
			}
		}
	}
}

const onePixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

// FuzzWireMatch checks that matching never fails on what was captured, and that what
// it calls equal is: the body with its holes filled is the capture, byte for byte,
// and JSON whenever the body is.
func FuzzWireMatch(f *testing.F) {
	pairs := imagePairs(f)
	for i, p := range pairs {
		f.Add(i, p.captured)
		f.Add(i, p.captured[:len(p.captured)/2])
	}
	f.Fuzz(func(t *testing.T, which int, captured []byte) {
		p := pairs[uint(which)%uint(len(pairs))]
		if p.body.Match(captured) != nil {
			return
		}
		if _, err := ecmajson.Check(captured); err != nil {
			t.Fatalf("no JSON, and equal: %v: %q", err, captured)
		}
		filled := p.body.Bytes()
		var want []byte
		for _, h := range p.body.Holes {
			before, after, _ := bytes.Cut(filled, []byte("?"+string(h.Kind)+"?"))
			want, filled = append(append(want, before...), h.Filled...), after
		}
		if want = append(want, filled...); !bytes.Equal(want, captured) {
			t.Fatalf("not equal:\n%q\n%q", want, captured)
		}
	})
}
