//go:build unix

package regular

import (
	"os"
	"syscall"
)

// open opens a file that was seen to be regular. Should it have become a pipe
// since, opening does not wait for its other end.
func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
