package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/check/promptcache"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/headerdiff"
	"github.com/dsh-verify/dsh-verify/internal/logcheck"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/source"
)

func cacheCommand(a *app) *cli.Command {
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
		Flags: append(append(logFlags(), redactFlags()...),
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text, json or csv"},
			&cli.IntFlag{Name: "block", Value: 64, Usage: "the provider caches in blocks of `N` tokens"},
			colorFlag(),
		),
		Action: func(_ context.Context, cmd *cli.Command) error {
			arg, err := logArg(cmd)
			if err != nil {
				return err
			}
			return a.cache(cmd, arg)
		},
	}
}

func (a *app) cache(cmd *cli.Command, arg string) error {
	format, block := cmd.String("format"), cmd.Int("block")
	if format != "text" && format != "json" && format != "csv" {
		return usagef("--format must be text, json or csv, not %q", format)
	}
	if block < 1 || block > 1<<20 {
		return usagef("--block must be a number of tokens from 1 to %d", 1<<20)
	}
	colour, err := a.colour(cmd)
	if err != nil {
		return err
	}
	c, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	place, err := a.findOne(cmd, arg)
	if err != nil {
		return err
	}
	defer place.Close()
	opts := promptcache.Options{Block: int64(block), Redactor: c.redact}
	reports := []*promptcache.Report{}
	for _, log := range place.Logs {
		report, err := c.cacheReport(log, opts)
		if err != nil {
			return err
		}
		reports = append(reports, report)
	}
	for i, log := range place.Logs {
		if err := c.addParent(log, reports[i], place.Logs, reports, opts); err != nil {
			return err
		}
	}
	switch format {
	case "json":
		err = output.CacheJSON(a.stdout, reports)
	case "csv":
		err = output.CacheCSV(a.stdout, reports)
	default:
		diffs := diffview.Printer{Colour: colour, Limit: 5}
		if c.redact != nil {
			diffs.Redact, diffs.Path = c.redact.Text, c.redact.Pointer
		}
		text := output.NewCache(a.stdout, output.NewStyle(colour), diffs)
		for _, report := range reports {
			text.Report(report)
		}
	}
	if err != nil {
		return err
	}
	return placeError(arg, place, finding.Unreadable)
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
