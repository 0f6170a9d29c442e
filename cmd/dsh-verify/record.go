package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/provider"
)

// recordOptions are the flags of record.
type recordOptions struct {
	to          *url.URL // nil: it was not given
	out         string
	listen      string
	allowRemote bool
	quiet       bool
}

func recordCommand(a *app) *cli.Command {
	o := new(recordOptions)
	return &cli.Command{
		Name:  "record",
		Usage: "forward a harness's requests to its provider and keep their bodies",
		Description: `Listens on this machine, forwards everything to the provider, and writes the body of
each model request to a folder, byte for byte, with an index. The index holds time and
method, the body's length and digest, the session's id, and the words that it knows of
path, user agent and content headers; any other segment, name or parameter of these is
[withheld]. Queries, keys, cookies and other headers are never stored; what a body holds
is. Point the harness's base URL at the address it prints; Ctrl-C ends it, and a second
one does not wait for answers. Exits 4 when a body could not be kept.

Example:
  dsh-verify record --to https://api.deepseek.com --out wire/
  dsh-verify replay --recorded wire/ session.jsonl.zstd`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "forward to the provider's base `URL`", Validator: parsed(&o.to, parseProvider)},
			&cli.StringFlag{Name: "out", Usage: "write bodies and index to `DIR`", Destination: &o.out},
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:0", Usage: "listen on `ADDRESS`; port 0 takes a free one", Destination: &o.listen, Validator: checkAddress},
			&cli.BoolFlag{Name: "allow-remote", Usage: "listen on an address that other machines reach", Destination: &o.allowRemote},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no line per request on standard error", Destination: &o.quiet},
		},
		ArgValidator: checkArguments(func(args []string, _ *cli.Command) error {
			if len(args) > 0 {
				return usagef("record takes no arguments, only flags (see 'dsh-verify record --help')")
			}
			return nil
		}),
		Before: a.endInOrder,
		Action: func(ctx context.Context, _ *cli.Command) error { return a.record(ctx, o) },
	}
}

func parseProvider(text string) (*url.URL, error) {
	to, err := url.Parse(text)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil, usagef("--to must be the provider's base URL, as https://api.deepseek.com, not %q", text)
	}
	return to, nil
}

func checkAddress(text string) error {
	if text == "" {
		return nil // noEmptyFlag tells of it
	}
	_, port, err := net.SplitHostPort(text)
	if n, notNumber := strconv.Atoi(port); err != nil || notNumber != nil || n < 0 || n > 65535 {
		return usagef("--listen %s is not host:port, as 127.0.0.1:8080", text)
	}
	return nil
}

// check refuses a recording that cannot be made, or should not be.
func (o *recordOptions) check() error {
	if o.to == nil {
		_, err := parseProvider("")
		return err
	}
	if o.out == "" {
		return usagef("record needs --out DIR")
	}
	if !provider.IsLoopback(o.listen) && !o.allowRemote {
		return usagef("--listen %s can be reached from other machines, and what passes holds keys; --allow-remote permits it", o.listen)
	}
	return nil
}

func (a *app) record(ctx context.Context, o *recordOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	note := func(format string, args ...any) {
		if !o.quiet {
			fmt.Fprintln(a.stderr, "record: "+visible(fmt.Sprintf(format, args...)))
		}
	}
	proxy, err := provider.New(o.to, o.out, func(line string) { note("%s", line) })
	if err != nil {
		return unreadable(err)
	}
	defer proxy.Close()
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return &statusError{exitUnreadable, err.Error()}
	}
	address := "http://" + listener.Addr().String()
	fmt.Fprintln(a.stdout, address)
	a.flush()
	note("set the base URL of the provider in the harness to %s; Ctrl-C ends the recording", address)
	if err := proxy.Serve(ctx, listener, a.endRecording); err != nil {
		return &statusError{exitUnreadable, err.Error()}
	}
	kept, lost := proxy.Counts()
	if lost > 0 {
		return &statusError{exitUnreadable, fmt.Sprintf("%d of %d bodies could not be kept: %s does not hold the whole traffic", lost, kept+lost, o.out)}
	}
	if kept > 0 {
		note("kept %s; compare with: dsh-verify replay --recorded %s LOG", plural(kept, "request"), shellWord(o.out))
	}
	return nil
}

// endRecording says what a recording that ends waits for, and then what it did not wait
// for. To be interrupted again is to wait no longer.
func (a *app) endRecording(ctx context.Context, wait func(context.Context) (cut int), answers int) {
	again, stop := interruptible(ctx)
	defer stop()
	if answers > 0 {
		fmt.Fprintf(a.stderr, "record: waiting %s for %s to end; Ctrl-C again ends at once\n", provider.Grace, plural(answers, "answer"))
	}
	if cut := wait(again); cut > 0 {
		fmt.Fprintf(a.stderr, "record: %s cut before the end: the harness sees a failed request\n", plural(cut, "answer"))
	}
}
