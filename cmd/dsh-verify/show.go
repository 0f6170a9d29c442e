package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

func showCommand(a *app) *cli.Command {
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
		Flags: append(append(append(logFlags(), wireFlags()...), redactFlags()...),
			&cli.BoolFlag{Name: "pretty", Usage: "indent the JSON, its order kept"},
			&cli.BoolFlag{Name: "messages", Usage: "print a readable transcript of the messages"},
			&cli.BoolFlag{Name: "header", Usage: "print config, system prompt and tools"},
			wireFlag(),
			&cli.BoolFlag{Name: "allow-holes", Usage: "with --wire, print a body with placeholders for what cannot be known"},
			rawFlag(),
			&cli.BoolFlag{Name: "curl", Usage: "print a command that sends the body (implies --wire deepseek)"},
			&cli.StringFlag{Name: "attachments", Usage: "the attachments/v1 folder `DIR` that holds the objects, for --wire"},
		),
		Action: func(_ context.Context, cmd *cli.Command) error { return a.show(cmd) },
	}
}

func (a *app) show(cmd *cli.Command) error {
	arg, refs, err := requestArgs(cmd, 0, 1)
	if err != nil {
		return err
	}
	redactor, err := a.redactor(cmd)
	if err != nil {
		return err
	}
	if err := checkView(cmd, redactor != nil); err != nil {
		return err
	}
	c, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	if cmd.Bool("curl") && c.wire == nil {
		c.wire = c.setup.wire
	}
	place, log, err := c.oneLog(cmd, arg)
	if err != nil {
		return err
	}
	defer place.Close()
	switch {
	case len(refs) == 0:
		return c.offerRequests(cmd, log, arg)
	case oneshotKey(refs[0]):
		return c.showOneshot(cmd, log, refs[0], redactor)
	}
	sel, err := parseSelector(refs[0])
	if err != nil {
		return err
	}
	picked, err := c.choose(log, sel)
	if err != nil {
		return err
	}
	return c.showRequest(cmd, log, picked[0], redactor)
}

// checkView refuses views that exclude each other, and what a view cannot have.
func checkView(cmd *cli.Command, redacted bool) error {
	views := 0
	for _, name := range []string{"pretty", "messages", "header", "curl"} {
		if cmd.Bool(name) {
			views++
		}
	}
	switch {
	case views > 1:
		return usagef("--pretty, --messages, --header and --curl exclude each other")
	case views > 0 && cmd.Bool("raw"):
		return usagef("--raw is about exact bytes: it excludes --pretty, --messages, --header and --curl")
	case redacted && (views == 0 || cmd.Bool("curl")):
		return usagef("--redact needs --pretty, --messages or --header: exact bytes cannot be redacted")
	}
	return needWire(cmd, "--wire deepseek or --curl")
}

// offerRequests lists the requests of a log of which none was named.
func (c *checker) offerRequests(cmd *cli.Command, log *source.Log, arg string) error {
	c.wire = nil
	if err := c.listRequests(cmd, log); err != nil {
		return err
	}
	fmt.Fprintf(c.app.stderr, "Name one to see it, by its number or its turn.step.attempt: dsh-verify show %s 1\n", shellWord(arg))
	return nil
}

func (c *checker) showRequest(cmd *cli.Command, log *source.Log, picked *chosen, redactor *redact.Redactor) error {
	a, q := c.app, picked.request
	switch {
	case c.wire != nil:
		verifier, err := c.Objects(log)
		if err != nil {
			return &statusError{exitUnreadable, cause(err)}
		}
		body, err := wire.NewBuilder(c.wire.protocol, c.wire.Policy, verifier).Body(q)
		if err != nil {
			return quoting(exitUnverifiable, "request "+q.Key()+": ", err)
		}
		return a.showBody(cmd, q, body, redactor)
	case cmd.Bool("messages"):
		return printMessages(a.stdout, picked.account, redactor)
	case cmd.Bool("header"):
		return printHeader(a.stdout, q, redactor)
	case cmd.Bool("pretty"):
		return printPretty(a.stdout, q.Bytes(), redactor)
	}
	_, err := q.WriteTo(a.exact(cmd))
	return err
}

func (a *app) showBody(cmd *cli.Command, q *reconstruct.Request, body *wire.Body, redactor *redact.Redactor) error {
	if len(body.Holes) > 0 && !cmd.Bool("allow-holes") {
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
	case cmd.Bool("curl"):
		return a.printCurl(cmd, body.Bytes())
	case cmd.Bool("pretty"):
		return printPretty(a.stdout, body.Bytes(), redactor)
	}
	_, err := body.WriteTo(a.exact(cmd))
	return err
}
