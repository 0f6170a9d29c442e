package evidence_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/evidence"
)

// TestRecorded checks that every file of the recorded sessions is recognised as
// something that no output may replace.
func TestRecorded(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../../fixtures", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch name := d.Name(); {
		case filepath.Ext(name) == ".md", strings.Contains(path, "authored"), strings.Contains(path, "reject-"), name == "case.json", name == "upload-index.json":
			return nil // logs whose first line is broken are known by their names
		}
		files++
		kind, err := evidence.Of(path)
		if info, _ := d.Info(); info.Size() == 0 {
			return nil
		}
		if err != nil || !kind.IsEvidence() {
			t.Errorf("%s is %q (%v)", path, kind, err)
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Fatal(files, err)
	}
}

func TestRecognise(t *testing.T) {
	for _, c := range []struct {
		name, head string
		want       evidence.Kind
	}{
		{"nothing", "", evidence.None},
		{"text", "verified: 1 log", evidence.Text},
		{"HTML", "<!doctype html>", evidence.Text},
		{"text cut in a character", strings.Repeat("x", 4095) + "\xe2", evidence.Text},
		{"bytes", "\x00\x01", evidence.Binary},
		{"Latin-1", "caf\xe9 au lait", evidence.Binary},
		{"a report", "{\n  \"schemaVersion\": 1,", evidence.Report},
		{"SARIF", "{\n  \"$schema\": \"https://", evidence.Report},
		{"a row of NDJSON", `{"file":"a","verdict":"verified"`, evidence.Report},
		{"a seal", "{\n  \"kind\": \"dsh-verify seal\",\n  \"schemaVersion\": 1", evidence.Seal},
		{"a log with its members in another order", `{"version":0,"type":"session"`, evidence.Log},
		{"a log after a byte order mark", "\xef\xbb\xbf{\"type\":\"session\"", evidence.Log},
		{"a HAR", "{\n \"log\": {\"version\":\"1.2\"", evidence.Traffic},
		{"requests", `{"turn":1,"sessionId":"a"`, evidence.Recording},
		{"an index of bodies", `{"file":"0001.json","sessionId":"a"`, evidence.Recording},
		{"a body", `{"model":"m","messages":[`, evidence.Body},
		{"other JSON", `{"name":"garden"}`, evidence.JSON},
		{"a sum file", "dsh-verify requests.sum v1\n", evidence.Sum},
		{"a skippable frame", "\x50\x2a\x4d\x18....", evidence.Packed},
		{"a rollback journal", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", evidence.Store},
	} {
		if got := evidence.Recognise([]byte(c.head)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	if kind, err := evidence.Of(filepath.Join(dir, "none")); kind != evidence.None || err != nil {
		t.Error(kind, err)
	}
	if _, err := evidence.Of(dir); err == nil {
		t.Error("a folder is read")
	}
	if err := os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if kind, err := evidence.Of(filepath.Join(dir, "empty")); kind != evidence.None || err != nil {
		t.Error(kind, err)
	}
}
