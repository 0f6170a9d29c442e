package traffic

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// FuzzCapture reads HAR files, indexes and folders of any bytes. Nothing fails on them;
// and where a HAR file is JSON, the bodies are those that a reader of the whole text
// finds, which takes the last of members that stand twice.
func FuzzCapture(f *testing.F) {
	paths, _ := filepath.Glob(filepath.Join("..", "..", "fixtures", "t*", "wire", "index.jsonl"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(false, text)
	}
	a := entry(`{"a":1}`)
	for _, text := range []string{
		har(a, a), strings.Replace(har(a), `]}}`, `],"entries":[]}}`, 1), strings.TrimSuffix(har(a), "}}"), har(a) + "x",
		strings.Replace(har(a), `\"a\"`, "\xff", 1), har(strings.Replace(a, "POST", "post", 1)), `{"log":{"entries":[{"request":7},null]}}`,
		har(strings.Replace(a, `"value"`, `"value":"x","value"`, 1)), har(strings.Replace(a, `"postData"`, `"bodySize":1e2,"postData"`, 1)),
	} {
		f.Add(true, []byte(text))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, isHAR bool, text []byte) {
		if isHAR {
			checkHAR(t, text)
			return
		}
		file := &File{Path: dir}
		if err := file.readIndex(dir, "index.jsonl", bytes.NewReader(text)); err == nil {
			for _, b := range file.Bodies {
				b.Bytes()
			}
		}
	})
}

// checkHAR reads text as a HAR file: what is no JSON is said to be flawed, and what is
// gives the bodies that another reading finds.
func checkHAR(t *testing.T, text []byte) {
	startsAsHAR(bytes.NewReader(text))
	file, err := readHAR("x.har", bytes.NewReader(text), 0)
	v := bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if _, wrong := ecmajson.Check(v); wrong != nil {
		if err == nil && len(file.Flaws) == 0 {
			t.Fatalf("%q is no JSON (%v), and nothing is said of it", text, wrong)
		}
		return
	}
	if err != nil {
		return
	}
	want := wholeHAR(v)
	got := make([]string, 0, len(want))
	for _, b := range file.Bodies {
		if b.Incomparable == "" && startsAsObject(b.data) {
			got = append(got, string(b.data))
		}
	}
	if !slices.Equal(got, want) && !undone(string(text)) {
		t.Fatalf("%q: bodies %q, want %q", text, got, want)
	}
}

// undone reports whether a HAR file may hold bodies that are not as they stand there:
// encoded, mapped or cut.
func undone(text string) bool {
	for _, word := range []string{"ncoding", "\\u", "ength", "odySize", "_truncated", "_isIncomplete"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// wholeHAR returns the texts of a HAR file's chat bodies.
func wholeHAR(v ecmajson.Value) []string {
	texts := []string{}
	for e := range v.Lookup("log").Lookup("entries").Elements() {
		q := e.Lookup("request")
		path, _, _ := strings.Cut(q.Lookup("url").Text(), "?")
		path, _, _ = strings.Cut(path, "#")
		text := q.Lookup("postData").Lookup("text")
		if !strings.EqualFold(q.Lookup("method").Text(), "post") || !strings.HasSuffix(strings.TrimSuffix(path, "/"), "/chat/completions") || text.Kind() != ecmajson.String {
			continue
		}
		if form, _ := ecmajson.Check(q); form&ecmajson.InvalidUTF8 != 0 {
			continue
		}
		if data := []byte(text.Text()); startsAsObject(data) {
			texts = append(texts, string(data)) // another may be base64
		}
	}
	return texts
}
