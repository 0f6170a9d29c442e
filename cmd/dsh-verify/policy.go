package main

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/policy"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// A setup is what governs the logs of one argument: the flags, then the policy,
// then the defaults.
type setup struct {
	policy *policy.Policy
	read   logformat.Options
	wire   *deployment
}

// newSetup returns the setup for a target.
func newSetup(o *checkOptions, target string) (*setup, error) {
	s := &setup{}
	var err error
	if s.policy, err = o.findPolicy(target); err != nil {
		return nil, err
	}
	if s.read, err = o.reading(s.policy); err != nil {
		return nil, err
	}
	if s.wire, err = o.deployment(s.policy); err != nil {
		return nil, err
	}
	return s, nil
}

// findPolicy returns the policy of --config, or that found upwards from a target.
func (o *readOptions) findPolicy(target string) (p *policy.Policy, err error) {
	switch o.config {
	case "none":
		return &policy.Policy{}, nil
	case "":
		p, err = policy.Find(target)
	default:
		p, err = policy.Load(o.config)
	}
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return nil, unreadable(err)
	}
	if err != nil {
		return nil, usagef("%v", err)
	}
	return p, nil
}

// reading returns how logs are read by the options and the policy.
func (o *readOptions) reading(p *policy.Policy) (logformat.Options, error) {
	opts := logformat.Options{KnownTypes: slices.Clone(o.knownEvents), MaxSize: o.maxSize, Shape: o.shape}
	for _, word := range p.Vocabulary {
		opts.KnownTypes = append(opts.KnownTypes, word.Value)
	}
	if o.vocabulary != "" {
		types, err := readVocabulary(o.vocabulary)
		if err != nil {
			return opts, unreadable(err)
		}
		opts.KnownTypes = append(opts.KnownTypes, types...)
	}
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
