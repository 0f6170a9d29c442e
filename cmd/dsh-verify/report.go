package main

import (
	"context"
	"fmt"
	"io"

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

func reportCommand(a *app) *cli.Command {
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
		Flags: append(append(append(logFlags(), wireFlags()...), redactFlags()...),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the page to `FILE`, - for standard output"},
			&cli.StringFlag{Name: "recorded", Usage: "compare with `FILE`: a requests.jsonl, a folder of HTTP bodies, or a HAR file"},
			&cli.StringFlag{Name: "attachments", Usage: "the attachments/v1 folder `DIR` that holds the objects"},
			&cli.BoolFlag{Name: "audit", Usage: "check each log against itself too, as audit does"},
			strictFlag(),
		),
		Action: func(_ context.Context, cmd *cli.Command) error { return a.report(cmd) },
	}
}

func (a *app) report(cmd *cli.Command) error {
	args := cmd.Args().Slice()
	out := cmd.String("output")
	if len(args) == 0 {
		return usagef("report needs a LOG (see 'dsh-verify report --help')")
	}
	if out == "" {
		return usagef("report needs to know where to write: -o report.html (- for standard output)")
	}
	run, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	redactor := run.redact
	if err := needCapture(cmd); err != nil {
		return err
	}
	run.wire = run.setup.wire
	page := &report.Page{Redacted: redactor != nil}
	count := 0
	collect := func(checked *result.Log, source report.Source) *report.Session {
		count++
		return report.Collect(count, checked, source)
	}
	for _, arg := range args {
		collected := make(map[*result.Log]*report.Session)
		run.after = func(log *source.Log, checked *result.Log) {
			collected[checked] = collect(checked, run.under(arg).source(log, redactor))
		}
		for _, checked := range run.argument(arg) {
			session := collected[checked]
			if session == nil { // a place, or what could not be opened
				for _, f := range checked.Findings {
					if f.Imposes() == finding.Unreadable {
						fmt.Fprintln(a.stderr, "dsh-verify: "+visible(checked.File+": "+f.Message()))
					}
				}
				session = collect(checked, report.Source{Redactor: redactor})
			}
			page.Add(session)
		}
	}
	if err := a.writePage(out, page); err != nil {
		return err
	}
	return verdictStatus(page.Verdict, cmd.Bool("strict"))
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
		return &statusError{exitUnreadable, cause(err)}
	}
	defer f.Close()
	if _, err = page.WriteTo(f); err == nil {
		err = f.Commit()
	}
	if err != nil {
		return &statusError{exitUnreadable, cause(err)}
	}
	return nil
}
