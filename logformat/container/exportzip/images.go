package exportzip

import (
	"archive/zip"
	"path"
	"strings"

	"github.com/dsh-verify/dsh-verify/objectstore"
)

// images are an archive's images: those of exports, and of attachment stores that were
// packed with a home.
type images struct {
	media  map[string]map[string]string // the entry by folder of the export and digest
	stores map[string]bool              // folders that hold an attachments/v1
}

func newImages(files map[string]*zip.File) images {
	found := images{map[string]map[string]string{}, map[string]bool{}}
	for name := range files {
		dir, file := path.Split(name)
		if home, _, ok := strings.Cut("/"+dir, "/attachments/v1/"); ok {
			found.stores[strings.TrimPrefix(home+"/", "/")] = true
		}
		folder, ok := strings.CutSuffix("/"+dir, "/media/")
		if !ok {
			continue
		}
		if folder = strings.TrimPrefix(folder+"/", "/"); found.media[folder] == nil {
			found.media[folder] = make(map[string]string)
		}
		digest, ok := objectstore.MediaDigest(file)
		if before := found.media[folder][digest]; ok && (before == "" || name < before) {
			found.media[folder][digest] = name
		}
	}
	return found
}

// Images returns the images that came with the session in a folder: those of its
// export, or those of the attachment store of the home that it lies in. It is nil when
// the archive has none for it.
func (a *Archive) Images(folder string) objectstore.Store {
	for dir := folder; ; {
		if entries := a.images.media[dir]; entries != nil {
			return media{a, entries}
		}
		parent, ok := parentFolder(dir)
		if !ok {
			break
		}
		dir = parent
	}
	// A log lies at most four folders below its home, as it does on disk.
	for dir, up := folder, 0; up < 5; up++ {
		if a.images.stores[dir] {
			return store{a, dir + "attachments/v1/"}
		}
		if dir == "" {
			break
		}
		if dir = path.Dir(strings.TrimSuffix(dir, "/")) + "/"; dir == "./" {
			dir = ""
		}
	}
	if a.hasRoot && strings.HasPrefix(folder, a.root) {
		return media{a, nil} // an export holds every image that its logs name
	}
	return nil
}

// Media returns the images of the session that the archive is about.
func (a *Archive) Media() objectstore.Store {
	if images := a.Images(a.root); images != nil {
		return images
	}
	return media{a, nil}
}

// openImage opens an entry as an object; "" is none.
func (a *Archive) openImage(name string) (*objectstore.Object, *objectstore.Failure) {
	f := a.files[name]
	if f == nil {
		return nil, &objectstore.Failure{Code: objectstore.CodeMissing, Detail: "the archive holds no such image"}
	}
	rc, err := openEntry(f)
	if err != nil {
		return nil, &objectstore.Failure{Code: objectstore.CodeUnreadable, Detail: err.Error()}
	}
	return &objectstore.Object{ReadCloser: rc, Path: a.name + "/" + name}, nil
}

// A media is the folder media of an export.
type media struct {
	a       *Archive
	entries map[string]string // by digest
}

// Name returns the archive's name.
func (m media) Name() string { return m.a.name }

// Open opens an image by its digest, whatever its suffix says.
func (m media) Open(digest string) (*objectstore.Object, *objectstore.Failure) {
	return m.a.openImage(m.entries[digest])
}

// OpenRequestImage says that exports hold no request images.
func (m media) OpenRequestImage(string) (*objectstore.Object, *objectstore.Failure) {
	return nil, &objectstore.Failure{Code: objectstore.CodeMissing, Detail: "archives hold no request images"}
}

// A store is the attachments/v1 of a home that was packed.
type store struct {
	a   *Archive
	dir string // with a slash at its end
}

// Name returns the store's folder in the archive.
func (s store) Name() string { return s.a.name + "/" + strings.TrimSuffix(s.dir, "/") }

// Open opens an object.
func (s store) Open(digest string) (*objectstore.Object, *objectstore.Failure) {
	return s.open("objects/", digest)
}

// OpenRequestImage opens a cached request image.
func (s store) OpenRequestImage(key string) (*objectstore.Object, *objectstore.Failure) {
	return s.open("request-images/", key)
}

func (s store) open(kind, digest string) (*objectstore.Object, *objectstore.Failure) {
	if !objectstore.IsDigest(digest) {
		return nil, &objectstore.Failure{Code: objectstore.CodeReference, Detail: "the id is no digest"}
	}
	return s.a.openImage(s.dir + kind + digest[:2] + "/" + digest)
}
