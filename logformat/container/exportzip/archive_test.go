package exportzip_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/exportzip"
)

// An entry of an archive that a test makes.
type entry struct {
	name   string
	text   string
	mode   fs.FileMode
	flags  uint16
	method uint16
}

func archive(t testing.TB, entries ...entry) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: e.method, Flags: e.flags}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		f, err := w.CreateHeader(h) // entries carry data descriptors
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, e.text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const log = `{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}` + "\n"

func TestRefusedEntries(t *testing.T) {
	root := entry{name: "session.jsonl", text: log, method: zip.Deflate}
	for _, c := range []struct {
		name    string
		entries []entry
		code    logformat.Code
	}{
		{"sound", []entry{root, {name: "media/", mode: fs.ModeDir | 0o755}}, ""},
		{"dot dot", []entry{root, {name: "../x"}}, exportzip.CodePath},
		{"dot dot inside", []entry{root, {name: "media/../../x"}}, exportzip.CodePath},
		{"absolute", []entry{root, {name: "/etc/x"}}, exportzip.CodePath},
		{"a drive", []entry{root, {name: "C:x"}}, exportzip.CodePath},
		{"back slash", []entry{root, {name: `media\x`}}, exportzip.CodeBackslash},
		{"back slashes", []entry{root, {name: `media\x`}, {name: `media\y`}}, exportzip.CodeBackslash},
		{"back slashes that lead out", []entry{root, {name: `media\..\..\x`}}, exportzip.CodePath},
		{"a back slash first", []entry{root, {name: `\x`}}, exportzip.CodePath},
		{"a link", []entry{root, {name: "link", text: "/etc/passwd", mode: fs.ModeSymlink | 0o777}}, exportzip.CodeLink},
		{"a device", []entry{root, {name: "dev", mode: fs.ModeDevice | 0o600}}, exportzip.CodeLink},
		{"twice", []entry{root, root}, exportzip.CodeDuplicate},
		{"encrypted", []entry{root, {name: "x", flags: 1}}, exportzip.CodeEncrypted},
	} {
		data := archive(t, c.entries...)
		a, err := exportzip.Open("x.zip", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var codes []logformat.Code
		for _, r := range a.Refused() {
			codes = append(codes, r.Code)
		}
		var want []logformat.Code
		if c.code != "" {
			want = []logformat.Code{c.code}
		}
		if diff := cmp.Diff(want, codes); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if diff := cmp.Diff([]string{"session.jsonl"}, a.Sessions()); diff != "" {
			t.Errorf("%s: sessions: %s", c.name, diff)
		}
	}
}

func TestNoSession(t *testing.T) {
	data := archive(t, entry{name: "readme.txt", text: "hello"})
	_, err := exportzip.Open("x.zip", bytes.NewReader(data), int64(len(data)))
	if refusal, ok := errors.AsType[*logformat.Refusal](err); !ok || refusal.Code != exportzip.CodeNoSession {
		t.Errorf("error is %v", err)
	}
}

func TestDamagedArchive(t *testing.T) {
	data := archive(t, entry{name: "session.jsonl", text: log})
	cut := data[:len(data)-10]
	_, err := exportzip.Open("x.zip", bytes.NewReader(cut), int64(len(cut)))
	if refusal, ok := errors.AsType[*logformat.Refusal](err); !ok || refusal.Code != exportzip.CodeDamaged {
		t.Errorf("error is %v", err)
	}
}

// TestLyingSizes edits an entry's recorded checksum and length: what is read does
// not match, and the reading says so.
func TestLyingSizes(t *testing.T) {
	data := archive(t, entry{name: "session.jsonl", text: log, method: zip.Store})
	at := bytes.LastIndex(data, []byte("PK\x01\x02"))
	for name, edit := range map[string]func(b []byte){
		"checksum":     func(b []byte) { b[at+16] ^= 1 },
		"length short": func(b []byte) { b[at+24]--; b[at+20]-- },
		"length long":  func(b []byte) { b[at+24]++ },
	} {
		b := bytes.Clone(data)
		edit(b)
		a, err := exportzip.Open("x.zip", bytes.NewReader(b), int64(len(b)))
		if err != nil {
			continue
		}
		r, err := a.OpenSession("session.jsonl")
		if err == nil {
			_, err = io.ReadAll(r)
		}
		if refusal, ok := errors.AsType[*logformat.Refusal](err); !ok || refusal.Code != exportzip.CodeEntry {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

// TestBomb checks that an entry which inflates to a gigabyte stops at the limit.
func TestBomb(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, _ := w.Create("session.jsonl")
	io.WriteString(f, log)
	io.WriteString(f, `{"type":"x","seq":0,"time":0,"data":"`)
	chunk := bytes.Repeat([]byte("a"), 1<<20)
	for range 1 << 10 {
		f.Write(chunk)
	}
	w.Close()
	if b.Len() > 2<<20 {
		t.Fatalf("the bomb has %d bytes", b.Len())
	}
	a, err := exportzip.Open("x.zip", bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	rc, err := a.OpenSession("session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	reader := logformat.NewReader(rc, logformat.Options{MaxSize: 8 << 20})
	for _, err = range reader.Records() {
		if err != nil {
			break
		}
	}
	if refusal, ok := errors.AsType[*logformat.Refusal](err); !ok || refusal.Code != logformat.CodeSizeLimit {
		t.Errorf("error is %v", err)
	}
}

func TestRecordedExport(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "fixtures", "export-zip-family", "export.zip"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := exportzip.Open("export.zip", bytes.NewReader(data), int64(len(data)))
	if err != nil || len(a.Refused()) > 0 {
		t.Fatal(err, a.Refused())
	}
	if n := len(a.Sessions()); n < 2 || a.Sessions()[0] != "session.jsonl" {
		t.Errorf("sessions are %v", a.Sessions())
	}
	object, failure := a.Media().Open("fd15474afd50af227d56839fd32fbf45490d9d3466c70118745c64e2e3107e9e")
	if failure != nil {
		t.Fatal(failure)
	}
	object.Close()
}

// FuzzArchive reads whatever the bytes are: it must neither crash nor hold much.
func FuzzArchive(f *testing.F) {
	f.Add(archive(f, entry{name: "session.jsonl", text: log, method: zip.Deflate}, entry{name: "media/x", text: "y"}))
	if data, err := os.ReadFile(filepath.Join("..", "..", "..", "fixtures", "export-zip-family", "export.zip")); err == nil {
		f.Add(data)
	}
	debug.SetMemoryLimit(256 << 20)
	f.Fuzz(func(_ *testing.T, data []byte) {
		a, err := exportzip.Open("x", bytes.NewReader(data), int64(len(data)))
		if a != nil {
			for _, folder := range a.Folders() {
				if images := a.Images(folder); images != nil {
					images.Open(strings.Repeat("0", 64))
				}
			}
		}
		if err != nil {
			return
		}
		for _, name := range a.Sessions() {
			rc, err := a.OpenSession(name)
			if err != nil {
				continue
			}
			for _, err := range logformat.NewReader(rc, logformat.Options{MaxSize: 1 << 20}).Records() {
				if err != nil {
					break
				}
			}
			rc.Close()
		}
	})
}

func ExampleOpen() {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, _ := w.Create("session.jsonl")
	io.WriteString(f, log)
	w.Close()
	a, err := exportzip.Open("export.zip", bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.Join(a.Sessions(), " "))
	// Output: session.jsonl
}

// TestCommonFolder checks that an export that was packed again with the folder that
// it was unpacked to is read as it was.
func TestCommonFolder(t *testing.T) {
	const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	in := func(folder string, more ...entry) []entry {
		return append([]entry{
			{name: folder + "subagents/b/session.jsonl", text: log},
			{name: folder + "media/sha256:" + digest + ".png", text: "x"},
			{name: folder + "session.jsonl", text: log},
		}, more...)
	}
	for _, c := range []struct {
		name    string
		entries []entry
		want    []string
	}{
		{"as exported", in(""), []string{"session.jsonl", "subagents/b/session.jsonl"}},
		{"in a folder", in("my export/", entry{name: "my export/"}), []string{"my export/session.jsonl", "my export/subagents/b/session.jsonl"}},
		{"in two", in("a/b/"), []string{"a/b/session.jsonl", "a/b/subagents/b/session.jsonl"}},
		{"by a Mac", in("e/", entry{name: "__MACOSX/e/._session.jsonl"}, entry{name: ".DS_Store"}), []string{"e/session.jsonl", "e/subagents/b/session.jsonl"}},
		{"beside something else", in("e/", entry{name: "other"}), []string{"e/session.jsonl", "e/subagents/b/session.jsonl"}},
		{"without its root", []entry{{name: "subagents/b/session.jsonl", text: log}}, []string{"subagents/b/session.jsonl"}},
	} {
		data := archive(t, c.entries...)
		a, err := exportzip.Open("x.zip", bytes.NewReader(data), int64(len(data)))
		if c.want == nil {
			var refusal *logformat.Refusal
			if !errors.As(err, &refusal) || refusal.Code != exportzip.CodeNoSession {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, a.Sessions()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if _, failure := a.Media().Open(digest); failure != nil && len(c.want) > 1 {
			t.Errorf("%s: %v", c.name, failure)
		}
	}
}

// TestImages holds which images belong to the session in a folder of an archive.
func TestImages(t *testing.T) {
	const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	const image = "media/sha256:" + digest + ".png"
	for _, c := range []struct {
		name    string
		entries []string
		folder  string
		found   string // "": no store; "-": a store without the image
	}{
		{"an export", []string{"session.jsonl", image}, "", image},
		{"an export, packed on Windows", []string{"session.jsonl", "media/sha256_" + digest + ".png"}, "", "media/sha256_" + digest + ".png"},
		{"under both names", []string{"session.jsonl", "media/sha256_" + digest + ".png", image}, "", image},
		{"a sub-agent of it", []string{"session.v4.jsonl", "subagents/b/session.v4.jsonl", image}, "subagents/b/", image},
		{"an export in a folder", []string{"e/session.jsonl", "e/subagents/b/session.jsonl", "e/" + image}, "e/subagents/b/", "e/" + image},
		{"one of two exports", []string{"a/session.jsonl", "a/" + image, "b/session.jsonl", "b/media/x"}, "b/", "-"},
		{"the other of two exports", []string{"a/session.jsonl", "a/" + image, "b/session.jsonl"}, "a/", "a/" + image},
		{"an export without images", []string{"session.jsonl"}, "", "-"},
		{"a session of a packed root", []string{"sessions/--p--/s/session.jsonl"}, "sessions/--p--/s/", ""},
		{
			"a session of a packed home",
			[]string{"h/sessions/--p--/s/session.jsonl", "h/attachments/v1/objects/01/" + digest},
			"h/sessions/--p--/s/",
			"h/attachments/v1/objects/01/" + digest,
		},
		{
			"a home that was packed without its folder",
			[]string{"sessions/--p--/s/session.jsonl", "attachments/v1/objects/01/" + digest},
			"sessions/--p--/s/",
			"attachments/v1/objects/01/" + digest,
		},
		{"another home's", []string{"g/sessions/--p--/s/session.jsonl", "h/attachments/v1/objects/01/" + digest}, "g/sessions/--p--/s/", ""},
	} {
		var entries []entry
		for _, name := range c.entries {
			entries = append(entries, entry{name: name, text: log})
		}
		data := archive(t, entries...)
		a, err := exportzip.Open("x.zip", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(c.name, err)
		}
		images, got := a.Images(c.folder), ""
		if images != nil {
			got = "-"
			if object, failure := images.Open(digest); failure == nil {
				got = strings.TrimPrefix(object.Path, "x.zip/")
				object.Close()
			}
		}
		if got != c.found {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestRoot holds which archives are about one session.
func TestRoot(t *testing.T) {
	for _, c := range []struct {
		entries []string
		root    string
		ok      bool
	}{
		{[]string{"session.jsonl"}, "", true},
		{[]string{"session.v4.jsonl", "subagents/b/session.v4.jsonl"}, "", true},
		{[]string{"a/b/session.jsonl", "a/b/subagents/c/session.jsonl"}, "a/b/", true},
		{[]string{"a/session.jsonl", "b/session.jsonl"}, "", false},
		{[]string{"subagents/b/session.jsonl"}, "", false},
		{[]string{"sessions/--p--/s/session.jsonl"}, "", false},
		{[]string{"__MACOSX/session.jsonl", "e/session.jsonl"}, "e/", true},
	} {
		var entries []entry
		for _, name := range c.entries {
			entries = append(entries, entry{name: name, text: log})
		}
		data := archive(t, entries...)
		a, err := exportzip.Open("x.zip", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(c.entries, err)
		}
		if root, ok := a.Root(); ok != c.ok || ok && root != c.root {
			t.Errorf("%v: %q, %v", c.entries, root, ok)
		}
	}
}

// TestNewestGeneration checks that of the generations in a folder the newest is the session.
func TestNewestGeneration(t *testing.T) {
	data := archive(t, entry{name: "session.jsonl", text: log}, entry{name: "session.v3.jsonl", text: log}, entry{name: "session.v04.jsonl", text: log})
	a, err := exportzip.Open("x.zip", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"session.v3.jsonl"}, a.Sessions()); diff != "" {
		t.Error(diff)
	}
}
