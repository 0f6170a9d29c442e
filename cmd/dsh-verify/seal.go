package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/atomicfile"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/seal"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
)

func sealCommand(a *app) *cli.Command {
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
		Flags: append(logFlags(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write the statement to `FILE`, - is standard output"},
		),
		Action: func(_ context.Context, cmd *cli.Command) error {
			arg, out, err := sealArgs(cmd)
			if err != nil {
				return err
			}
			return a.seal(cmd, arg, out)
		},
	}
}

// sealArgs returns the LOG and the output.
func sealArgs(cmd *cli.Command) (arg, out string, err error) {
	args := cmd.Args().Slice()
	out = cmd.String("out")
	switch {
	case len(args) != 1:
		return "", "", usagef("usage: dsh-verify seal LOG -o FILE (see 'dsh-verify seal --help')")
	case out == "":
		return "", "", usagef("seal needs -o FILE (- is standard output)")
	}
	return args[0], out, nil
}

func (a *app) seal(cmd *cli.Command, arg, out string) error {
	c, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	place, log, err := c.oneLog(cmd, arg)
	if err != nil {
		return err
	}
	defer place.Close()
	now, stored, err := c.readForSeal(log)
	if err != nil {
		return err
	}
	if now.Refusal != nil {
		return refusedBy(log.Name, now.Refusal)
	}
	statement := now.Seal(versionLine(), stored)
	if statement.Tree.Events == 0 {
		fmt.Fprintf(a.stderr, "dsh-verify: %s holds no event: its header line alone is sealed\n", visible(log.Name))
	}
	text, err := statement.Format()
	if err != nil {
		return err
	}
	if out == "-" {
		_, err = a.stdout.Write(text)
		return err
	}
	if err := atomicfile.Write(out, text); err != nil {
		return &statusError{exitUnreadable, cause(err)}
	}
	return nil
}

// readForSeal reads a log, and its stored bytes where it is a file of its own.
func (c *checker) readForSeal(log *source.Log) (*seal.Log, *seal.Stored, error) {
	before, _ := fileSize(log)
	reader, closer, err := log.Open(c.read)
	if err != nil {
		return nil, nil, refused(log, err)
	}
	defer closer.Close()
	now, err := seal.Read(reader)
	if err != nil {
		return nil, nil, &statusError{exitUnreadable, log.Name + ": " + cause(err)}
	}
	if err := closer.Close(); errors.Is(err, source.ErrMoved) {
		return nil, nil, &statusError{exitUnreadable, log.Name + ": " + err.Error()}
	}
	after, ok := fileSize(log)
	if !ok || before != after || now.Refusal != nil {
		return now, nil, nil // no file, or one that is being written: the events alone are sealed
	}
	stored, err := storedDigest(log.Name, soundLength(now.Tail, after))
	if err != nil {
		return nil, nil, &statusError{exitUnreadable, cause(err)}
	}
	return now, stored, nil
}

func fileSize(log *source.Log) (int64, bool) {
	info, err := os.Stat(log.Name)
	if log.Stream || err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// soundLength returns the length of a file except for its torn tail, which the
// harness cuts off when it goes on.
func soundLength(tail *logformat.Tail, size int64) int64 {
	switch {
	case tail == nil:
		return size
	case tail.Frame != nil:
		return min(size, tail.Frame.Offset)
	}
	return min(size, tail.Pos.Offset)
}

// storedDigest returns the digest of the first n bytes of a file, nil when it is
// shorter.
func storedDigest(path string, n int64) (*seal.Stored, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if read, err := io.CopyN(h, f, n); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	} else {
		return &seal.Stored{Bytes: read, SHA256: fmt.Sprintf("%x", h.Sum(nil))}, nil
	}
}

func checkSealCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:      "check-seal",
		Usage:     "tell whether a log still begins with what was sealed, and what was changed",
		ArgsUsage: "FILE LOG",
		Description: `Compares a log with the statement that seal wrote. A log that has grown since is fine
as long as it begins with what was sealed. Events that were changed, removed,
inserted or moved are named. Exits 1 when the log is not what was sealed. That it is
says nothing of what was done to it before it was sealed.

Examples:
  dsh-verify check-seal session.seal.json session.jsonl.zstd
  dsh-verify check-seal --format json session.seal.json session.jsonl`,
		Flags: append(logFlags(), outputFlags()...),
		Action: func(_ context.Context, cmd *cli.Command) error {
			args := cmd.Args().Slice()
			if len(args) != 2 {
				return usagef("usage: dsh-verify check-seal FILE LOG (see 'dsh-verify check-seal --help')")
			}
			return a.checkSeal(cmd, args[0], args[1])
		},
	}
}

