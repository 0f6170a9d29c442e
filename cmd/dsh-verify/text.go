package main

import (
	"errors"
	"syscall"
)

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// visible is what every text that may quote a log goes through.
func visible(s string) string { return s }
