package sqlitestore

import (
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ncruces/go-sqlite3"
)

// TestCompressedData holds what the harness's decoder of a compressed value takes: its
// first frame alone, as UTF-8, a byte order mark dropped.
func TestCompressedData(t *testing.T) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	frame := func(text string) []byte { return w.EncodeAll([]byte(text), nil) }
	skippable := []byte("\x50\x2a\x4d\x18\x04\x00\x00\x00abcd")
	for _, c := range []struct {
		name string
		blob []byte
		want string // "" when the row is refused
	}{
		{"one frame", frame(`{"turn":1}`), `{"turn":1}`},
		{"bytes after it", append(frame(`{"turn":1}`), "more"...), `{"turn":1}`},
		{"a second frame", append(frame(`{"turn":1}`), frame(`{}`)...), `{"turn":1}`},
		{"a value in two frames", append(frame(`{"turn"`), frame(`:1}`)...), ""},
		{"a skippable frame first", slices.Concat(skippable, frame(`{"turn":1}`)), ""},
		{"a byte order mark", frame("\xef\xbb\xbf{}"), `{}`},
		{"bytes that are not UTF-8", frame("{\"a\":\"\xff\"}"), ""},
		{"a frame that is cut", frame(`{"turn":1}`)[:12], ""},
		{"nothing", nil, ""},
	} {
		var r Rows
		got, err := r.dataOf(value{kind: sqlite3.BLOB, bytes: c.blob})
		if (err == nil) != (c.want != "") || err == nil && string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}
