package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/diffview"
)

// diffOptions are the flags and arguments of diff.
type diffOptions struct {
	checkOptions
	body  string // a file
	color string
	args  []string // LOG REQ [REQ2 | LOG2 REQ2]
}

func diffCommand(a *app) *cli.Command {
	o := new(diffOptions)
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare a request with another one, a recording or a body",
		ArgsUsage: "LOG REQ [REQ2 | LOG2 REQ2]",
		Description: `Without REQ2, compares a request with the one that was sent before it. The first line
says where they part and which event that place comes from; what follows shows it.
Exits 1 when they differ.

Examples:
  dsh-verify diff session.jsonl.zstd 9
  dsh-verify diff session.jsonl 3.1 3.2
  dsh-verify diff old.jsonl 5 new.jsonl 5
  dsh-verify diff --recorded requests.jsonl session.jsonl 5
  dsh-verify diff --body captured.json session.jsonl 5`,
		Flags: slices.Concat(o.logFlags(), o.deploymentFlags(), o.redactFlags(), []cli.Flag{
			o.wireFlag(),
			o.attachmentsFlag(", for bodies"),
			colorFlag(&o.color),
		}),
		MutuallyExclusiveFlags: []cli.MutuallyExclusiveFlags{exclusive(
			o.recordedFlag("compare with the request in the recording `FILE`"),
			&cli.StringFlag{Name: "body", Usage: "compare with the bytes of `FILE`: a request, or an HTTP body", Destination: &o.body},
		)},
		Arguments:    arguments(&o.args),
		ArgValidator: from(2, 4, ""),
		Action:       func(context.Context, *cli.Command) error { return a.diff(o) },
	}
}

func (a *app) diff(o *diffOptions) error {
	old, new, err := a.sides(o)
	if err != nil {
		return err
	}
	d := diffview.Compare(old.text, new.text)
	fmt.Fprintf(a.stdout, "- %s\n+ %s\n", visible(old.name), visible(new.name))
	if d.Level == diffview.Equal {
		fmt.Fprintln(a.stdout, "equal")
		return nil
	}
	p := diffview.Printer{Colour: a.colour(o.color)}
	if r := a.redacting; r != nil {
		p.Redact, p.Path = r.Text, r.Pointer
	}
	fmt.Fprintf(a.stdout, "%s%s\nlevel: %s\n", p.Headline(d), old.cause(d.Offset), d.Level)
	p.Changes(a.stdout, d, "")
	return &statusError{code: exitDrift}
}
