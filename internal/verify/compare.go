package verify

import (
	"fmt"
	"slices"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/recording"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// A comparison matches rebuilt requests with the entries of a recording. Each entry is
// one request's, or is reported: none is passed over.
type comparison struct {
	file      *recording.File
	session   string
	log       string                        // the log's name in the report
	place     func(int64) finding.Place     // of an event at hand
	byKey     map[string][]*recording.Entry // in the order of the file, but for those that are a request's
	lifetimes lifetimes
	taken     map[*recording.Entry]bool
	ofKey     map[string]*recording.Entry   // the first that is a request's
	digests   map[reconstruct.Digest]string // of rebuilt requests, to tell where a misplaced one belongs
	gone      map[*recording.Entry]bool     // no record, or of another session, as the whole line says
	own       int                           // entries of this session
	matched   int
	foreign   int
	lastIn    *recording.Entry // the entry of the request before, to see the order
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
	entry *recording.Entry
	at    int // index in found
}

func newComparison(file *recording.File, log, session string, place func(int64) finding.Place) *comparison {
	c := &comparison{file: file, log: log, session: session, place: place}
	if file == nil {
		return c
	}
	c.byKey = make(map[string][]*recording.Entry)
	c.taken = make(map[*recording.Entry]bool)
	c.ofKey = make(map[string]*recording.Entry)
	c.gone = make(map[*recording.Entry]bool)
	c.digests = make(map[reconstruct.Digest]string)
	c.causes = make(map[string]int)
	for _, e := range file.Entries {
		if e.SessionID == session {
			c.byKey[e.Key()] = append(c.byKey[e.Key()], e)
			c.own++
			continue
		}
		c.readWhole(e)
	}
	return c
}

func (c *comparison) report(code finding.Code, said finding.Text, place finding.Place) *finding.Finding {
	f := finding.New(code, said, place)
	c.found = append(c.found, f)
	c.imposed = finding.Worse(c.imposed, f.Imposes())
	return &c.found[len(c.found)-1]
}

// request compares one rebuilt request, the row-th, and returns its verdict.
func (c *comparison) request(q *reconstruct.Request, row int) finding.Verdict {
	if c.own == 0 {
		return finding.Rebuilt // nothing of this session to compare with
	}
	c.lifetimes.request(q.Key())
	c.digests[q.Digest()] = q.Key()
	entry, at, err := c.choose(q)
	if err != nil {
		c.report(finding.RecordingUnread, finding.Plain(err.Error()), finding.Place{Request: q.Key(), Seq: -1, Line: entry.Line, File: c.file.Path})
		return finding.Unreadable
	}
	switch {
	case entry == nil:
		return c.without(q)
	case at >= 0 && q.Prepared && c.lifetimes.resumed():
		c.undecided = append(c.undecided, undecided{q.Keep(), row, entry, at, c.lifetimes.now()})
		return finding.Rebuilt
	}
	return c.take(q, entry, at)
}

// without is the verdict of a request that the recording does not hold.
func (c *comparison) without(q *reconstruct.Request) finding.Verdict {
	if q.Prepared {
		return finding.Rebuilt
	}
	place := c.place(q.Boundary.Dispatch)
	place.Request = q.Key()
	c.fold(&c.missing, finding.RecordingMissing, place)
	return finding.Drift
}

// take makes an entry the request's, and returns the verdict.
func (c *comparison) take(q *reconstruct.Request, entry *recording.Entry, at int64) finding.Verdict {
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
func (c *comparison) assign(entry *recording.Entry) {
	key := entry.Key()
	c.matched++
	c.taken[entry] = true
	if c.ofKey[key] == nil {
		c.ofKey[key] = entry
	}
	if list := c.byKey[key]; list[0] == entry {
		c.byKey[key] = list[1:]
	} else {
		c.byKey[key] = slices.DeleteFunc(list, func(e *recording.Entry) bool { return e == entry })
	}
}

// choose returns the entry of a request, nil when there is none: of several under its
// number the first with its bytes that no request has yet, else the last. The offset
// is that of the first difference, negative when there is none.
func (c *comparison) choose(q *reconstruct.Request) (entry *recording.Entry, at int64, err error) {
	key := q.Key()
	for i := 0; i < len(c.byKey[key]); {
		e := c.byKey[key][i]
		differs, err := c.file.Differs(q, e)
		if err == nil && differs >= 0 {
			if !c.readWhole(e) {
				c.byKey[key] = slices.Delete(c.byKey[key], i, i+1)
				continue
			}
			differs, err = c.file.Differs(q, e)
		}
		if err != nil {
			return e, 0, err
		}
		if entry, at = e, differs; differs < 0 {
			break
		}
		i++
	}
	return entry, at, nil
}

// fold reports a request under a code that is reported once, with the list of
// all its requests.
func (c *comparison) fold(at *int, code finding.Code, place finding.Place) {
	if *at == 0 {
		c.report(code, finding.Say("request %s", place.Request), place)
		*at = len(c.found)
	}
	f := &c.found[*at-1]
	f.Requests = append(f.Requests, place.Request)
	f.Count = len(f.Requests) - 1
}

func (c *comparison) order(entry *recording.Entry) {
	if c.lastIn != nil && entry.Line < c.lastIn.Line {
		c.report(finding.RecordingOrder, finding.Say("line %d holds request %s, which the log shows after request %s of line %d", entry.Line, entry.Key(), c.lastIn.Key(), c.lastIn.Line),
			finding.Place{Request: entry.Key(), Seq: -1, Line: entry.Line, File: c.file.Path})
	}
	c.lastIn = entry
}

// drift reports where a request and its recording part. A later request that
// drifts in the same part of the log is folded into the first.
func (c *comparison) drift(q *reconstruct.Request, entry *recording.Entry, at int64) {
	part, inPart := q.PartAt(at)
	cause := causeOf(q, part, inPart)
	if i, ok := c.causes[cause]; ok && cause != "" {
		c.found[i].Requests = append(c.found[i].Requests, q.Key())
		c.found[i].Count++
		return
	}
	place := finding.Place{Request: q.Key(), Seq: -1, Line: entry.Line, Offset: at, File: c.file.Path}
	what := "the structure of the request"
	if inPart {
		place.Pointer = part.Pointer
		what = describePart(part)
		place.Seq = seqOf(part)
	}
	headline, lines, pointer := c.explain(q, entry, at)
	if pointer != "" {
		place.Pointer = pointer
	}
	f := c.report(finding.RecordingDrift, finding.Say("request %s, byte %d of %d (%d recorded): %s; it should come from %s", q.Key(), at, q.Len(), entry.Length, headline, what), place)
	f.Requests = []string{q.Key()}
	f.Detail = lines
	if inPart {
		f.Cause = eventOf(c.log, q, part)
	}
	c.drifts = append(c.drifts, drift{entry, len(c.found) - 1})
	if cause != "" {
		c.causes[cause] = len(c.found) - 1
	}
}

func causeOf(q *reconstruct.Request, part reconstruct.Part, ok bool) string {
	switch {
	case !ok:
		return ""
	case part.Message != nil:
		return fmt.Sprintf("message %d", part.Message.Seq)
	case part.Header != nil:
		return fmt.Sprintf("%s %d", part.Pointer, part.Header.Seq)
	}
	return part.Pointer
}

func seqOf(part reconstruct.Part) int64 {
	switch {
	case part.Message != nil:
		return part.Message.Seq
	case part.Header != nil:
		return part.Header.Seq
	}
	return -1
}

// eventOf is the place of the event that a part of a request comes from.
func eventOf(file string, q *reconstruct.Request, part reconstruct.Part) *finding.Place {
	place := &finding.Place{File: file, Session: q.SessionID, Line: 1, Seq: -1, Request: q.Key()}
	switch {
	case part.Message != nil:
		place.Seq, place.Line = part.Message.Seq, part.Message.Pos.Line
	case part.Header != nil:
		place.Seq, place.Line = part.Header.Seq, part.Header.Pos.Line
	}
	return place
}

// describePart names the event that a part comes from.
func describePart(part reconstruct.Part) string {
	switch {
	case part.Message != nil:
		return fmt.Sprintf("seq %d (%s, line %d)", part.Message.Seq, part.Message.Type, part.Message.Pos.Line)
	case part.Header != nil:
		return fmt.Sprintf("seq %d (request/header, line %d)", part.Header.Seq, part.Header.Pos.Line)
	}
	return "the log's header line"
}

// diffLimit is the size up to which both sides of a drift are loaded to be
// shown by JSON path; of larger ones only a window around the byte is.
const diffLimit = 64 << 20

const window = 60 // bytes shown on each side of a differing byte

// explain says where two sides part, and shows both around that byte. A side of
// any size is loaded only for its window, unless it is small enough to be parsed.
func (c *comparison) explain(q *reconstruct.Request, entry *recording.Entry, at int64) (headline finding.Text, lines []finding.Lines, pointer string) {
	recorded, from := c.recordedWindow(entry, at)
	lines = []finding.Lines{finding.Say("recorded %s", elide(recorded, from, entry.Length))}
	if q.Len() > diffLimit {
		return finding.Plain("the bytes differ"), lines, ""
	}
	rebuilt := q.Bytes()
	start, end := max(0, at-window), min(q.Len(), at+window)
	lines = append(lines, finding.Say("log      %s", elide(rebuilt[start:end], start, q.Len())))
	headline, pointer = whereAt(rebuilt, at)
	if c.sameValues(rebuilt, entry) {
		headline = finding.Plain(printedAnew)
	}
	return headline, lines, pointer
}

// sameValues reports whether a recorded request is the rebuilt one in another
// spelling or order.
func (c *comparison) sameValues(rebuilt []byte, entry *recording.Entry) bool {
	if entry.Length > diffLimit {
		return false
	}
	recorded, err := c.file.Bytes(entry)
	return err == nil && sameJSON(recorded, rebuilt)
}

func (c *comparison) recordedWindow(entry *recording.Entry, at int64) (text []byte, from int64) {
	from = max(0, at-window)
	text = make([]byte, max(0, min(entry.Length, at+window)-from))
	n, _ := c.file.Section(entry).ReadAt(text, from)
	return text[:n], from
}

// whereAt names the innermost value that holds a byte of a request, and the
// place in its text when it is a string.
func whereAt(request []byte, at int64) (headline finding.Text, pointer string) {
	if at >= int64(len(request)) {
		return finding.Plain("the recording goes on where the request ends"), ""
	}
	pointer, start, leaf := ecmajson.Value(request).Locate(int(at))
	where := finding.At(pointer)
	if into := int(at) - start; leaf.Kind() == ecmajson.String && into >= 1 {
		return finding.Say("%s differs at byte %d of %d", where, into-1, len(leaf)-2), pointer
	}
	if pointer == "" {
		return finding.Plain("the request differs"), pointer
	}
	return finding.Say("%s differs", where), pointer
}

// elide shows a window of a text of the given length.
func elide(text []byte, from, length int64) finding.Span {
	out := diffview.Visible(text)
	if from > 0 {
		out = "…" + out
	}
	if from+int64(len(text)) < length {
		out += "…"
	}
	return finding.Excerpt(string(text), out)
}

// close reports what is left of the recording, and what the whole comparison says.
func (c *comparison) close(r *run) {
	if c.file == nil {
		return
	}
	r.log.ComparedWith = c.file.Path
	c.decide(r)
	c.leftOver()
	c.malformed()
	c.odd()
	for _, d := range c.drifts {
		c.misplaced(d)
	}
	if c.foreign > 0 {
		c.report(finding.RecordingElsewhere, finding.Plain(plural(c.foreign, "request")), finding.Place{Seq: -1, File: c.file.Path})
	}
	c.settle(r)
}

// malformed reports the lines that are no request records as one finding.
func (c *comparison) malformed() {
	if len(c.file.Bad) == 0 {
		return
	}
	slices.SortFunc(c.file.Bad, func(a, b recording.Malformed) int { return int(a.Line - b.Line) })
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
func (c *comparison) odd() {
	for _, kind := range []struct {
		code finding.Code
		is   func(recording.OddLine) bool
	}{
		{finding.RecordingRepeated, func(o recording.OddLine) bool { return o.Duplicates > 0 }},
		{finding.RecordingNotUTF8, func(o recording.OddLine) bool { return o.NotUTF8 > 0 }},
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
			c.report(kind.code, finding.Plain(listed(lines)), finding.Place{Line: first, Seq: -1, File: c.file.Path})
		}
	}
}

// misplaced tells a drifted entry that is another request's bytes.
func (c *comparison) misplaced(d drift) {
	digest, err := c.file.Digest(d.entry)
	if err != nil {
		return
	}
	if key, ok := c.digests[reconstruct.Digest(digest)]; ok {
		f := &c.found[d.at]
		f.Detail = slices.Insert(f.Detail, 0, finding.Lines(finding.Say("the recorded bytes are exactly those of request %s: the recording's lines were swapped or renumbered", key)))
	}
}

func (c *comparison) settle(r *run) {
	for _, row := range r.log.Requests {
		switch row.Verdict {
		case finding.Verified:
			if row.Prepared {
				r.log.Counts.Proved++
				continue
			}
			r.log.Counts.Verified++
		case finding.Drift:
			r.log.Counts.Drifted++
		}
	}
	for _, f := range c.found {
		r.log.Add(f)
	}
	switch {
	case c.imposed == "" && c.own == 0 && r.log.Counts.Requests > 0:
		r.note(finding.RecordingNotMatched, nil, finding.Place{Seq: -1, File: c.file.Path})
	case c.matched > 0:
		r.verified()
	}
}
