package goldencheck

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-verify/dsh-verify/golden"
	"github.com/dsh-verify/dsh-verify/internal/atomicfile"
	"github.com/dsh-verify/dsh-verify/internal/evidence"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// Options say how transcripts are checked.
type Options struct {
	Read     logformat.Options
	Authored bool   // accept authored transcripts
	Write    bool   // write the sum files of transcripts that have none
	Update   bool   // accept what changed: write sum files, and remove those without a transcript
	Against  string // a folder or a git revision that holds the logs as they were; "": none
	// Seen, when set, holds the transcripts that were checked, by their paths: those
	// of folders that lie in each other are checked once.
	Seen map[string]bool
}

// What the gate says of a transcript.
const (
	Unchanged = "unchanged"
	Changed   = "changed"
	Accepted  = "accepted" // it changed, and the sum file was written again
	New       = "new"
	Written   = "written" // it was new, and the sum file was written
	Missing   = "missing"
	Removed   = "removed" // it was missing, and the sum file was removed
	Refused   = "refused"
	Unread    = "unreadable"
	Unwritten = "unwritten" // the sum file could not be written or removed
	Ignored   = "ignored"   // a policy sets aside what was found
)

// Run checks the transcripts that an argument names, in the order of their paths,
// and returns how many there are. What is to be said of the argument itself is
// reported first, as a place. The error is about the argument, or the revision to
// compare with.
func Run(arg string, opts Options, report func(*result.Log)) (int, error) {
	w, err := find(arg)
	if err != nil {
		return 0, err
	}
	g := &gate{opts: opts, arg: arg}
	if opts.Against != "" {
		if info, err := os.Stat(opts.Against); err == nil && info.IsDir() {
			g.folder = opts.Against
		} else if err := checkRevision(dirOf(arg), opts.Against); err != nil {
			return 0, err
		}
	}
	said := w.stray
	if len(w.links) > 0 {
		said = append(said, finding.New(finding.GoldenLink, finding.Plain(listed(w.links)), finding.Place{Seq: -1}))
	}
	if len(said) > 0 {
		report(result.Place(arg, said))
	}
	for _, t := range w.found {
		if key := t.key(); opts.Seen != nil {
			if opts.Seen[key] {
				continue
			}
			opts.Seen[key] = true
		}
		report(g.transcript(t))
	}
	return len(w.found), nil
}

// listed names the first of many.
func listed(names []string) string {
	const most = 20
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

func dirOf(arg string) string {
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return arg
	}
	return filepath.Dir(arg)
}

type gate struct {
	opts   Options
	arg    string
	folder string // to compare with, "": a revision or none
}

// before returns the folder of a transcript as it was, nil when there is nothing
// to compare with.
func (g *gate) before(t *transcript) folder {
	switch {
	case g.opts.Against == "":
		return nil
	case g.folder == "":
		return atRevision(t.dir, g.opts.Against)
	}
	below, err := filepath.Rel(dirOf(g.arg), t.dir)
	if err != nil {
		return nil
	}
	return onDisk(filepath.Join(g.folder, below))
}

// transcript checks one transcript.
func (g *gate) transcript(t *transcript) *result.Log {
	if t.log == "" {
		return g.missing(t)
	}
	recorder := new(golden.Recorder)
	log := g.read(t, recorder)
	g.beside(t, log)
	switch log.Verdict {
	case finding.Refused:
		log.Golden = Refused
		return log
	case finding.Unreadable:
		log.Golden = Unread
		return log
	}
	c := &check{gate: g, transcript: t, log: log, sum: recorder.Sum()}
	c.run()
	return log
}

// beside adds what is to be said of other files of the session.
func (g *gate) beside(t *transcript, log *result.Log) {
	plain, compressed := t.files.Encodings()
	if plain != "" && compressed != "" {
		log.Add(finding.New(finding.StoreTwoEncodings, finding.Plain(t.log+" was checked"), finding.Place{Seq: -1}))
	}
	log.Older = t.files.Older
	found := source.Log{Name: t.name(), Older: t.files.Older, Newer: t.newer}
	for _, f := range found.Beside(log.Verdict == finding.Refused || log.Verdict == finding.Unreadable) {
		log.Add(f)
	}
	if len(t.files.Copies) > 0 {
		log.Add(finding.New(finding.StoreNoGeneration, finding.Plain(listed(t.files.Copies)), finding.Place{Seq: -1, File: filepath.ToSlash(t.dir)}))
	}
}

