package main

import (
	"context"
	"io"
	"os"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/locate"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/recording"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

func replayCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "rebuild and check every request of a log: the main job",
		ArgsUsage: "LOG…",
		Description: `Reads each log, rebuilds every request that the model was sent, checks the attached
images against their digests, and compares everything with a recording: the one
named with --recorded, or a requests.jsonl beside the log.

Examples:
  dsh-verify replay session.jsonl.zstd
  dsh-verify replay --recorded requests.jsonl session.jsonl
  dsh-verify replay --attachments ~/.dsh/attachments/v1 --strict session.jsonl.zstd
  zstd -dc session.jsonl.zstd | dsh-verify replay --format json -`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "recorded", Usage: "compare with the requests recorded in `FILE`"},
			&cli.StringFlag{Name: "attachments", Usage: "the attachments/v1 folder `DIR` that holds the objects"},
			formatFlag(),
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print only what is wrong, and the last line"},
			colorFlag(),
			strictFlag(),
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			return a.replay(cmd)
		},
	}
}

func (a *app) replay(cmd *cli.Command) error {
	if !cmd.Args().Present() {
		return usagef("replay needs a LOG (see 'dsh-verify replay --help')")
	}
	style, err := a.style(cmd)
	if err != nil {
		return err
	}
	format := cmd.String("format")
	if format != "text" && format != "json" {
		return usagef("--format must be text or json, not %q", format)
	}
	text := output.NewText(a.stdout, style, cmd.Bool("quiet"))
	report := &verify.Report{SchemaVersion: verify.SchemaVersion, Logs: []*verify.Log{}}
	for _, arg := range cmd.Args().Slice() {
		for _, log := range a.replayArg(cmd, arg) {
			report.Logs = append(report.Logs, log)
			report.Verdict = finding.Worse(report.Verdict, log.Verdict)
			if format == "text" {
				text.Log(log)
			}
		}
	}
	if format == "json" {
		if err := output.JSON(a.stdout, report); err != nil {
			return err
		}
	} else {
		text.Summary(report)
	}
	return verdictStatus(report.Verdict, cmd.Bool("strict"))
}

// replayArg checks every log that an argument names. What cannot be read is a
// finding too, so that the others are still checked.
func (a *app) replayArg(cmd *cli.Command, arg string) (reports []*verify.Log) {
	logs, err := locate.Find(arg, a.stdin)
	if err != nil {
		return []*verify.Log{verify.Unreadable(arg, cause(err))}
	}
	for _, log := range logs {
		reports = append(reports, a.replayLog(cmd, log))
	}
	return reports
}

func (a *app) replayLog(cmd *cli.Command, log *locate.Log) *verify.Log {
	reader, closer, err := log.Open(logformat.Options{})
	if err != nil {
		return verify.Unreadable(log.Name, cause(err))
	}
	defer closer.Close()
	var opts verify.Options
	path := cmd.String("recorded")
	if path == "" {
		path = log.Recording
	}
	if path != "" {
		file, err := recording.Open(path)
		if err != nil {
			return verify.Unreadable(log.Name, cause(err))
		}
		defer file.Close()
		opts.Recording = file
	}
	if opts.Objects, err = a.objects(cmd.String("attachments"), log); err != nil {
		return verify.Unreadable(log.Name, cause(err))
	}
	return verify.Run(log.Name, reader, opts)
}

// objects returns a verifier over the object store that is named, or that
// belongs to the log; nil when there is none.
func (a *app) objects(dir string, log *locate.Log) (*objectstore.Verifier, error) {
	if dir == "" {
		var ok bool
		if dir, ok = objectstore.Locate(log.Dir, a.env); !ok {
			return nil, nil
		}
	}
	store, err := objectstore.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	return objectstore.NewVerifier(store), nil
}

func formatFlag() cli.Flag {
	return &cli.StringFlag{Name: "format", Value: "text", Usage: "text or json"}
}

func colorFlag() cli.Flag {
	return &cli.StringFlag{Name: "color", Value: "auto", Usage: "auto, always or never"}
}

func strictFlag() cli.Flag {
	return &cli.BoolFlag{Name: "strict", Usage: "exit 5 when something could not be verified"}
}

// style decides on colour for standard output.
func (a *app) style(cmd *cli.Command) (*output.Style, error) {
	switch mode := cmd.String("color"); mode {
	case "always":
		return output.NewStyle(true), nil
	case "never":
		return output.NewStyle(false), nil
	case "auto":
		return output.NewStyle(a.terminal && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"), nil
	default:
		return nil, usagef("--color must be auto, always or never, not %q", mode)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}
