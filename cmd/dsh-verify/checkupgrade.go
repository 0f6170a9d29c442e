package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/text"
	"github.com/dsh-verify/dsh-verify/internal/upgrade"
	"github.com/dsh-verify/dsh-verify/internal/upgradecheck"
)

// checkUpgradeOptions are the flags and arguments of check-upgrade.
type checkUpgradeOptions struct {
	logOptions
	redactOptions
	releases []string // by name; none: all
	format   string
	quiet    bool
	roots    []string
}

func checkUpgradeCommand(a *app) *cli.Command {
	o := new(checkUpgradeOptions)
	return &cli.Command{
		Name:      "check-upgrade",
		Usage:     "tell which sessions a later release can go on with, and why it cannot with others",
		ArgsUsage: "ROOT…",
		Description: `Says for each session of a home what later releases do with its log: whether they
read it, whether they put an upgraded log beside it when the session is gone on with,
and if not, at which line and why; and what an upgrade does not keep. Nothing is
written. The exit code is 1 when the last release asked about cannot go on with a
session.

Examples:
  dsh-verify check-upgrade ~/.dsh
  dsh-verify check-upgrade --release 0.2.1-rc.2 ~/.dsh/sessions
  dsh-verify check-upgrade --format json ~/.dsh | jq '.counts'`,
		Flags: slices.Concat(o.logFlags(), o.redactFlags(), []cli.Flag{
			&cli.StringSliceFlag{Name: "release", Usage: "only `RELEASE` (may be repeated)", Destination: &o.releases},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print the counts alone", Destination: &o.quiet},
			formatFlag(&o.format),
		}),
		Arguments:    arguments(&o.roots),
		ArgValidator: someOf("ROOT"),
		Action:       func(context.Context, *cli.Command) error { return a.checkUpgrade(o) },
	}
}

func (a *app) checkUpgrade(o *checkUpgradeOptions) error {
	releases, err := chosenReleases(o.releases)
	if err != nil {
		return err
	}
	var logs []*source.Log
	for _, root := range o.roots {
		place, err := a.find(&o.logOptions, root)
		if err != nil {
			return unreadable(err)
		}
		defer place.Close()
		if len(place.Logs)+len(place.Absent) == 0 {
			return placeError(root, place, finding.Refused)
		}
		logs = slices.Concat(logs, place.Logs, place.Absent)
	}
	bar := &progress{w: a.stderr, on: a.watched}
	report := upgradecheck.Run(logs, upgradecheck.Options{
		Releases: releases, MaxSize: o.maxSize, Redactor: a.redactor(&o.redactOptions), Progress: bar.show,
	})
	bar.clear()
	if o.format == "json" {
		err = printJSON(a.stdout, report)
	} else {
		err = printUpgrades(a.stdout, report, o.quiet)
	}
	if err != nil {
		return err
	}
	switch last := report.Counts[len(report.Counts)-1]; {
	case last.Failed > 0:
		return &statusError{code: exitUnreadable}
	case last.Blocked() > 0:
		return &statusError{code: exitDrift}
	}
	return nil
}

// chosenReleases returns the releases with these names.
func chosenReleases(names []string) (chosen []*upgrade.Release, err error) {
	all := upgrade.Releases()
	for _, name := range names {
		i := slices.IndexFunc(all, func(r *upgrade.Release) bool { return r.Name == name })
		if i < 0 {
			var known []string
			for _, r := range all {
				known = append(known, r.Name)
			}
			return nil, usagef("--release must be %s, not %q: no other was compared with this tool", text.Or(known), name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// printUpgrades prints a table of sessions, below each what is to be said of it, and counts.
func printUpgrades(w io.Writer, report *upgradecheck.Report, quiet bool) error {
	if !quiet {
		for _, s := range report.Sessions {
			printUpgrade(w, s)
		}
		fmt.Fprintln(w)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RELEASE\tSESSIONS\tNATIVE\tUPGRADES\tREADS ONLY\tREFUSES\tTOO NEW\tUNREADABLE")
	for _, c := range report.Counts {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", c.Release, c.Sessions, c.Native, c.Upgrades, c.ReadsOnly, c.Refuses, c.TooNew, c.Failed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range report.Counts {
		for _, r := range c.Reasons {
			fmt.Fprintf(w, "%s: %s by %s\n", c.Release, plural(r.Sessions, "session"), r.Code)
		}
	}
	_, err := fmt.Fprintf(w, "not tried: %s\n", text.List(report.NotTried, len(report.NotTried)))
	return err
}

func printUpgrade(w io.Writer, s *upgradecheck.Session) {
	if s.Failure != "" {
		fmt.Fprintf(w, "%s  unreadable: %s\n", visible(s.File), visible(s.Failure))
		return
	}
	fmt.Fprintf(w, "%s  format %d\n", visible(s.File), s.Format)
	for rest := s.Releases; len(rest) > 0; {
		names := []string{rest[0].Release}
		for _, next := range rest[1:] {
			if !next.Same(rest[0]) {
				break
			}
			names = append(names, next.Release)
		}
		printOutcome(w, strings.Join(names, ", "), rest[0])
		rest = rest[len(names):]
	}
}

// printOutcome prints what some releases do with a log.
func printOutcome(w io.Writer, releases string, r *upgradecheck.Release) {
	fmt.Fprintf(w, "  %-23s %s", releases, r.Outcome)
	if r.Outcome == upgradecheck.Upgrades {
		fmt.Fprintf(w, ": %s, %d added", plural(r.Events, "event"), r.Inserted)
	}
	fmt.Fprintln(w)
	if f := r.Refusal; f != nil && r.Outcome != upgradecheck.TooNew {
		fmt.Fprintf(w, "    %s  %s%s\n      %s\n      → %s\n", f.Code, placeOf(f), visible(f.Message), f.Means, f.Action)
	}
	for _, loss := range r.Losses {
		fmt.Fprintf(w, "    not kept: %s%s, %s\n", loss.Kind, of(loss.Member), plural(loss.Count, "time"))
	}
}

// placeOf says where a refusal lies.
func placeOf(f *upgradecheck.Refusal) string {
	place := ""
	if f.Line > 0 {
		place = fmt.Sprintf("line %d", f.Line)
	}
	if f.Member != "" {
		place += " " + visible(f.Member)
	}
	if place != "" {
		place += "  "
	}
	return place
}

func of(member string) string {
	if member == "" {
		return ""
	}
	return " (" + visible(member) + ")"
}
