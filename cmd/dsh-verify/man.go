package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"
)

func manCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Description: `Prints the manual page of all commands, in the man macros. Shell completions come from
'dsh-verify completion bash', zsh, fish or pwsh.

Examples:
  dsh-verify man > dsh-verify.1
  dsh-verify man | man -l -`,
		ArgValidator: noArguments,
		Action: func(_ context.Context, cmd *cli.Command) error {
			writeManual(a.stdout, cmd.Root())
			return nil
		},
	}
}

func writeManual(w io.Writer, root *cli.Command) {
	fmt.Fprintf(w, ".TH DSH-VERIFY 1\n.SH NAME\ndsh-verify \\- %s\n", roff(root.Usage))
	fmt.Fprint(w, ".SH SYNOPSIS\n.B dsh-verify\n.I command\n[\\fIflags\\fR] [\\fIarguments\\fR]\n.SH DESCRIPTION\n")
	manText(w, root.Description)
	fmt.Fprint(w, ".SH COMMANDS\n")
	for _, cmd := range root.Commands {
		manCommandPage(w, "dsh-verify", cmd)
	}
	fmt.Fprint(w, `.SH EXIT STATUS
.TP
0
verified or rebuilt
.TP
1
drift, or an object that fails
.TP
2
usage
.TP
3
the log is refused
.TP
4
an input could not be read
.TP
5
unverifiable, with \-\-strict
.TP
130, 143
ended by SIGINT or SIGTERM; scan says what it has checked, and exits 4
.SH ENVIRONMENT
.TP
NO_COLOR
no colour when it is set, unless \-\-color says always
.TP
DSH_HOME
the harness home, whose attachments/v1 is used when a log has none of its own
`)
}

func manCommandPage(w io.Writer, parent string, cmd *cli.Command) {
	if cmd.Hidden || cmd.Name == "help" {
		return
	}
	name := parent + " " + cmd.Name
	fmt.Fprintf(w, ".SS %s %s\n", roff(name), roff(cmd.ArgsUsage))
	fmt.Fprintf(w, "%s.\n.PP\n", roff(strings.ToUpper(cmd.Usage[:1])+cmd.Usage[1:]))
	manText(w, cmd.Description)
	for _, f := range flagsOf(cmd) {
		doc, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		var names []string
		for _, n := range f.Names() {
			dash := "--"
			if len(n) == 1 {
				dash = "-"
			}
			names = append(names, dash+n)
		}
		value, usage := placeholder(doc.GetUsage())
		if doc.TakesValue() && value == "" {
			value = "VALUE"
		}
		fmt.Fprintf(w, ".TP\n.B %s\n\\fI%s\\fR\n%s\n", roff(strings.Join(names, ", ")), roff(value), roff(usage))
	}
	for _, sub := range cmd.Commands {
		manCommandPage(w, name, sub)
	}
}

// placeholder takes the word in back quotes, which stands for a flag's value.
func placeholder(usage string) (value, text string) {
	before, rest, ok := strings.Cut(usage, "`")
	value, after, closed := strings.Cut(rest, "`")
	if !ok || !closed {
		return "", usage
	}
	return value, before + value + after
}

// manText prints paragraphs; indented lines stay as they are.
func manText(w io.Writer, text string) {
	literal := false
	for _, line := range strings.Split(text, "\n") {
		indented := strings.HasPrefix(line, "  ")
		if indented != literal {
			literal = indented
			fmt.Fprintln(w, map[bool]string{true: ".nf", false: ".fi"}[literal])
		}
		if line == "" {
			line = ".PP"
			fmt.Fprintln(w, line)
			continue
		}
		fmt.Fprintln(w, roff(line))
	}
	if literal {
		fmt.Fprintln(w, ".fi")
	}
}

// roff escapes text for the man macros.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
