package main

import (
	"encoding/hex"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/redact"
)

// redactOptions say whether what is printed is redacted.
type redactOptions struct {
	redact   bool
	key      []byte // nil: a new one
	printKey bool
}

func (o *redactOptions) redactFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "redact", Usage: "print lengths and keyed digests instead of texts and of their digests", Destination: &o.redact},
		&cli.StringFlag{
			Name: "redact-key", Usage: "the key of the digests, in `HEX`, to compare two reports (default: a new one); implies --redact",
			Validator: parsed(&o.key, func(text string) ([]byte, error) {
				key, err := hex.DecodeString(text)
				if err != nil {
					return nil, usagef("--redact-key must be a key in hexadecimal, as 2a91")
				}
				return key, nil
			}),
		},
		&cli.BoolFlag{Name: "print-redact-key", Usage: "print the key on standard error; implies --redact", Destination: &o.printKey},
	}
}

// redactor returns the redactor that the flags ask for, nil when they ask for none.
func (a *app) redactor(o *redactOptions) *redact.Redactor {
	if a.redacting != nil || !o.redact && o.key == nil && !o.printKey {
		return a.redacting
	}
	a.redacting = redact.New(o.key)
	if o.printKey {
		fmt.Fprintln(a.stderr, "redact key: "+a.redacting.Key())
	}
	return a.redacting
}
