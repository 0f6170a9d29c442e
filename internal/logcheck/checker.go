package logcheck

import (
	"errors"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/check/audit"
	"github.com/dsh-verify/dsh-verify/internal/check/capture"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/text"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// A Checker says how logs are checked. It may be used by several goroutines.
type Checker struct {
	Read logformat.Options
	// Recorded is what every log is compared with: a requests.jsonl, a folder of HTTP
	// bodies or a HAR file. "": the recording beside each log.
	Recorded string
	// Store is the folder that holds the objects. "": those that came with a log, else
	// those of the folders Usual, else those that lie near the log.
	Store string
	Usual []string
	// Env reads the environment, which may name the harness home.
	Env func(string) string
	// Deployment is what is known of it, and Given are the settings that somebody gave;
	// the others may be inferred from captured traffic.
	Deployment wire.Policy
	Given      map[string]bool
	// Self has Log compare each log with itself too.
	Self bool
}

// Place reports on everything that an argument names, and has check check its logs,
// whose reports come last and in their order. Sessions are compared with their parents.
func (c *Checker) Place(name string, place *source.Place, check func(*source.Log) *result.Log) (reports []*result.Log) {
	if len(place.Findings) > 0 {
		reports = append(reports, result.Place(name, place.Findings))
	}
	for _, log := range place.Absent {
		reports = append(reports, Absent(log))
	}
	first := len(reports)
	for _, log := range place.Logs {
		reports = append(reports, check(log))
	}
	for i, log := range place.Logs {
		c.Lineage(log, reports[first+i], place.Logs, reports[first:])
	}
	return reports
}

// Log checks one log.
func (c *Checker) Log(log *source.Log) *result.Log { return beside(log, c.log(log)) }

func (c *Checker) log(log *source.Log) *result.Log {
	reader, closer, err := log.Open(c.Read)
	if err != nil {
		return result.Failed(log.Name, err)
	}
	defer closer.Close()
	opts := check.Options{Audit: c.Self}
	path := c.RecordingOf(log)
	if c.Recorded != "" && traffic.Is(path) {
		file, err := traffic.Open(path)
		if err != nil {
			return result.UnreadableRecording(log.Name, path, text.Cause(err))
		}
		opts.Traffic = &capture.Traffic{File: file, Policy: c.Deployment, Fixed: c.Given}
	} else if path != "" {
		file, err := requestlog.Open(path)
		if err != nil {
			return result.UnreadableRecording(log.Name, path, text.Cause(err))
		}
		defer file.Close()
		opts.Recording = file
	}
	if opts.Objects, err = c.Objects(log); err != nil {
		return result.Unreadable(log.Name, text.Cause(err))
	}
	report := verify.Run(log.Name, reader, opts.Checks()...)
	if moved(closer.Close()) {
		report.Note(finding.StoreMoved, nil, finding.Place{Seq: -1})
	}
	return report
}

// Audit compares one log with itself, and with nothing else.
func (c *Checker) Audit(log *source.Log) *result.Log { return beside(log, c.audit(log)) }

func (c *Checker) audit(log *source.Log) *result.Log {
	reader, closer, err := log.Open(c.Read)
	if err != nil {
		return result.Failed(log.Name, err)
	}
	defer closer.Close()
	run, findings, err := audit.Check(reader)
	if err != nil {
		return result.Failed(log.Name, err)
	}
	report := result.New(log.Name)
	report.Verdict = finding.Rebuilt
	header, err := reader.Header()
	if err != nil {
		return result.Failed(log.Name, err)
	}
	report.Session = verify.SessionOf(header, reader.Encoding())
	report.Counts = counts(reader.Stats(), run.Session().Stats())
	for _, f := range findings {
		report.Add(f)
	}
	if moved(closer.Close()) {
		report.Note(finding.StoreMoved, nil, finding.Place{Seq: -1})
	}
	return report
}

// moved reports whether a log was moved away or written again while it was read.
func moved(err error) bool { return errors.Is(err, source.ErrMoved) }

// RecordingOf returns what a log is compared with, "" for nothing: the recording that is
// named, or the one beside the log. One that is named for a session is not that of the
// logs below it where they have their own; traffic may be of them all.
func (c *Checker) RecordingOf(log *source.Log) string {
	if c.Recorded == "" || log.Follows && log.Recording != "" && !traffic.Is(c.Recorded) {
		return log.Recording
	}
	return c.Recorded
}
