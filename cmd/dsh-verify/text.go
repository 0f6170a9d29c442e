package main

import (
	"errors"
	"syscall"

	"github.com/dsh-verify/dsh-verify/internal/text"
	escape "github.com/dsh-verify/dsh-verify/internal/visible"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// plural counts in words.
func plural(n int, what string) string { return text.Count(n, what) }

// cause shortens an operating system error to its path and reason.
func cause(err error) string { return text.Cause(err) }

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// visible is what every text that may quote a log goes through.
func visible(s string) string { return escape.Text(s) }

// visibleJSON is visible for JSON, whose value stays the same.
func visibleJSON(v ecmajson.Value) []byte { return escape.JSON(v) }
