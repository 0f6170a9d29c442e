package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
)

// auditOptions are the flags and arguments of audit.
type auditOptions struct {
	checkOptions
	outputOptions
	logs []string
}

func auditCommand(a *app) *cli.Command {
	o := new(auditOptions)
	return &cli.Command{
		Name:      "audit",
		Usage:     "check a log against itself: what an honest log agrees on and an edited one does not",
		ArgsUsage: "LOG…",
		Description: `Checks that what each log says in one place agrees with what it says in another:
that assistant messages are what their chunks give, that turns, steps and tool calls
pair up, that headers, compactions, crash repairs and the inbox are as the harness
writes them. It also names what makes providers reject every later request, with the
requests it is in. It needs no recording. It exits 1 when a rule fails.

Examples:
  dsh-verify audit session.jsonl.zstd
  dsh-verify audit --quiet ~/.dsh/sessions
  dsh-verify audit --format json session.jsonl | jq '.logs[].findings'`,
		Flags:        slices.Concat(o.logFlags(), o.redactFlags(), o.outputFlags()),
		Arguments:    arguments(&o.logs),
		ArgValidator: someOf("LOG"),
		Action:       func(context.Context, *cli.Command) error { return a.audit(o) },
	}
}

func (a *app) audit(o *auditOptions) error {
	if err := keepInputs(o.reads(o.logs), o.paths()...); err != nil {
		return err
	}
	run, err := a.newChecker(&o.checkOptions, o.logs...)
	if err != nil {
		return err
	}
	out, err := a.newOutputs(&o.outputOptions, withSummary(auditSummary))
	if err != nil {
		return err
	}
	defer out.close()
	report := result.NewReport()
	run.each(o.logs, auditPlace, func(log *result.Log) {
		report.Add(log)
		out.log(log)
	})
	if err := out.finish(report); err != nil {
		return err
	}
	return verdictStatus(report.Verdict, false)
}

// auditPlace audits every log of a place, and compares forks with their parents where
// those are available.
func auditPlace(c *checker, name string, place *source.Place) []*result.Log {
	return c.judge(c.Place(name, place, c.Audit)...)
}

// auditSummary is the last line, which counts.
func auditSummary(report *result.Report) string {
	counts := make(map[finding.Severity]int)
	ignored := 0
	for _, log := range report.Logs {
		for _, f := range log.Findings {
			if f.Suppressed != "" {
				ignored++
				continue
			}
			counts[f.Severity]++
		}
	}
	line := fmt.Sprintf("audited: %s, %s, %s, %s", plural(report.Sessions(), "log"), plural(counts[finding.Error], "error"),
		plural(counts[finding.Warning], "warning"), plural(counts[finding.Note], "note"))
	if ignored > 0 {
		line += fmt.Sprintf(", %d ignored", ignored)
	}
	return line
}
