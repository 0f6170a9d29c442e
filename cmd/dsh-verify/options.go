package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/overwrite"
	"github.com/dsh-verify/dsh-verify/internal/policy"
	"github.com/dsh-verify/dsh-verify/internal/protocol"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// readOptions say how logs are read, and which policy governs them.
type readOptions struct {
	config      string // the policy's file, "" to look for it, none for none
	knownEvents []string
	vocabulary  string // a file of event types
	maxSize     int64  // of a decoded log, in bytes
	shape       string // of requests, where a log does not tell it; "" leaves it open
}

func (o *readOptions) configFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Usage: "the policy in `FILE`, not the " + policy.FileName + " found upwards; none is no policy", Destination: &o.config}
}

func (o *readOptions) readFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "known-event", Usage: "admit the event `TYPE` of a third-party plugin (may be repeated)", Destination: &o.knownEvents},
		&cli.StringFlag{Name: "vocabulary", Usage: "admit the event types that `FILE` lists, one a line", Destination: &o.vocabulary},
		&cli.StringFlag{
			Name: "request-shape", Usage: "the shape of requests where the log does not tell it, by the `RELEASE`: 0.2 or 0.1.7", Destination: &o.shape,
			Validator: func(shape string) error {
				if !slices.Contains(logformat.Shapes(), shape) {
					return usagef("--request-shape must be %s, not %q", strings.Join(logformat.Shapes(), " or "), shape)
				}
				return nil
			},
		},
		&cli.StringFlag{
			Name: "max-size", Value: "64GiB", Usage: "refuse logs that decode to more than `SIZE`", ValidateDefaults: true,
			Validator: parsed(&o.maxSize, func(text string) (int64, error) {
				size, err := parseSize(text)
				if err != nil {
					return 0, usagef("--max-size: %v", err)
				}
				return size, nil
			}),
		},
	}
}

// reads are the inputs of a command with these options that reads logs.
func (o *readOptions) reads(logs []string) (in overwrite.Inputs) {
	in.Add(o.config, o.vocabulary)
	for _, arg := range logs {
		found := ""
		if p, err := policy.Find(arg); o.config == "" && err == nil {
			found = p.Path
		}
		in.AddLog(arg, found)
	}
	return in
}

// logOptions are those of every command that reads logs.
type logOptions struct {
	readOptions
	session string // of several, the only one
}

func (o *logOptions) logFlags() []cli.Flag {
	return append([]cli.Flag{
		o.configFlag(),
		&cli.StringFlag{Name: "session", Usage: "of an archive, a store or a folder, only the session `ID`, or the log with this path", Destination: &o.session},
	}, o.readFlags()...)
}

// checkOptions say how logs are checked. A command has the flags of those that it knows.
type checkOptions struct {
	logOptions
	deploymentOptions
	redactOptions
	recorded    string
	attachments string
	audit       bool
	protocol    wire.Protocol // of the bodies that are asked for, nil: none are
}

func (o *checkOptions) recordedFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "recorded", Usage: usage, Destination: &o.recorded}
}

// anyRecording is what --recorded takes where requests are verified.
const anyRecording = "compare with `FILE`: a requests.jsonl, a folder of HTTP bodies, or a HAR file"

// attachmentsFlag is the flag of the object store; what says what it is for.
func (o *checkOptions) attachmentsFlag(what string) cli.Flag {
	return &cli.StringFlag{Name: "attachments", Usage: "the attachments/v1 folder `DIR` that holds the objects" + what, Destination: &o.attachments}
}

func (o *checkOptions) auditFlag() cli.Flag {
	return &cli.BoolFlag{Name: "audit", Usage: "check each log against itself too, as audit does", Destination: &o.audit}
}

func (o *checkOptions) wireFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "wire", Usage: "the HTTP bodies that the adapter of a `PROVIDER` posts, instead of the requests: deepseek",
		Validator: parsed(&o.protocol, func(name string) (wire.Protocol, error) {
			if p := protocol.Named(name); p != nil {
				return p, nil
			}
			return nil, usagef("--wire knows the body of deepseek, not of %q", name)
		}),
	}
}

// reads are the inputs of a command with these options.
func (o *checkOptions) reads(logs []string) overwrite.Inputs {
	in := o.readOptions.reads(logs)
	in.Add(o.recorded, o.fileIDs, o.attachments)
	return in
}

func strictFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "strict", Usage: "exit 5 when something could not be verified", Destination: to}
}

// rawFlag is the flag of commands that print exact bytes.
func rawFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "raw", Usage: "print exact bytes on a terminal too, whatever they do to it; a pipe or a file always gets them", Destination: to}
}

func colorFlag(to *string) cli.Flag {
	return &cli.StringFlag{Name: "color", Value: "auto", Usage: "auto, always or never", Destination: to, Validator: oneOf("color", "auto", "always", "never")}
}

// formatFlag is the flag of commands that report no findings.
func formatFlag(to *string) cli.Flag {
	return &cli.StringFlag{Name: "format", Value: "text", Usage: "text or json", Destination: to, Validator: oneOf("format", "text", "json")}
}

// parseSize reads a number of bytes with an optional unit: k, M, G (powers of
// 1000) or KiB, MiB, GiB.
func parseSize(s string) (int64, error) {
	units := []struct {
		suffix string
		factor int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"B", 1}, {"", 1}}
	for _, u := range units {
		if digits, ok := strings.CutSuffix(s, u.suffix); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
			if err != nil || n < 1 || n > (1<<62)/u.factor {
				break
			}
			return n * u.factor, nil
		}
	}
	return 0, errors.New("not a size such as 500MB or 4GiB: " + strconv.Quote(s))
}
