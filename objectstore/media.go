package objectstore

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"
)

// MediaDigest reads the digest off the name of an image in an export:
// sha256:<hex>.<suffix>, or with another character in place of the colon, which
// no file on Windows can have.
func MediaDigest(name string) (digest string, ok bool) {
	rest, ok := strings.CutPrefix(name, "sha256")
	if !ok {
		return "", false
	}
	_, colon := utf8.DecodeRuneInString(rest)
	digest, _, ok = strings.Cut(rest[colon:], ".")
	return digest, ok && IsDigest(digest)
}

// OpenMedia returns the store of an unpacked export archive, a folder of files that
// are named as [MediaDigest] reads them.
func OpenMedia(dir string) Store { return &mediaFolder{dir: dir} }

type mediaFolder struct {
	dir   string
	once  sync.Once
	names map[string]string // by digest
}

// Name returns the folder's path.
func (m *mediaFolder) Name() string { return m.dir }

// list reads the folder once. What cannot be listed holds no image.
func (m *mediaFolder) list() {
	m.names = make(map[string]string)
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if digest, ok := MediaDigest(e.Name()); ok && m.names[digest] == "" {
			m.names[digest] = e.Name()
		}
	}
}

// Open opens an image by its digest.
func (m *mediaFolder) Open(digest string) (*Object, *Failure) {
	m.once.Do(m.list)
	name := m.names[digest]
	if name == "" {
		return nil, &Failure{CodeMissing, "the folder holds no such image"}
	}
	return openFile(filepath.Join(m.dir, name))
}

// OpenRequestImage says that exports hold no request images.
func (m *mediaFolder) OpenRequestImage(string) (*Object, *Failure) {
	return nil, &Failure{CodeMissing, "exports hold no request images"}
}
