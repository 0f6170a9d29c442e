package main

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/scan"
	"github.com/dsh-verify/dsh-verify/internal/source"
)

// scanOptions are the flags and arguments of scan.
type scanOptions struct {
	checkOptions
	outputOptions
	jobs      int // 0: one per core
	since     time.Time
	sinceText string
	project   string
	failFast  bool
	strict    bool
	roots     []string
}

func scanCommand(a *app) *cli.Command {
	o := new(scanOptions)
	return &cli.Command{
		Name:      "scan",
		Usage:     "check every session below a folder, in parallel",
		ArgsUsage: "ROOT…",
		Description: `Finds every session below each root (a harness home, a store root, a folder of
exports) and checks it as replay does. Prints a line per session as it is done, what
is wrong with it, and a summary. One bad session never stops the others.

Examples:
  dsh-verify scan ~/.dsh/sessions
  dsh-verify scan --since 24h --project my-app --fail-fast ~/.dsh/sessions
  dsh-verify scan --format ndjson ~/.dsh/sessions | jq -r 'select(.verdict=="refused").file'`,
		Flags: slices.Concat(o.logFlags(), o.outputFlags(), []cli.Flag{
			&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "check `N` sessions at a time", DefaultText: "one per core", Destination: &o.jobs, Validator: checkJobs},
			&cli.StringFlag{
				Name: "since", Usage: "only logs written since `WHEN`: a duration such as 36h or 7d, or a date such as 2026-11-30", Destination: &o.sinceText,
				Validator: parsed(&o.since, func(text string) (time.Time, error) { return parseSince(text, time.Now()) }),
			},
			&cli.StringFlag{Name: "project", Usage: "only sessions whose project folder contains `NAME`", Destination: &o.project},
			&cli.BoolFlag{Name: "fail-fast", Usage: "stop at the first session that does not verify", Destination: &o.failFast},
			o.attachmentsFlag(""),
			strictFlag(&o.strict),
		}),
		Arguments:    arguments(&o.roots),
		ArgValidator: someOf("ROOT"),
		Before:       a.endInOrder,
		Action:       func(ctx context.Context, _ *cli.Command) error { return a.scan(ctx, o) },
	}
}

func (a *app) scan(ctx context.Context, o *scanOptions) error {
	if err := keepInputs(o.reads(o.roots), o.paths()...); err != nil {
		return err
	}
	c, err := a.newChecker(&o.checkOptions, o.roots...)
	if err != nil {
		return err
	}
	summary := new(scanSummary)
	out, err := a.newOutputs(&o.outputOptions, withStrict(o.strict), withRenderer("text", summary.text), withRenderer("ndjson", summary.ndjson))
	if err != nil {
		return err
	}
	defer out.close()
	report := result.NewReport()
	bar := &progress{w: a.stderr, on: a.watched}
	outcome := scan.Run(ctx, c.roots(o.roots), o.options(), func(e scan.Event) {
		log := e.Report()
		if checked, ok := e.(scan.Checked); ok {
			bar.show(checked.Read, checked.All)
		} else {
			bar.clear()
		}
		out.log(log)
		if out.needReport() {
			report.Logs = append(report.Logs, log)
		}
		report.Weigh(log)
	})
	bar.clear()
	summary.counts = outcome.Counts
	sort.SliceStable(report.Logs, func(i, j int) bool { return report.Logs[i].File < report.Logs[j].File })
	if err := out.finish(report); err != nil {
		return err
	}
	if words := outcome.Interrupted(); words != "" {
		return &statusError{exitUnreadable, words}
	}
	if outcome.Nothing != "" {
		a.complain(outcome.Nothing)
	}
	return verdictStatus(report.Verdict, o.strict)
}

// roots are the arguments, each with the policy that governs it.
func (c *checker) roots(args []string) (roots []scan.Root) {
	for _, arg := range args {
		c := c.under(arg)
		roots = append(roots, scan.Root{
			Name: arg,
			Find: func() (*source.Place, error) { return c.app.find(&c.opts.logOptions, arg) },
			Check: func(log *source.Log) *result.Log {
				report := c.Log(log)
				c.Lineage(log, report, nil, nil)
				return c.judge(report)[0]
			},
			Weigh: func(report *result.Log) { c.judge(report) },
		})
	}
	return roots
}

// options say which sessions are checked.
func (o *scanOptions) options() scan.Options {
	choose := scan.Choice{Since: o.since, Project: o.project}
	if o.sinceText != "" {
		choose.Words = append(choose.Words, "--since "+o.sinceText)
	}
	if o.project != "" {
		choose.Words = append(choose.Words, "--project "+o.project)
	}
	return scan.Options{Choose: choose, Jobs: cmp.Or(o.jobs, runtime.NumCPU()), FailFast: o.failFast}
}

func checkJobs(n int) error {
	if n < 1 {
		return usagef("--jobs must be at least 1, not %d", n)
	}
	return nil
}

// maxDays is how far back --since may reach: a thousand years.
const maxDays = 365_000

func parseSince(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok && days != "" && strings.Trim(days, "0123456789") == "" {
		n, err := strconv.Atoi(days)
		if err != nil || n > maxDays {
			return now, usagef("--since %s is out of range: it takes at most %dd", text, maxDays)
		}
		return now.AddDate(0, 0, -n), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return now, usagef("--since takes a duration such as 36h or 7d, or a date such as 2026-11-30, not %q", text)
}
