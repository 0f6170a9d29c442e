package objectstore_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-verify/dsh-verify/objectstore"
)

func TestSeveralTakesTheFirstThatHasIt(t *testing.T) {
	const digest = "00aa000000000000000000000000000000000000000000000000000000000000"
	folder := func(text string) objectstore.Store {
		dir := t.TempDir()
		os.MkdirAll(filepath.Join(dir, "objects", "00"), 0o755)
		if text != "" {
			os.WriteFile(filepath.Join(dir, "objects", "00", digest), []byte(text), 0o644)
		}
		store, err := objectstore.OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	store := objectstore.Several(folder(""), folder("second"), folder("third"))
	object, failure := store.Open(digest)
	if failure != nil {
		t.Fatal(failure)
	}
	defer object.Close()
	if text, _ := io.ReadAll(object); string(text) != "second" {
		t.Errorf("got %q", text)
	}
	if _, failure := objectstore.Several(folder(""), folder("")).Open(digest); failure == nil || failure.Code != objectstore.CodeMissing {
		t.Errorf("none has it: %v", failure)
	}
}
