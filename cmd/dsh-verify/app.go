package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/redact"
)

// Exit codes.
const (
	exitOK           = 0
	exitDrift        = 1
	exitUsage        = 2
	exitRefused      = 3
	exitUnreadable   = 4
	exitUnverifiable = 5
)

// An app is one run of the command, with its streams.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	terminal       bool             // standard output is one
	redacting      *redact.Redactor // of this run, once it is asked for
	stdinRead      bool             // as a LOG: it can be read once
}

// commands lists the constructors of the subcommands, a file each.
var commands = []func(*app) *cli.Command{
	replayCommand,
	requestsCommand,
	showCommand,
	explainCommand,
	diffCommand,
	recordCommand,
	scanCommand,
	attachmentsCommand,
	formatsCommand,
	manCommand,
	auditCommand,
	goldenCommand,
	cacheCommand,
	reportCommand,
	configCommand,
	sealCommand,
	checkSealCommand,
}

// run runs the command line and returns its exit code. It is the one place
// where errors become exit codes.
func (a *app) run(ctx context.Context, args []string) int {
	a.terminal = isTerminal(a.stdout)
	out := bufio.NewWriterSize(a.stdout, 64<<10)
	a.stdout = out
	err := a.root().Run(ctx, args)
	if flushErr := out.Flush(); err == nil && flushErr != nil {
		err = flushErr
	}
	return a.exit(err)
}

// flush writes out what standard output holds back, for commands that go on.
func (a *app) flush() {
	if out, ok := a.stdout.(*bufio.Writer); ok {
		out.Flush()
	}
}

func (a *app) exit(err error) int {
	var status *statusError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		if status.message != "" {
			fmt.Fprintln(a.stderr, "dsh-verify: "+visible(status.message))
		}
		return status.code
	case isBrokenPipe(err):
		return exitOK // the reader of our output had enough: no failure of ours
	}
	fmt.Fprintln(a.stderr, "dsh-verify: "+visible(cause(err)))
	return exitUnreadable
}

// A statusError ends the run with a code and at most one line on standard error.
type statusError struct {
	code    int
	message string
}

func (e *statusError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &statusError{exitUsage, fmt.Sprintf(format, args...)}
}

// verdictStatus returns the error that ends a run with the exit code of v.
func verdictStatus(v finding.Verdict, strict bool) error {
	switch v {
	case finding.Drift:
		return &statusError{code: exitDrift}
	case finding.Refused:
		return &statusError{code: exitRefused}
	case finding.Unreadable:
		return &statusError{code: exitUnreadable}
	case finding.Unverifiable:
		if strict {
			return &statusError{code: exitUnverifiable}
		}
	}
	return nil
}

func (a *app) root() *cli.Command {
	root := &cli.Command{
		Name:  "dsh-verify",
		Usage: "rebuild what a DeepSeek Harness session sent to the model, byte for byte, from its log",
		Description: `Give it a session log, and it reads it, rebuilds every model request, checks the
attached images, and compares all of it with a recording when there is one.

Example:
  dsh-verify replay session.jsonl.zstd`,
		Version:               versionLine(),
		Suggest:               true,
		EnableShellCompletion: true,
		Writer:                a.stdout,
		ErrWriter:             io.Discard, // errors are printed in one place: app.exit
		ExitErrHandler:        func(context.Context, *cli.Command, error) {},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return unknownCommand(cmd)
			}
			return cli.ShowRootCommandHelp(cmd)
		},
	}
	cli.VersionPrinter = func(*cli.Command) { fmt.Fprintln(a.stdout, versionLine()) }
	for _, build := range commands {
		root.Commands = append(root.Commands, build(a))
	}
	setUsageErrors(root)
	refuseEmptyFlags(root)
	return root
}

// setUsageErrors makes every usage error of the library one line and exit 2.
func setUsageErrors(cmd *cli.Command) {
	cmd.OnUsageError = func(_ context.Context, c *cli.Command, err error, _ bool) error {
		return usagef("%s (see '%s --help')", strings.TrimSuffix(err.Error(), "."), c.FullName())
	}
	for _, sub := range cmd.Commands {
		setUsageErrors(sub)
	}
}

// refuseEmptyFlags makes a flag whose value is empty, as of an unset shell
// variable, a usage error instead of no flag.
func refuseEmptyFlags(cmd *cli.Command) {
	before := cmd.Before
	cmd.Before = func(ctx context.Context, c *cli.Command) (context.Context, error) {
		for _, f := range c.Flags {
			if s, ok := f.(*cli.StringFlag); ok && s.IsSet() && c.String(s.Name) == "" {
				return ctx, usagef("--%s is empty (see '%s --help')", s.Name, c.FullName())
			}
		}
		if before != nil {
			return before(ctx, c)
		}
		return ctx, nil
	}
	for _, sub := range cmd.Commands {
		refuseEmptyFlags(sub)
	}
}

func unknownCommand(cmd *cli.Command) error {
	name := cmd.Args().First()
	if suggestion := cli.SuggestCommand(cmd.Root().Commands, name); suggestion != "" {
		return usagef("unknown command %q; did you mean %q? (see 'dsh-verify --help')", name, suggestion)
	}
	return usagef("unknown command %q (see 'dsh-verify --help')", name)
}

// logArg returns the one LOG argument of a command.
func logArg(cmd *cli.Command) (string, error) {
	switch cmd.Args().Len() {
	case 0:
		return "", usagef("%s needs a LOG (see '%s --help')", cmd.Name, cmd.FullName())
	case 1:
		return cmd.Args().First(), nil
	}
	return "", usagef("%s takes one LOG, got %d arguments (flags go before it)", cmd.Name, cmd.Args().Len())
}

// cause shortens an operating system error to its path and reason.
func cause(err error) string {
	if pathErr, ok := errors.AsType[*os.PathError](err); ok {
		return pathErr.Path + ": " + pathErr.Err.Error()
	}
	return err.Error()
}
