package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/provenance"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	escape "github.com/dsh-verify/dsh-verify/internal/visible"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
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
title:1; of a compaction the log holds all but the final instruction.

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
	views := 0
	for _, name := range []string{"pretty", "messages", "header", "curl"} {
		if cmd.Bool(name) {
			views++
		}
	}
	if views > 1 {
		return usagef("--pretty, --messages, --header and --curl exclude each other")
	}
	if views > 0 && cmd.Bool("raw") {
		return usagef("--raw is about exact bytes: it excludes --pretty, --messages, --header and --curl")
	}
	if err := needWire(cmd, "--wire deepseek or --curl"); err != nil {
		return err
	}
	redactor, err := a.redactor(cmd)
	if err != nil {
		return err
	}
	if redactor != nil && !cmd.Bool("pretty") && !cmd.Bool("messages") && !cmd.Bool("header") {
		return usagef("--redact needs --pretty, --messages or --header: exact bytes cannot be redacted")
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
	if len(refs) == 0 {
		c.wire = nil
		if err := c.listRequests(cmd, log); err != nil {
			return err
		}
		fmt.Fprintf(a.stderr, "Name one to see it, by its number or its turn.step.attempt: dsh-verify show %s 1\n", visible(arg))
		return nil
	}
	if oneshotKey(refs[0]) {
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
	q := picked[0].request
	switch {
	case c.wire != nil:
		verifier, err := c.verifier(log)
		if err != nil {
			return &statusError{exitUnreadable, cause(err)}
		}
		body, err := wire.NewBuilder(c.wire.Policy, verifier).DeepSeek(q)
		if err != nil {
			return quoting(exitUnverifiable, "request "+q.Key()+": ", err)
		}
		return a.showBody(cmd, q, body, redactor)
	case cmd.Bool("messages"):
		return printMessages(a.stdout, picked[0].account, redactor)
	case cmd.Bool("header"):
		return printHeader(a.stdout, q, redactor)
	case cmd.Bool("pretty"):
		return printPretty(a.stdout, q.Bytes(), redactor)
	}
	_, err = q.WriteTo(a.exact(cmd))
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

// maxArgument is what a shell takes as one argument on every system.
const maxArgument = 100_000

// printCurl prints a command that posts a body. The key stays in the environment.
// A body that is too long for an argument, or that must not be printed as it is, is made
// again by this program.
func (a *app) printCurl(cmd *cli.Command, body []byte) error {
	data := "'" + strings.ReplaceAll(string(body), "'", `'\''`) + "'"
	if len(data) > maxArgument || len(escape.JSON(body)) != len(body) {
		args := cmd.Args().Slice()
		fmt.Fprintf(a.stdout, "dsh-verify show --wire deepseek %s %s |\n  ", shellQuote(args[0]), shellQuote(args[1]))
		data = "@-"
	}
	_, err := fmt.Fprintf(a.stdout, `curl -sS "${DEEPSEEK_BASE_URL:-https://api.deepseek.com}/chat/completions" \
  -H 'content-type: application/json' \
  -H "authorization: Bearer $DEEPSEEK_API_KEY" \
  --data-binary %s
`, data)
	return err
}

// printHeader prints what of a request is not history.
func printHeader(w io.Writer, q *reconstruct.Request, redactor *redact.Redactor) error {
	fmt.Fprintf(w, "config (seq %d, %s)\n", q.Config.Seq, visible(redactor.Word(q.Config.Reason)))
	for key, value := range q.Config.Config.Members() {
		fmt.Fprintf(w, "  %s: %s\n", visible(redactor.Member(key.Text())), excerpt(value, redactIfString(value, redactor), 400))
	}
	system := q.Header.System
	if system == nil {
		fmt.Fprintf(w, "\nno system prompt (seq %d)\n", q.Header.Seq)
	} else {
		fmt.Fprintf(w, "\nsystem prompt (seq %d): %d bytes\n", q.Header.Seq, len(system))
		printText(w, system.Text(), "  ", redactor)
	}
	tools := q.Header.Tools
	fmt.Fprintf(w, "\ntools (seq %d): %d, %d bytes\n", q.Header.Seq, tools.Len(), len(tools))
	for tool := range tools.Elements() {
		fmt.Fprintf(w, "  %s (%d bytes)\n", visible(redactor.Name(tool.Lookup("name").Text())), len(tool))
		printText(w, tool.Lookup("description").Text(), "    ", redactor)
		if p := tool.Lookup("parameters"); p != nil {
			fmt.Fprintf(w, "    parameters: %s\n", excerpt(p, redactor, 400))
		}
	}
	return nil
}

func redactIfString(v ecmajson.Value, r *redact.Redactor) *redact.Redactor {
	if v.Kind() == ecmajson.Number || v.Kind() == ecmajson.True || v.Kind() == ecmajson.False {
		return nil
	}
	return r
}

func printText(w io.Writer, text, indent string, redactor *redact.Redactor) {
	if text == "" {
		return
	}
	if redactor != nil {
		fmt.Fprintf(w, "%s%s\n", indent, redactor.Text(text))
		return
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(w, "%s%s\n", indent, diffview.Visible(line, diffview.Tab))
	}
}

// printMessages prints a transcript.
func printMessages(w io.Writer, a *provenance.Account, redactor *redact.Redactor) error {
	i := 0
	for _, p := range a.Parts {
		if p.Kind != "message" {
			continue
		}
		fmt.Fprintf(w, "── %d  %s  (%s, seq %d, %d bytes)\n", i, visible(redactor.Word(p.Role)), visible(p.Source), p.Seq, p.End-p.Start)
		i++
		for block := range p.Value.Lookup("content").Elements() {
			printBlock(w, block, "   ", redactor)
		}
		fmt.Fprintln(w)
	}
	return nil
}

func printBlock(w io.Writer, block ecmajson.Value, indent string, redactor *redact.Redactor) {
	switch kind := block.Lookup("type").Text(); kind {
	case "text":
		printText(w, block.Lookup("text").Text(), indent, redactor)
	case "reasoning":
		fmt.Fprintf(w, "%s[reasoning]\n", indent)
		printText(w, block.Lookup("text").Text(), indent+"  ", redactor)
	case "tool-call":
		fmt.Fprintf(w, "%s[tool call %s] %s\n", indent, visible(redactor.Name(block.Lookup("id").Text())), visible(redactor.Name(block.Lookup("name").Text())))
		printText(w, block.Lookup("arguments").Text(), indent+"  ", redactor)
	case "tool-result":
		mark := ""
		if block.Lookup("isError").Kind() == ecmajson.True {
			mark = ", an error"
		}
		fmt.Fprintf(w, "%s[tool result of %s%s]\n", indent, visible(redactor.Name(block.Lookup("toolCallId").Text())), mark)
		for inner := range block.Lookup("content").Elements() {
			printBlock(w, inner, indent+"  ", redactor)
		}
	case "image":
		at := block.Lookup("attachment")
		fmt.Fprintf(w, "%s[image %s %s, %s×%s, %s bytes]\n", indent, visible(redactor.Object(at.Lookup("attachmentId").Text())), visible(redactor.Word(at.Lookup("mediaType").Text())),
			visible(string(at.Lookup("width"))), visible(string(at.Lookup("height"))), visible(string(at.Lookup("bytes"))))
	default:
		fmt.Fprintf(w, "%s[%s] %s\n", indent, visible(redactor.Word(kind)), excerpt(block, redactor, 400))
	}
}
