package verify

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/audit"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/recording"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/sqlitestore"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// Options say what a log is checked against.
type Options struct {
	Recording *recording.File       // nil: nothing to compare with
	Capture   *Capture              // nil: no captured traffic
	Objects   *objectstore.Verifier // nil: no object store at hand
	// Observe, when set, sees what every record says before it is applied.
	Observe func(*transcript.Act)
	// Audit checks the log against itself too.
	Audit bool
	// NoObjects leaves attachments unchecked, and says nothing of it.
	NoObjects bool
	// Watch, when set, sees what the run reads.
	Watch Watcher
}

// A Watcher follows a run in the order of the log. It sees a request before the
// act that completes it, and an act, which is the session's latest, after it was
// applied.
type Watcher interface {
	Begin(*logformat.SessionHeader)
	Request(*reconstruct.Request)
	Act(*reconstruct.Session)
}

// Run checks one log; name is how the report calls it.
func Run(name string, reader *logformat.Reader, opts Options) *result.Log {
	run := newRun(name, opts)
	run.read(reader)
	run.close(reader)
	return run.log
}

// A run is the check of one log under way.
type run struct {
	opts    Options
	log     *result.Log
	session *reconstruct.Session
	compare *comparison
	traffic *traffic // nil: no capture
	objects *objectCheck
	audit   *audit.Audit // nil: none is asked for
	doubted map[reconstruct.Doubt][]string
	current *logformat.Record  // that is being applied
	step    logformat.Position // of the open step's start
	stepSeq int64
	overOld []string // requests that are the harness's own bytes over history that is not
}

func newRun(name string, opts Options) *run {
	return &run{
		opts:    opts,
		log:     result.New(name),
		doubted: make(map[reconstruct.Doubt][]string),
	}
}

func (r *run) read(reader *logformat.Reader) {
	header, err := reader.Header()
	if err != nil {
		r.fail(err)
		return
	}
	r.identify(header, reader)
	if r.opts.Watch != nil {
		r.opts.Watch.Begin(header)
	}
	fold := reconstruct.Options{Observe: r.opts.Observe}
	if r.opts.Audit {
		r.audit = audit.New(header)
		fold.Observe = r.observe
	}
	if r.traffic = newTraffic(r.opts.Capture, header, r.opts.Objects); r.traffic != nil {
		fold.Oneshot = r.traffic.oneshot
	}
	r.session = reconstruct.NewSession(header, fold)
	if r.audit != nil {
		r.audit.Follow(r.session)
	}
	r.compare = newComparison(r.opts.Recording, r.log.File, header.ID, r.place)
	r.objects = newObjectCheck(r.opts.Objects)
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

// observe passes an act on to those that watch.
func (r *run) observe(act *transcript.Act) {
	if r.opts.Observe != nil {
		r.opts.Observe(act)
	}
	r.audit.Act(act)
}

func (r *run) apply(rec *logformat.Record) error {
	r.current = rec
	q, err := r.session.Apply(rec)
	if err != nil {
		return err
	}
	if q != nil {
		r.request(q)
	}
	act := r.session.Act()
	if act.Kind == transcript.StepStart {
		r.step, r.stepSeq = act.Event.Pos, act.Event.Seq
	}
	if act.OnSurface() && !r.opts.NoObjects {
		if m := r.session.Surface().Node(act.Event.Seq); m != nil {
			r.objects.message(m)
		}
	}
	r.compare.lifetimes.act(act, r.session.Seed())
	if r.traffic != nil {
		r.traffic.act(r.session)
		r.traffic.events.record(rec)
	}
	if r.opts.Watch != nil {
		r.opts.Watch.Act(r.session)
	}
	return nil
}

// place returns the place of an event that the run has at hand: of the record that
// is being applied, or the start of the step that it ends.
func (r *run) place(seq int64) finding.Place {
	var pos logformat.Position
	switch {
	case r.current != nil && r.current.First() <= seq && seq <= r.current.Last():
		pos = r.current.Position()
	case r.step.Line > 0 && seq == r.stepSeq:
		pos = r.step
	}
	return finding.Place{Seq: seq, Line: pos.Line, Offset: pos.Offset, Frame: pos.Frame}
}

// request checks one request.
func (r *run) request(q *reconstruct.Request) {
	if r.opts.Watch != nil {
		r.opts.Watch.Request(q)
	}
	if r.audit != nil {
		r.audit.Request(q)
	}
	row := newRow(q)
	r.objects.request(q, r.session.Surface())
	row.Verdict = r.compare.request(q, len(r.log.Requests))
	if r.traffic != nil {
		row.Verdict = r.traffic.request(q)
	}
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
		r.note(finding.LogHeaderKeys, finding.Say("%d unknown keys, the first %q", len(h.Unknown), h.Unknown[0]), finding.Place{Line: 1, Seq: -1})
	}
}

// fail records why the log could not be read to its end.
func (r *run) fail(err error) {
	refusal, ok := errors.AsType[*logformat.Refusal](err)
	switch {
	case ok:
		r.log.Add(finding.FromRefusal(refusal))
	case errors.Is(err, sqlitestore.ErrMoved):
		r.note(finding.StoreMoved, nil, finding.Place{Seq: -1})
	default:
		r.note(finding.InputUnreadable, finding.Plain(err.Error()), finding.Place{Seq: -1})
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
	r.compare.close(r)
	if r.traffic != nil {
		r.traffic.close(r)
	}
	r.objects.close(r)
	if r.audit != nil {
		for _, f := range r.audit.Findings() {
			r.log.Add(f)
		}
	}
	if log.Verdict == "" {
		log.Verdict = finding.Rebuilt
	}
}

// secondFaults adds the faults behind the one that decided, as notes on how
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
			r.note(finding.TailIssue, finding.Say("%s; %s", uncommitted(tail.Cause), detail), place)
		} else {
			r.note(finding.TailTorn, finding.Plain(detail), place)
		}
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
			r.note(n.code, finding.Plain(plural(n.count, n.what)), finding.Place{Seq: -1})
		}
	}
}

// uncommitted is what a refusal says, of a tail: nothing in it was committed.
func uncommitted(cause *logformat.Refusal) string {
	return strings.Replace(cause.Message(), " in the committed part of the log", "", 1)
}

func (r *run) requestNotes(s reconstruct.Stats) {
	var prepared []string
	for _, row := range r.log.Requests {
		if row.Prepared && row.Verdict == finding.Rebuilt {
			prepared = append(prepared, row.Key())
		}
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
		r.note(finding.RequestHeadless, finding.Plain(plural(s.Headless, "request")), finding.Place{Seq: -1})
	}
}

// note adds a finding of the catalogue; said is what was found there.
func (r *run) note(code finding.Code, said finding.Text, place finding.Place) {
	r.log.Add(finding.New(code, said, place))
}

func plural[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (r *run) noteRequests(code finding.Code, keys []string) {
	f := finding.New(code, finding.Plain(plural(len(keys), "request")), finding.Place{Seq: -1, Request: keys[0]})
	f.Requests = keys
	r.log.Add(f)
}

// verified makes the verdict that of a log that was compared, unless a finding imposes
// another one.
func (r *run) verified() { r.log.Verdict = finding.Worse(r.log.Verdict, finding.Verified) }
