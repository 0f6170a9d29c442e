package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/atomicfile"
)

// sealOptions are the flags and arguments of seal.
type sealOptions struct {
	checkOptions
	out  string
	logs []string
}

func sealCommand(a *app) *cli.Command {
	o := new(sealOptions)
	return &cli.Command{
		Name:      "seal",
		Usage:     "state what a log holds, so that check-seal can tell what was changed",
		ArgsUsage: "LOG",
		Description: `Writes a JSON statement: the root of a Merkle tree over the log's events (RFC 6962),
the digests of its requests and the objects that it references. Keep it where the
writer of the log cannot write, or sign it. Torn tails are not sealed. The digests have
no key, so that whoever can guess a request can test the guess.

Examples:
  dsh-verify seal session.jsonl.zstd -o session.seal.json
  dsh-verify seal -o - session.jsonl | ssh-keygen -Y sign -n dsh -f key`,
		Flags: append(o.logFlags(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write the statement to `FILE`, - is standard output", Destination: &o.out},
		),
		Arguments:    arguments(&o.logs),
		ArgValidator: from(1, 1, "LOG -o FILE"),
		Action:       func(context.Context, *cli.Command) error { return a.seal(o) },
	}
}

func (a *app) seal(o *sealOptions) error {
	if o.out == "" {
		return usagef("seal needs -o FILE (- is standard output)")
	}
	if err := keepInputs(o.reads(o.logs), outputTarget{"--out " + o.out, "", o.out}); err != nil {
		return err
	}
	c, err := a.newChecker(&o.checkOptions, o.logs[0])
	if err != nil {
		return err
	}
	place, log, err := c.oneLog(o.logs[0])
	if err != nil {
		return err
	}
	defer place.Close()
	now, stored, err := c.ReadForSeal(log)
	if err != nil {
		return refused(log, err)
	}
	if now.Refusal != nil {
		return refusedBy(log.Name, now.Refusal)
	}
	statement := now.Seal(versionLine(), stored)
	if statement.Tree.Events == 0 {
		a.complain(log.Name + " holds no event: its header line alone is sealed")
	}
	text, err := statement.Format()
	if err != nil {
		return err
	}
	if o.out == "-" {
		_, err = a.stdout.Write(text)
		return err
	}
	if err := atomicfile.Write(o.out, text); err != nil {
		return unreadable(err)
	}
	return nil
}
