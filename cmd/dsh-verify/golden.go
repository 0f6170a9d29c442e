package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/goldencheck"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

func goldenCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:  "golden",
		Usage: "compare transcripts that are kept in a repository with what the model saw when they were recorded",
		Description: `A sum file (requests.sum) beside each transcript names every request, message and
header part by its digest. 'golden record' writes it, 'golden check' tells in CI
whether any request that the model would see has changed, and where.

Transcripts are session.jsonl or session.jsonl.zstd below the named folders, with
children session.N.jsonl beside them (requests.N.sum). Authored transcripts, whose
lines have no event numbers, are completed first; sidecars give their tokens. A sum file
holds digests without a key, also under --redact, which is about what is printed.

Examples:
  dsh-verify golden record testdata/transcripts
  dsh-verify golden check testdata/transcripts
  dsh-verify golden check --against origin/main testdata/transcripts
  dsh-verify golden check --update testdata/transcripts`,
		Commands: []*cli.Command{goldenRecordCommand(a), goldenCheckCommand(a)},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return usagef("golden has no command %q: it is record or check (see 'dsh-verify golden --help')", cmd.Args().First())
			}
			return cli.ShowSubcommandHelp(cmd)
		},
	}
}

// goldenOptions are the flags and arguments of golden record and golden check.
type goldenOptions struct {
	readOptions
	redactOptions
	outputOptions
	update, authored, verbose bool
	against                   string
	dirs                      []string
}

func goldenRecordCommand(a *app) *cli.Command {
	o := new(goldenOptions)
	return &cli.Command{
		Name:      "record",
		Usage:     "write the sum files of transcripts that have none",
		ArgsUsage: "DIR…",
		Description: `Writes a sum file for each transcript that has none, and checks the others. One that
changed is reported, exits 1 and keeps its sum file unless --update is given.

Example:
  dsh-verify golden record testdata/transcripts`,
		Flags:        o.flags("write the sum files of changed transcripts again, and remove those without a transcript"),
		Arguments:    arguments(&o.dirs),
		ArgValidator: someOf("DIR"),
		Action:       func(context.Context, *cli.Command) error { return a.golden(o, true) },
	}
}

func goldenCheckCommand(a *app) *cli.Command {
	o := new(goldenOptions)
	return &cli.Command{
		Name:      "check",
		Usage:     "report which transcripts changed, in which part and which requests",
		ArgsUsage: "DIR…",
		Description: `Compares each transcript with its sum file. It exits 1 when one changed, has no sum
file or is gone, and 3 when one is refused. The first cause comes first; requests
that changed because of it are listed with it.

With --against the text of a change is shown from the log as it was in a git revision
or in another folder; a transcript without sum file is then compared with that log.

Examples:
  dsh-verify golden check testdata/transcripts
  dsh-verify golden check --against HEAD~1 testdata/transcripts
  dsh-verify golden check --format json testdata/transcripts | jq '.logs[].golden'`,
		Flags:        o.flags("accept what changed: write the sum files again, and remove those without a transcript"),
		Arguments:    arguments(&o.dirs),
		ArgValidator: someOf("DIR"),
		Action:       func(context.Context, *cli.Command) error { return a.golden(o, false) },
	}
}

// flags are those of both commands; update says what --update does.
func (o *goldenOptions) flags(update string) []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.BoolFlag{Name: "update", Usage: update, Destination: &o.update},
		&cli.StringFlag{Name: "against", Usage: "show changes of text against the logs in `REF`, a git revision or a folder", Destination: &o.against},
		&cli.BoolFlag{Name: "authored", Value: true, Usage: "accept authored transcripts; they are recognised by their lines (--authored=false refuses them)", Destination: &o.authored},
	}, o.readFlags(), []cli.Flag{
		o.configFlag(),
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "in text, name the unchanged transcripts too", Destination: &o.verbose},
	}, o.redactFlags(), o.outputFlags())
}

// golden checks transcripts, and writes the sum files that are missing if it should.
func (a *app) golden(o *goldenOptions, write bool) error {
	if err := keepInputs(o.reads(o.dirs), o.paths()...); err != nil {
		return err
	}
	a.redactor(&o.redactOptions)
	out, err := a.newOutputs(&o.outputOptions, withRenderer("text", func(w io.Writer, opts output.Options) output.Renderer {
		return newGoldenText(w, opts, o.verbose)
	}))
	if err != nil {
		return err
	}
	defer out.close()
	report := result.NewReport()
	var empty []string // folders without a transcript
	opts := goldencheck.Options{Write: write, Authored: o.authored, Update: o.update, Against: o.against, Seen: make(map[string]bool)}
	for _, dir := range o.dirs {
		rules, err := o.findPolicy(dir)
		if err != nil {
			return err
		}
		if opts.Read, err = o.reading(rules); err != nil {
			return err
		}
		count, err := goldencheck.Run(dir, opts, func(log *result.Log) {
			judgeGolden(log, rules)
			report.Add(log)
			out.log(log)
		})
		if err != nil {
			return unreadable(err)
		}
		if count == 0 {
			empty = append(empty, dir)
		}
	}
	if len(opts.Seen) > 0 {
		if err := out.finish(report); err != nil {
			return err
		}
	}
	if len(empty) > 0 {
		return &statusError{exitUnreadable, strings.Join(empty, ", ") + ": no transcript below"}
	}
	return verdictStatus(report.Verdict, false)
}
