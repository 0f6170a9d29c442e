package exportzip_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/exportzip"
)

func pack(t *testing.T, n int, text func(i int) string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range n {
		f, err := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("%d/session.jsonl", i)})
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(text(i)))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func refusal(err error) logformat.Code {
	if r, ok := errors.AsType[*logformat.Refusal](err); ok {
		return r.Code
	}
	return ""
}

// TestManyEntries checks that an archive of ever more entries is given up, and what
// that costs.
func TestManyEntries(t *testing.T) {
	for _, n := range []int{1000, exportzip.MaxEntries + 1} {
		data := pack(t, n, func(int) string { return "" })
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := exportzip.Open("x.zip", bytes.NewReader(data), int64(len(data)))
		runtime.ReadMemStats(&after)
		if want := n > exportzip.MaxEntries; want != (refusal(err) == exportzip.CodeMany) {
			t.Errorf("%d entries: %v", n, err)
		}
		if cost := after.TotalAlloc - before.TotalAlloc; cost > 400<<20 {
			t.Errorf("%d entries: %d bytes were allocated", n, cost)
		}
	}
}

// TestOverlap checks that entries that share bytes are refused: the second entry's
// place in the directory is set to the first one's.
func TestOverlap(t *testing.T) {
	data := pack(t, 2, func(i int) string { return strings.Repeat("x", 1000+i) })
	if _, err := exportzip.Open("x.zip", bytes.NewReader(data), int64(len(data))); err != nil {
		t.Fatal(err)
	}
	second := bytes.LastIndex(data, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(data[second+42:], 0)
	_, err := exportzip.Open("x.zip", bytes.NewReader(data), int64(len(data)))
	if refusal(err) != exportzip.CodeOverlap {
		t.Errorf("an entry over another one: %v", err)
	}
}

// TestManyFaults makes one finding of what is wrong with many entries.
func TestManyFaults(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"session.jsonl", "../a", "same", "../b", "same", "same", "../c"} {
		if _, err := w.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := exportzip.Open("x.zip", bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, r := range a.Refused() {
		said = append(said, string(r.Code)+" "+r.Detail)
	}
	want := []string{`zip/unsafe-path entry "../a" and 2 more`, `zip/duplicate-entry entry "same" and 1 more`}
	if !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}
