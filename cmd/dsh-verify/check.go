package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/check/capture"
	"github.com/dsh-verify/dsh-verify/internal/check/lineage"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/protocol"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A checker checks logs as a command's flags say.
type checker struct {
	app      *app
	session  *cli.Command
	setups   map[string]*setup // by argument
	setup    *setup            // in force; see under
	read     logformat.Options
	recorded string
	objects  string
	wire     *wirePolicy // nil: no bodies are asked for
	audit    bool        // each log against itself too
	redact   *redact.Redactor
	heading  string // of the next table
	// after, when set, is called for each log that was checked, while it is available.
	after func(*source.Log, *result.Log)
}

func (a *app) newChecker(cmd *cli.Command) (*checker, error) {
	c := &checker{app: a, session: cmd, recorded: cmd.String("recorded"), objects: cmd.String("attachments"), audit: cmd.Bool("audit"), setups: map[string]*setup{}}
	for _, arg := range append(cmd.Args().Slice(), "") { // "": the working folder
		if c.setups[arg] != nil || arg == "" && cmd.Args().Present() {
			continue
		}
		s, err := newSetup(cmd, arg)
		if err != nil {
			return nil, err
		}
		c.setups[arg] = s
	}
	streams := 0
	for _, arg := range cmd.Args().Slice() {
		if arg == "-" {
			streams++
		}
	}
	if streams > 1 {
		return nil, usagef("- is standard input, which can be read once: it is named %d times", streams)
	}
	c = c.under(cmd.Args().First())
	if c.recorded != "" {
		if _, err := os.Stat(c.recorded); err != nil {
			return nil, &statusError{exitUnreadable, "--recorded: " + cause(err)}
		}
	}
	if c.objects != "" {
		if _, err := openStores(c.objects); err != nil {
			return nil, &statusError{exitUnreadable, cause(err)}
		}
	}
	var err error
	if c.redact, err = a.redactor(cmd); err != nil {
		return nil, err
	}
	if name := cmd.String("wire"); name != "" {
		if c.wire = c.setup.wire; protocol.Named(name) == nil {
			return nil, usagef("--wire knows the body of deepseek, not of %q", name)
		}
		c.wire.protocol = protocol.Named(name)
	}
	return c, nil
}

// argument checks every log that an argument names. What cannot be read is a
// finding too, so that the others are still checked.
func (c *checker) argument(arg string) (reports []*result.Log) {
	c = c.under(arg)
	place, err := c.app.find(c.session, arg)
	if err != nil {
		return c.judge(failed(arg, err))
	}
	defer place.Close()
	if len(place.Findings) > 0 {
		reports = c.judge(result.Place(arg, place.Findings))
	}
	reports = append(reports, c.judge(absent(place)...)...)
	first := len(reports)
	for _, log := range place.Logs {
		reports = append(reports, c.log(log))
	}
	for i, log := range place.Logs {
		c.lineage(log, reports[first+i], place.Logs, reports[first:])
		c.judge(reports[first+i])
		if c.after != nil {
			c.after(log, reports[first+i])
		}
	}
	return reports
}

// failed is the report on what could not be opened.
func failed(name string, err error) *result.Log {
	if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
		return result.Refused(name, refusal)
	}
	return result.Unreadable(name, cause(err))
}

// log checks one log.
func (c *checker) log(log *source.Log) *result.Log { return beside(log, c.alone(log)) }

func (c *checker) alone(log *source.Log) *result.Log {
	reader, closer, err := log.Open(c.read)
	if err != nil {
		return failed(log.Name, err)
	}
	defer closer.Close()
	var opts check.Options
	path := c.recordingOf(log)
	if c.recorded != "" && traffic.Is(path) {
		file, err := traffic.Open(path)
		if err != nil {
			return result.UnreadableRecording(log.Name, path, cause(err))
		}
		opts.Traffic = &capture.Traffic{File: file, Policy: c.wire.Policy, Fixed: c.wire.fixed}
	} else if path != "" {
		file, err := requestlog.Open(path)
		if err != nil {
			return result.UnreadableRecording(log.Name, path, cause(err))
		}
		defer file.Close()
		opts.Recording = file
	}
	if opts.Objects, err = c.verifier(log); err != nil {
		return result.Unreadable(log.Name, cause(err))
	}
	opts.Audit = c.audit
	report := verify.Run(log.Name, reader, opts.Checks()...)
	if err := closer.Close(); errors.Is(err, source.ErrMoved) {
		report.Add(finding.New(finding.StoreMoved, nil, finding.Place{Seq: -1}))
	}
	return report
}

