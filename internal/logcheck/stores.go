package logcheck

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// Objects returns a verifier over the object stores that are named, that came with the
// log, or that belong to it; nil when there is none.
func (c *Checker) Objects(log *source.Log) (*objectstore.Verifier, error) {
	switch {
	case c.Store != "":
		return OpenStores(c.Store)
	case log.Media != nil:
		return objectstore.NewVerifier(log.Media), nil
	case len(c.Usual) > 0:
		return OpenStores(c.Usual...)
	}
	dir, ok := objectstore.Locate(log.Dir, c.Env)
	if !ok {
		return nil, nil
	}
	return OpenStores(dir)
}

// OpenStores returns a verifier over folders of objects, of which each is asked in turn.
func OpenStores(dirs ...string) (*objectstore.Verifier, error) {
	stores := make([]objectstore.Store, len(dirs))
	for i, dir := range dirs {
		folder, err := objectstore.OpenFolder(dir)
		if err != nil {
			return nil, err
		}
		if !isStore(folder.Name()) {
			return nil, fmt.Errorf("%s: no attachments/v1 folder there", dir)
		}
		stores[i] = folder
	}
	return objectstore.NewVerifier(objectstore.Several(stores...)), nil
}

// isStore reports whether a folder is a store, if an empty one.
func isStore(dir string) bool {
	for _, kind := range []string{"objects", "request-images", "attachments/v1"} {
		if info, err := os.Stat(filepath.Join(dir, kind)); err == nil && info.IsDir() {
			return true
		}
	}
	abs, err := filepath.Abs(dir)
	return err == nil && filepath.Base(abs) == "v1" && filepath.Base(filepath.Dir(abs)) == "attachments"
}
