package main

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

func redactFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "redact", Usage: "print lengths and keyed digests instead of texts and of their digests"},
		&cli.StringFlag{Name: "redact-key", Usage: "the key of the digests, in `HEX`, to compare two reports (default: a new one); implies --redact"},
		&cli.BoolFlag{Name: "print-redact-key", Usage: "print the key on standard error; implies --redact"},
	}
}

// quoting is the error that a command ends with because of one that may quote the
// log.
func quoting(code int, what string, err error) error {
	if quotes, ok := errors.AsType[*wire.Unsupported](err); ok {
		bare := &wire.Unsupported{Reason: quotes.Bare}
		return &quotingError{statusError{code, what + err.Error()}, what + bare.Error()}
	}
	return &statusError{code, what + err.Error()}
}

// redactor returns the redactor that the flags ask for, nil when they ask for none.
func (a *app) redactor(cmd *cli.Command) (*redact.Redactor, error) {
	given := cmd.IsSet("redact-key")
	if !cmd.Bool("redact") && !given && !cmd.Bool("print-redact-key") || a.redacting != nil {
		return a.redacting, nil
	}
	key, err := hex.DecodeString(cmd.String("redact-key"))
	if err != nil || given && len(key) == 0 {
		return nil, usagef("--redact-key must be a key in hexadecimal, as 2a91")
	}
	r := redact.New(key)
	a.redacting = r
	if cmd.Bool("print-redact-key") {
		fmt.Fprintln(a.stderr, "redact key: "+r.Key())
	}
	return r, nil
}
