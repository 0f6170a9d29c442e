package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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

// requestsOptions are the flags and arguments of requests.
type requestsOptions struct {
	checkOptions
	listing
	oneshots bool
	logs     []string
}

// A listing says how requests are listed.
type listing struct {
	jsonl    bool // exact bytes
	digests  bool
	prepared bool // with those that the log cannot show as sent
	raw      bool
	heading  string // of the next table
}

func requestsCommand(a *app) *cli.Command {
	o := new(requestsOptions)
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
		Flags: slices.Concat(o.logFlags(), o.deploymentFlags(), o.redactFlags(), []cli.Flag{
			o.wireFlag(),
			o.attachmentsFlag(", for --wire"),
			&cli.BoolFlag{Name: "oneshots", Usage: "list the requests outside the loop instead: compactions, titles, searches", Destination: &o.oneshots},
			rawFlag(&o.raw),
			&cli.BoolFlag{Name: "prepared", Usage: "add the requests that the log cannot show as sent", Destination: &o.prepared},
		}),
		MutuallyExclusiveFlags: []cli.MutuallyExclusiveFlags{exclusive(
			&cli.BoolFlag{Name: "jsonl", Usage: "print the exact bytes of each request, as `requests.jsonl` holds them", Destination: &o.jsonl},
			&cli.BoolFlag{Name: "digests", Usage: "print length and SHA-256 of each request as JSON lines", Destination: &o.digests},
		)},
		Arguments:    arguments(&o.logs),
		ArgValidator: singleLog,
		Action:       func(context.Context, *cli.Command) error { return a.requests(o) },
	}
}

func (a *app) requests(o *requestsOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	arg := o.logs[0]
	c, err := a.newChecker(&o.checkOptions, arg)
	if err != nil {
		return err
	}
	lines := o.jsonl || o.digests
	switch {
	case c.redact != nil && o.jsonl:
		return usagef("--redact excludes --jsonl: exact bytes cannot be redacted")
	case c.wire != nil && !lines:
		return usagef("--wire needs --jsonl or --digests ('dsh-verify show --wire' prints one body)")
	}
	place, err := a.findOne(&o.logOptions, arg)
	if err != nil {
		return err
	}
	defer place.Close()
	list := c.listRequests
	if o.oneshots {
		list = c.listOneshots
	}
	for i, log := range place.Logs {
		if len(place.Logs) > 1 && !lines {
			o.heading = strings.Repeat("\n", min(i, 1)) + visible(log.Name) + "\n"
		}
		if err := list(&o.listing, log); err != nil {
			return err
		}
	}
	return placeError(arg, place, finding.Unreadable)
}

// check refuses flags of which one would be ignored.
func (o *requestsOptions) check() error {
	switch {
	case o.raw && !o.jsonl:
		return usagef("--raw is about exact bytes: it needs --jsonl")
	case o.oneshots && (o.digests || o.prepared || o.protocol != nil):
		return usagef("--oneshots takes --jsonl and nothing else ('dsh-verify show LOG compaction:1' prints one)")
	}
	return o.needWire("--wire deepseek", false)
}

// listRequests prints a log's requests. A refused log prints none: the table and
// the digests wait for the end, and bodies, which are too much to hold, are
// printed on a second reading.
func (c *checker) listRequests(l *listing, log *source.Log) error {
	var held bytes.Buffer
	bodies, err := c.bodies(log)
	if err != nil {
		return err
	}
	print := func(q *reconstruct.Request) error { return bodies.printDigest(&held, q) }
	finish := func() error { return nil }
	switch {
	case l.jsonl:
		if err := eachRequest(log, c.Read, func(*reconstruct.Request) error { return nil }); err != nil {
			return err
		}
		exact := c.app.exact(l.raw)
		print = func(q *reconstruct.Request) error { return bodies.printBytes(exact, q) }
	case !l.digests:
		table := tabwriter.NewWriter(&held, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "#\tREQUEST\tMODEL\tMESSAGES\tBYTES\t%s\tRELATION TO THE ONE BEFORE\n", output.DigestHeading(c.redact != nil))
		print = func(q *reconstruct.Request) error { return printRow(table, q, c.redact) }
		finish = table.Flush
	}
	err = eachRequest(log, c.Read, func(q *reconstruct.Request) error {
		if q.Prepared && !l.prepared {
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
	if l.digests {
		_, err = c.app.stdout.Write(escape.JSON(held.Bytes()))
		return err
	}
	io.WriteString(c.app.stdout, l.heading)
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

func printRow(w io.Writer, q *reconstruct.Request, redactor *redact.Redactor) error {
	ordinal := "-"
	if !q.Prepared {
		ordinal = fmt.Sprint(q.Ordinal)
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\t%s\n", ordinal, q.Key(), visible(q.Model()),
		q.Count(), q.Len(), redactor.Digest(q.Digest().String())[:12], verify.Describe(q))
	return err
}
