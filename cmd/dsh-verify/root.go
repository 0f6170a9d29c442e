package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"
)

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
	checkUpgradeCommand,
}

func (a *app) root() *cli.Command {
	root := &cli.Command{
		Name:  "dsh-verify",
		Usage: "rebuild what a DeepSeek Harness session sent to the model, byte for byte, from its log",
		Description: `Give it a session log, and it reads it, rebuilds every model request, checks the
attached images, and compares all of it with a recording when there is one.

Example:
  dsh-verify replay session.jsonl.zstd`,
		Version:                         versionLine(),
		Suggest:                         true,
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: configureCompletion,
		Writer:                          a.stdout,
		ErrWriter:                       io.Discard, // errors are printed in one place: app.exit
		ExitErrHandler:                  func(context.Context, *cli.Command, error) {},
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
	return root
}

func configureCompletion(cmd *cli.Command) {
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
}

// setUp has every command check its flags before it does anything, end at once when it
// is interrupted, unless it knows better, and say what is wrong in one line.
func (a *app) setUp(cmd *cli.Command) {
	cmd.OnUsageError = usageError
	for _, sub := range cmd.Commands {
		if sub.Before == nil {
			sub.Before = a.endAtOnce
		}
		a.setUp(sub)
	}
	before := cmd.Before
	cmd.Before = func(ctx context.Context, c *cli.Command) (context.Context, error) {
		if err := noEmptyFlag(c); err != nil || before == nil {
			return ctx, err
		}
		return before(ctx, c)
	}
}

// endAtOnce has a command end at once when it is interrupted.
func (a *app) endAtOnce(ctx context.Context, _ *cli.Command) (context.Context, error) {
	if a.uninterrupted == nil { // a command of a command comes here twice
		a.uninterrupted = endAtOnce()
	}
	return ctx, nil
}

// endInOrder gives a command a context that ends when it is interrupted. A second time
// ends it at once.
func (a *app) endInOrder(ctx context.Context, _ *cli.Command) (context.Context, error) {
	ctx, a.uninterrupted = interruptible(ctx)
	context.AfterFunc(ctx, a.uninterrupted)
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
