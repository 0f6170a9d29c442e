package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/check/objects"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
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
	c.wire = c.setup.wire
	run := &attachmentRun{c: c, referenced: map[string]bool{}, stores: map[string]*objectstore.Folder{}}
	report := result.NewReport()
	for _, arg := range cmd.Args().Slice() {
		for _, log := range run.argument(cmd, arg) {
			report.Add(log)
			out.log(log)
		}
	}
	if cmd.Bool("unreferenced") {
		for _, log := range run.c.judge(run.unreferenced()...) {
			report.Add(log)
			out.log(log)
		}
	}
	if err := out.finish(report); err != nil {
		return err
	}
	return verdictStatus(report.Verdict, cmd.Bool("strict"))
}

// An attachmentRun checks logs and remembers what they reference.
type attachmentRun struct {
	c          *checker
	referenced map[string]bool // digests, wherever in a log they stand
	stores     map[string]*objectstore.Folder
	unread     int // sessions of which not every reference is known
}

func (r *attachmentRun) argument(cmd *cli.Command, arg string) (reports []*result.Log) {
	r.c = r.c.under(arg)
	place, err := r.c.app.find(cmd, arg)
	if err != nil {
		return r.c.judge(failed(arg, err))
	}
	defer place.Close()
	if len(place.Findings) > 0 {
		reports = append(reports, result.Place(arg, place.Findings))
	}
	reports = append(reports, absent(place)...)
	for _, log := range place.Logs {
		reports = append(reports, beside(log, r.log(log)))
	}
	r.unread += len(place.Absent)
	for _, report := range reports[len(reports)-len(place.Logs):] {
		if report.Verdict == finding.Refused || report.Verdict == finding.Unreadable {
			r.unread++
		}
	}
	return r.c.judge(reports...)
}

func (r *attachmentRun) log(log *source.Log) *result.Log {
	reader, closer, err := log.Open(r.c.read)
	if err != nil {
		return failed(log.Name, err)
	}
	defer closer.Close()
	verifier, err := r.c.verifier(log)
	if err != nil {
		return result.Unreadable(log.Name, cause(err))
	}
	if verifier != nil {
		if folder, ok := verifier.Store().(*objectstore.Folder); ok {
			r.stores[folder.Name()] = folder
		}
	}
	report := verify.Run(log.Name, reader, objects.New(verifier), references{of: r})
	report.Requests = []result.Request{}
	if n := report.Counts.Objects; n > 0 && n == report.Counts.ObjectsOK && report.Verdict == finding.Rebuilt {
		report.Verdict = finding.Verified
	}
	return report
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

// references is the check that passes acts on.
type references struct {
	verify.Base
	of *attachmentRun
}

// Before notes what an act references.
func (r references) Before(act *transcript.Act) { r.of.observe(act) }

// observe notes every attachment id of an act: what an inbox or a stream holds keeps
// an object in use, though no request shows it.
func (r *attachmentRun) observe(act *transcript.Act) {
	if act.Event == nil {
		return
	}
	text := []byte(act.Event.Data)
	for {
		_, rest, ok := bytes.Cut(text, []byte(`"sha256:`))
		if !ok {
			return
		}
		if len(rest) > 64 && objectstore.IsDigest(string(rest[:64])) {
			r.referenced[string(rest[:64])] = true
		}
		text = rest
	}
}

// mayReference names the sessions that could not be read: what they reference is not known.
func (r *attachmentRun) mayReference() string {
	if r.unread == 0 {
		return ""
	}
	return ", and what the logs of " + plural(r.unread, "session") + " reference, which could not be read, is not known"
}

// unreferenced reports what the stores hold beyond what was referenced.
func (r *attachmentRun) unreferenced() (reports []*result.Log) {
	explained := map[string]bool{}
	for digest := range r.referenced {
		for _, transform := range []objectstore.Transform{objectstore.TransformV4, objectstore.TransformV5} {
			explained[transform.Key("sha256:"+digest, r.c.wire.PixelBudget, r.c.wire.ByteCap)] = true
		}
	}
	names := make([]string, 0, len(r.stores))
	for name := range r.stores {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		var objects, images []string
		var found []finding.Finding
		for entry, err := range r.stores[name].Walk() {
			switch {
			case err != nil:
				found = append(found, finding.New(finding.InputUnreadable, finding.Plain(err.Error()), finding.Place{Seq: -1, File: name}))
			case entry.RequestImage && !explained[entry.Digest]:
				images = append(images, fmt.Sprintf("%s (%d bytes)", entry.Digest, entry.Bytes))
			case !entry.RequestImage && !r.referenced[entry.Digest]:
				objects = append(objects, fmt.Sprintf("sha256:%s (%d bytes)", entry.Digest, entry.Bytes))
			}
		}
		for _, list := range []struct {
			code  finding.Code
			items []string
		}{{finding.ObjectUnreferenced, objects}, {finding.ObjectCacheUnknown, images}} {
			if len(list.items) > 0 {
				f := finding.New(list.code, finding.Say("%d%s", len(list.items), r.mayReference()), finding.Place{Seq: -1, File: name})
				for _, item := range list.items {
					f.Detail = append(f.Detail, finding.Plain(item))
				}
				found = append(found, f)
			}
		}
		if len(found) > 0 {
			reports = append(reports, result.Place(name, found))
		}
	}
	return reports
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
