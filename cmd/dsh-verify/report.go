package main

import (
	"context"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/atomicfile"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/report"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// reportOptions are the flags and arguments of report.
type reportOptions struct {
	checkOptions
	output string
	strict bool
	logs   []string
}

func reportCommand(a *app) *cli.Command {
	o := new(reportOptions)
	return &cli.Command{
		Name:      "report",
		Usage:     "write one HTML page that shows a log's requests to a person",
		ArgsUsage: "LOG…",
		Description: `Checks each log as replay does and writes what it found to one HTML file, to be opened
from disk: the verdict and what it rests on, the requests by turn, what each keeps of
the one before against what the provider read from its cache, and for each request its
messages with their place in the log, its header, and where a recording drifts from it.
The file needs nothing beside it and loads nothing from anywhere.

Examples:
  dsh-verify report session.jsonl.zstd -o report.html
  dsh-verify report --recorded requests.jsonl -o report.html session.jsonl
  dsh-verify report --redact -o for-strangers.html export.zip`,
		Flags: slices.Concat(o.logFlags(), o.deploymentFlags(), o.redactFlags(), []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the page to `FILE`, - for standard output", Destination: &o.output},
			o.recordedFlag(anyRecording),
			o.attachmentsFlag(""),
			o.auditFlag(),
			strictFlag(&o.strict),
		}),
		Arguments:    arguments(&o.logs),
		ArgValidator: someOf("LOG"),
		Action:       func(context.Context, *cli.Command) error { return a.report(o) },
	}
}

func (a *app) report(o *reportOptions) error {
	if o.output == "" {
		return usagef("report needs to know where to write: -o report.html (- for standard output)")
	}
	if err := keepInputs(o.reads(o.logs), outputTarget{"--output " + o.output, "", o.output}); err != nil {
		return err
	}
	run, err := a.newChecker(&o.checkOptions, o.logs...)
	if err != nil {
		return err
	}
	if err := o.needCapture(); err != nil {
		return err
	}
	page := &report.Page{Redacted: run.redact != nil}
	parts := &pageParts{redactor: run.redact, of: make(map[*result.Log]*report.Session)}
	run.each(o.logs, parts.place, func(checked *result.Log) {
		part := parts.of[checked]
		if part == nil { // a place, or what could not be opened
			a.complainUnread(checked)
			part = parts.collect(checked, report.Source{Redactor: run.redact})
		}
		page.Add(part)
	})
	if err := a.writePage(o.output, page); err != nil {
		return err
	}
	return verdictStatus(page.Verdict, o.strict)
}

// pageParts are the parts of a page, each collected while its log is available.
type pageParts struct {
	redactor *redact.Redactor
	of       map[*result.Log]*report.Session
	count    int
}

func (p *pageParts) collect(checked *result.Log, from report.Source) *report.Session {
	p.count++
	return report.Collect(p.count, checked, from)
}

// place checks the logs of a place and collects their parts.
func (p *pageParts) place(c *checker, name string, place *source.Place) []*result.Log {
	reports := checkPlace(c, name, place)
	first := len(reports) - len(place.Logs)
	for i, log := range place.Logs {
		checked := reports[first+i]
		p.of[checked] = p.collect(checked, c.source(log, p.redactor))
	}
	return reports
}

// complainUnread says on standard error what could not be read: the page shows it, and
// nobody looks there at once.
func (a *app) complainUnread(checked *result.Log) {
	for _, f := range checked.Findings {
		if f.Imposes() == finding.Unreadable {
			a.complain(checked.File + ": " + f.Message())
		}
	}
}

// source says where the report reads a log again.
func (c *checker) source(log *source.Log, redactor *redact.Redactor) report.Source {
	s := report.Source{Redactor: redactor, Open: func() (*logformat.Reader, io.Closer, error) { return log.Open(c.Read) }}
	s.Recording = c.RecordingOf(log)
	if s.Recording != "" && traffic.Is(s.Recording) {
		s.Recording = ""
	}
	s.Objects, _ = c.Objects(log) // that it cannot be opened is in the findings
	return s
}

// writePage writes the page to a file as a whole or not at all, or to standard
// output.
func (a *app) writePage(path string, page *report.Page) error {
	if path == "-" {
		_, err := page.WriteTo(a.stdout)
		return err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return unreadable(err)
	}
	defer f.Close()
	if _, err = page.WriteTo(f); err == nil {
		err = f.Commit()
	}
	if err != nil {
		return unreadable(err)
	}
	return nil
}
