package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

func auditCommand(a *app) *cli.Command {
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
		Flags: slices.Concat(logFlags(), redactFlags(), outputFlags()),
		Action: func(_ context.Context, cmd *cli.Command) error {
			return a.audit(cmd)
		},
	}
}

func (a *app) audit(cmd *cli.Command) error {
	if !cmd.Args().Present() {
		return usagef("audit needs a LOG (see 'dsh-verify audit --help')")
	}
	run, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	out, err := a.newOutputs(cmd, withSummary(auditSummary))
	if err != nil {
		return err
	}
	defer out.close()
	report := result.NewReport()
	for _, arg := range cmd.Args().Slice() {
		for _, log := range run.auditArgument(arg) {
			report.Add(log)
			out.log(log)
		}
	}
	if err := out.finish(report); err != nil {
		return err
	}
	return verdictStatus(report.Verdict, false)
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

// auditArgument audits every log that an argument names, and compares forks with
// their parents where those are available.
func (c *checker) auditArgument(arg string) []*result.Log {
	c = c.under(arg)
	place, err := c.app.find(c.session, arg)
	if err != nil {
		return c.judge(result.Failed(arg, err))
	}
	defer place.Close()
	return c.judge(c.Place(arg, place, c.Audit)...)
}
