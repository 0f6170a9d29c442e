package main

import (
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/provenance"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// A selector names a request: an ordinal, turn.step or turn.step.attempt, seq:N,
// or last.
type selector struct {
	text                string
	ordinal             int
	turn, step, attempt int64 // attempt 0: the last of the step
	seq                 int64 // -1: not by seq
	last                bool
}

func parseSelector(s string) (selector, error) {
	sel := selector{text: s, seq: -1}
	if s == "last" {
		sel.last = true
		return sel, nil
	}
	if n, ok := strings.CutPrefix(s, "seq:"); ok {
		seq, err := strconv.ParseInt(n, 10, 64)
		if err != nil || seq < 0 {
			return sel, badSelector(s)
		}
		sel.seq = seq
		return sel, nil
	}
	var numbers []int64
	for _, part := range strings.Split(s, ".") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < 1 {
			return sel, badSelector(s)
		}
		numbers = append(numbers, n)
	}
	switch len(numbers) {
	case 1:
		sel.ordinal = int(min(numbers[0], 1<<31))
	case 2:
		sel.turn, sel.step = numbers[0], numbers[1]
	case 3:
		sel.turn, sel.step, sel.attempt = numbers[0], numbers[1], numbers[2]
	default:
		return sel, badSelector(s)
	}
	return sel, nil
}

func badSelector(s string) error {
	return usagef("%q names no request: use its number (7), turn.step (3.2), turn.step.attempt (3.2.1), seq:1234 or last", s)
}

// matches reports whether a request is, as far as the log has been read, the one
// that is meant. The last one that matches is.
func (s selector) matches(q *reconstruct.Request) bool {
	switch {
	case s.last:
		return !q.Prepared
	case s.seq >= 0:
		return q.Boundary.StepStart <= s.seq && (q.Attempt == 1 || q.Boundary.Messages <= s.seq)
	case s.ordinal > 0:
		return q.Ordinal == s.ordinal
	}
	return q.Turn == s.turn && q.Step == s.step && (s.attempt == 0 || q.Attempt == s.attempt)
}

// A chosen request, with the one that was sent before it.
type chosen struct {
	request *reconstruct.Request
	before  *reconstruct.Request // nil: it is the first
	account *provenance.Account
}

// choose reads a log and returns the requests that the selectors name.
func (c *checker) choose(log *source.Log, selectors ...selector) ([]*chosen, error) {
	found := make([]*chosen, len(selectors))
	history := provenance.NewHistory()
	history.Redactor = c.redact
	var before *reconstruct.Request
	total := 0
	events, err := readRequests(log, c.Read, func(q *reconstruct.Request) error {
		history.See(q)
		kept := q.Keep()
		for i, s := range selectors {
			if s.matches(q) {
				found[i] = &chosen{request: kept, before: before}
			}
		}
		if !q.Prepared {
			before = kept
			total++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, f := range found {
		if selectors[i].seq >= events {
			return nil, usagef("%s has no event %d: its last is %d", log.Name, selectors[i].seq, events-1)
		}
		if f == nil {
			return nil, usagef("%s has no request %s: the log shows %s (see 'dsh-verify requests')", log.Name, selectors[i].text, plural(total, "request"))
		}
		f.account = history.Account(f.request, verify.Describe(f.request))
	}
	return found, nil
}

// oneLog returns the single log that an argument names; of an export, its root
// session.
func (c *checker) oneLog(arg string) (*source.Place, *source.Log, error) {
	place, err := c.app.findOne(&c.opts.logOptions, arg)
	if err != nil {
		return nil, nil, err
	}
	if len(place.Logs) > 1 && !place.Lead {
		defer place.Close()
		names, ids := sessionNames(place.Logs)
		what, takes := "sessions", "ID"
		if session := c.opts.session; session != "" {
			what = "logs of session " + session
		}
		if !ids {
			takes = "ID|PATH"
		}
		return nil, nil, usagef("%s holds %d %s; choose one with --session %s (%s)", arg, len(place.Logs), what, takes, names)
	}
	return place, place.Logs[0], nil
}

// chooseOne returns one request of the log that an argument names.
func (c *checker) chooseOne(arg, ref string) (*chosen, error) {
	sel, err := parseSelector(ref)
	if err != nil {
		return nil, err
	}
	place, log, err := c.oneLog(arg)
	if err != nil {
		return nil, err
	}
	defer place.Close()
	picked, err := c.choose(log, sel)
	if err != nil {
		return nil, err
	}
	return picked[0], nil
}
