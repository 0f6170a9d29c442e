package main

import (
	"bufio"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/atomicfile"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/result"
	escape "github.com/dsh-verify/dsh-verify/internal/visible"
)

// outputFlags are the flags of every command that reports findings.
func outputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Value: "text", Usage: "the format of standard output: " + strings.Join(output.Formats(), ", ")},
		&cli.StringSliceFlag{Name: "output", Usage: "write a report as `FORMAT=FILE`, - is standard output (may be repeated)"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "in text, only what is wrong, and the last line"},
		colorFlag(),
	}
}

// formatFlag is the flag of commands that report no findings.
func formatFlag() cli.Flag {
	return &cli.StringFlag{Name: "format", Value: "text", Usage: "text or json"}
}

// outputs are the reports that a run writes, each in its format to its place. A
// command creates them before its work, so that a report that cannot be written
// is known at once; files take their place when they are finished.
type outputs struct {
	app   *app
	sinks []*sink
}

type sink struct {
	output.Renderer
	text *bufio.Writer    // nil on standard output, which app.run flushes
	file *atomicfile.File // nil on standard output
}

// An outputOption changes how reports are rendered.
type outputOption func(*output.Options)

// withSummary sets the last line of text.
func withSummary(line func(*result.Report) string) outputOption {
	return func(o *output.Options) { o.Summary = line }
}

// withRenderer sets a command's own renderer of a format.
func withRenderer(format string, make func(io.Writer, output.Options) output.Renderer) outputOption {
	return func(o *output.Options) {
		if o.Own == nil {
			o.Own = map[string]func(io.Writer, output.Options) output.Renderer{}
		}
		o.Own[format] = make
	}
}

// newOutputs opens what the flags ask for. Standard output has the format of
// --format, unless an --output takes it. Close drops what finish did not finish.
func (a *app) newOutputs(cmd *cli.Command, options ...outputOption) (*outputs, error) {
	opts := output.Options{Quiet: cmd.Bool("quiet"), Strict: cmd.Bool("strict")}
	for _, option := range options {
		option(&opts)
	}
	targets, err := outputTargets(cmd)
	if err != nil {
		return nil, err
	}
	o := &outputs{app: a}
	for _, target := range targets {
		if err := o.open(cmd, target, opts); err != nil {
			o.close()
			return nil, err
		}
	}
	return o, nil
}

// An outputTarget is a report that is asked for.
type outputTarget struct{ flag, format, path string }

func outputTargets(cmd *cli.Command) ([]outputTarget, error) {
	var targets []outputTarget
	taken := make(map[string]string) // path to the flag that took it
	for _, value := range cmd.StringSlice("output") {
		format, path, ok := strings.Cut(value, "=")
		if !ok || path == "" {
			return nil, usagef("--output must be FORMAT=FILE, as junit=report.xml, not %q", value)
		}
		key := path
		if path != "-" {
			key = filepath.Clean(path)
		}
		if other := taken[key]; other != "" {
			return nil, usagef("--output %s and --output %s go to the same place", other, value)
		}
		taken[key] = value
		targets = append(targets, outputTarget{"--output " + value, format, path})
	}
	switch other := taken["-"]; {
	case other == "":
		targets = append(targets, outputTarget{"--format", cmd.String("format"), "-"})
	case cmd.IsSet("format"):
		return nil, usagef("--format %s and --output %s both go to standard output", cmd.String("format"), other)
	}
	return targets, nil
}

func (o *outputs) open(cmd *cli.Command, target outputTarget, opts output.Options) error {
	colour, err := o.app.colour(cmd)
	if err != nil {
		return err
	}
	out := &sink{}
	if target.path == "-" {
		opts.Style = output.NewStyle(colour)
		if out.Renderer, err = output.New(target.format, o.app.stdout, opts); err != nil {
			return usagef("%s %v", target.flag, err)
		}
		o.sinks = append(o.sinks, out)
		return nil
	}
	opts.Style = output.NewStyle(false) // --color is about standard output
	out.text = bufio.NewWriter(nil)
	if out.Renderer, err = output.New(target.format, escape.NewGuard(out.text), opts); err != nil {
		return usagef("%s %v", target.flag, err)
	}
	if out.file, err = atomicfile.Create(target.path); err != nil {
		return &statusError{exitUnreadable, target.flag + ": " + cause(err)}
	}
	out.text.Reset(out.file)
	o.sinks = append(o.sinks, out)
	return nil
}

// log renders what was found in one log.
func (o *outputs) log(log *result.Log) {
	output.Settle(log, o.app.redacting)
	for _, out := range o.sinks {
		out.Log(log)
	}
}

// needReport reports whether finish needs the logs that log was given.
func (o *outputs) needReport() bool {
	return slices.ContainsFunc(o.sinks, func(out *sink) bool { return output.NeedsReport(out.Renderer) })
}

// finish renders the rest and puts the files in place.
func (o *outputs) finish(report *result.Report) error {
	for _, out := range o.sinks {
		if err := out.Close(report); err != nil {
			return err
		}
		if out.file == nil {
			continue
		}
		if err := out.text.Flush(); err != nil {
			return err
		}
		if err := out.file.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// close drops the files that were not finished.
func (o *outputs) close() {
	for _, out := range o.sinks {
		if out.file != nil {
			out.file.Close()
		}
	}
}