// maxSeal bounds a seal, in bytes: it holds some bytes for each event of its log.
const maxSeal = 1 << 30

func (a *app) checkSeal(cmd *cli.Command, file, arg string) error {
	c, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	text, err := regular.ReadFile(file, maxSeal)
	if err != nil {
		return &statusError{exitUnreadable, cause(err)}
	}
	statement, err := seal.Parse(text)
	if err != nil {
		return &statusError{exitUnreadable, file + ": " + err.Error()}
	}
	c = c.under(arg)
	place, log, err := c.oneLog(cmd, arg)
	if err != nil {
		return err
	}
	defer place.Close()
	now, _, err := c.readForSeal(log)
	if err != nil {
		return err
	}
	out, err := a.newOutputs(cmd, withSummary(func(r *result.Report) string { return sealSummary(r, statement, now) }))
	if err != nil {
		return err
	}
	defer out.close()
	report := result.NewReport()
	one, err := c.sealReport(log, statement, now)
	if err != nil {
		return err
	}
	c.judge(one)
	report.Add(one)
	out.log(one)
	if err := out.finish(report); err != nil {
		return err
	}
	return verdictStatus(report.Verdict, false)
}

func (c *checker) sealReport(log *source.Log, statement *seal.Statement, now *seal.Log) (*result.Log, error) {
	report := result.New(log.Name)
	report.Verdict = finding.Sealed
	if h := now.Header; h != nil {
		report.Session = verify.SessionOf(h, now.Encoding)
	}
	report.Counts = result.Counts{
		Lines: now.Read.Lines, Bytes: now.Read.Bytes, Events: now.Read.Events, Turns: now.Fold.Turns, Steps: now.Fold.Steps, Requests: now.Fold.Requests,
		Retries: now.Fold.Attempts, Prepared: now.Fold.Prepared, Inherited: now.Fold.Inherited, Headers: now.Fold.Headers, Replaces: now.Fold.Replaces,
	}
	for _, f := range statement.Check(now) {
		report.Add(f)
	}
	if report.Verdict != finding.Sealed {
		return report, nil
	}
	nowhere := finding.Place{Seq: -1}
	if statement.Tree.Events == 0 {
		report.Add(finding.New(finding.SealEmpty, nil, nowhere))
	}
	if n := statement.Appended(now); n > 0 {
		report.Add(finding.New(finding.SealGrown, finding.Say("%d events more than the %d sealed ones", n, statement.Tree.Events), nowhere))
	}
	if _, ok := fileSize(log); !ok || statement.Stored == nil {
		return report, nil
	}
	stored, err := storedDigest(log.Name, statement.Stored.Bytes)
	if err != nil {
		return nil, &statusError{exitUnreadable, cause(err)}
	}
	if stored == nil || *stored != *statement.Stored {
		report.Add(finding.New(finding.SealStored, nil, nowhere))
	}
	return report, nil
}

// sealSummary is the last line, which counts.
func sealSummary(report *result.Report, statement *seal.Statement, now *seal.Log) string {
	if report.Verdict == finding.Sealed {
		events := plural(int(statement.Tree.Events), "event")
		if statement.Tree.Events == 0 {
			events = "0 events (the header line alone)"
		}
		return fmt.Sprintf("as sealed: %s, %s; %s since", events, plural(len(statement.Requests), "request"), plural(int(statement.Appended(now)), "event"))
	}
	var errors, warnings, ignored int
	for _, f := range report.Logs[0].Findings {
		switch {
		case f.Suppressed != "":
			ignored++
		case f.Severity == finding.Error:
			errors++
		case f.Severity == finding.Warning:
			warnings++
		}
	}
	line := "not as sealed: " + plural(errors, "error")
	if warnings > 0 {
		line += ", " + plural(warnings, "warning")
	}
	if ignored > 0 {
		line += fmt.Sprintf(", %d ignored", ignored)
	}
	return line
}
