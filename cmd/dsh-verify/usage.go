package main

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/text"
)

// usageError makes one line and exit 2 of every usage error of the library.
func usageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	if status, ok := errors.AsType[*statusError](err); ok {
		return status
	}
	if said := ownWords.FindStringSubmatch(err.Error()); said != nil {
		return usagef("%s", said[1])
	}
	if names := excluded(cmd); names != "" {
		return usagef("%s exclude each other", names)
	}
	reason := goReason.ReplaceAllStringFunc(strings.TrimSuffix(err.Error(), "."), func(said string) string {
		if strings.HasSuffix(said, "out of range") {
			return ": it is too large"
		}
		return ": it is not a whole number"
	})
	return usagef("%s (see '%s --help')", reason, cmd.FullName())
}

// ownWords is what a flag's validator says, which names the flag itself, behind what the
// library puts before it: the value as Go quotes it, and the flag.
var ownWords = regexp.MustCompile(`^invalid value "(?:[^"\\]|\\.)*" for flag -[\w-]+: ((?s:--.*))$`)

// goReason is how the language says why a number is none.
var goReason = regexp.MustCompile(`: strconv\.Parse(Int|Uint): parsing ".*": .*`)

// excluded names the flags of a group of which more than one was given, "" when none is.
func excluded(cmd *cli.Command) string {
	for _, group := range cmd.MutuallyExclusiveFlags {
		var names []string
		given := 0
		for _, f := range slices.Concat(group.Flags...) {
			names = append(names, "--"+f.Names()[0])
			if f.IsSet() {
				given++
			}
		}
		if given > 1 {
			last := len(names) - 1
			return strings.Join(names[:last], ", ") + " and " + names[last]
		}
	}
	return ""
}

// noEmptyFlag makes a flag whose value is empty, as of an unset shell variable, a usage
// error instead of no flag.
func noEmptyFlag(cmd *cli.Command) error {
	for _, f := range flagsOf(cmd) {
		if f.IsSet() && f.Get() == "" {
			return usagef("--%s is empty (see '%s --help')", f.Names()[0], cmd.FullName())
		}
	}
	return nil
}

// oneOf is the validator of a flag that takes one of some words.
func oneOf(flag string, words ...string) func(string) error {
	return func(value string) error {
		if value == "" || slices.Contains(words, value) { // noEmptyFlag tells of an empty one
			return nil
		}
		return usagef("--%s must be %s, not %q", flag, text.Or(words), value)
	}
}

// parsed is the validator of a flag whose text is parsed into an option.
func parsed[T any](to *T, parse func(string) (T, error)) func(string) error {
	return func(value string) (err error) {
		if value == "" {
			return nil // noEmptyFlag tells of it
		}
		*to, err = parse(value)
		return err
	}
}

// flagsOf returns a command's flags, those of which one may be given last.
func flagsOf(cmd *cli.Command) []cli.Flag {
	flags := slices.Clone(cmd.Flags)
	for _, group := range cmd.MutuallyExclusiveFlags {
		flags = append(flags, slices.Concat(group.Flags...)...)
	}
	return flags
}

// exclusive is a group of flags of which one may be given.
func exclusive(flags ...cli.Flag) cli.MutuallyExclusiveFlags {
	var group cli.MutuallyExclusiveFlags
	for _, f := range flags {
		group.Flags = append(group.Flags, []cli.Flag{f})
	}
	return group
}

// arguments takes all of a command's arguments; a validator says how many there may be.
func arguments(to *[]string) []cli.Argument {
	return []cli.Argument{&cli.StringArgs{Max: -1, Destination: to}}
}

// An argumentCheck says whether a command may have the arguments that it was given.
type argumentCheck = cli.ArgValidatorFunc

// checkArguments passes on how many arguments there are, and the command as it was called.
func checkArguments(check func(args []string, cmd *cli.Command) error) argumentCheck {
	return func(_ context.Context, cmd *cli.Command) error {
		if cmd.Name == "help" { // which has the check of the command that it belongs to
			return nil
		}
		return check(cmd.Args().Slice(), cmd)
	}
}

// someOf is the check of a command that takes at least one of what is named.
func someOf(what string) argumentCheck {
	return checkArguments(func(args []string, cmd *cli.Command) error {
		if len(args) == 0 {
			return usagef("%s needs a %s (see '%s --help')", strings.TrimPrefix(cmd.FullName(), "dsh-verify "), what, cmd.FullName())
		}
		return nil
	})
}

// singleLog is the check of a command that takes one LOG.
var singleLog = checkArguments(func(args []string, cmd *cli.Command) error {
	switch len(args) {
	case 0:
		return usagef("%s needs a LOG (see '%s --help')", cmd.Name, cmd.FullName())
	case 1:
		return nil
	}
	return usagef("%s takes one LOG, got %d arguments (see '%s --help')", cmd.Name, len(args), cmd.FullName())
})

// from is the check of a command that takes so many arguments as its usage shows; usage
// is "" where that is the usage.
func from(least, most int, usage string) argumentCheck {
	return checkArguments(func(args []string, cmd *cli.Command) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		if usage == "" {
			usage = cmd.ArgsUsage
		}
		return usagef("usage: %s %s (see '%s --help')", cmd.FullName(), usage, cmd.FullName())
	})
}

// noArguments is the check of a command that takes none.
var noArguments = checkArguments(func(args []string, cmd *cli.Command) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, got %q (see '%s --help')", cmd.Name, args[0], cmd.FullName())
	}
	return nil
})
