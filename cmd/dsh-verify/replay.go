package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/result"
)

// replayOptions are the flags and arguments of replay.
type replayOptions struct {
	checkOptions
	outputOptions
	strict bool
	logs   []string
}

func replayCommand(a *app) *cli.Command {
	o := new(replayOptions)
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
		Flags: slices.Concat(o.logFlags(), o.deploymentFlags(), o.redactFlags(), o.outputFlags(), []cli.Flag{
			o.recordedFlag(anyRecording),
			o.attachmentsFlag(""),
			o.auditFlag(),
			strictFlag(&o.strict),
		}),
		Arguments:    arguments(&o.logs),
		ArgValidator: someOf("LOG"),
		Action:       func(context.Context, *cli.Command) error { return a.replay(o) },
	}
}

func (a *app) replay(o *replayOptions) error {
	if err := keepInputs(o.reads(o.logs), o.paths()...); err != nil {
		return err
	}
	run, err := a.newChecker(&o.checkOptions, o.logs...)
	if err != nil {
		return err
	}
	if err := o.needCapture(); err != nil {
		return err
	}
	out, err := a.newOutputs(&o.outputOptions, withStrict(o.strict))
	if err != nil {
		return err
	}
	defer out.close()
	report := result.NewReport()
	run.each(o.logs, checkPlace, func(log *result.Log) {
		report.Add(log)
		out.log(log)
	})
	if err := out.finish(report); err != nil {
		return err
	}
	return verdictStatus(report.Verdict, o.strict)
}
