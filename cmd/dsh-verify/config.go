package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/logcheck"
	"github.com/dsh-verify/dsh-verify/internal/policy"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

func configCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:  "config",
		Usage: "show the policy that is in force",
		Description: `A policy says how findings weigh, which are accepted and why, and what a deployment is
like. It stands in ` + policy.FileName + `, found upwards from what is checked.

Example:
  dsh-verify config check transcripts/`,
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return usagef("config knows check, not %q (see 'dsh-verify config --help')", cmd.Args().First())
			}
			return cli.ShowSubcommandHelp(cmd)
		},
		Commands: []*cli.Command{configCheckCommand(a)},
	}
}

// configCheckOptions are the flags and arguments of config check.
type configCheckOptions struct {
	checkOptions
	format string
	args   []string // [TARGET]
}

func configCheckCommand(a *app) *cli.Command {
	o := new(configCheckOptions)
	return &cli.Command{
		Name:      "check",
		Usage:     "check the policy of a target, and print each value with where it came from",
		ArgsUsage: "[TARGET]",
		Description: `Takes the flags of replay, so that it shows what a run with them would go by. Without
a TARGET it looks from the working folder.

Examples:
  dsh-verify config check
  dsh-verify config check --config ci/policy.yaml --images inline sessions/`,
		Flags:     slices.Concat(o.logFlags(), o.deploymentFlags(), []cli.Flag{o.attachmentsFlag(""), formatFlag(&o.format)}),
		Arguments: arguments(&o.args),
		ArgValidator: checkArguments(func(args []string, cmd *cli.Command) error {
			if len(args) > 1 {
				return usagef("check takes one TARGET, got %d arguments (see '%s --help')", len(args), cmd.FullName())
			}
			return nil
		}),
		Action: func(context.Context, *cli.Command) error { return a.configCheck(o) },
	}
}

// A configValue is a value in force.
type configValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"` // file:line, a flag, or default
}

func (a *app) configCheck(o *configCheckOptions) error {
	target := strings.Join(o.args, "")
	if target != "" && target != "-" {
		if _, err := os.Stat(target); err != nil {
			return unreadable(err)
		}
	}
	set, err := newSetup(&o.checkOptions, target)
	if err != nil {
		return err
	}
	for _, root := range set.policy.Attachments {
		if _, err := logcheck.OpenStores(root.Value); err != nil {
			return &statusError{exitUnreadable, fmt.Sprintf("%s:%d: attachments: %s", set.policy.Path, root.Line, cause(err))}
		}
	}
	values := configValues(&o.checkOptions, set)
	if o.format == "json" {
		return printJSON(a.stdout, struct {
			Policy string        `json:"policy"`
			Values []configValue `json:"values"`
		}{set.policy.Path, values})
	}
	return a.printConfig(set.policy, values)
}

func (a *app) printConfig(p *policy.Policy, values []configValue) error {
	name := p.Path
	if name == "" {
		name = "none"
	}
	fmt.Fprintf(a.stdout, "policy: %s\n\n", visible(name))
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tVALUE\tFROM")
	for _, v := range values {
		fmt.Fprintf(w, "%s\t%s\t%s\n", visible(v.Name), visible(v.Value), visible(v.From))
	}
	return w.Flush()
}

// configValues lists what is in force, in the order of a policy's keys.
func configValues(o *checkOptions, set *setup) (values []configValue) {
	p := set.policy
	add := func(name, value, from string) { values = append(values, configValue{name, value, from}) }
	at := func(line int) string { return fmt.Sprintf("%s:%d", p.Path, line) }
	for _, s := range p.Severities {
		usual := s.Code.Entry()
		add("severities."+s.Code.String(), fmt.Sprintf("%s (otherwise %s)", s.Severity, usual.Severity), at(s.Line))
	}
	for _, entry := range p.Ignores {
		where := entry.Path
		if where == "" {
			where = "everywhere"
		}
		add("ignore "+entry.Code, where+": "+entry.Reason, at(entry.Line))
	}
	for _, word := range p.Vocabulary {
		add("vocabulary", word.Value, at(word.Line))
	}
	for i, known := range set.read.KnownTypes {
		switch n := len(o.knownEvents); {
		case i < n:
			add("vocabulary", known, "--known-event")
		case i >= n+len(p.Vocabulary):
			add("vocabulary", known, "--vocabulary "+o.vocabulary)
		}
	}
	for _, key := range policy.ImageKeys {
		from := set.wire.from[key]
		if from == "" {
			from = "default"
		}
		add("images."+key, imageSetting(set.wire, key), from)
	}
	switch {
	case o.attachments != "":
		add("attachments", o.attachments, "--attachments")
	case len(p.Attachments) == 0:
		add("attachments", "beside the log, above it, or in $DSH_HOME", "default")
	default:
		for _, root := range p.Attachments {
			add("attachments", root.Value, at(root.Line))
		}
	}
	return values
}

func imageSetting(p *deployment, key string) string {
	bound := func(b wire.Bound) string { return fmt.Sprintf("%d/%d", b.Max, b.Quantum) }
	switch key {
	case "mode":
		return string(p.Images)
	case "pixels":
		return fmt.Sprint(p.PixelBudget)
	case "bytes":
		return fmt.Sprint(p.ByteCap)
	case "count":
		return bound(p.Count)
	case "files":
		return bound(p.FileBytes)
	case "inline":
		return bound(p.InlineBytes)
	case "omit":
		if p.Omit < 0 {
			return "by the bounds"
		}
		return fmt.Sprint(p.Omit)
	case "omission-text":
		if p.OmissionText == "" {
			return "not known"
		}
		return p.OmissionText
	case "handle":
		return string(p.Handle)
	case "root":
		if p.Root == "" {
			return "not known"
		}
		return p.Root
	}
	if len(p.FileIDs) == 0 {
		return "not known"
	}
	return plural(len(p.FileIDs), "id")
}
