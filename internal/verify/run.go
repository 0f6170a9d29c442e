package verify

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/text"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/sqlitestore"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// Run folds one log once and compares it with each check; name is how the report calls it.
// Findings come in the order of the checks.
func Run(name string, reader *logformat.Reader, checks ...Check) *result.Log {
	run := &run{log: result.New(name), checks: checks, doubted: make(map[reconstruct.Doubt][]string)}
	run.read(reader)
	run.close(reader)
	return run.log
}

// A run is the check of one log under way.
type run struct {
	log     *result.Log
	checks  []Check
	session *reconstruct.Session
	doubted map[reconstruct.Doubt][]string
	overOld []string // requests that are the harness's own bytes over history that is not
}

func (r *run) read(reader *logformat.Reader) {
	header, err := reader.Header()
	if err != nil {
		r.fail(err)
		return
	}
	r.identify(header, reader)
	r.session = reconstruct.NewSession(header, r.foldOptions())
	for _, c := range r.checks {
		c.Begin(r.log, r.session)
	}
	for rec, err := range reader.Records() {
		if err == nil {
			err = r.apply(rec)
		}
		if err != nil {
			r.fail(reconstruct.Outranked(reader, err))
			return
		}
	}
	if q := r.session.Finish(); q != nil {
		r.request(q)
	}
}

// foldOptions passes on to the checks what the fold tells of.
func (r *run) foldOptions() (opts reconstruct.Options) {
	if len(r.checks) > 0 {
		opts.Observe = func(act *transcript.Act) {
			for _, c := range r.checks {
				c.Before(act)
			}
		}
	}
	for _, c := range r.checks {
		if sees, ok := c.(seesOneshots); ok {
			opts.Oneshot = sees.Oneshot
		}
	}
	return opts
}

func (r *run) apply(rec *logformat.Record) error {
	q, err := r.session.Apply(rec)
	if err != nil {
		return err
	}
	if q != nil {
		r.request(q)
	}
	for _, c := range r.checks {
		c.After(rec)
	}
	return nil
}

// request asks each check for its verdict of one request.
func (r *run) request(q *reconstruct.Request) {
	var verdict finding.Verdict
	for _, c := range r.checks {
		verdict = finding.Worse(verdict, c.Request(q))
	}
	row := newRow(q) // after a recording has settled its shape
	row.Verdict = cmp.Or(verdict, finding.Rebuilt)
	if q.Doubt != 0 {
		r.doubted[q.Doubt] = append(r.doubted[q.Doubt], q.Key())
	}
	if q.OverOld && q.Doubt == 0 {
		r.overOld = append(r.overOld, q.Key())
	}
	r.log.Requests = append(r.log.Requests, row)
}

func (r *run) identify(h *logformat.SessionHeader, reader *logformat.Reader) {
	r.log.Session = SessionOf(h, reader.Encoding())
	if len(h.Unknown) > 0 {
		r.log.Note(finding.LogHeaderKeys, finding.Say("%d unknown keys, the first %q", len(h.Unknown), h.Unknown[0]), finding.Place{Line: 1, Seq: -1})
	}
}

// fail records why the log could not be read to its end.
func (r *run) fail(err error) {
	refusal, ok := errors.AsType[*logformat.Refusal](err)
	switch {
	case ok:
		r.log.Add(finding.FromRefusal(refusal))
	case errors.Is(err, sqlitestore.ErrMoved):
		r.log.Note(finding.StoreMoved, nil, finding.Place{Seq: -1})
	default:
		r.log.Note(finding.InputUnreadable, finding.Plain(err.Error()), finding.Place{Seq: -1})
	}
}

// close adds what is known only at the end, and settles the verdict.
func (r *run) close(reader *logformat.Reader) {
	log := r.log
	stats := reader.Stats()
	log.Counts.Lines, log.Counts.Bytes, log.Counts.Events = stats.Lines, stats.Bytes, stats.Events
	if r.session == nil {
		return
	}
	s := r.session.Stats()
	c := &log.Counts
	c.Turns, c.Steps, c.Requests, c.Retries = s.Turns, s.Steps, s.Requests, s.Attempts
	c.Prepared, c.Inherited, c.Headers, c.Replaces = s.Prepared, s.Inherited, s.Headers, s.Replaces
	if log.Verdict == finding.Refused || log.Verdict == finding.Unreadable {
		r.secondFaults(reader)
		log.Requests = []result.Request{} // nothing that a refused log says is passed on
		return
	}
	r.readerNotes(reader, stats)
	r.requestNotes(s)
	for _, c := range r.checks {
		c.Close()
	}
	if log.Verdict == "" {
		log.Verdict = finding.Rebuilt
	}
}

