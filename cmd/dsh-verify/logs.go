package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/policy"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// logFlags are the flags of every command that reads logs.
func logFlags() []cli.Flag {
	return []cli.Flag{
		configFlag(),
		&cli.StringFlag{Name: "session", Usage: "of an archive, a store or a folder, only the session `ID`, or the log with this path"},
		&cli.StringSliceFlag{Name: "known-event", Usage: "admit the event `TYPE` of a third-party plugin (may be repeated)"},
		&cli.StringFlag{Name: "vocabulary", Usage: "admit the event types that `FILE` lists, one a line"},
		&cli.StringFlag{Name: "max-size", Value: "64GiB", Usage: "refuse logs that decode to more than `SIZE`"},
	}
}

// readOptions returns how logs are read by the command's flags and the policy.
func readOptions(cmd *cli.Command, p *policy.Policy) (logformat.Options, error) {
	opts := logformat.Options{KnownTypes: slices.Clone(cmd.StringSlice("known-event"))}
	for _, word := range p.Vocabulary {
		opts.KnownTypes = append(opts.KnownTypes, word.Value)
	}
	if path := cmd.String("vocabulary"); path != "" {
		types, err := readVocabulary(path)
		if err != nil {
			return opts, &statusError{exitUnreadable, cause(err)}
		}
		opts.KnownTypes = append(opts.KnownTypes, types...)
	}
	size, err := parseSize(cmd.String("max-size"))
	if err != nil {
		return opts, usagef("--max-size: %v", err)
	}
	opts.MaxSize = size
	return opts, nil
}

// maxVocabulary bounds a file of event types, in bytes.
const maxVocabulary = 16 << 20

// readVocabulary reads event types, one a line; # starts a comment.
func readVocabulary(path string) (types []string, err error) {
	text, err := regular.ReadFile(path, maxVocabulary)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			types = append(types, line)
		}
	}
	return types, nil
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

// spooled returns standard input where an argument names it, in a private temporary
// file no longer than --max-size. A command that names it twice reads it once.
func (a *app) spooled(cmd *cli.Command, arg string) (source.Spooled, error) {
	if arg != "-" || a.spool.ReaderAt != nil {
		return a.spool, nil
	}
	limit, err := parseSize(cmd.String("max-size"))
	if err != nil {
		return a.spool, usagef("--max-size: %v", err)
	}
	a.spool, err = source.Spool(a.stdin, limit)
	if err != nil {
		return a.spool, &statusError{exitUnreadable, cause(err)}
	}
	return a.spool, nil
}

// find returns what an argument names, cut down to the session that is asked
// for. Its logs are in p; the caller closes it.
func (a *app) find(cmd *cli.Command, arg string) (*source.Place, error) {
	stdin, err := a.spooled(cmd, arg)
	if err != nil {
		return nil, err
	}
	p, err := source.Find(arg, stdin)
	if err != nil {
		return nil, err
	}
	session := cmd.String("session")
	if session == "" || len(p.Logs)+len(p.Absent) == 0 {
		return p, nil
	}
	all, gone := p.Logs, p.Absent
	p.Lead = false
	keep := func(has func(l *source.Log) bool) { p.Logs, p.Absent = filterLogs(all, has), filterLogs(gone, has) }
	keep(func(l *source.Log) bool { return l.HasID(session) })
	if len(p.Logs)+len(p.Absent) == 0 {
		keep(func(l *source.Log) bool { return l.IsAt(session, arg) })
	}
	if len(p.Logs)+len(p.Absent) == 0 {
		names, _ := sessionNames(all)
		f := finding.New(finding.InputNoSession, nil, finding.Place{Seq: -1, File: arg})
		f.Means = "no session " + strconv.Quote(session) + " is here"
		f.Action = "--session takes an id or a path; here are " + names + "."
		p.Findings = append(p.Findings, f)
	}
	return p, nil
}

