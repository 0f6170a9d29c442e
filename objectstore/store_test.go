package objectstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

const recorded = "../fixtures/image-inline-small/attachments/v1"

// pebble is the reference of the recorded object.
var pebble = Reference{
	AttachmentID: "sha256:324a055e7ddcd5e5f0f3729f8e202cebcfd977a11d2668080f5cdd8fe7535e8c",
	MediaType:    "image/png", Bytes: 110, Width: 24, Height: 16,
}

func verify(t *testing.T, dir string, ref Reference) *Check {
	t.Helper()
	store, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return NewVerifier(store).Verify(ref)
}

func TestRecordedObject(t *testing.T) {
	for _, dir := range []string{recorded, filepath.Dir(recorded), filepath.Dir(filepath.Dir(recorded))} {
		if c := verify(t, dir, pebble); c.Failure != nil {
			t.Errorf("%s: %v", dir, c.Failure)
		}
	}
}

// TestFailures checks that each way to fail has its own code.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	put := func(data []byte) Reference {
		sum := sha256.Sum256(data)
		id := hex.EncodeToString(sum[:])
		path := filepath.Join(dir, "objects", id[:2], id)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return Reference{"sha256:" + id, "image/png", int64(len(data)), 5, 4, ""}
	}
	var good bytes.Buffer
	png.Encode(&good, image.NewGray(image.Rect(0, 0, 5, 4)))
	ref := put(good.Bytes())
	with := func(change func(*Reference)) Reference {
		r := ref
		change(&r)
		return r
	}
	damaged := put([]byte("soon something else"))
	os.WriteFile(filepath.Join(dir, "objects", damaged.Digest()[:2], damaged.Digest()), []byte("something else"), 0o644)
	folder := put([]byte("a folder"))
	at := filepath.Join(dir, "objects", folder.Digest()[:2], folder.Digest())
	os.Remove(at)
	os.Mkdir(at, 0o755)

	for _, c := range []struct {
		name string
		ref  Reference
		want Code
	}{
		{"sound", ref, ""},
		{"missing", with(func(r *Reference) { r.AttachmentID = pebble.AttachmentID }), CodeMissing},
		{"length", with(func(r *Reference) { r.Bytes++ }), CodeLength},
		{"type", with(func(r *Reference) { r.MediaType = "image/webp" }), CodeType},
		{"width", with(func(r *Reference) { r.Width = 6 }), CodeDimensions},
		{"height", with(func(r *Reference) { r.Height = 5 }), CodeDimensions},
		{"damaged", damaged, CodeDigest},
		{"folder", folder, CodeNotAFile},
		{"no image", put([]byte("no image at all")), CodeHeader},
		{"cut", put(good.Bytes()[:20]), CodeHeader},
	} {
		got := Code("")
		if f := verify(t, dir, c.ref).Failure; f != nil {
			got = f.Code
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSymbolicLink(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "objects", pebble.Digest()[:2], pebble.Digest())
	os.MkdirAll(filepath.Dir(at), 0o755)
	target, err := filepath.Abs(filepath.Join(recorded, "objects", pebble.Digest()[:2], pebble.Digest()))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, at); err != nil {
		t.Skip(err)
	}
	if c := verify(t, dir, pebble); c.Failure != nil || !c.Symlink {
		t.Errorf("%+v", c)
	}
	os.Remove(at)
	os.Symlink(at, at) // a link to itself
	if c := verify(t, dir, pebble); c.Failure == nil || c.Failure.Code != CodeUnreadable {
		t.Errorf("a loop: %+v", c.Failure)
	}
}

func TestParseReference(t *testing.T) {
	good := `{"attachmentId":"` + pebble.AttachmentID + `","mediaType":"image/png","bytes":110,"width":24,"height":16,"name":"pebble.png"}`
	if r, f := ParseReference(ecmajson.Value(good)); f != nil || r.Name != "pebble.png" || r.Digest() != pebble.Digest() {
		t.Errorf("%+v, %v", r, f)
	}
	for _, bad := range []string{
		`null`, `{}`,
		`{"attachmentId":"../../etc/passwd","mediaType":"image/png","bytes":1,"width":1,"height":1}`,
		`{"attachmentId":"` + pebble.AttachmentID + `","mediaType":"image/svg+xml","bytes":1,"width":1,"height":1}`,
		`{"attachmentId":"` + pebble.AttachmentID + `","mediaType":"image/png","bytes":0,"width":1,"height":1}`,
		`{"attachmentId":"` + pebble.AttachmentID + `","mediaType":"image/png","bytes":1.5,"width":1,"height":1}`,
		`{"attachmentId":"` + pebble.AttachmentID + `","mediaType":"image/png","bytes":1,"height":1}`,
	} {
		if _, f := ParseReference(ecmajson.Value(bad)); f == nil || f.Code != CodeReference {
			t.Errorf("%s: %v", bad, f)
		}
	}
}

// TestTransformKey compares the cache keys with recorded ones.
func TestTransformKey(t *testing.T) {
	for _, c := range []struct {
		transform        Transform
		attachment, want string
	}{
		{TransformV4, "7122bbe81a105a0ca87563e86cda7c10492788b12d5553d0d595ab4636a728f2", "efc10c789da1891b7907d92cec466d412c82aa51c3c8667984d873e144aab0fb"},
		{TransformV5, "39d9b83fe89ba726ee6c1b3c013229f98fa0354daf057b7c13a7e4fdfa545f53", "deede4b07f1aad12d7c85b58eb21127585278aeb9f6474f91de50c91f92f38ae"},
	} {
		if got := c.transform.Key("sha256:"+c.attachment, 640_000, 1<<20); got != c.want {
			t.Errorf("%s: %s, want %s", c.transform, got, c.want)
		}
	}
}

func ExampleVerifier() {
	store, err := OpenFolder(recorded)
	if err != nil {
		fmt.Println(err)
		return
	}
	verifier := NewVerifier(store)
	fmt.Println(verifier.Verify(pebble).Failure == nil)
	wrong := pebble
	wrong.Width = 25
	fmt.Println(verifier.Verify(wrong).Failure)
	// Output:
	// true
	// 24×16, the reference says 25×16: the width and height read from the object's bytes are not the reference's
}