// secondFaults adds the faults after the one that decided, as notes on how
// much else is wrong.
func (r *run) secondFaults(reader *logformat.Reader) {
	decisive := r.log.Findings[len(r.log.Findings)-1]
	for _, refusal := range reader.Refusals() {
		f := finding.FromRefusal(refusal)
		if f.Code != decisive.Code && (f.Place.Seq != decisive.Place.Seq || f.Place.Line != decisive.Place.Line) {
			r.log.Add(f)
		}
	}
}

func (r *run) readerNotes(reader *logformat.Reader, stats logformat.Stats) {
	if tail := reader.Tail(); tail != nil {
		place := finding.Place{Line: tail.Pos.Line, Offset: tail.Pos.Offset, Frame: tail.Pos.Frame, Seq: -1}
		detail := fmt.Sprintf("%d bytes of decoded text are no part of the session", tail.Bytes)
		if tail.Cause != nil {
			r.log.Note(finding.TailIssue, finding.Say("%s; %s", uncommitted(tail.Cause), detail), place)
		} else {
			r.log.Note(finding.TailTorn, finding.Plain(detail), place)
		}
	}
	if later := reader.Later(); later != nil {
		r.laterNote(later)
	}
	for _, n := range []struct {
		code  finding.Code
		count int64
		what  string
	}{
		{finding.LogInvalidUTF8, stats.InvalidUTF8, "line"},
		{finding.LogForeignJSON, stats.NonCanonical - stats.InvalidUTF8, "line"},
		{finding.LogNoChecksum, int64(stats.NoChecksum), "frame"},
		{finding.LogUpgraded, stats.Upgraded, "event"},
		{finding.LogIgnored, stats.Ignored, "event"},
		{finding.LogAdmitted, stats.Admitted, "event"},
	} {
		if n.count > 0 {
			r.log.Note(n.code, finding.Plain(text.Count(n.count, n.what)), finding.Place{Seq: -1})
		}
	}
}

// laterNote says what a later release will refuse the log for.
func (r *run) laterNote(later *logformat.Refusal) {
	detail := finding.Span{Kind: finding.Private}
	if later.Detail != "" {
		detail.Text = later.Detail + ": "
	}
	said := finding.Say("%s refuses it by %s: %s%s", logformat.LaterRelease, string(later.Code), detail, later.Code.Info().Meaning)
	r.log.Note(finding.LogLaterRefuses, said, finding.Place{
		Line: later.Pos.Line, Offset: later.Pos.Offset, Frame: later.Pos.Frame, Seq: later.Seq,
	})
}

// uncommitted is what a refusal says, of a tail: nothing in it was committed.
func uncommitted(cause *logformat.Refusal) string {
	return strings.Replace(cause.Message(), " in the committed part of the log", "", 1)
}

func (r *run) requestNotes(s reconstruct.Stats) {
	var prepared, assumed []string
	for _, row := range r.log.Requests {
		if row.Prepared && row.Verdict == finding.Rebuilt {
			prepared = append(prepared, row.Key())
		}
		if row.ShapeAssumed {
			assumed = append(assumed, row.Key())
		}
	}
	if len(assumed) > 0 {
		r.noteRequests(finding.RequestShapeAssumed, assumed)
	}
	if len(prepared) > 0 {
		r.noteRequests(finding.RequestPrepared, prepared)
	}
	for d := reconstruct.Doubt(1); d < 8; d++ {
		if keys := r.doubted[d]; len(keys) > 0 {
			r.noteRequests(finding.RequestDoubt, keys)
		}
	}
	if len(r.overOld) > 0 {
		r.noteRequests(finding.RequestOverOld, r.overOld)
	}
	if s.Headless > 0 {
		r.log.Note(finding.RequestHeadless, finding.Plain(text.Count(s.Headless, "request")), finding.Place{Seq: -1})
	}
}

func (r *run) noteRequests(code finding.Code, keys []string) {
	f := finding.New(code, finding.Plain(text.Count(len(keys), "request")), finding.Place{Seq: -1, Request: keys[0]})
	f.Requests = keys
	r.log.Add(f)
}
