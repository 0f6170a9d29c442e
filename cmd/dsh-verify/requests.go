package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	escape "github.com/dsh-verify/dsh-verify/internal/visible"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

func requestsCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:      "requests",
		Usage:     "list the requests that a log shows as sent",
		ArgsUsage: "LOG",
		Description: `Prints one line per loop request, in the order in which they were sent. With --jsonl a
line holds exact bytes; on a terminal, characters that hide or command something are
shown as JSON escapes (--raw prints them). With --redact the digests are keyed.

Examples:
  dsh-verify requests session.jsonl.zstd
  dsh-verify requests --digests session.jsonl | sha256sum
  dsh-verify requests --jsonl session.jsonl | jq -c .request.messages[-1]
  dsh-verify requests --jsonl --wire deepseek session.jsonl > bodies.jsonl
  dsh-verify requests --oneshots session.jsonl`,
		Flags: append(append(append(logFlags(), wireFlags()...), redactFlags()...),
			wireFlag(),
			&cli.StringFlag{Name: "attachments", Usage: "the attachments/v1 folder `DIR` that holds the objects, for --wire"},
			&cli.BoolFlag{Name: "jsonl", Usage: "print the exact bytes of each request, as `requests.jsonl` holds them"},
			&cli.BoolFlag{Name: "digests", Usage: "print length and SHA-256 of each request as JSON lines"},
			&cli.BoolFlag{Name: "oneshots", Usage: "list the requests outside the loop instead: compactions, titles, searches"},
			rawFlag(),
			&cli.BoolFlag{Name: "prepared", Usage: "add the requests that the log cannot show as sent"},
		),
		Action: func(_ context.Context, cmd *cli.Command) error { return a.requests(cmd) },
	}
}

func (a *app) requests(cmd *cli.Command) error {
	arg, err := logArg(cmd)
	if err != nil {
		return err
	}
	if err := checkListing(cmd); err != nil {
		return err
	}
	c, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	jsonl, lines := cmd.Bool("jsonl"), cmd.Bool("jsonl") || cmd.Bool("digests")
	switch {
	case c.redact != nil && jsonl:
		return usagef("--redact excludes --jsonl: exact bytes cannot be redacted")
	case c.wire != nil && !lines:
		return usagef("--wire needs --jsonl or --digests ('dsh-verify show --wire' prints one body)")
	}
	place, err := a.findOne(cmd, arg)
	if err != nil {
		return err
	}
	defer place.Close()
	list := c.listRequests
	if cmd.Bool("oneshots") {
		list = c.listOneshots
	}
	for i, log := range place.Logs {
		if len(place.Logs) > 1 && !lines {
			c.heading = strings.Repeat("\n", min(i, 1)) + visible(log.Name) + "\n"
		}
		if err := list(cmd, log); err != nil {
			return err
		}
	}
	return placeError(arg, place, finding.Unreadable)
}

// checkListing refuses flags of which one would be ignored.
func checkListing(cmd *cli.Command) error {
	jsonl, digests := cmd.Bool("jsonl"), cmd.Bool("digests")
	switch {
	case jsonl && digests:
		return usagef("--jsonl and --digests exclude each other")
	case cmd.Bool("raw") && !jsonl:
		return usagef("--raw is about exact bytes: it needs --jsonl")
	case cmd.Bool("oneshots") && (digests || cmd.Bool("prepared") || cmd.String("wire") != ""):
		return usagef("--oneshots takes --jsonl and nothing else ('dsh-verify show LOG compaction:1' prints one)")
	}
	return needWire(cmd, "--wire deepseek")
}

// listRequests prints a log's requests. A refused log prints none: the table and
// the digests wait for the end, and bodies, which are too much to hold, are
// printed on a second reading.
func (c *checker) listRequests(cmd *cli.Command, log *source.Log) error {
	var held bytes.Buffer
	bodies, err := c.bodies(log)
	if err != nil {
		return err
	}
	print := func(q *reconstruct.Request) error { return bodies.printDigest(&held, q) }
	finish := func() error { return nil }
	switch {
	case cmd.Bool("jsonl"):
		if err := eachRequest(log, c.Read, func(*reconstruct.Request) error { return nil }); err != nil {
			return err
		}
		exact := c.app.exact(cmd)
		print = func(q *reconstruct.Request) error { return bodies.printBytes(exact, q) }
	case !cmd.Bool("digests"):
		table := tabwriter.NewWriter(&held, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "#\tREQUEST\tMODEL\tMESSAGES\tBYTES\t%s\tRELATION TO THE ONE BEFORE\n", output.DigestHeading(c.redact != nil))
		print = func(q *reconstruct.Request) error { return printRow(table, q, c.redact) }
		finish = table.Flush
	}
	err = eachRequest(log, c.Read, func(q *reconstruct.Request) error {
		if q.Prepared && !cmd.Bool("prepared") {
			return nil
		}
		return print(q)
	})
	if err != nil {
		return err
	}
	if err := finish(); err != nil {
		return err
	}
	if cmd.Bool("digests") {
		_, err = c.app.stdout.Write(escape.JSON(held.Bytes()))
		return err
	}
	io.WriteString(c.app.stdout, c.heading)
	_, err = held.WriteTo(c.app.stdout)
	return err
}

// eachRequest rebuilds the requests of a log one after the other.
func eachRequest(log *source.Log, opts logformat.Options, do func(*reconstruct.Request) error) error {
	_, err := readRequests(log, opts, do)
	return err
}

// readRequests is eachRequest, and returns how many events the log has.
func readRequests(log *source.Log, opts logformat.Options, do func(*reconstruct.Request) error) (events int64, err error) {
	reader, closer, err := log.Open(opts)
	if err != nil {
		return 0, refused(log, err)
	}
	defer closer.Close()
	header, err := reader.Header()
	if err != nil {
		return 0, refused(log, err)
	}
	session := reconstruct.NewSession(header, reconstruct.Options{})
	for q, err := range session.Requests(reader) {
		if err != nil {
			return 0, refused(log, err)
		}
		if err := do(q); err != nil {
			return 0, err
		}
	}
	if err := closer.Close(); errors.Is(err, source.ErrMoved) {
		return 0, &statusError{exitUnreadable, log.Name + ": " + err.Error()}
	}
	return reader.Stats().Events, nil
}

// refused names the log in what ended its reading.
func refused(log *source.Log, err error) error {
	if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
		return refusedBy(log.Name, refusal)
	}
	reason := cause(err)
	if !strings.HasPrefix(reason, log.Name+": ") {
		reason = log.Name + ": " + reason
	}
	return &statusError{exitUnreadable, reason}
}

func printRow(w io.Writer, q *reconstruct.Request, redactor *redact.Redactor) error {
	ordinal := "-"
	if !q.Prepared {
		ordinal = fmt.Sprint(q.Ordinal)
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\t%s\n", ordinal, q.Key(), visible(q.Model()),
		q.Count(), q.Len(), redactor.Digest(q.Digest().String())[:12], verify.Describe(q))
	return err
}
