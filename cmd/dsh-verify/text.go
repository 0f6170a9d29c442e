package main

import (
	"errors"
	"io"
	"syscall"

	"github.com/urfave/cli/v3"

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

// rawFlag is the flag of commands that print exact bytes.
func rawFlag() cli.Flag {
	return &cli.BoolFlag{Name: "raw", Usage: "print exact bytes on a terminal too, whatever they do to it; a pipe or a file always gets them"}
}

// exact passes exact bytes, which are JSON, to standard output: as they are, but on a
// terminal with escapes for what hides or commands something there, unless --raw is
// given. What passes must end with the last byte of a character.
func (a *app) exact(cmd *cli.Command) io.Writer {
	if a.terminal && !cmd.Bool("raw") {
		return escape.NewJSONWriter(a.out)
	}
	return a.out
}
