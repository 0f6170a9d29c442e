package main

import (
	"errors"
	"syscall"

	"github.com/dsh-verify/dsh-verify/diffview"
)

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// visible is what every text that may quote a log goes through.
func visible(s string) string { return diffview.Visible(s) }
