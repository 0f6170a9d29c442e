package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/source"
	escape "github.com/dsh-verify/dsh-verify/internal/visible"
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
	out            *bufio.Writer    // standard output without its guard, for exact bytes: see app.exact
	terminal       bool             // standard output is one
	watched        bool             // standard error is one
	redacting      *redact.Redactor // of this run, once it is asked for
	spool          source.Spooled   // standard input, once it was read
	uninterrupted  func()           // gives signals back, nil: none are taken
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

// A quotingError is a status whose message quotes a log.
type quotingError struct {
	statusError
	redacted string // the message without what it quotes
}

func (e *quotingError) Unwrap() error { return &e.statusError }

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
	case finding.Unreadable, finding.Nothing:
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
		ConfigureShellCompletionCommand: func(cmd *cli.Command) {
			cmd.Hidden = false
			cmd.Usage = "print the completion script of a shell"
			cmd.ArgsUsage = "bash|zsh|fish|pwsh"
			cmd.Description = `Prints a script that completes commands and flags.

Examples:
  source <(dsh-verify completion bash)
  dsh-verify completion fish > ~/.config/fish/completions/dsh-verify.fish`
			for _, shell := range cmd.Commands {
				shell.Usage = "print the script for " + shell.Name
			}
		},
		Writer:         a.stdout,
		ErrWriter:      io.Discard, // errors are printed in one place: app.exit
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return unknownCommand(cmd, cmd.Args().First())
			}
			return cli.ShowRootCommandHelp(cmd)
		},
	}
	cli.ShowCommandHelp = showCommandHelp
	cli.VersionPrinter = func(*cli.Command) { fmt.Fprintln(a.stdout, versionLine()) }
	for _, build := range commands {
		root.Commands = append(root.Commands, build(a))
	}
	a.setUp(root)
	refuseEmptyFlags(root)
	return root
}

// setUp makes every usage error of the library one line and exit 2, and has each
// command's flags checked before it reads anything.
func (a *app) setUp(cmd *cli.Command) {
	cmd.OnUsageError = func(_ context.Context, c *cli.Command, err error, _ bool) error {
		reason := goReason.ReplaceAllStringFunc(strings.TrimSuffix(err.Error(), "."), func(said string) string {
			if strings.HasSuffix(said, "out of range") {
				return ": it is too large"
			}
			return ": it is not a whole number"
		})
		return usagef("%s (see '%s --help')", reason, c.FullName())
	}
	for _, sub := range cmd.Commands {
		sub.Before = a.before
		a.setUp(sub)
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

// goReason is how the language says why a number is none.
var goReason = regexp.MustCompile(`: strconv\.Parse(Int|Uint): parsing ".*": .*`)

// before is run before a command does anything. The commands that end in order when
// they are interrupted get a context for it; the others end at once.
func (a *app) before(ctx context.Context, cmd *cli.Command) (context.Context, error) {
	if err := keepInputs(cmd); err != nil {
		return ctx, err
	}
	if orderly := cmd.FullName() == "dsh-verify scan" || cmd.FullName() == "dsh-verify record"; !orderly {
		if a.uninterrupted == nil { // a command of a command comes here twice
			a.uninterrupted = endAtOnce()
		}
		return ctx, nil
	}
	ctx, a.uninterrupted = interruptible(ctx)
	context.AfterFunc(ctx, a.uninterrupted) // a second time ends at once
	return ctx, nil
}

// showCommandHelp prints the help of a command's subcommand. Of a command without
// subcommands the name is an argument, and its own help is what is asked for.
func showCommandHelp(ctx context.Context, cmd *cli.Command, name string) error {
	switch {
	case cmd.Command(name) != nil:
		return cli.DefaultShowCommandHelp(ctx, cmd, name)
	case slices.ContainsFunc(cmd.Commands, func(c *cli.Command) bool { return c.Name != "help" }):
		return unknownCommand(cmd, name)
	}
	return cli.DefaultShowCommandHelp(ctx, cmd.Lineage()[1], cmd.Name)
}

func unknownCommand(cmd *cli.Command, name string) error {
	kind := "command"
	if cmd != cmd.Root() {
		kind = "command of " + cmd.Name
	}
	if suggestion := cli.SuggestCommand(cmd.Commands, name); suggestion != "" {
		return usagef("unknown %s %q; did you mean %q? (see '%s --help')", kind, name, suggestion, cmd.FullName())
	}
	return usagef("unknown %s %q (see '%s --help')", kind, name, cmd.FullName())
}

// noArguments is the error of a command that takes none.
func noArguments(cmd *cli.Command) error {
	if cmd.Args().Present() {
		return usagef("%s takes no arguments, got %q (see '%s --help')", cmd.Name, cmd.Args().First(), cmd.FullName())
	}
	return nil
}

// logArg returns the one LOG argument of a command.
func logArg(cmd *cli.Command) (string, error) {
	switch cmd.Args().Len() {
	case 0:
		return "", usagef("%s needs a LOG (see '%s --help')", cmd.Name, cmd.FullName())
	case 1:
		return cmd.Args().First(), nil
	}
	return "", usagef("%s takes one LOG, got %d arguments (see '%s --help')", cmd.Name, cmd.Args().Len(), cmd.FullName())
}