// summed is the check that records a sum while a log is read.
type summed struct {
	verify.Base
	*golden.Recorder
	session *reconstruct.Session
}

// Begin records the header line.
func (s *summed) Begin(_ *result.Log, session *reconstruct.Session) {
	s.session = session
	s.Recorder.Begin(session.Header())
}

// Request records a request. It has no verdict: the sum file that is compared with may not
// be there.
func (s *summed) Request(q *reconstruct.Request) finding.Verdict {
	s.Recorder.Request(q)
	return ""
}

// After records what a record put on the surface.
func (s *summed) After(*logformat.Record) { s.Recorder.Act(s.session) }

// read reads a log and records its sum.
func (g *gate) read(t *transcript, recorder *golden.Recorder) *result.Log {
	if t.files.Absent != "" {
		return result.Absent(t.name(), finding.New(finding.StorePlaceholder, finding.Plain(t.log), finding.Place{Seq: -1}))
	}
	folder := onDisk(t.dir)
	if t.named {
		folder = onDisk(t.dir)
	}
	in, err := open(folder, t.log, g.opts.Authored, g.opts.Read)
	if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
		return result.Refused(t.name(), refusal)
	}
	if err != nil {
		return result.Unreadable(t.name(), reason(err))
	}
	defer in.closer.Close()
	log := verify.Run(t.name(), in.reader, &summed{Recorder: recorder})
	if in.authored != nil {
		log.Authored = true
		detail := fmt.Sprintf("%s from sidecars, %d left as they are", plural(in.authored.Taken, "token"), in.authored.Left)
		log.Add(finding.New(finding.GoldenAuthored, finding.Plain(detail), finding.Place{Seq: -1}))
	}
	return log
}

func reason(err error) string {
	if pathErr, ok := errors.AsType[*os.PathError](err); ok {
		return pathErr.Err.Error()
	}
	return err.Error()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// missing reports a sum file without a transcript, or removes it.
func (g *gate) missing(t *transcript) *result.Log {
	f := finding.New(finding.GoldenMissing, nil, finding.Place{Seq: -1})
	log := result.Place(t.name(), nil)
	log.Golden = Missing
	if g.opts.Update {
		err := os.Remove(filepath.Join(t.dir, t.sum))
		if err != nil {
			return unwritten(log, filepath.Join(t.dir, t.sum), err)
		}
		log.Golden = Removed
		f = accepted(f)
	}
	log.Add(f)
	return log
}

// unwritten reports a sum file that could not be written or removed.
func unwritten(log *result.Log, path string, err error) *result.Log {
	log.Golden = Unwritten
	log.Add(finding.New(finding.GoldenUnwritten, finding.Say("%s: %s", filepath.ToSlash(path), reason(err)), finding.Place{Seq: -1, File: filepath.ToSlash(path)}))
	return log
}

// accepted makes a finding one that was accepted.
func accepted(f finding.Finding) finding.Finding {
	f.Severity, f.Action = finding.Warning, ""
	f.Remark = " (accepted)"
	return f
}

// A check compares one transcript with its sum file.
type check struct {
	*gate
	transcript *transcript
	log        *result.Log
	sum        *golden.Sum
}

func (c *check) run() {
	path := filepath.Join(c.transcript.dir, c.transcript.sum)
	file, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		c.withoutSum()
		return
	}
	if err != nil {
		c.malformed(errors.New(reason(err)))
		return
	}
	want, err := golden.Parse(file)
	if err != nil {
		head := make([]byte, 512)
		n, _ := file.ReadAt(head, 0)
		if other := logformat.OtherFile(head[:n]); other != nil {
			err = other
		}
	}
	file.Close()
	if err != nil {
		c.malformed(err)
		return
	}
	c.log.ComparedWith = join(c.transcript.dir, c.transcript.sum)
	c.compare(want)
}

