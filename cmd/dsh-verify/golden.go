package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/goldencheck"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/policy"
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

func goldenRecordCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "write the sum files of transcripts that have none",
		ArgsUsage: "DIR…",
		Description: `Writes a sum file for each transcript that has none, and checks the others. One that
changed is reported, exits 1 and keeps its sum file unless --update is given.

Example:
  dsh-verify golden record testdata/transcripts`,
		Flags: goldenFlags("write the sum files of changed transcripts again, and remove those without a transcript"),
		Action: func(_ context.Context, cmd *cli.Command) error {
			return a.golden(cmd, goldencheck.Options{Write: true})
		},
	}
}

func goldenCheckCommand(a *app) *cli.Command {
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
		Flags: goldenFlags("accept what changed: write the sum files again, and remove those without a transcript"),
		Action: func(_ context.Context, cmd *cli.Command) error {
			return a.golden(cmd, goldencheck.Options{})
		},
	}
}

func goldenFlags(update string) []cli.Flag {
	return append([]cli.Flag{
		&cli.BoolFlag{Name: "update", Usage: update},
		&cli.StringFlag{Name: "against", Usage: "show changes of text against the logs in `REF`, a git revision or a folder"},
		&cli.BoolFlag{Name: "authored", Value: true, Usage: "accept authored transcripts; they are recognised by their lines (--authored=false refuses them)"},
		&cli.StringSliceFlag{Name: "known-event", Usage: "admit the event `TYPE` of a third-party plugin (may be repeated)"},
		&cli.StringFlag{Name: "vocabulary", Usage: "admit the event types that `FILE` lists, one a line"},
		&cli.StringFlag{Name: "max-size", Value: "64GiB", Usage: "refuse logs that decode to more than `SIZE`"},
		configFlag(),
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "in text, name the unchanged transcripts too"},
	}, append(redactFlags(), outputFlags()...)...)
}

func (a *app) golden(cmd *cli.Command, opts goldencheck.Options) error {
	if !cmd.Args().Present() {
		return usagef("golden %s needs a DIR (see 'dsh-verify golden %s --help')", cmd.Name, cmd.Name)
	}
	opts.Authored, opts.Update, opts.Against = cmd.Bool("authored"), cmd.Bool("update"), cmd.String("against")
	if _, err := a.redactor(cmd); err != nil {
		return err
	}
	out, err := a.newOutputs(cmd, withRenderer("text", func(w io.Writer, o output.Options) output.Renderer {
		return newGoldenText(w, o, cmd.Bool("verbose"))
	}))
	if err != nil {
		return err
	}
	defer out.close()
	report := result.NewReport()
	var empty []string // folders without a transcript
	opts.Seen = make(map[string]bool)
	for _, arg := range cmd.Args().Slice() {
		rules, err := findPolicy(cmd, arg)
		if err != nil {
			return err
		}
		if opts.Read, err = readOptions(cmd, rules); err != nil {
			return err
		}
		count, err := goldencheck.Run(arg, opts, func(log *result.Log) {
			judgeGolden(log, rules)
			report.Add(log)
			out.log(log)
		})
		if err != nil {
			return &statusError{exitUnreadable, cause(err)}
		}
		if count == 0 {
			empty = append(empty, arg)
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

// judgeGolden weighs what was found by the policy. What was accepted is settled.
func judgeGolden(log *result.Log, rules *policy.Policy) {
	if log.Golden == goldencheck.Accepted || log.Golden == goldencheck.Removed {
		return
	}
	if log.Golden == "" { // a folder, of which there is something to say
		rules.Apply(log)
		return
	}
	failed := finding.Worse(log.Verdict, finding.Drift) == log.Verdict
	rules.Apply(log)
	if failed && finding.Worse(log.Verdict, finding.Unverifiable) == finding.Unverifiable {
		log.Golden = goldencheck.Ignored
	}
}

// A goldenText prints a line per transcript that is not unchanged, and what is
// wrong with it.
type goldenText struct {
	*output.Text
	whole  *output.Text // prints what a policy set aside, too
	w      io.Writer
	quiet  bool
	status func(*result.Log) bool // whether a transcript has a line
}

func newGoldenText(w io.Writer, opts output.Options, verbose bool) *goldenText {
	quiet := opts.Quiet
	opts.Quiet, opts.Summary = false, goldenSummary
	whole := output.NewText(w, opts)
	opts.Quiet = true
	return &goldenText{output.NewText(w, opts), whole, w, quiet, func(log *result.Log) bool {
		return verbose || !quiet && log.Golden != goldencheck.Unchanged
	}}
}

// Log prints what the gate says of one transcript.
func (t *goldenText) Log(log *result.Log) {
	if log.Golden == "" {
		if t.quiet {
			t.Findings(log)
		} else {
			t.whole.Findings(log)
		}
		return
	}
	if t.status(log) {
		fmt.Fprintf(t.w, "%-10s %s\n", log.Golden, visible(log.File))
	}
	if log.Golden == goldencheck.Ignored && !t.quiet {
		t.whole.Findings(log)
		return
	}
	t.Findings(log)
}

// goldenSummary is the last line, which counts.
func goldenSummary(report *result.Report) string {
	counts := make(map[string]int)
	transcripts, authored := 0, 0
	for _, log := range report.Logs {
		if log.Golden == "" {
			continue
		}
		transcripts++
		counts[log.Golden]++
		if log.Authored {
			authored++
		}
	}
	parts := []string{"golden: " + plural(transcripts, "transcript")}
	if authored > 0 {
		parts[0] += fmt.Sprintf(" (%d authored)", authored)
	}
	for _, status := range []string{goldencheck.Unchanged, goldencheck.Changed, goldencheck.Accepted, goldencheck.New, goldencheck.Written, goldencheck.Missing, goldencheck.Removed, goldencheck.Refused, goldencheck.Unread, goldencheck.Unwritten, goldencheck.Ignored} {
		if counts[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[status], status))
		}
	}
	return strings.Join(parts, ", ")
}
