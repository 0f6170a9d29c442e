package main

import (
	"errors"
	"os"

	"github.com/dsh-verify/dsh-verify/internal/logcheck"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
)

// A checker checks logs as a command's options say, and weighs what it finds by the policy
// that governs each.
type checker struct {
	logcheck.Checker
	app    *app
	opts   *checkOptions
	setups map[string]*setup // by argument
	setup  *setup            // in force; see under
	wire   *deployment       // nil: no bodies are asked for
	redact *redact.Redactor
}

// newChecker returns the checker for some arguments, with the setup of the first in force.
func (a *app) newChecker(o *checkOptions, args ...string) (*checker, error) {
	c := &checker{app: a, opts: o}
	c.Recorded, c.Store, c.Self, c.Env = o.recorded, o.attachments, o.audit, a.env
	if err := c.setUp(args); err != nil {
		return nil, err
	}
	if err := c.open(); err != nil {
		return nil, err
	}
	c.redact = a.redactor(&o.redactOptions)
	if o.protocol != nil {
		c.wire = c.setup.wire
		c.wire.protocol = o.protocol
	}
	return c, nil
}

// setUp finds what governs each argument, and puts that of the first in force.
func (c *checker) setUp(args []string) error {
	streams := 0
	for _, arg := range args {
		if arg == "-" {
			streams++
		}
	}
	if len(args) == 0 {
		args = []string{""} // the working folder
	}
	c.setups = make(map[string]*setup)
	for _, arg := range args {
		if c.setups[arg] != nil {
			continue
		}
		s, err := newSetup(c.opts, arg)
		if err != nil {
			return err
		}
		c.setups[arg] = s
	}
	if streams > 1 {
		return usagef("- is standard input, which can be read once: it is named %d times", streams)
	}
	*c = *c.under(args[0])
	return nil
}

// open tries whether what the flags name is there.
func (c *checker) open() error {
	if c.Recorded != "" {
		if _, err := os.Stat(c.Recorded); err != nil {
			return unreadable(errors.New("--recorded: " + cause(err)))
		}
	}
	if c.Store != "" {
		if _, err := logcheck.OpenStores(c.Store); err != nil {
			return unreadable(err)
		}
	}
	return nil
}

// under returns the checker for the logs that an argument names.
func (c *checker) under(arg string) *checker {
	other := *c
	s := c.setups[arg]
	if s == nil {
		return &other
	}
	other.setup, other.Read = s, s.read
	other.Deployment, other.Given = s.wire.Policy, s.wire.fixed
	other.Usual = nil
	for _, root := range s.policy.Attachments {
		other.Usual = append(other.Usual, root.Value)
	}
	if c.wire != nil {
		other.wire = s.wire
	}
	return &other
}

// judge weighs reports by the policy.
func (c *checker) judge(reports ...*result.Log) []*result.Log {
	for _, log := range reports {
		c.setup.policy.Apply(log)
	}
	return reports
}

// each reports on all that the arguments name, a place at a time. What cannot be read is a
// finding too, so that the others are still checked.
func (c *checker) each(args []string, check func(c *checker, name string, place *source.Place) []*result.Log, report func(*result.Log)) {
	for _, arg := range args {
		for _, log := range c.under(arg).place(arg, check) {
			report(log)
		}
	}
}

func (c *checker) place(arg string, check func(c *checker, name string, place *source.Place) []*result.Log) []*result.Log {
	place, err := c.app.find(&c.opts.logOptions, arg)
	if err != nil {
		return c.judge(result.Failed(arg, err))
	}
	defer place.Close()
	return check(c, arg, place)
}

// checkPlace gives every log of a place the whole verification.
func checkPlace(c *checker, name string, place *source.Place) []*result.Log {
	return c.judge(c.Place(name, place, c.Log)...)
}
