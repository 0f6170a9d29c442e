package main

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/result"
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
  dsh-verify replay --recorded traffic.har session.jsonl
  dsh-verify replay --attachments ~/.dsh/attachments/v1 --strict session.jsonl.zstd
  dsh-verify replay --output junit=report.xml --output markdown=- sessions/
  zstd -dc session.jsonl.zstd | dsh-verify replay --format json -`,
		Flags: slices.Concat(logFlags(), wireFlags(), redactFlags(), outputFlags(), []cli.Flag{
			&cli.StringFlag{Name: "recorded", Usage: "compare with `FILE`: a requests.jsonl, a folder of HTTP bodies, or a HAR file"},
			&cli.StringFlag{Name: "attachments", Usage: "the attachments/v1 folder `DIR` that holds the objects"},
			&cli.BoolFlag{Name: "audit", Usage: "check each log against itself too, as audit does"},
			strictFlag(),
		}),
		Action: func(_ context.Context, cmd *cli.Command) error {
			return a.replay(cmd)
		},
	}
}

func (a *app) replay(cmd *cli.Command) error {
	if !cmd.Args().Present() {
		return usagef("replay needs a LOG (see 'dsh-verify replay --help')")
	}
	run, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	if err := needCapture(cmd); err != nil {
		return err
	}
	run.wire = run.setup.wire
	out, err := a.newOutputs(cmd)
	if err != nil {
		return err
	}
	defer out.close()
	report := result.NewReport()
	for _, arg := range cmd.Args().Slice() {
		for _, log := range run.argument(arg) {
			report.Add(log)
			out.log(log)
		}
	}
	if err := out.finish(report); err != nil {
		return err
	}
	return verdictStatus(report.Verdict, cmd.Bool("strict"))
}

func colorFlag() cli.Flag {
	return &cli.StringFlag{Name: "color", Value: "auto", Usage: "auto, always or never"}
}

func strictFlag() cli.Flag {
	return &cli.BoolFlag{Name: "strict", Usage: "exit 5 when something could not be verified"}
}

// colour decides on colour for standard output.
func (a *app) colour(cmd *cli.Command) (bool, error) {
	switch mode := cmd.String("color"); mode {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return a.terminal && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb", nil
	default:
		return false, usagef("--color must be auto, always or never, not %q", mode)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}
