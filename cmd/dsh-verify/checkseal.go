package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/logcheck"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/seal"
)

// checkSealOptions are the flags and arguments of check-seal.
type checkSealOptions struct {
	checkOptions
	outputOptions
	args []string // FILE LOG
}

func checkSealCommand(a *app) *cli.Command {
	o := new(checkSealOptions)
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
		Flags:        append(o.logFlags(), o.outputFlags()...),
		Arguments:    arguments(&o.args),
		ArgValidator: from(2, 2, ""),
		Action:       func(context.Context, *cli.Command) error { return a.checkSeal(o) },
	}
}

// maxSeal bounds a seal, in bytes: it holds some bytes for each event of its log.
const maxSeal = 1 << 30

func (a *app) checkSeal(o *checkSealOptions) error {
	if err := keepInputs(o.reads(o.args), o.paths()...); err != nil {
		return err
	}
	file, arg := o.args[0], o.args[1]
	c, err := a.newChecker(&o.checkOptions, arg, file)
	if err != nil {
		return err
	}
	text, err := regular.ReadFile(file, maxSeal)
	if err != nil {
		return unreadable(err)
	}
	statement, err := seal.Parse(text)
	if err != nil {
		return &statusError{exitUnreadable, file + ": " + err.Error()}
	}
	place, log, err := c.oneLog(arg)
	if err != nil {
		return err
	}
	defer place.Close()
	now, _, err := c.ReadForSeal(log)
	if err != nil {
		return refused(log, err)
	}
	out, err := a.newOutputs(&o.outputOptions, withSummary(func(r *result.Report) string { return sealSummary(r, statement, now) }))
	if err != nil {
		return err
	}
	defer out.close()
	report := result.NewReport()
	one, err := logcheck.Sealed(log, statement, now)
	if err != nil {
		return unreadable(err)
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
