package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/check/audit"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/verify"
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

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// auditArgument audits every log that an argument names, and compares forks with
// their parents where those are available.
func (c *checker) auditArgument(arg string) (reports []*result.Log) {
	c = c.under(arg)
	place, err := c.app.find(c.session, arg)
	if err != nil {
		return c.judge(failed(arg, err))
	}
	defer place.Close()
	if len(place.Findings) > 0 {
		reports = append(reports, result.Place(arg, place.Findings))
	}
	reports = append(reports, absent(place)...)
	first := len(reports)
	for _, log := range place.Logs {
		reports = append(reports, beside(log, c.audited(log)))
	}
	for i, log := range place.Logs {
		c.lineage(log, reports[first+i], place.Logs, reports[first:])
	}
	return c.judge(reports...)
}

// audited is the report of the audit of one log.
func (c *checker) audited(log *source.Log) *result.Log {
	reader, closer, err := log.Open(c.read)
	if err != nil {
		return failed(log.Name, err)
	}
	defer closer.Close()
	run, findings, err := audit.Check(reader)
	if err != nil {
		return failed(log.Name, err)
	}
	report := result.New(log.Name)
	report.Verdict = finding.Rebuilt
	header, err := reader.Header()
	if err != nil {
		return failed(log.Name, err)
	}
	report.Session = verify.SessionOf(header, reader.Encoding())
	read, s := reader.Stats(), run.Session().Stats()
	report.Counts = result.Counts{
		Lines: read.Lines, Bytes: read.Bytes, Events: read.Events, Turns: s.Turns, Steps: s.Steps, Requests: s.Requests,
		Retries: s.Attempts, Prepared: s.Prepared, Inherited: s.Inherited, Headers: s.Headers, Replaces: s.Replaces,
	}
	addAudit(report, findings)
	if err := closer.Close(); errors.Is(err, source.ErrMoved) {
		report.Add(finding.New(finding.StoreMoved, nil, finding.Place{Seq: -1}))
	}
	return report
}

func addAudit(report *result.Log, findings []finding.Finding) {
	for _, f := range findings {
		report.Add(f)
	}
}
