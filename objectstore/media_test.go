package objectstore_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/dsh-verify/dsh-verify/objectstore"
)

// TestMediaInAnyFolder checks that an image is found whatever characters the names of
// the folders above it have: no path is a pattern.
func TestMediaInAnyFolder(t *testing.T) {
	sum := sha256.Sum256([]byte("picture"))
	digest := hex.EncodeToString(sum[:])
	for _, folder := range []string{"export", "export[1]", "export[", "what*", "what?", `back\slash`, "{a,b}", "%5B1%5D", "~", "$HOME", "é ü"} {
		if runtime.GOOS == "windows" && (folder == "what*" || folder == "what?") {
			continue
		}
		for _, colon := range []string{":", "_", "-", "\uf03a"} {
			if runtime.GOOS == "windows" && colon == ":" {
				continue
			}
			dir := filepath.Join(t.TempDir(), folder, "media")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "sha256"+colon+digest+".png"), []byte("picture"), 0o644); err != nil {
				t.Fatal(err)
			}
			object, failure := objectstore.OpenMedia(dir).Open(digest)
			if failure != nil {
				t.Errorf("%s, %q: %v", folder, colon, failure)
				continue
			}
			text, _ := io.ReadAll(object)
			object.Close()
			if string(text) != "picture" {
				t.Errorf("%s, %q: read %q", folder, colon, text)
			}
		}
	}
}

func TestMediaDigest(t *testing.T) {
	const hex64 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for _, c := range []struct {
		name string
		ok   bool
	}{
		{"sha256:" + hex64 + ".png", true},
		{"sha256_" + hex64 + ".jpg", true},
		{"sha256\uf03a" + hex64 + ".webp", true}, // as WSL and Cygwin write a colon
		{"sha256:" + hex64, false},
		{"sha256" + hex64 + ".png", false},
		{"sha256::" + hex64 + ".png", false},
		{"sha256:" + hex64[1:] + ".png", false},
		{"sha512:" + hex64 + ".png", false},
		{"sha256", false},
		{"", false},
	} {
		if digest, ok := objectstore.MediaDigest(c.name); ok != c.ok || ok && digest != hex64 {
			t.Errorf("%q: %q, %v", c.name, digest, ok)
		}
	}
}
