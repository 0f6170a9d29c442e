package text

import (
	"errors"
	"io/fs"
)

// Cause shortens an operating system's error to its path and reason.
func Cause(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Path + ": " + pathErr.Err.Error()
	}
	return err.Error()
}
