package main

import (
	"errors"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/logcheck"
	"github.com/dsh-verify/dsh-verify/internal/protocol"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
)

// A checker checks logs as a command's flags say, and weighs what it finds by the policy
// that governs each.
type checker struct {
	logcheck.Checker
	app     *app
	session *cli.Command
	setups  map[string]*setup // by argument
	setup   *setup            // in force; see under
	wire    *wirePolicy       // nil: no bodies are asked for
	redact  *redact.Redactor
	heading string // of the next table
	// after, when set, is called for each log that was checked, while it is available.
	after func(*source.Log, *result.Log)
}

func (a *app) newChecker(cmd *cli.Command) (*checker, error) {
	c := &checker{app: a, session: cmd}
	c.Recorded, c.Store, c.Self, c.Env = cmd.String("recorded"), cmd.String("attachments"), cmd.Bool("audit"), a.env
	if err := c.setUp(cmd.Args().Slice()); err != nil {
		return nil, err
	}
	if err := c.open(); err != nil {
		return nil, &statusError{exitUnreadable, err.Error()}
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
		s, err := newSetup(c.session, arg)
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
			return errors.New("--recorded: " + cause(err))
		}
	}
	if c.Store != "" {
		if _, err := logcheck.OpenStores(c.Store); err != nil {
			return errors.New(cause(err))
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

// argument checks every log that an argument names. What cannot be read is a
// finding too, so that the others are still checked.
func (c *checker) argument(arg string) []*result.Log {
	c = c.under(arg)
	place, err := c.app.find(c.session, arg)
	if err != nil {
		return c.judge(result.Failed(arg, err))
	}
	defer place.Close()
	reports := c.judge(c.Place(arg, place, c.Log)...)
	if c.after != nil {
		first := len(reports) - len(place.Logs)
		for i, log := range place.Logs {
			c.after(log, reports[first+i])
		}
	}
	return reports
}
