package traffic

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
)

// bomb is "{" and so many MiB of spaces, compressed.
func bomb(t *testing.T, mib int) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	w.Write([]byte("{"))
	for range mib {
		w.Write(spaces)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// taken is what the heap took from the system at most while do ran.
func taken(do func()) uint64 {
	runtime.GC()
	total := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(total)
	before := total[0].Value.Uint64()
	do()
	metrics.Read(total)
	return total[0].Value.Uint64() - before
}

// TestBombs holds many compressed bodies of one capture to what the whole of it may
// decode to, in a HAR file and in a folder.
func TestBombs(t *testing.T) {
	packed := bomb(t, 128)
	t.Run("HAR", func(t *testing.T) {
		one := `{"request":{` + chat + `,"headers":[{"name":"content-encoding","value":"gzip"}],"postData":{"encoding":"base64","text":"` + base64.StdEncoding.EncodeToString(packed) + `"}}}`
		text := har(one, one, one, one, entry(`{"a":1}`))
		var file *File
		n := taken(func() {
			var err error
			if file, err = readHAR("x.har", strings.NewReader(text), int64(len(text))); err != nil {
				t.Fatal(err)
			}
		})
		if n > 256<<20 {
			t.Errorf("%d MiB were allocated for %d kB", n>>20, len(text)>>10)
		}
		for _, b := range file.Bodies[:4] {
			if !strings.Contains(b.Incomparable, errBudget.Error()) {
				t.Errorf("%s: %q", b.Name, b.Incomparable)
			}
		}
		if b := file.Bodies[4]; b.Incomparable != "" || string(b.data) != `{"a":1}` {
			t.Errorf("the body that is no bomb: %q", b.Incomparable)
		}
	})
	t.Run("folder", func(t *testing.T) {
		dir := t.TempDir()
		var index strings.Builder
		for i := range 3 {
			name := fmt.Sprintf("%04d.json", i)
			if err := os.WriteFile(filepath.Join(dir, name), packed, 0o600); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&index, "{\"file\":%q,\"headers\":{\"content-encoding\":\"gzip\"}}\n", name)
		}
		if err := os.WriteFile(filepath.Join(dir, "index.jsonl"), []byte(index.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		n := taken(func() {
			for _, b := range file.Bodies {
				if _, err := b.Bytes(); !errors.Is(err, errBudget) {
					t.Errorf("%s: %v", b.Name, err)
				}
			}
		})
		if n > 64<<20 {
			t.Errorf("%d MiB were allocated", n>>20)
		}
	})
}

// TestBudgetIsShared spends what one body may keep on two.
func TestBudgetIsShared(t *testing.T) {
	packed, limit := bomb(t, 3), &budget{hold: 5 << 20, work: 100 << 20}
	first, err := inflate(packed, "gzip", limit)
	if err != nil || len(first) != 3<<20+1 {
		t.Fatal(len(first), err)
	}
	if _, err := inflate(packed, "gzip", limit); !errors.Is(err, errBudget) {
		t.Error(err)
	}
	limit = &budget{hold: 1 << 20, work: 3 << 20}
	for range 3 { // what fails costs time, too
		inflate(packed, "gzip", limit)
	}
	if limit.work != 0 {
		t.Errorf("%d bytes are left to decode", limit.work)
	}
}

// TestListedTwice reads a file once that an index lists often.
func TestListedTwice(t *testing.T) {
	dir := t.TempDir()
	index := "{\"file\":\"a.json\"}\n{\"file\":\"./a.json\"}\n"
	for name, text := range map[string]string{"a.json": `{"messages":[]}`, "index.jsonl": index} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := Open(dir)
	if err != nil || len(file.Bodies) != 2 || file.Bodies[0].Incomparable != "" || file.Bodies[1].Incomparable == "" {
		t.Fatalf("%+v %v", file, err)
	}
}
