// Package atomicfile writes files that are whole or not there: the text goes to a
// file beside the target, which takes the target's place at the end.
//
// Where the target exists and is no regular file (a pipe, a device), it is written
// directly: nothing can take its place.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// A File is being written. Commit puts it in place, Close without Commit drops it.
type File struct {
	*os.File
	target string // "" when written directly
	done   bool
}

// Create starts writing path. A symbolic link is followed, not replaced.
func Create(path string) (*File, error) {
	mode := fs.FileMode(0o666) // what the umask leaves of it
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() && !info.IsDir() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			return &File{File: f}, err
		}
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
		if info.IsDir() {
			return nil, &fs.PathError{Op: "create", Path: path, Err: errors.New("is a directory")}
		}
	}
	beside := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:8]+".tmp")
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		pathErr.Path = path // the name that the caller knows
	}
	if err != nil {
		return nil, err
	}
	unfinished.Store(f.Name(), true)
	return &File{File: f, target: path}, nil
}

// Commit ends the writing and puts the file in its place. When it returns, the file
// is on the disk under its name: both are synced, so that a machine that loses power
// holds either what was there before or the whole new file.
func (f *File) Commit() error {
	f.done = true
	if f.target == "" {
		return f.File.Close()
	}
	defer unfinished.Delete(f.Name())
	err := errors.Join(f.Sync(), f.File.Close())
	if err == nil {
		err = os.Rename(f.Name(), f.target)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return syncFolder(filepath.Dir(f.target))
}

// Close drops a file that was not committed, and does nothing to one that was.
func (f *File) Close() error {
	if f.done {
		return nil
	}
	f.done = true
	err := f.File.Close()
	if f.target != "" {
		os.Remove(f.Name())
		unfinished.Delete(f.Name())
	}
	return err
}

// unfinished are the files that wait to take their target's place.
var unfinished sync.Map

// DropAll removes what was not committed, for a program that ends at once.
func DropAll() {
	unfinished.Range(func(name, _ any) bool {
		os.Remove(name.(string))
		return true
	})
}

// Write writes a whole file at once.
func Write(path string, text []byte) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.File.Write(text); err != nil {
		return err
	}
	return f.Commit()
}
