package main

import (
	"errors"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/policy"
	"github.com/dsh-verify/dsh-verify/logformat"
)

func configFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Usage: "the policy in `FILE`, not the " + policy.FileName + " found upwards; none is no policy"}
}

// A setup is what governs the logs of one argument: the flags, then the policy,
// then the defaults.
type setup struct {
	policy *policy.Policy
	read   logformat.Options
	wire   *wirePolicy
}

func newSetup(cmd *cli.Command, target string) (*setup, error) {
	s := &setup{}
	var err error
	if s.policy, err = findPolicy(cmd, target); err != nil {
		return nil, err
	}
	if s.read, err = readOptions(cmd, s.policy); err != nil {
		return nil, err
	}
	if s.wire, err = readWirePolicy(cmd, s.policy); err != nil {
		return nil, err
	}
	return s, nil
}

// findPolicy returns the policy of --config, or that found upwards from a target.
func findPolicy(cmd *cli.Command, target string) (p *policy.Policy, err error) {
	switch path := cmd.String("config"); path {
	case "none":
		return &policy.Policy{}, nil
	case "":
		p, err = policy.Find(target)
	default:
		p, err = policy.Load(path)
	}
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return nil, &statusError{exitUnreadable, cause(err)}
	}
	if err != nil {
		return nil, usagef("%v", err)
	}
	return p, nil
}
