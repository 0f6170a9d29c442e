package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// showOptions are the flags and arguments of show.
type showOptions struct {
	checkOptions
	pretty, messages, header, curl bool // views, of which one is chosen at most
	allowHoles                     bool
	raw                            bool
	args                           []string // LOG [REQ]
}

func showCommand(a *app) *cli.Command {
	o := new(showOptions)
	return &cli.Command{
		Name:      "show",
		Usage:     "print one request: its exact bytes, or a view for people",
		ArgsUsage: "LOG [REQ]",
		Description: `Prints the exact bytes of a request and nothing else; on a terminal, characters that
hide or command something are shown as JSON escapes (--raw prints them). REQ is its number, turn.step,
turn.step.attempt, seq:N (the request that was open there) or last. Without REQ the
requests are listed. REQ may also name a request outside the loop, as compaction:2 or
title:1; of a compaction the log holds all except the final instruction.

Examples:
  dsh-verify show session.jsonl.zstd 37 | sha256sum
  dsh-verify show --messages session.jsonl last
  dsh-verify show --wire deepseek session.jsonl 3.2.1 > body.json
  dsh-verify show --pretty session.jsonl compaction:2`,
		Flags: slices.Concat(o.logFlags(), o.deploymentFlags(), o.redactFlags(), []cli.Flag{
			o.wireFlag(),
			&cli.BoolFlag{Name: "allow-holes", Usage: "with --wire, print a body with placeholders for what cannot be known", Destination: &o.allowHoles},
			rawFlag(&o.raw),
			o.attachmentsFlag(", for --wire"),
		}),
		MutuallyExclusiveFlags: []cli.MutuallyExclusiveFlags{exclusive(
			&cli.BoolFlag{Name: "pretty", Usage: "indent the JSON, its order kept", Destination: &o.pretty},
			&cli.BoolFlag{Name: "messages", Usage: "print a readable transcript of the messages", Destination: &o.messages},
			&cli.BoolFlag{Name: "header", Usage: "print config, system prompt and tools", Destination: &o.header},
			&cli.BoolFlag{Name: "curl", Usage: "print a command that sends the body (implies --wire deepseek)", Destination: &o.curl},
		)},
		Arguments:    arguments(&o.args),
		ArgValidator: from(1, 2, ""),
		Action:       func(context.Context, *cli.Command) error { return a.show(o) },
	}
}

func (a *app) show(o *showOptions) error {
	if err := o.check(a.redactor(&o.redactOptions) != nil); err != nil {
		return err
	}
	c, err := a.newChecker(&o.checkOptions, o.args[0])
	if err != nil {
		return err
	}
	if o.curl && c.wire == nil {
		c.wire = c.setup.wire
	}
	place, log, err := c.oneLog(o.args[0])
	if err != nil {
		return err
	}
	defer place.Close()
	if len(o.args) == 1 {
		return c.offerRequests(log, o.args[0])
	}
	if oneshotKey(o.args[1]) {
		return c.showOneshot(o, log, o.args[1])
	}
	sel, err := parseSelector(o.args[1])
	if err != nil {
		return err
	}
	picked, err := c.choose(log, sel)
	if err != nil {
		return err
	}
	return c.showRequest(o, log, picked[0])
}

// check refuses what a view cannot have.
func (o *showOptions) check(redacted bool) error {
	view := o.pretty || o.messages || o.header || o.curl
	switch {
	case view && o.raw:
		return usagef("--raw is about exact bytes: it excludes --pretty, --messages, --header and --curl")
	case redacted && (!view || o.curl):
		return usagef("--redact needs --pretty, --messages or --header: exact bytes cannot be redacted")
	case o.curl:
		return nil
	}
	return o.needWire("--wire deepseek or --curl", o.allowHoles)
}

// offerRequests lists the requests of a log of which none was named.
func (c *checker) offerRequests(log *source.Log, arg string) error {
	c.wire = nil
	if err := c.listRequests(&listing{}, log); err != nil {
		return err
	}
	fmt.Fprintf(c.app.stderr, "Name one to see it, by its number or its turn.step.attempt: dsh-verify show %s 1\n", shellWord(arg))
	return nil
}

func (c *checker) showRequest(o *showOptions, log *source.Log, picked *chosen) error {
	a, q, redactor := c.app, picked.request, c.redact
	switch {
	case c.wire != nil:
		verifier, err := c.Objects(log)
		if err != nil {
			return unreadable(err)
		}
		body, err := wire.NewBuilder(c.wire.protocol, c.wire.Policy, verifier).Body(q)
		if err != nil {
			return quoting(exitUnverifiable, "request "+q.Key()+": ", err)
		}
		return a.showBody(o, q, body, redactor)
	case o.messages:
		return printMessages(a.stdout, picked.account, redactor)
	case o.header:
		return printHeader(a.stdout, q, redactor)
	case o.pretty:
		return printPretty(a.stdout, q.Bytes(), redactor)
	}
	_, err := q.WriteTo(a.exact(o.raw))
	return err
}

func (a *app) showBody(o *showOptions, q *reconstruct.Request, body *wire.Body, redactor *redact.Redactor) error {
	if len(body.Holes) > 0 && !o.allowHoles {
		var b strings.Builder
		fmt.Fprintf(&b, "request %s: the log does not determine its whole body (--allow-holes prints placeholders):", q.Key())
		for i, h := range body.Holes {
			if i == 5 {
				fmt.Fprintf(&b, "; and %d more", len(body.Holes)-5)
				break
			}
			h.Pointer, h.AttachmentID = redactor.Pointer(h.Pointer), redactor.Object(h.AttachmentID)
			b.WriteString(" " + describeHole(h) + ";")
		}
		return &statusError{exitUnverifiable, strings.TrimSuffix(b.String(), ";")}
	}
	for _, s := range body.Assumptions {
		fmt.Fprintf(a.stderr, "assumed: %s = %s\n", s.Name, visible(s.Value))
	}
	switch {
	case o.curl:
		return a.printCurl(o.args, body.Bytes())
	case o.pretty:
		return printPretty(a.stdout, body.Bytes(), redactor)
	}
	_, err := body.WriteTo(a.exact(o.raw))
	return err
}
