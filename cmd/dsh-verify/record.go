package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/record"
)

func recordCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:  "record",
		Usage: "forward a harness's requests to its provider and keep their bodies",
		Description: `Listens on this machine, forwards everything to the provider, and writes the body of
each model request to a folder, byte for byte, with an index. Keys and cookies are
never stored. Point the harness's base URL at the address it prints; Ctrl-C ends it.

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
	if !record.IsLoopback(cmd.String("listen")) && !cmd.Bool("allow-remote") {
		return usagef("--listen %s can be reached from other machines, and what passes holds keys; --allow-remote permits it", cmd.String("listen"))
	}
	proxy, err := record.New(to, out, func(line string) {
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
	fmt.Fprintf(a.stdout, "http://%s\n", listener.Addr())
	a.flush()
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if server.Shutdown(grace) != nil {
			server.Close() // a stream that does not end is cut
		}
		err = <-done
	}
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return &statusError{exitUnreadable, err.Error()}
	}
	return nil
}
