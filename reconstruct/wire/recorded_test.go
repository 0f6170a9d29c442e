package wire_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

const fixtures = "../../fixtures"

// bodiesOf returns the recorded loop bodies of a case, in order, by request key.
func bodiesOf(t *testing.T, dir string) map[string][][]byte {
	index, err := os.Open(filepath.Join(dir, "wire", "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	bodies := make(map[string][][]byte)
	for lines := bufio.NewScanner(index); lines.Scan(); {
		var e struct {
			File, SessionID, Purpose string
			Turn, Step, Attempt      json.Number
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Purpose != "loop" {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, "wire", e.File))
		if err != nil {
			t.Fatal(err)
		}
		key := e.SessionID + " " + e.Turn.String() + "." + e.Step.String() + "." + e.Attempt.String()
		bodies[key] = append(bodies[key], body)
	}
	return bodies
}

func openLog(t testing.TB, dir string) *logformat.Reader {
	for _, name := range []string{"session.jsonl", "session.jsonl.zstd"} {
		if f, err := os.Open(filepath.Join(dir, name)); err == nil {
			t.Cleanup(func() { f.Close() })
			return logformat.NewReader(f, logformat.Options{})
		}
	}
	t.Skip("no log of its own")
	return nil
}

// eachRequest rebuilds the requests of a case.
func eachRequest(t testing.TB, dir string, do func(q *reconstruct.Request)) {
	reader := openLog(t, dir)
	header, err := reader.Header()
	if err != nil {
		t.Fatal(err)
	}
	for q, err := range reconstruct.NewSession(header, reconstruct.Options{}).Requests(reader) {
		if err != nil {
			t.Fatal(err)
		}
		do(q)
	}
}

// TestRecordedTextBodies rebuilds the recorded bodies of every case without
// images.
func TestRecordedTextBodies(t *testing.T) {
	cases, _ := filepath.Glob(filepath.Join(fixtures, "*", "wire"))
	compared := 0
	for _, path := range cases {
		dir := filepath.Dir(path)
		if strings.Contains(filepath.Base(dir), "image") || filepath.Base(dir) == "export-zip-family" || filepath.Base(dir) == "resume-over-handwritten-json" {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) { compared += compareTextBodies(t, dir) })
	}
	if compared < 60 {
		t.Errorf("only %d bodies were compared", compared)
	}
}

// compareTextBodies compares the bodies of a case, and returns their number.
func compareTextBodies(t *testing.T, dir string) (compared int) {
	bodies := bodiesOf(t, dir)
	builder, rolling := wire.NewBuilder(chat.Protocol, wire.DefaultPolicy(), nil), wire.NewBuilder(chat.Protocol, wire.DefaultPolicy(), nil)
	eachRequest(t, dir, func(q *reconstruct.Request) {
		posted := bodies[q.SessionID+" "+q.Key()]
		if q.Prepared || len(posted) == 0 {
			return
		}
		want, _ := wire.CutExtensions(chat.Protocol, posted[0])
		body, err := builder.Body(q)
		if err != nil {
			t.Fatalf("request %s: %v", q.Key(), err)
		}
		if len(body.Holes) > 0 || !bytes.Equal(body.Bytes(), want) || body.Match(want) != nil || body.Len() != int64(len(want)) {
			t.Errorf("request %s:\n got %s\nwant %s", q.Key(), body.Bytes(), want)
		}
		length, digest, ok, err := rolling.Digest(q)
		if err != nil || !ok || length != body.Len() || digest != body.Digest() {
			t.Errorf("request %s: the rolling digest is %x of %d bytes, %v, %v", q.Key(), digest, length, ok, err)
		}
		compared++
	})
	return compared
}

// TestRecordedImageBodies rebuilds bodies with images under the policy that each
// was sent with.
func TestRecordedImageBodies(t *testing.T) {
	byMode := func(images wire.ImageMode) func(string) wire.Policy {
		return func(string) wire.Policy {
			p := wire.DefaultPolicy()
			p.Images = images
			return p
		}
	}
	byHandle := func(form wire.HandleForm) func(string) wire.Policy {
		return func(string) wire.Policy {
			p := wire.DefaultPolicy()
			p.Images, p.Handle = wire.Inline, form
			return p
		}
	}
	offload := func(model string) wire.Policy {
		p := wire.DefaultPolicy()
		p.Images, p.Count = wire.Inline, wire.Bound{Max: 3, Quantum: 2}
		if !strings.Contains(model, "vision") {
			p.Images = wire.TextOnly
		}
		return p
	}
	for _, c := range []imageCase{
		{"image-inline-small", byMode(wire.Inline), true, nil, false},
		{"late-images-tools", byHandle(wire.PreviewHandle), true, nil, false},
		{"late-images-paths", byHandle(wire.PathHandle), true, map[wire.HoleKind]bool{wire.ObjectPath: true}, false},
		{"image-large-variant", byMode(wire.Inline), true, nil, false},
		{"image-files-api", byMode(wire.Files), true, map[wire.HoleKind]bool{wire.FileID: true}, false},
		{"image-offload-and-text-only", offload, true, map[wire.HoleKind]bool{wire.OmissionText: true}, false},
		// The object is gone, but the capture holds bytes of the right digest.
		{"image-object-missing", byMode(wire.Inline), false, map[wire.HoleKind]bool{wire.ImageData: true}, true},
		// The resized images are gone: their size and bytes cannot be known.
		{"image-large-variant", byMode(wire.Inline), false, map[wire.HoleKind]bool{wire.ImageData: true, wire.ImageSize: true}, false},
	} {
		t.Run(c.dir, c.run)
	}
}

// An imageCase is a recorded case with images.
type imageCase struct {
	dir     string
	policy  func(model string) wire.Policy
	objects bool // the store is available
	holes   map[wire.HoleKind]bool
	proved  bool // what fills the holes
}

func (c imageCase) run(t *testing.T) {
	dir := filepath.Join(fixtures, c.dir)
	bodies := bodiesOf(t, dir)
	var objects *objectstore.Verifier
	if c.objects {
		store, err := objectstore.OpenFolder(filepath.Join(dir, "attachments", "v1"))
		if err != nil {
			t.Fatal(err)
		}
		objects = objectstore.NewVerifier(store)
	}
	builder := wire.NewBuilder(chat.Protocol, wire.DefaultPolicy(), objects)
	holes := make(map[wire.HoleKind]bool)
	eachRequest(t, dir, func(q *reconstruct.Request) {
		builder.SetPolicy(c.policy(q.Model()))
		for _, want := range bodies[q.SessionID+" "+q.Key()] {
			body, err := builder.Body(q)
			if err != nil {
				t.Fatal(err)
			}
			if d := body.Match(want); d != nil {
				t.Errorf("request %s differs at byte %d (%d of the capture)\n got …%.120s\nwant …%.120s", q.Key(), d.Body, d.Capture, body.Bytes()[d.Body:], want[d.Capture:])
			}
			for _, h := range body.Holes {
				holes[h.Kind] = true
				if h.Proved != c.proved {
					t.Errorf("request %s: hole %s: proved is %v", q.Key(), h.Pointer, h.Proved)
				}
			}
		}
	})
	if len(holes) != len(c.holes) {
		t.Errorf("holes %v, want %v", holes, c.holes)
	}
}