// withoutSum compares with the log as it was where that is available, and writes the
// sum file where that is asked for and nothing changed, or reports that nothing
// holds the transcript.
func (c *check) withoutSum() {
	want, writes := c.oldSum(), c.opts.Write || c.opts.Update
	if want != nil {
		c.log.ComparedWith = c.opts.Against + ":" + c.transcript.name()
		c.compare(want)
		if writes && c.log.Golden == Unchanged {
			c.write(Written)
		}
		return
	}
	if writes {
		c.write(Written)
		return
	}
	c.log.Golden = New
	c.log.Add(finding.New(finding.GoldenNew, nil, finding.Place{Seq: -1}))
}

// oldSum records the log as it was; nil when it is not available or not sound.
func (c *check) oldSum() *golden.Sum {
	in := c.before(c.transcript)
	if in == nil {
		return nil
	}
	old, err := open(in, c.transcript.log, c.opts.Authored, c.opts.Read)
	if err != nil {
		return nil
	}
	defer old.closer.Close()
	sum, err := golden.Record(old.reader)
	if err != nil {
		return nil
	}
	return sum
}

func (c *check) malformed(err error) {
	detail, place := err.Error(), finding.Place{Seq: -1, File: join(c.transcript.dir, c.transcript.sum)}
	if syntax, ok := errors.AsType[*golden.SyntaxError](err); ok {
		detail, place.Line = syntax.Reason, int64(syntax.Line)
	}
	f := finding.New(finding.GoldenSum, finding.Plain(detail), place)
	if other, ok := errors.AsType[*logformat.Refusal](err); ok {
		f.Action = other.Code.Info().Action
	}
	if c.opts.Update {
		c.log.Add(accepted(f))
		c.write(Accepted)
		return
	}
	c.log.Golden = Unread
	c.log.Add(f)
}

// compare reports how the transcript differs from the sum that is wanted.
func (c *check) compare(want *golden.Sum) {
	changes := golden.Compare(want, c.sum)
	c.judgeRequests(want)
	if len(changes) == 0 {
		c.log.Golden = Unchanged
		if c.log.Verdict == finding.Rebuilt {
			c.log.Verdict = finding.Verified
		}
		return
	}
	found := c.findings(changes)
	c.log.Golden = Changed
	for _, f := range found {
		if c.opts.Update {
			f = accepted(f)
		}
		c.log.Add(f)
	}
	if c.opts.Update {
		c.write(Accepted)
	}
}

// judgeRequests gives each request of the report its verdict.
func (c *check) judgeRequests(want *golden.Sum) {
	digests := make(map[string]bool, len(want.Requests))
	for i := range want.Requests {
		digests[want.Requests[i].Key()+" "+want.Requests[i].Digest] = true
	}
	for i := range c.log.Requests {
		row := &c.log.Requests[i]
		row.Verdict = finding.Drift
		if digests[row.Key()+" "+row.SHA256] {
			row.Verdict = finding.Verified
		}
		switch {
		case row.Prepared:
		case row.Verdict == finding.Verified:
			c.log.Counts.Verified++
		default:
			c.log.Counts.Drifted++
		}
	}
}

func (c *check) write(status string) {
	path := filepath.Join(c.transcript.dir, c.transcript.sum)
	err := c.keepLogs(path)
	if err == nil {
		err = atomicfile.Write(path, golden.Format(c.sum))
	}
	if err != nil {
		unwritten(c.log, path, err)
		return
	}
	c.log.Golden = status
}

// keepLogs rejects a sum file that is a log by another name.
func (c *check) keepLogs(sum string) error {
	info, err := os.Stat(sum)
	if err != nil {
		return nil // it does not exist yet; what else is wrong with it, writing tells
	}
	if !info.Mode().IsRegular() {
		return &regular.NotFile{Mode: info.Mode()} // writing would wait for a pipe's reader
	}
	if kind, err := evidence.Of(sum); err != nil || kind.IsEvidence() && kind != evidence.Sum {
		return cmp.Or(err, fmt.Errorf("it is %s", kind))
	}
	entries, err := os.ReadDir(c.transcript.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(c.transcript.dir, e.Name())
		if e.Name() == filepath.Base(sum) {
			continue
		}
		if other, err := os.Stat(path); err == nil && os.SameFile(info, other) {
			return errors.New("it is the same file as " + path)
		}
	}
	return nil
}
