package main

import (
	"bufio"
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/atomicfile"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/overwrite"
	"github.com/dsh-verify/dsh-verify/internal/result"
	escape "github.com/dsh-verify/dsh-verify/internal/visible"
)

// outputOptions say what is reported, in which formats and where.
type outputOptions struct {
	format string   // of standard output, "" for text
	output []string // FORMAT=FILE
	quiet  bool
	color  string
}

// outputFlags are the flags of every command that reports findings.
func (o *outputOptions) outputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", DefaultText: `"text"`, Usage: "the format of standard output: " + strings.Join(output.Formats(), ", "), Destination: &o.format},
		&cli.StringSliceFlag{Name: "output", Usage: "write a report as `FORMAT=FILE`, - is standard output (may be repeated)", Destination: &o.output},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "in text, only what is wrong, and the last line", Destination: &o.quiet},
		colorFlag(&o.color),
	}
}

// paths returns where reports are written.
func (o *outputOptions) paths() (list []outputTarget) {
	for _, value := range o.output {
		if format, path, ok := strings.Cut(value, "="); ok {
			list = append(list, outputTarget{"--output " + value, format, path})
		}
	}
	return list
}

// keepInputs rejects an output that would take the place of evidence: of what the
// command reads, of what it would find beside that, and of any other file that holds
// what a verifier reads. It is asked before anything is read.
func keepInputs(in overwrite.Inputs, outputs ...outputTarget) error {
	for _, out := range outputs {
		if out.path == "-" {
			continue
		}
		if why := in.Refuse(out.path); why != "" {
			return usagef("%s %s", out.flag, why)
		}
	}
	return nil
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

// withStrict says that the run does not pass when something could not be verified.
func withStrict(strict bool) outputOption {
	return func(o *output.Options) { o.Strict = strict }
}

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
func (a *app) newOutputs(given *outputOptions, options ...outputOption) (*outputs, error) {
	opts := output.Options{Quiet: given.quiet}
	for _, option := range options {
		option(&opts)
	}
	targets, err := given.targets()
	if err != nil {
		return nil, err
	}
	o := &outputs{app: a}
	for _, target := range targets {
		if err := o.open(target, a.colour(given.color), opts); err != nil {
			o.close()
			return nil, err
		}
	}
	return o, nil
}

// An outputTarget is a report that is asked for.
type outputTarget struct{ flag, format, path string }

func (o *outputOptions) targets() ([]outputTarget, error) {
	var targets []outputTarget
	taken := make(map[string]string) // path to the flag that took it
	for _, value := range o.output {
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
		targets = append(targets, outputTarget{"--format", cmp.Or(o.format, "text"), "-"})
	case o.format != "":
		return nil, usagef("--format %s and --output %s both go to standard output", o.format, other)
	}
	return targets, nil
}

func (o *outputs) open(target outputTarget, colour bool, opts output.Options) (err error) {
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
