package objectstore

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/dsh-verify/dsh-verify/internal/regular"
)

// A Folder is a store in the file system: an attachments/v1 folder.
type Folder struct{ dir string }

// OpenFolder returns the store at dir: the v1 folder itself, or a folder that
// holds it as attachments/v1 or v1.
func OpenFolder(dir string) (*Folder, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: errors.New("not a folder")}
	}
	for _, inner := range []string{"", filepath.Join("attachments", "v1"), "v1"} {
		if at := filepath.Join(dir, inner); isDir(filepath.Join(at, "objects")) {
			return &Folder{at}, nil
		}
	}
	return &Folder{dir}, nil
}

// Locate returns the store that belongs to a log: attachments/v1 beside the log
// or in a folder above it, up to a harness home, or else in $DSH_HOME.
func Locate(logDir string, env func(string) string) (dir string, ok bool) {
	if logDir != "" {
		if abs, err := filepath.Abs(logDir); err == nil {
			// A log lies at most four folders below its home: sessions/<project>/<session>.
			for range 5 {
				if at := filepath.Join(abs, "attachments", "v1"); isDir(at) {
					return at, true
				}
				abs = filepath.Dir(abs)
			}
		}
	}
	if home := env("DSH_HOME"); home != "" {
		if at := filepath.Join(home, "attachments", "v1"); isDir(at) {
			return at, true
		}
	}
	return "", false
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Name returns the folder's path.
func (f *Folder) Name() string { return f.dir }

// Open opens an object.
func (f *Folder) Open(digest string) (*Object, *Failure) { return f.open("objects", digest) }

// OpenRequestImage opens a cached request image.
func (f *Folder) OpenRequestImage(key string) (*Object, *Failure) {
	return f.open("request-images", key)
}

func (f *Folder) open(kind, digest string) (*Object, *Failure) {
	if !IsDigest(digest) {
		return nil, &Failure{CodeReference, "the id is no digest"}
	}
	return openFile(filepath.Join(f.dir, kind, digest[:2], digest))
}

func openFile(path string) (*Object, *Failure) {
	link, err := os.Lstat(path)
	if err != nil {
		return nil, pathFailure(err)
	}
	file, err := regular.Open(path) // what a link leads to counts
	if other, ok := errors.AsType[*regular.NotFile](err); ok {
		return nil, &Failure{CodeNotAFile, "a " + regular.Describe(other.Mode) + " at " + path}
	}
	if err != nil {
		return nil, pathFailure(err)
	}
	return &Object{ReadCloser: file, Path: path, Symlink: link.Mode()&fs.ModeSymlink != 0}, nil
}

func pathFailure(err error) *Failure {
	if errors.Is(err, fs.ErrNotExist) {
		return &Failure{CodeMissing, "no such object"}
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return &Failure{CodeUnreadable, err.Error()}
}

// An Entry is a file of the store.
type Entry struct {
	Digest       string // or the key of a request image
	RequestImage bool
	Bytes        int64
}

// Walk yields the objects and request images of the folder, in the order of
// their names. Files that are neither are left out.
func (f *Folder) Walk() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for _, kind := range []string{"objects", "request-images"} {
			err := filepath.WalkDir(filepath.Join(f.dir, kind), func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					if errors.Is(err, fs.ErrNotExist) {
						return nil
					}
					return err
				}
				if d.IsDir() || !IsDigest(d.Name()) {
					return nil
				}
				info, err := os.Stat(path)
				if err != nil {
					return nil
				}
				if !yield(Entry{d.Name(), kind != "objects", info.Size()}, nil) {
					return errStop
				}
				return nil
			})
			if errors.Is(err, errStop) {
				return
			}
			if err != nil && !yield(Entry{}, err) {
				return
			}
		}
	}
}

var errStop = errors.New("objectstore: stop")
