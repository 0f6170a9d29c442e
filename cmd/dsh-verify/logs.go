package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// spooled returns standard input where an argument names it, in a private temporary
// file no longer than --max-size. A command that names it twice reads it once.
func (a *app) spooled(o *logOptions, arg string) (source.Spooled, error) {
	if arg != "-" || a.spool.ReaderAt != nil {
		return a.spool, nil
	}
	var err error
	if a.spool, err = source.Spool(a.stdin, o.maxSize); err != nil {
		return a.spool, unreadable(err)
	}
	return a.spool, nil
}

// find returns what an argument names, cut down to the session that is asked
// for. Its logs are in p; the caller closes it.
func (a *app) find(o *logOptions, arg string) (*source.Place, error) {
	stdin, err := a.spooled(o, arg)
	if err != nil {
		return nil, err
	}
	p, err := source.Find(arg, stdin)
	if err != nil {
		return nil, err
	}
	session := o.session
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
func (a *app) findOne(o *logOptions, arg string) (*source.Place, error) {
	p, err := a.find(o, arg)
	if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
		return nil, refusedBy(arg, refusal)
	}
	if _, ok := errors.AsType[*statusError](err); ok {
		return nil, err
	}
	if err != nil {
		return nil, unreadable(err)
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
		a.complain(f.Place.File + ": " + f.Message() + " [" + f.Code.String() + "]")
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
