package strictjson_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNothingElseReads checks that no program of this module reads JSON with
// encoding/json, which matches names without case, takes members that stand twice
// silently, and stops before the end of its input.
func TestNothingElseReads(t *testing.T) {
	reads := regexp.MustCompile(`\bjson\.(Unmarshal|NewDecoder|Decoder|Valid|Token|RawMessage)\b`)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if use := reads.Find(text); use != nil {
			t.Errorf("%s uses %s: read with strictjson or ecmajson", path, use)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
