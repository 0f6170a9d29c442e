package logcheck

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/seal"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// ReadForSeal reads a log, and its stored bytes where it is a file of its own that is not
// being written; stored is nil otherwise. A refused log is a result.
func (c *Checker) ReadForSeal(log *source.Log) (now *seal.Log, stored *seal.Stored, err error) {
	before, _ := fileSize(log)
	reader, closer, err := log.Open(c.Read)
	if err != nil {
		return nil, nil, err
	}
	defer closer.Close()
	if now, err = seal.Read(reader); err != nil {
		return nil, nil, err
	}
	if err := closer.Close(); moved(err) {
		return nil, nil, err
	}
	after, ok := fileSize(log)
	if !ok || before != after || now.Refusal != nil {
		return now, nil, nil
	}
	stored, err = storedDigest(log.Name, soundLength(now.Tail, after))
	return now, stored, err
}

// Sealed reports what of a log is not as it was sealed. The error is that its stored
// bytes cannot be read.
func Sealed(log *source.Log, statement *seal.Statement, now *seal.Log) (*result.Log, error) {
	report := result.New(log.Name)
	report.Verdict = finding.Sealed
	if h := now.Header; h != nil {
		report.Session = verify.SessionOf(h, now.Encoding)
	}
	report.Counts = counts(now.Read, now.Fold)
	for _, f := range statement.Check(now) {
		report.Add(f)
	}
	if report.Verdict != finding.Sealed {
		return report, nil
	}
	nowhere := finding.Place{Seq: -1}
	if statement.Tree.Events == 0 {
		report.Note(finding.SealEmpty, nil, nowhere)
	}
	if n := statement.Appended(now); n > 0 {
		report.Note(finding.SealGrown, finding.Say("%d events more than the %d sealed ones", n, statement.Tree.Events), nowhere)
	}
	if _, ok := fileSize(log); !ok || statement.Stored == nil {
		return report, nil
	}
	stored, err := storedDigest(log.Name, statement.Stored.Bytes)
	if err != nil {
		return nil, err
	}
	if stored == nil || *stored != *statement.Stored {
		report.Note(finding.SealStored, nil, nowhere)
	}
	return report, nil
}

// fileSize returns the length of a log that is a file of its own, in bytes.
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
	read, err := io.CopyN(h, f, n)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &seal.Stored{Bytes: read, SHA256: fmt.Sprintf("%x", h.Sum(nil))}, nil
}
