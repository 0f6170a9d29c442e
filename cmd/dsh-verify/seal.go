package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/atomicfile"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/logcheck"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/seal"
)

func sealCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:      "seal",
		Usage:     "state what a log holds, so that check-seal can tell what was changed",
		ArgsUsage: "LOG",
		Description: `Writes a JSON statement: the root of a Merkle tree over the log's events (RFC 6962),
the digests of its requests and the objects that it references. Keep it where the
writer of the log cannot write, or sign it. Torn tails are not sealed. The digests have
no key, so that whoever can guess a request can test the guess.

Examples:
  dsh-verify seal session.jsonl.zstd -o session.seal.json
  dsh-verify seal -o - session.jsonl | ssh-keygen -Y sign -n dsh -f key`,
		Flags: append(logFlags(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write the statement to `FILE`, - is standard output"},
		),
		Action: func(_ context.Context, cmd *cli.Command) error {
			arg, out, err := sealArgs(cmd)
			if err != nil {
				return err
			}
			return a.seal(cmd, arg, out)
		},
	}
}

// sealArgs returns the LOG and the output.
func sealArgs(cmd *cli.Command) (arg, out string, err error) {
	args := cmd.Args().Slice()
	out = cmd.String("out")
	switch {
	case len(args) != 1:
		return "", "", usagef("usage: dsh-verify seal LOG -o FILE (see 'dsh-verify seal --help')")
	case out == "":
		return "", "", usagef("seal needs -o FILE (- is standard output)")
	}
	return args[0], out, nil
}

func (a *app) seal(cmd *cli.Command, arg, out string) error {
	c, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	place, log, err := c.oneLog(cmd, arg)
	if err != nil {
		return err
	}
	defer place.Close()
	now, stored, err := c.ReadForSeal(log)
	if err != nil {
		return refused(log, err)
	}
	if now.Refusal != nil {
		return refusedBy(log.Name, now.Refusal)
	}
	statement := now.Seal(versionLine(), stored)
	if statement.Tree.Events == 0 {
		fmt.Fprintf(a.stderr, "dsh-verify: %s holds no event: its header line alone is sealed\n", visible(log.Name))
	}
	text, err := statement.Format()
	if err != nil {
		return err
	}
	if out == "-" {
		_, err = a.stdout.Write(text)
		return err
	}
	if err := atomicfile.Write(out, text); err != nil {
		return &statusError{exitUnreadable, cause(err)}
	}
	return nil
}

func checkSealCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:      "check-seal",
		Usage:     "tell whether a log still begins with what was sealed, and what was changed",
		ArgsUsage: "FILE LOG",
		Description: `Compares a log with the statement that seal wrote. A log that has grown since is fine
as long as it begins with what was sealed. Events that were changed, removed,
inserted or moved are named. Exits 1 when the log is not what was sealed. That it is
says nothing of what was done to it before it was sealed.

Examples:
  dsh-verify check-seal session.seal.json session.jsonl.zstd
  dsh-verify check-seal --format json session.seal.json session.jsonl`,
		Flags: append(logFlags(), outputFlags()...),
		Action: func(_ context.Context, cmd *cli.Command) error {
			args := cmd.Args().Slice()
			if len(args) != 2 {
				return usagef("usage: dsh-verify check-seal FILE LOG (see 'dsh-verify check-seal --help')")
			}
			return a.checkSeal(cmd, args[0], args[1])
		},
	}
}

// maxSeal bounds a seal, in bytes: it holds some bytes for each event of its log.
const maxSeal = 1 << 30

func (a *app) checkSeal(cmd *cli.Command, file, arg string) error {
	c, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	text, err := regular.ReadFile(file, maxSeal)
	if err != nil {
		return &statusError{exitUnreadable, cause(err)}
	}
	statement, err := seal.Parse(text)
	if err != nil {
		return &statusError{exitUnreadable, file + ": " + err.Error()}
	}
	c = c.under(arg)
	place, log, err := c.oneLog(cmd, arg)
	if err != nil {
		return err
	}
	defer place.Close()
	now, _, err := c.ReadForSeal(log)
	if err != nil {
		return refused(log, err)
	}
	out, err := a.newOutputs(cmd, withSummary(func(r *result.Report) string { return sealSummary(r, statement, now) }))
	if err != nil {
		return err
	}
	defer out.close()
	report := result.NewReport()
	one, err := logcheck.Sealed(log, statement, now)
	if err != nil {
		return &statusError{exitUnreadable, cause(err)}
	}
	c.judge(one)
	report.Add(one)
	out.log(one)
	if err := out.finish(report); err != nil {
		return err
	}
	return verdictStatus(report.Verdict, false)
}

// sealSummary is the last line, which counts.
func sealSummary(report *result.Report, statement *seal.Statement, now *seal.Log) string {
	if report.Verdict == finding.Sealed {
		events := plural(int(statement.Tree.Events), "event")
		if statement.Tree.Events == 0 {
			events = "0 events (the header line alone)"
		}
		return fmt.Sprintf("as sealed: %s, %s; %s since", events, plural(len(statement.Requests), "request"), plural(int(statement.Appended(now)), "event"))
	}
	var errors, warnings, ignored int
	for _, f := range report.Logs[0].Findings {
		switch {
		case f.Suppressed != "":
			ignored++
		case f.Severity == finding.Error:
			errors++
		case f.Severity == finding.Warning:
			warnings++
		}
	}
	line := "not as sealed: " + plural(errors, "error")
	if warnings > 0 {
		line += ", " + plural(warnings, "warning")
	}
	if ignored > 0 {
		line += fmt.Sprintf(", %d ignored", ignored)
	}
	return line
}
