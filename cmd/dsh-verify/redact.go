package main

import (
	"encoding/hex"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/redact"
)

func redactFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "redact", Usage: "print lengths and keyed digests instead of texts"},
		&cli.StringFlag{Name: "redact-key", Usage: "the key of the digests, in `HEX`, to compare two reports (default: a new one)"},
		&cli.BoolFlag{Name: "print-redact-key", Usage: "print the key on standard error"},
	}
}

// redactor returns the redactor that the flags ask for, nil when they ask for none.
func (a *app) redactor(cmd *cli.Command) (*redact.Redactor, error) {
	if !cmd.Bool("redact") || a.redacting != nil {
		return a.redacting, nil
	}
	key, err := hex.DecodeString(cmd.String("redact-key"))
	if err != nil {
		return nil, usagef("--redact-key must be hexadecimal")
	}
	r := redact.New(key)
	a.redacting = r
	if cmd.Bool("print-redact-key") {
		fmt.Fprintln(a.stderr, "redact key: "+r.Key())
	}
	return r, nil
}
