// Package regular opens files, whether a user names them or the program finds them:
// beside a log, in a folder, by the name that a file gives. Nobody promised that there
// is an end to read, so pipes, sockets and devices are not opened: a pipe would keep
// the program waiting for its other end. What comes through a pipe is read from
// standard input.
package regular

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A NotFile says what a path leads to instead of a regular file.
type NotFile struct{ Mode fs.FileMode }

func (e *NotFile) Error() string { return "it is a " + Describe(e.Mode) + ", not a file" }

// Open opens the regular file at path, through links too. The error is a
// [*fs.PathError], of a [*NotFile] when there is something else.
func Open(path string) (*os.File, error) {
	// It is looked at before it is opened: opening a device may do something.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: &NotFile{info.Mode()}}
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() { // it was exchanged
		err = &fs.PathError{Op: "open", Path: path, Err: &NotFile{info.Mode()}}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile reads the regular file at path, if it has no more than limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is longer than %d bytes", limit)}
	}
	return text, err
}

// Describe names what is no regular file.
func Describe(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "folder"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}
