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
	"github.com/dsh-verify/dsh-verify/internal/source"
)

// attachmentsOptions are the flags and arguments of attachments.
type attachmentsOptions struct {
	checkOptions
	outputOptions
	unreferenced bool
	strict       bool
	places       []string
}

func attachmentsCommand(a *app) *cli.Command {
	o := new(attachmentsOptions)
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
		Flags: slices.Concat(o.logFlags(), o.deploymentFlags(), o.outputFlags(), []cli.Flag{
			o.attachmentsFlag(""),
			&cli.BoolFlag{Name: "unreferenced", Usage: "also list objects and request images that nothing references", Destination: &o.unreferenced},
			strictFlag(&o.strict),
		}),
		Arguments:    arguments(&o.places),
		ArgValidator: someOf("LOG or ROOT"),
		Action:       func(context.Context, *cli.Command) error { return a.attachments(o) },
	}
}

func (a *app) attachments(o *attachmentsOptions) error {
	if err := keepInputs(o.reads(o.places), o.paths()...); err != nil {
		return err
	}
	out, err := a.newOutputs(&o.outputOptions, withStrict(o.strict), withRenderer("text", newAttachmentText), withSummary(attachmentSummary))
	if err != nil {
		return err
	}
	defer out.close()
	c, err := a.newChecker(&o.checkOptions, o.places...)
	if err != nil {
		return err
	}
	run := logcheck.NewAttachments()
	report := result.NewReport()
	add := func(log *result.Log) {
		report.Add(log)
		out.log(log)
	}
	c.each(o.places, func(c *checker, name string, place *source.Place) []*result.Log {
		return c.judge(run.Place(&c.Checker, name, place)...)
	}, add)
	if last := c.under(o.places[len(o.places)-1]); o.unreferenced {
		for _, log := range last.judge(run.Unreferenced(last.Deployment)...) {
			add(log)
		}
	}
	if err := out.finish(report); err != nil {
		return err
	}
	return verdictStatus(report.Verdict, o.strict)
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
