package compare

import (
	"fmt"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/text"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// maxListed is how many lines are named in one finding.
const maxListed = 10

// A Check matches rebuilt requests with the entries of a recording. Each entry is
// one request's, or is reported: none is passed over.
type Check struct {
	verify.Base
	file      *requestlog.File
	log       *result.Log
	session   *reconstruct.Session
	step      logformat.Position // of the open step's start
	stepSeq   int64
	byKey     map[string][]*requestlog.Entry // in the order of the file, except for those that are a request's
	lifetimes lifetimes
	taken     map[*requestlog.Entry]bool
	ofKey     map[string]*requestlog.Entry  // the first that is a request's
	digests   map[reconstruct.Digest]string // of rebuilt requests, to tell where a misplaced one belongs
	gone      map[*requestlog.Entry]bool    // no record, or of another session, as the whole line says
	own       int                           // entries of this session
	matched   int
	foreign   int
	lastIn    *requestlog.Entry // the entry of the request before, to see the order
	undecided []undecided
	found     []finding.Finding
	drifts    []drift
	causes    map[string]int  // index in found, by what drifted
	imposed   finding.Verdict // by what was found
	missing   int             // index in found plus 1 of the finding that lists what the recording lacks
	extra     int             // the same for what the log lacks
}

// A drift is a request whose recorded bytes differ.
type drift struct {
	entry *requestlog.Entry
	at    int // index in found
}

// New returns the check that compares the requests of a log with those of a recording.
func New(file *requestlog.File) *Check {
	return &Check{
		file: file, byKey: make(map[string][]*requestlog.Entry), taken: make(map[*requestlog.Entry]bool),
		ofKey: make(map[string]*requestlog.Entry), gone: make(map[*requestlog.Entry]bool),
		digests: make(map[reconstruct.Digest]string), causes: make(map[string]int),
	}
}

// Begin takes the entries of the session.
func (c *Check) Begin(log *result.Log, session *reconstruct.Session) {
	c.log, c.session = log, session
	for _, e := range c.file.Entries {
		if e.SessionID == log.Session.ID {
			c.byKey[e.Key()] = append(c.byKey[e.Key()], e)
			c.own++
			continue
		}
		c.readWhole(e)
	}
}

// After notes where a step and a process begin.
func (c *Check) After(*logformat.Record) {
	act := c.session.Act()
	if act.Kind == transcript.StepStart {
		c.step, c.stepSeq = act.Event.Pos, act.Event.Seq
	}
	c.lifetimes.act(c.session)
}

// place returns the place of an event that is available: of the record that is being
// applied, or the start of the step that it ends.
func (c *Check) place(seq int64) finding.Place {
	var pos logformat.Position
	switch act := c.session.Act(); {
	case act != nil && act.First() <= seq && seq <= act.Last():
		pos = act.Position()
	case c.step.Line > 0 && seq == c.stepSeq:
		pos = c.step
	}
	return finding.Place{Seq: seq, Line: pos.Line, Offset: pos.Offset, Frame: pos.Frame}
}

func (c *Check) report(code finding.Code, said finding.Text, place finding.Place) *finding.Finding {
	f := finding.New(code, said, place)
	c.found = append(c.found, f)
	c.imposed = finding.Worse(c.imposed, f.Imposes())
	return &c.found[len(c.found)-1]
}

// Request compares one rebuilt request, and returns its verdict.
func (c *Check) Request(q *reconstruct.Request) finding.Verdict {
	if c.own == 0 {
		return "" // nothing of this session to compare with
	}
	row := len(c.log.Requests)
	c.lifetimes.request(q.Key())
	for _, v := range q.Variants() {
		c.digests[v.Digest()] = q.Key()
	}
	entry, fit, at, err := c.choose(q)
	if err != nil {
		c.report(finding.RecordingUnread, finding.Plain(err.Error()), finding.Place{Request: q.Key(), Seq: -1, Line: entry.Line, File: c.file.Path})
		return finding.Unreadable
	}
	switch {
	case entry == nil:
		return c.without(q)
	case at >= 0 && q.Prepared && c.lifetimes.resumed():
		c.undecided = append(c.undecided, undecided{fit.Keep(), row, entry, at, c.lifetimes.now()})
		return finding.Rebuilt
	case at >= 0:
		return c.take(fit, entry, at)
	}
	q.Settle(fit)
	return c.take(q, entry, at)
}

// without is the verdict of a request that the recording does not hold.
func (c *Check) without(q *reconstruct.Request) finding.Verdict {
	if q.Prepared {
		return finding.Rebuilt
	}
	place := c.place(q.Boundary.Dispatch)
	place.Request = q.Key()
	c.fold(&c.missing, finding.RecordingMissing, place)
	return finding.Drift
}

// take makes an entry the request's, and returns the verdict.
func (c *Check) take(q *reconstruct.Request, entry *requestlog.Entry, at int64) finding.Verdict {
	c.assign(entry)
	c.lifetimes.line(entry.Line)
	c.order(entry)
	if at >= 0 {
		c.drift(q, entry, at)
		return finding.Drift
	}
	if q.Prepared {
		place := c.place(q.Boundary.StepStart)
		place.Request = q.Key()
		c.report(finding.RecordingProves, finding.Say("request %s", q.Key()), place)
	}
	return finding.Verified
}

// assign makes an entry a request's.
func (c *Check) assign(entry *requestlog.Entry) {
	key := entry.Key()
	c.matched++
	c.taken[entry] = true
	if c.ofKey[key] == nil {
		c.ofKey[key] = entry
	}
	if list := c.byKey[key]; list[0] == entry {
		c.byKey[key] = list[1:]
	} else {
		c.byKey[key] = slices.DeleteFunc(list, func(e *requestlog.Entry) bool { return e == entry })
	}
}

// choose returns the entry of a request, nil when there is none: of several under its
// number the first with its bytes that no request has yet, else the last. The offset
// is that of the first difference, negative when there is none; fit is the request in the
// shape that comes closest.
func (c *Check) choose(q *reconstruct.Request) (entry *requestlog.Entry, fit *reconstruct.Request, at int64, err error) {
	key := q.Key()
	for i := 0; i < len(c.byKey[key]); {
		e := c.byKey[key][i]
		closest, differs, err := c.closest(q, e)
		if err == nil && differs >= 0 {
			if !c.readWhole(e) {
				c.byKey[key] = slices.Delete(c.byKey[key], i, i+1)
				continue
			}
			closest, differs, err = c.closest(q, e)
		}
		if err != nil {
			return e, q, 0, err
		}
		if entry, fit, at = e, closest, differs; differs < 0 {
			break
		}
		i++
	}
	return entry, fit, at, nil
}

// closest compares an entry with a request in each shape that it may have, and returns
// the one that is equal for longest, and where it differs.
func (c *Check) closest(q *reconstruct.Request, e *requestlog.Entry) (fit *reconstruct.Request, at int64, err error) {
	for _, v := range q.Variants() {
		differs, err := c.file.Differs(v, e)
		if err != nil || differs < 0 {
			return v, differs, err
		}
		if fit == nil || differs > at {
			fit, at = v, differs
		}
	}
	return fit, at, nil
}

// fold reports a request under a code that is reported once, with the list of
// all its requests.
func (c *Check) fold(at *int, code finding.Code, place finding.Place) {
	if *at == 0 {
		c.report(code, finding.Say("request %s", place.Request), place)
		*at = len(c.found)
	}
	f := &c.found[*at-1]
	f.Requests = append(f.Requests, place.Request)
	f.Count = len(f.Requests) - 1
}

func (c *Check) order(entry *requestlog.Entry) {
	if c.lastIn != nil && entry.Line < c.lastIn.Line {
		c.report(finding.RecordingOrder, finding.Say("line %d holds request %s, which the log shows after request %s of line %d", entry.Line, entry.Key(), c.lastIn.Key(), c.lastIn.Line),
			finding.Place{Request: entry.Key(), Seq: -1, Line: entry.Line, File: c.file.Path})
	}
	c.lastIn = entry
}

// Close reports what is left of the recording, and what the whole comparison says.
func (c *Check) Close() {
	c.log.ComparedWith = c.file.Path
	c.decide()
	c.leftOver()
	c.malformed()
	c.odd()
	for _, d := range c.drifts {
		c.misplaced(d)
	}
	if c.foreign > 0 {
		c.report(finding.RecordingElsewhere, finding.Plain(text.Count(c.foreign, "request")), finding.Place{Seq: -1, File: c.file.Path})
	}
	c.settle()
}

// malformed reports the lines that are no request records as one finding.
func (c *Check) malformed() {
	if len(c.file.Bad) == 0 {
		return
	}
	slices.SortFunc(c.file.Bad, func(a, b requestlog.Malformed) int { return int(a.Line - b.Line) })
	first := c.file.Bad[0]
	f := c.report(finding.RecordingMalformed, finding.Say("line %d: %s", first.Line, first.Reason), finding.Place{Line: first.Line, Seq: -1, File: c.file.Path})
	const shown = 10
	for _, bad := range c.file.Bad[1:min(len(c.file.Bad), shown)] {
		f.Detail = append(f.Detail, finding.Say("line %d: %s", bad.Line, bad.Reason))
	}
	if more := len(c.file.Bad) - shown; more > 0 {
		f.Detail = append(f.Detail, finding.Say("… and %d more lines", more))
	}
	f.Count = len(c.file.Bad) - 1
}

// odd reports what is odd about lines that were read whole, each kind once.
func (c *Check) odd() {
	for _, kind := range []struct {
		code finding.Code
		is   func(requestlog.OddLine) bool
	}{
		{finding.RecordingRepeated, func(o requestlog.OddLine) bool { return o.Duplicates > 0 }},
		{finding.RecordingNotUTF8, func(o requestlog.OddLine) bool { return o.NotUTF8 > 0 }},
	} {
		var lines []string
		first := int64(0)
		for _, o := range c.file.Odd {
			if kind.is(o) {
				lines = append(lines, fmt.Sprintf("line %d (%s)", o.Line, o.Oddities))
			}
			if len(lines) == 1 {
				first = o.Line
			}
		}
		if len(lines) > 0 {
			c.report(kind.code, finding.Plain(text.List(lines, maxListed)), finding.Place{Line: first, Seq: -1, File: c.file.Path})
		}
	}
}

// misplaced tells a drifted entry that is another request's bytes.
func (c *Check) misplaced(d drift) {
	digest, err := c.file.Digest(d.entry)
	if err != nil {
		return
	}
	if key, ok := c.digests[reconstruct.Digest(digest)]; ok {
		f := &c.found[d.at]
		f.Detail = slices.Insert(f.Detail, 0, finding.Lines(finding.Say("the recorded bytes are exactly those of request %s: the recording's lines were swapped or renumbered", key)))
	}
}

func (c *Check) settle() {
	for _, row := range c.log.Requests {
		switch row.Verdict {
		case finding.Verified:
			if row.Prepared {
				c.log.Counts.Proved++
				continue
			}
			c.log.Counts.Verified++
		case finding.Drift:
			c.log.Counts.Drifted++
		}
	}
	for _, f := range c.found {
		c.log.Add(f)
	}
	switch {
	case c.imposed == "" && c.own == 0 && c.log.Counts.Requests > 0:
		c.log.Note(finding.RecordingNotMatched, nil, finding.Place{Seq: -1, File: c.file.Path})
	case c.matched > 0:
		c.log.Compared()
	}
}
