package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mattn/go-isatty"

	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/source"
	escape "github.com/dsh-verify/dsh-verify/internal/visible"
)

// An app is one run of the command, with its streams.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	out            *bufio.Writer    // standard output without its guard, for exact bytes: see app.exact
	terminal       bool             // standard output is one
	watched        bool             // standard error is one
	redacting      *redact.Redactor // of this run, once it is asked for
	spool          source.Spooled   // standard input, once it was read
	uninterrupted  func()           // gives signals back, nil: none are taken
}

// run runs the command line and returns its exit code. It is the one place
// where errors become exit codes.
func (a *app) run(ctx context.Context, args []string) int {
	a.terminal, a.watched = isTerminal(a.stdout), isTerminal(a.stderr)
	a.out = bufio.NewWriterSize(a.stdout, 64<<10)
	a.stdout, a.stderr = escape.NewGuard(a.out), escape.NewGuard(a.stderr)
	err := a.root().Run(ctx, args)
	a.spool.Close()
	if a.uninterrupted != nil {
		a.uninterrupted()
	}
	code := a.exit(err)
	if flushErr := a.out.Flush(); flushErr != nil && err != flushErr && !isBrokenPipe(flushErr) {
		return a.exit(flushErr) // a verdict that nobody got to read is none
	}
	return code
}

// flush writes out what standard output holds back, for commands that go on.
func (a *app) flush() { a.out.Flush() }

func (a *app) exit(err error) int {
	var status *statusError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		if quoting, ok := errors.AsType[*quotingError](err); ok && a.redacting != nil {
			status.message = quoting.redacted
		}
		if status.message != "" {
			a.complain(status.message)
		}
		return status.code
	case isBrokenPipe(err):
		return exitOK // the reader of our output had enough: no failure of ours
	}
	a.complain(cause(err))
	return exitUnreadable
}

// complain prints a line on standard error.
func (a *app) complain(message string) {
	fmt.Fprintln(a.stderr, "dsh-verify: "+visible(message))
}

// colour decides on colour for standard output.
func (a *app) colour(mode string) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return a.terminal && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"
}

// exact passes exact bytes, which are JSON, to standard output: as they are, but on a
// terminal with escapes for what hides or commands something there, unless they are asked
// for raw. What passes must end with the last byte of a character.
func (a *app) exact(raw bool) io.Writer {
	if a.terminal && !raw {
		return escape.NewJSONWriter(a.out)
	}
	return a.out
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}
