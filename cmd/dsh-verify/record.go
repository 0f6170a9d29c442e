package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/net/netutil"

	"github.com/dsh-verify/dsh-verify/internal/provider"
)

func recordCommand(a *app) *cli.Command {
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
			&cli.StringFlag{Name: "to", Usage: "forward to the provider's base `URL`"},
			&cli.StringFlag{Name: "out", Usage: "write bodies and index to `DIR`"},
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:0", Usage: "listen on `ADDRESS`; port 0 takes a free one"},
			&cli.BoolFlag{Name: "allow-remote", Usage: "listen on an address that other machines reach"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no line per request on standard error"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error { return a.record(ctx, cmd) },
	}
}

func (a *app) record(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Present() {
		return usagef("record takes no arguments, only flags (see 'dsh-verify record --help')")
	}
	to, err := url.Parse(cmd.String("to"))
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return usagef("--to must be the provider's base URL, as https://api.deepseek.com, not %q", cmd.String("to"))
	}
	out := cmd.String("out")
	if out == "" {
		return usagef("record needs --out DIR")
	}
	_, port, err := net.SplitHostPort(cmd.String("listen"))
	if n, notNumber := strconv.Atoi(port); err != nil || notNumber != nil || n < 0 || n > 65535 {
		return usagef("--listen %s is not host:port, as 127.0.0.1:8080", cmd.String("listen"))
	}
	if !provider.IsLoopback(cmd.String("listen")) && !cmd.Bool("allow-remote") {
		return usagef("--listen %s can be reached from other machines, and what passes holds keys; --allow-remote permits it", cmd.String("listen"))
	}
	proxy, err := provider.New(to, out, func(line string) {
		if !cmd.Bool("quiet") {
			fmt.Fprintln(a.stderr, "record: "+visible(line))
		}
	})
	if err != nil {
		return &statusError{exitUnreadable, cause(err)}
	}
	defer proxy.Close()
	listener, err := net.Listen("tcp", cmd.String("listen"))
	if err != nil {
		return &statusError{exitUnreadable, err.Error()}
	}
	address := "http://" + listener.Addr().String()
	fmt.Fprintln(a.stdout, address)
	a.flush()
	if !cmd.Bool("quiet") {
		fmt.Fprintf(a.stderr, "record: set the base URL of the provider in the harness to %s; Ctrl-C ends the recording\n", address)
	}
	listener = netutil.LimitListener(listener, provider.MaxConnections)
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: provider.UploadPause, IdleTimeout: time.Minute, ErrorLog: proxy.ErrorLog()}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		a.endRecording(server, proxy)
		err = <-done
	}
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return &statusError{exitUnreadable, err.Error()}
	}
	kept, lost := proxy.Counts()
	if lost > 0 {
		return &statusError{exitUnreadable, fmt.Sprintf("%d of %d bodies could not be kept: %s does not hold the whole traffic", lost, kept+lost, out)}
	}
	if !cmd.Bool("quiet") && kept > 0 {
		fmt.Fprintf(a.stderr, "record: kept %s; compare with: dsh-verify replay --recorded %s LOG\n", plural(kept, "request"), shellWord(out))
	}
	return nil
}

// grace is how long answers that are under way may take to end.
const grace = 5 * time.Second

// endRecording lets answers end, for a while or until it is asked again.
func (a *app) endRecording(server *http.Server, proxy *provider.Proxy) {
	wait, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	again, stop := interruptible(wait)
	defer stop()
	if n := proxy.Answering(); n > 0 {
		fmt.Fprintf(a.stderr, "record: waiting %s for %s to end; Ctrl-C again ends at once\n", grace, plural(n, "answer"))
	}
	if server.Shutdown(again) != nil {
		if n := proxy.Answering(); n > 0 {
			fmt.Fprintf(a.stderr, "record: %s cut before the end: the harness sees a failed request\n", plural(n, "answer"))
		}
		server.Close()
	}
}
