package wire_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

// A handleCase is a request with images and what a release makes of it:
// testdata/handles.jsonl was written by the serialisers of 0.1.0-rc.8 (handle none)
// and of 0.1.2-rc.1 (the others). All images are the same object.
type handleCase struct {
	Name    string
	Handle  wire.HandleForm
	Images  wire.ImageMode
	Root    string
	Count   [2]int64
	Request string
	Body    *string // nil: it posts none
}

func (c handleCase) policy() wire.Policy {
	p := wire.DefaultPolicy()
	p.Handle, p.Images, p.Root = c.Handle, c.Images, c.Root
	p.Count = wire.Bound{Max: c.Count[0], Quantum: c.Count[1]}
	p.FileIDs = map[string]string{pixelID: "file-1"}
	return p
}

const pixelID = "sha256:497790947d4666760ce38f3c00e852c71fdb66cae849bae8e9ede352719e1581"

// pixelStore is a store that holds the object of the cases.
func pixelStore(t *testing.T) *objectstore.Verifier {
	t.Helper()
	_, data, _ := strings.Cut(onePixel, ",")
	object, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "objects", pixelID[7:9], pixelID[7:])
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, object, 0o644); err != nil {
		t.Fatal(err)
	}
	store, err := objectstore.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return objectstore.NewVerifier(store)
}

func handleCases(t *testing.T) (cases []handleCase) {
	t.Helper()
	data, err := os.ReadFile("testdata/handles.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var c handleCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

// TestHandleForms builds each body under the settings that it was made with.
func TestHandleForms(t *testing.T) {
	objects := pixelStore(t)
	for _, c := range handleCases(t) {
		body, err := wire.NewBuilder(chat.Protocol, c.policy(), objects).Body(wire.JSON(c.Request))
		switch name := c.Name + ", " + string(c.Handle) + ", " + string(c.Images); {
		case c.Body == nil && err == nil:
			t.Errorf("%s: a body, where the adapter posts none", name)
		case c.Body == nil:
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case string(body.Bytes()) != *c.Body || len(body.Holes) > 0:
			t.Errorf("%s: %d holes\n got %s\nwant %s", name, len(body.Holes), body.Bytes(), *c.Body)
		}
	}
}

// TestHandleFormsOfCaptures finds the settings from what was captured, without store,
// file ids and root.
func TestHandleFormsOfCaptures(t *testing.T) {
	for _, c := range handleCases(t) {
		if c.Body == nil {
			continue
		}
		captured := []byte(*c.Body)
		name := c.Name + ", " + string(c.Handle) + ", " + string(c.Images)
		body := matching(c.Request, captured)
		switch {
		case body == nil:
			t.Errorf("%s: no settings explain the body", name)
		case bytes.Contains(captured, []byte("Normalized copy")) && body.Root != c.Root:
			t.Errorf("%s: the root is %q, want %q", name, body.Root, c.Root)
		case body.Images > body.Omitted && c.Images != wire.TextOnly && !assumes(body, "picture-handle", string(c.Handle)):
			t.Errorf("%s: explained by %v", name, body.Assumptions)
		}
	}
}

// matching returns the body of a request that a capture equals, nil when none does.
func matching(request string, captured []byte) *wire.Body {
	for _, policy := range chat.Protocol.Infer(wire.DefaultPolicy(), nil, captured) {
		body, err := wire.NewBuilder(chat.Protocol, policy, nil).Body(wire.JSON(request))
		if err == nil && body.Match(captured) == nil {
			return body
		}
	}
	return nil
}

func assumes(body *wire.Body, name, value string) bool {
	for _, a := range body.Assumptions {
		if a.Name == name {
			return a.Value == value
		}
	}
	return false
}

// TestHandlesChanged changes captured handles: what is no longer one must not match.
func TestHandlesChanged(t *testing.T) {
	const root = "/home/ada/.dsh/attachments/v1"
	for _, c := range handleCases(t) {
		if c.Name != "two, and one named" || c.Handle != wire.PathHandle {
			continue
		}
		for _, e := range []struct {
			name, old, new string
			n              int
			equal          bool
		}{
			{"nothing", "", "", 1, true},
			{"the root of all", root, "/srv/dsh/attachments/v1", -1, true},
			{"the root of one", root, "/srv/dsh/attachments/v1", 1, false},
			{"a root that is relative", root, "home/v1", -1, false},
			{"a root with a line feed", root, `/home\\nada`, -1, false},
			{"a root that ends the string", root, `/home\" rm \"`, -1, false},
			{"a root that ends the string around it", root, `/home"`, -1, false},
			{"a root with a quote that JavaScript escapes", root, `/home/\\\"ada\\\"`, -1, true},
			{"a root with an escape that JavaScript does not print", root, `/home\\/ada`, -1, false},
			{"no root", root, "", -1, false},
			{"another object", "/objects/49/49", "/objects/49/48", 1, false},
			{"another folder of the object", "/objects/49/", "/objects/48/", 1, false},
			{"the name", `a \\\"gate`, `b \\\"gate`, 1, false},
			{"a size of the preview", "request preview 1x1px", "request preview 1x2px", 1, false},
			{"the size of the copy", "(1x1px, image/png)", "(1x2px, image/png)", 1, false},
			{"the type", "(1x1px, image/png)", "(1x1px, image/gif)", 1, false},
			{"a word", "before editing", "before reading", 1, false},
		} {
			captured := strings.Replace(*c.Body, e.old, e.new, e.n)
			if got := matching(c.Request, []byte(captured)) != nil; got != e.equal {
				t.Errorf("%s: equal is %v: %s", e.name, got, captured)
			}
		}
	}
}

// TestVariantOfLateReleases takes a resized image from the cache by the key of release
// 0.1.2, and leaves a hole where there is none.
func TestVariantOfLateReleases(t *testing.T) {
	request := wire.JSON(`{"model":"m","reasoningEffort":"off","messages":[{"role":"user","content":[{"type":"image","attachment":{"attachmentId":"` + pixelID +
		`","mediaType":"image/png","bytes":9000000,"width":4000,"height":4000}}]}]}`)
	_, data, _ := strings.Cut(onePixel, ",")
	small, _ := base64.StdEncoding.DecodeString(data)
	dir := t.TempDir()
	for _, transform := range []objectstore.Transform{objectstore.TransformV4, objectstore.TransformV5} {
		key := transform.Key(pixelID, 640_000, 1<<20)
		path := filepath.Join(dir, "request-images", key[:2], key)
		if transform == objectstore.TransformV5 {
			os.MkdirAll(filepath.Dir(path), 0o755)
			os.WriteFile(path, small, 0o644)
		}
	}
	os.MkdirAll(filepath.Join(dir, "objects"), 0o755)
	store, err := objectstore.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	for form, holes := range map[wire.HandleForm]int{wire.PreviewHandle: 0, wire.SizeHandle: 2} {
		policy := wire.DefaultPolicy()
		policy.Images, policy.Handle = wire.Inline, form
		body, err := wire.NewBuilder(chat.Protocol, policy, objectstore.NewVerifier(store)).Body(request)
		if err != nil {
			t.Fatal(err)
		}
		if len(body.Holes) != holes {
			t.Errorf("%s: holes %v", form, body.Holes)
		}
		if shown := bytes.Contains(body.Bytes(), []byte("request preview 1x1px.")); shown != (holes == 0) {
			t.Errorf("%s: %s", form, body.Bytes())
		}
	}
}