func filterLogs(logs []*source.Log, keep func(*source.Log) bool) (kept []*source.Log) {
	for _, l := range logs {
		if keep(l) {
			kept = append(kept, l)
		}
	}
	return kept
}

// sessionNames lists what --session takes to tell logs apart: ids, and paths where
// there is no id or another log has it too.
func sessionNames(logs []*source.Log) (names string, ids bool) {
	const most = 5
	list := make([]string, 0, most)
	seen := make(map[string]int)
	for _, l := range logs[:min(most, len(logs))] {
		id := l.SessionID()
		list = append(list, id)
		seen[id]++
	}
	ids = true
	for i, id := range list {
		if id == "" || seen[id] > 1 {
			list[i] = logs[i].Name
			ids = false
		}
	}
	names = strings.Join(list, ", ")
	if more := len(logs) - most; more > 0 {
		names += fmt.Sprintf(", … and %d more", more)
	}
	return names, ids
}

// findOne is find for commands that stop at the first error.
func (a *app) findOne(cmd *cli.Command, arg string) (*source.Place, error) {
	p, err := a.find(cmd, arg)
	if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
		return nil, refusedBy(arg, refusal)
	}
	if _, ok := errors.AsType[*statusError](err); ok {
		return nil, err
	}
	if err != nil {
		return nil, &statusError{exitUnreadable, cause(err)}
	}
	if len(p.Logs) == 0 {
		p.Close()
		if err := placeError(arg, p, finding.Refused); err != nil {
			return nil, err
		}
		f := p.Absent[0].Absent // the one that --session names
		return nil, &statusError{exitUnreadable, f.Place.File + ": " + f.Message() + " [" + f.Code.String() + "]"}
	}
	a.warn(p)
	// What is wrong with an archive itself makes it unclear which session counts.
	for _, f := range p.Findings {
		if f.Place.File == arg && f.Imposes() == finding.Refused {
			p.Close()
			return nil, &statusError{exitRefused, arg + ": refused: " + f.Message() + " [" + f.Code.String() + "]"}
		}
	}
	return p, nil
}

// warn says on standard error what commands that print a log's content leave out of
// their output: that it is not the session as it is now, and what was not read.
func (a *app) warn(p *source.Place) {
	say := func(f finding.Finding) {
		fmt.Fprintf(a.stderr, "dsh-verify: %s\n", visible(f.Place.File+": "+f.Message()+" ["+f.Code.String()+"]"))
	}
	for _, l := range p.Logs {
		for _, f := range l.Beside(false) {
			if f.Severity > finding.Note {
				say(f)
			}
		}
	}
	for _, l := range p.Absent {
		say(l.Absent)
	}
}

// placeError is the error of a place of which a finding says something as bad as v,
// nil when none does.
func placeError(arg string, p *source.Place, v finding.Verdict) error {
	found := slices.Clone(p.Findings)
	for _, l := range p.Absent {
		found = append(found, l.Absent)
	}
	var worst *finding.Finding
	for i := range found {
		f := &found[i]
		if imposed := f.Imposes(); imposed != "" && finding.Worse(v, imposed) == imposed {
			worst, v = f, imposed
		}
	}
	if worst == nil {
		return nil
	}
	code := exitUnreadable
	if v == finding.Refused {
		code = exitRefused
	}
	text := arg
	if worst.Place.File != "" && worst.Place.File != arg {
		text = worst.Place.File
	}
	text += ": " + worst.Message() + " [" + worst.Code.String() + "]"
	if worst.Code == finding.InputNoSession {
		text += ". " + worst.Action
	}
	return &statusError{code, text}
}

// refusedBy is the error of a refused log or container.
func refusedBy(name string, refusal *logformat.Refusal) error {
	f := finding.FromRefusal(refusal)
	where := f.Place.Where()
	if where != "" {
		where += ": "
	}
	sentence := func(message string) string {
		return name + ": refused: " + where + message + " [" + f.Code.String() + "]"
	}
	return &quotingError{statusError{exitRefused, sentence(f.Message())}, sentence(f.Code.Entry().Meaning)}
}
