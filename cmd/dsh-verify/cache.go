package main

import (
	"context"
	"errors"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/check/promptcache"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/headerdiff"
	"github.com/dsh-verify/dsh-verify/internal/logcheck"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/source"
)

// cacheOptions are the flags and arguments of cache.
type cacheOptions struct {
	checkOptions
	format string
	block  int // tokens
	color  string
	logs   []string
}

func cacheCommand(a *app) *cli.Command {
	o := new(cacheOptions)
	return &cli.Command{
		Name:      "cache",
		Usage:     "tell what the prompt cache should have given, what it gave, and why",
		ArgsUsage: "LOG",
		Description: `Compares each request with the one before it: how much of its prompt is still a
prefix, what the first difference is and which event of the log made it, what the
provider reported of its cache, and whether the log explains a drop. Headers of later
lifetimes and of forks are compared with those before them, member by member.

Examples:
  dsh-verify cache session.jsonl.zstd
  dsh-verify cache --format csv session.jsonl > cache.csv
  dsh-verify cache --format json session.jsonl | jq '.logs[].worst'`,
		Flags: slices.Concat(o.logFlags(), o.redactFlags(), []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text, json or csv", Destination: &o.format, Validator: oneOf("format", "text", "json", "csv")},
			&cli.IntFlag{Name: "block", Value: 64, Usage: "the provider caches in blocks of `N` tokens", Destination: &o.block, Validator: checkBlock},
			colorFlag(&o.color),
		}),
		Arguments:    arguments(&o.logs),
		ArgValidator: singleLog,
		Action:       func(context.Context, *cli.Command) error { return a.cache(o) },
	}
}

func checkBlock(n int) error {
	if n < 1 || n > 1<<20 {
		return usagef("--block must be a number of tokens from 1 to %d", 1<<20)
	}
	return nil
}

func (a *app) cache(o *cacheOptions) error {
	arg := o.logs[0]
	c, err := a.newChecker(&o.checkOptions, arg)
	if err != nil {
		return err
	}
	place, err := a.findOne(&o.logOptions, arg)
	if err != nil {
		return err
	}
	defer place.Close()
	reports, err := c.cacheReports(place.Logs, promptcache.Options{Block: int64(o.block), Redactor: c.redact})
	if err != nil {
		return err
	}
	if err := a.printCache(o, reports); err != nil {
		return err
	}
	return placeError(arg, place, finding.Unreadable)
}

func (a *app) printCache(o *cacheOptions, reports []*promptcache.Report) error {
	switch o.format {
	case "json":
		return output.CacheJSON(a.stdout, reports)
	case "csv":
		return output.CacheCSV(a.stdout, reports)
	}
	colour := a.colour(o.color)
	diffs := diffview.Printer{Colour: colour, Limit: 5}
	if r := a.redacting; r != nil {
		diffs.Redact, diffs.Path = r.Text, r.Pointer
	}
	text := output.NewCache(a.stdout, output.NewStyle(colour), diffs)
	for _, report := range reports {
		text.Report(report)
	}
	return nil
}

// cacheReports reads logs, and compares each with its parent's where that is available.
func (c *checker) cacheReports(logs []*source.Log, opts promptcache.Options) ([]*promptcache.Report, error) {
	reports := []*promptcache.Report{}
	for _, log := range logs {
		report, err := c.cacheReport(log, opts)
		if err != nil {
			return nil, err
		}
		reports = append(reports, report)
	}
	for i, log := range logs {
		if err := c.addParent(log, reports[i], logs, reports, opts); err != nil {
			return nil, err
		}
	}
	return reports, nil
}

func (c *checker) cacheReport(log *source.Log, opts promptcache.Options) (*promptcache.Report, error) {
	reader, closer, err := log.Open(c.Read)
	if err != nil {
		return nil, refused(log, err)
	}
	defer closer.Close()
	report, err := promptcache.Read(log.Name, reader, opts)
	if err != nil {
		return nil, refused(log, err)
	}
	if err := closer.Close(); errors.Is(err, source.ErrMoved) {
		return nil, &statusError{exitUnreadable, log.Name + ": " + err.Error()}
	}
	return report, nil
}

// addParent compares the first header of a session with its parent's, if that log
// is available.
func (c *checker) addParent(log *source.Log, report *promptcache.Report, logs []*source.Log, reports []*promptcache.Report, opts promptcache.Options) error {
	if report.ParentSession == "" {
		return nil
	}
	parent := logcheck.Parent(report.ParentSession, log, logs, func(i int) string { return reports[i].SessionID })
	if parent == nil {
		return nil
	}
	childReader, closeChild, err := log.Open(c.Read)
	if err != nil {
		return refused(log, err)
	}
	defer closeChild.Close()
	parentReader, closeParent, err := parent.Open(c.Read)
	if err != nil {
		return refused(parent, err)
	}
	defer closeParent.Close()
	step, err := headerdiff.Fork(childReader, parentReader)
	if err != nil {
		return refused(parent, err)
	}
	if step != nil {
		report.Lifetimes = append([]promptcache.Lifetime{promptcache.NewLifetime("parent", report.ParentSession, step, opts.Redactor)}, report.Lifetimes...)
	}
	return nil
}
