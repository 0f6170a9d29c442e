package harnesstest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// A baseLog is an undamaged log.
type baseLog struct {
	name       string
	file, text []byte
	compressed bool
	session    string
	folder     string // below a store root
}

func (b *baseLog) encoding() string {
	if b.compressed {
		return "jsonl.zstd"
	}
	return "jsonl"
}

// biggestBase keeps a run fast: larger logs are damaged no better.
const biggestBase = 64 << 10

// baseLogs returns the fixtures that make good logs to damage.
func baseLogs(t *testing.T) (logs []*baseLog) {
	t.Helper()
	for _, pattern := range []string{"*/session.jsonl*", "*/children/*/session.jsonl*"} {
		files, err := filepath.Glob(filepath.Join(fixtures, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if b := readBase(t, path); b != nil {
				logs = append(logs, b)
			}
		}
	}
	if len(logs) == 0 {
		t.Fatal("no fixtures to damage")
	}
	return logs
}

func readBase(t *testing.T, path string) *baseLog {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := &baseLog{name: strings.TrimPrefix(filepath.Dir(path), fixtures+"/"), file: file, text: file, compressed: strings.HasSuffix(path, ".zstd")}
	if b.compressed {
		d, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if b.text, err = d.DecodeAll(file, nil); err != nil {
			return nil // damaged already
		}
	}
	h, err := logformat.NewReader(bytes.NewReader(file), logformat.Options{}).Header()
	if err != nil || len(b.text) > biggestBase {
		return nil
	}
	b.session, b.folder = h.ID, h.StorePath()
	return b
}
