package logformat_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// TestOtherFiles checks that what is no log is refused as what it is, under any name.
func TestOtherFiles(t *testing.T) {
	var gz, tape bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write([]byte(`{"type":"session"}`))
	w.Close()
	tw := tar.NewWriter(&tape)
	tw.WriteHeader(&tar.Header{Name: "session.jsonl", Size: 3, Mode: 0o644, Format: tar.FormatUSTAR})
	tw.Write([]byte("{}\n"))
	tw.Close()
	const log = `{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}` + "\n"
	wide := func(text string) string {
		var b strings.Builder
		for _, c := range []byte(text) {
			b.Write([]byte{c, 0})
		}
		return b.String()
	}
	for _, c := range []struct {
		name, text string
		code       logformat.Code // "": it loads
	}{
		{"a log", log, ""},
		{"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n", logformat.CodeLFSPointer},
		{"a page", "\n<!DOCTYPE html>\n<html>", logformat.CodeWebPage},
		{"a page without a type", "<html lang=en>", logformat.CodeWebPage},
		{"a page with a byte order mark", "\xef\xbb\xbf<!doctype HTML>", logformat.CodeWebPage},
		{"gzip", gz.String(), logformat.CodeCompressed},
		{"tar", tape.String(), logformat.CodePacked},
		{"an old tar", "session.jsonl" + strings.Repeat("\x00", 499), logformat.CodePacked},
		{"UTF-16 with a byte order mark", "\xff\xfe" + wide(log), logformat.CodeUTF16},
		{"UTF-16 without one", wide(log), logformat.CodeUTF16},
		{"UTF-16, big end first", "\xfe\xff\x00" + wide(log), logformat.CodeUTF16},
		{"UTF-8 with a byte order mark", "\xef\xbb\xbf" + log, logformat.CodeHeaderBOM},
		{"some text", "hello\n", logformat.CodeHeaderNotJSON},
		{"a torn header", `{"type":"ses`, logformat.CodeHeaderUnterminated},
		{"nothing", "", logformat.CodeEmpty},
	} {
		for _, name := range []string{"", "session.jsonl", "session.jsonl.zstd", "session.v4.jsonl.zstd"} {
			packed := strings.HasSuffix(name, ".zstd")
			if packed && !strings.HasPrefix(string(c.code), "other/") {
				continue // what Zstandard says of it
			}
			_, err := logformat.NewReader(strings.NewReader(c.text), logformat.Options{FileName: name}).Header()
			refusal, refused := errors.AsType[*logformat.Refusal](err)
			if refused != (c.code != "") || refused && refusal.Code != c.code {
				t.Errorf("%s as %q: %v, want %s", c.name, name, err, c.code)
			}
		}
		// Where the first read gives a byte, what is no log is still none.
		_, err := logformat.NewReader(iotest.OneByteReader(strings.NewReader(c.text)), logformat.Options{}).Header()
		if (err != nil) != (c.code != "") {
			t.Errorf("%s, byte by byte: %v", c.name, err)
		}
	}
}
