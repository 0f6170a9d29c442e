package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/logcheck"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

func attachmentsCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:      "attachments",
		Usage:     "check the images that requests reference against their digests",
		ArgsUsage: "LOG|ROOT…",
		Description: `Checks each attachment that a request references: it is there, and its digest, length,
type and size are those of the reference. With --unreferenced it also lists what of
the store no available session references, and cached request images that nothing
explains.

Examples:
  dsh-verify attachments session.jsonl.zstd
  dsh-verify attachments --attachments backup/attachments/v1 export.zip
  dsh-verify attachments --unreferenced ~/.dsh`,
		Flags: slices.Concat(logFlags(), wireFlags(), outputFlags(), []cli.Flag{
			&cli.StringFlag{Name: "attachments", Usage: "the attachments/v1 folder `DIR` that holds the objects"},
			&cli.BoolFlag{Name: "unreferenced", Usage: "also list objects and request images that nothing references"},
			strictFlag(),
		}),
		Action: func(_ context.Context, cmd *cli.Command) error { return a.attachments(cmd) },
	}
}

func (a *app) attachments(cmd *cli.Command) error {
	if !cmd.Args().Present() {
		return usagef("attachments needs a LOG or ROOT (see 'dsh-verify attachments --help')")
	}
	out, err := a.newOutputs(cmd, withRenderer("text", newAttachmentText), withSummary(attachmentSummary))
	if err != nil {
		return err
	}
	defer out.close()
	c, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	run := logcheck.NewAttachments()
	report := result.NewReport()
	add := func(logs []*result.Log) {
		for _, log := range logs {
			report.Add(log)
			out.log(log)
		}
	}
	for _, arg := range cmd.Args().Slice() {
		c = c.under(arg)
		add(c.attachmentsOf(arg, run))
	}
	if cmd.Bool("unreferenced") {
		add(c.judge(run.Unreferenced(c.Deployment)...))
	}
	if err := out.finish(report); err != nil {
		return err
	}
	return verdictStatus(report.Verdict, cmd.Bool("strict"))
}

// attachmentsOf checks the objects of every log that an argument names.
func (c *checker) attachmentsOf(arg string, run *logcheck.Attachments) []*result.Log {
	place, err := c.app.find(c.session, arg)
	if err != nil {
		return c.judge(result.Failed(arg, err))
	}
	defer place.Close()
	return c.judge(run.Place(&c.Checker, arg, place)...)
}

// attachmentSummary is the last line, which counts.
func attachmentSummary(report *result.Report) string {
	verified, all, failed := 0, 0, 0
	for _, log := range report.Logs {
		verified, all = verified+log.Counts.ObjectsOK, all+log.Counts.Objects
		for _, f := range log.Findings {
			if f.Fails() {
				failed++
			}
		}
	}
	verdict := report.Verdict
	line := fmt.Sprintf("%d of %s verified", verified, plural(all, "attachment"))
	switch {
	case all == 0:
		line = "no request references an attachment"
	case verified == all && verdict == finding.Rebuilt:
		verdict = finding.Verified // some logs have none
	}
	if failed > 0 {
		line += ", " + plural(failed, "error")
	}
	return string(verdict) + ": " + line
}

// An attachmentText prints the attachments of each log instead of its requests.
type attachmentText struct {
	*output.Text
	w     io.Writer
	quiet bool
}

func newAttachmentText(w io.Writer, opts output.Options) output.Renderer {
	return attachmentText{output.NewText(w, opts), w, opts.Quiet}
}

func (t attachmentText) Log(log *result.Log) {
	if !t.quiet {
		printAttachments(t.w, log)
	}
	t.Findings(log)
}

func printAttachments(w io.Writer, log *result.Log) {
	fmt.Fprintln(w, visible(log.File))
	if len(log.Attachments) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  ATTACHMENT\tTYPE\tSIZE\tBYTES\tREQUESTS\tVERDICT")
	for _, at := range log.Attachments {
		verdict := string(at.Verdict)
		if at.Verdict == finding.Drift {
			verdict = "fails"
		}
		fmt.Fprintf(t, "  %s\t%s\t%d×%d\t%d\t%d\t%s\n", visible(at.ID), visible(strings.TrimPrefix(at.MediaType, "image/")), at.Width, at.Height, at.Bytes, at.Requests, verdict)
	}
	t.Flush()
}
