package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/provenance"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// explainOptions are the flags and arguments of explain.
type explainOptions struct {
	checkOptions
	at, offset string // one place of the request, "" for all
	format     string
	args       []string // LOG REQ
}

func explainCommand(a *app) *cli.Command {
	o := new(explainOptions)
	return &cli.Command{
		Name:      "explain",
		Usage:     "say where every part of a request came from, and why it is there",
		ArgsUsage: "LOG REQ",
		Description: `Prints a line for each part of a request: its bytes, the event of the log that it
comes from, who made it, how it got into the context and since which request.
With --at or --byte it answers for one place.

Examples:
  dsh-verify explain session.jsonl.zstd 37
  dsh-verify explain --at /messages/12/content/0/text session.jsonl 3.2
  dsh-verify explain --byte 48231 session.jsonl last`,
		Flags: slices.Concat(o.logFlags(), o.redactFlags(), []cli.Flag{formatFlag(&o.format)}),
		MutuallyExclusiveFlags: []cli.MutuallyExclusiveFlags{exclusive(
			&cli.StringFlag{Name: "at", Usage: "explain the value at a JSON `POINTER`", Destination: &o.at},
			&cli.StringFlag{Name: "byte", Usage: "explain the byte at `OFFSET` of the request", Destination: &o.offset},
		)},
		Arguments:    arguments(&o.args),
		ArgValidator: from(2, 2, ""),
		Action:       func(context.Context, *cli.Command) error { return a.explain(o) },
	}
}

func (a *app) explain(o *explainOptions) error {
	c, err := a.newChecker(&o.checkOptions, o.args[0])
	if err != nil {
		return err
	}
	picked, err := c.chooseOne(o.args[0], o.args[1])
	if err != nil {
		return err
	}
	redactor, account := c.redact, picked.account
	if o.at != "" || o.offset != "" {
		p, err := o.spotIn(account)
		if err != nil {
			return err
		}
		p.Pointer, p.Part.Pointer = redactor.Pointer(p.Pointer), redactor.Pointer(p.Part.Pointer)
		if o.format == "json" {
			return printJSON(a.stdout, p)
		}
		printPlace(a.stdout, p, redactor)
		return nil
	}
	if redactor != nil {
		account.SHA256, account.HMACSHA256 = "", redactor.Digest(account.SHA256)
	}
	for i := range account.Parts {
		account.Parts[i].Pointer = redactor.Pointer(account.Parts[i].Pointer)
	}
	if o.format == "json" {
		return printJSON(a.stdout, account)
	}
	return printAccount(a.stdout, account)
}

// A spot is one place of a request.
type spot struct {
	Request string          `json:"request"`
	Pointer string          `json:"pointer"`
	Start   int64           `json:"start"` // bytes in the request
	End     int64           `json:"end"`
	Part    provenance.Part `json:"part"`
	value   ecmajson.Value
}

// spotIn returns the place that the flags name.
func (o *explainOptions) spotIn(account *provenance.Account) (*spot, error) {
	if pointer := o.at; pointer != "" {
		part, ok := account.At(pointer)
		if !ok {
			return nil, usagef("request %s has nothing at %q", account.Request, pointer)
		}
		at, value, ok := part.Value.Find(pointer[len(part.Pointer):])
		if !ok {
			return nil, usagef("request %s has nothing at %q; its part %s is there", account.Request, pointer, part.Pointer)
		}
		start := part.Start + int64(at)
		return &spot{account.Request, pointer, start, start + int64(len(value)), part, value}, nil
	}
	offset, err := strconv.ParseInt(o.offset, 10, 64)
	if err != nil || offset < 0 || offset >= account.Bytes {
		return nil, usagef("--byte must be a number from 0 to %d", account.Bytes-1)
	}
	part, ok := account.AtByte(offset)
	if !ok {
		return nil, usagef("byte %d of request %s is a key or punctuation of the request itself", offset, account.Request)
	}
	pointer, start, leaf := part.Value.Locate(int(offset - part.Start))
	return &spot{account.Request, part.Pointer + pointer, part.Start + int64(start), part.Start + int64(start+len(leaf)), part, leaf}, nil
}

func printJSON(w io.Writer, v any) error { return output.WriteJSON(w, v, "  ") }

func printPlace(w io.Writer, s *spot, redactor *redact.Redactor) {
	p := s.Part
	fmt.Fprintf(w, "request %s, %s: bytes %d to %d\n", s.Request, visible(s.Pointer), s.Start, s.End)
	fmt.Fprintf(w, "  value    %s\n", excerpt(s.value, redactor, 200))
	fmt.Fprintf(w, "  from     %s\n", origin(p))
	if p.Source != "" {
		fmt.Fprintf(w, "  made by  %s\n", visible(p.Source))
	}
	fmt.Fprintf(w, "  how      %s\n", p.How)
	if p.Since != "" {
		fmt.Fprintf(w, "  since    request %s\n", p.Since)
	}
}

func excerpt(v ecmajson.Value, redactor *redact.Redactor, limit int) string {
	if redactor != nil {
		return redactor.Text(string(v))
	}
	if len(v) > limit {
		return visible(string(v[:limit])) + "…"
	}
	return visible(string(v))
}

func origin(p provenance.Part) string {
	if p.Seq < 0 {
		return "the log's header line"
	}
	return fmt.Sprintf("seq %d (%s), line %d, byte %d of the log, %s", p.Seq, p.Event, p.Line, p.Offset, clock(p.Time))
}

func clock(ms int64) string {
	const limit = 253402300800000 // year 10000
	if ms < -limit || ms >= limit {
		return strconv.FormatInt(ms, 10) + " ms"
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000Z")
}

func printAccount(w io.Writer, a *provenance.Account) error {
	name := fmt.Sprintf("request %d (%s)", a.Ordinal, a.Request)
	if a.Prepared {
		name = fmt.Sprintf("request %s, which the log does not show as sent,", a.Request)
	}
	digest := "sha256 " + a.SHA256
	if a.HMACSHA256 != "" {
		digest = "hmac-sha256 " + a.HMACSHA256
	}
	fmt.Fprintf(w, "%s of session %s: %d bytes, %s\n", name, visible(a.SessionID), a.Bytes, digest)
	fmt.Fprintf(w, "  relation  %s; it keeps %d messages, %d bytes of the request before\n", a.Relation.Words, a.Relation.KeptMessages, a.Relation.KeptBytes)
	fmt.Fprintf(w, "  boundary  step opened at seq %d, messages as before seq %d%s\n\n", a.Boundary.StepStart, a.Boundary.Messages, dispatched(a.Boundary.Dispatch))
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "BYTES\tPART\tSEQ\tLINE\tTIME\tSOURCE\tSINCE\tHOW")
	for _, p := range a.Parts {
		seq, when := "-", "-"
		if p.Seq >= 0 {
			seq, when = strconv.FormatInt(p.Seq, 10), clock(p.Time)
		}
		source := p.Source
		if p.Role != "" {
			source = p.Role + ": " + source
		}
		fmt.Fprintf(t, "%d–%d\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", p.Start, p.End, visible(p.Pointer), seq, p.Line, when, orDash(visible(source)), orDash(p.Since), p.How)
	}
	t.Flush()
	_, err := table.WriteTo(w)
	return err
}

func dispatched(seq int64) string {
	if seq < 0 {
		return ", no event shows that it was sent"
	}
	return fmt.Sprintf(", sent before seq %d", seq)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