// recordingOf returns what a log is compared with, "" for nothing: the recording
// that is named, or the one beside the log. One that is named for a session is not
// that of the logs below it where they have their own; traffic may be of them all.
func (c *checker) recordingOf(log *source.Log) string {
	if c.recorded == "" || log.Follows && log.Recording != "" && !traffic.Is(c.recorded) {
		return log.Recording
	}
	return c.recorded
}

// verifier returns a verifier over the object store that is named, that came
// with the log, or that belongs to it; nil when there is none.
func (c *checker) verifier(log *source.Log) (*objectstore.Verifier, error) {
	dir := c.objects
	if dir == "" && log.Media != nil {
		return objectstore.NewVerifier(log.Media), nil
	}
	if roots := c.setup.policy.Attachments; dir == "" && len(roots) > 0 {
		dirs := make([]string, len(roots))
		for i, root := range roots {
			dirs[i] = root.Value
		}
		return openStores(dirs...)
	}
	if dir == "" {
		var ok bool
		if dir, ok = objectstore.Locate(log.Dir, c.app.env); !ok {
			return nil, nil
		}
	}
	return openStores(dir)
}

func openStores(dirs ...string) (*objectstore.Verifier, error) {
	stores := make([]objectstore.Store, len(dirs))
	for i, dir := range dirs {
		folder, err := objectstore.OpenFolder(dir)
		if err != nil {
			return nil, err
		}
		if !isStore(folder.Name()) {
			return nil, fmt.Errorf("%s: no attachments/v1 folder there", dir)
		}
		stores[i] = folder
	}
	return objectstore.NewVerifier(objectstore.Several(stores...)), nil
}

// isStore reports whether a folder is a store, if an empty one.
func isStore(dir string) bool {
	for _, kind := range []string{"objects", "request-images", "attachments/v1"} {
		if info, err := os.Stat(filepath.Join(dir, kind)); err == nil && info.IsDir() {
			return true
		}
	}
	abs, err := filepath.Abs(dir)
	return err == nil && filepath.Base(abs) == "v1" && filepath.Base(filepath.Dir(abs)) == "attachments"
}

// lineage compares a session with its parent's log, if that is available: among
// the logs of the same argument, or in the same store root.
func (c *checker) lineage(log *source.Log, report *result.Log, logs []*source.Log, reports []*result.Log) {
	parentID := report.Session.ParentSession
	if parentID == "" || report.Verdict == finding.Refused || report.Verdict == finding.Unreadable {
		return
	}
	parent := findParent(parentID, log, logs, reports)
	if parent == nil {
		report.Add(finding.New(finding.LineageAbsent, finding.Plain(parentID), finding.Place{Seq: -1}))
		return
	}
	found, err := c.compareLineage(log, parent)
	if err != nil {
		report.Add(finding.New(finding.InputUnreadable, finding.Plain(cause(err)), finding.Place{Seq: -1, File: parent.Name}))
		return
	}
	for _, f := range found {
		report.Add(f)
	}
}

func (c *checker) compareLineage(child, parent *source.Log) ([]finding.Finding, error) {
	childReader, closeChild, err := child.Open(c.read)
	if err != nil {
		return nil, err
	}
	defer closeChild.Close()
	parentReader, closeParent, err := parent.Open(c.read)
	if err != nil {
		return nil, err
	}
	defer closeParent.Close()
	return lineage.Check(childReader, parentReader)
}

func findParent(id string, child *source.Log, logs []*source.Log, reports []*result.Log) *source.Log {
	for i, report := range reports {
		if report.Session.ID == id {
			return logs[i]
		}
	}
	if child.Root == "" {
		return nil
	}
	return source.InRoot(child.Root, id)
}

// beside adds to a log's report what is to be said of other generations beside it.
func beside(log *source.Log, report *result.Log) *result.Log {
	report.Older = log.Older
	for _, f := range log.Beside(report.Verdict == finding.Refused || report.Verdict == finding.Unreadable) {
		report.Add(f)
	}
	return report
}

// absent reports the sessions of a place of which there is no log.
func absent(place *source.Place) (reports []*result.Log) {
	for _, l := range place.Absent {
		reports = append(reports, beside(l, result.Absent(l.Name, l.Absent)))
	}
	return reports
}
