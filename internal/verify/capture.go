package verify

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/capture"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// A Capture is captured traffic to compare with, and what is known of the
// deployment that sent it.
type Capture struct {
	Path   string
	Bodies []*capture.Body
	Policy wire.Policy
	// Fixed are the settings of the policy that a user gave. The others are
	// inferred from the bodies, and what was inferred is reported.
	Fixed map[string]bool
}

// A traffic matches requests with captured bodies: by session, then by exact
// bytes, then by order within the session.
type traffic struct {
	of      *Capture
	session string
	redact  *redact.Redactor
	builder *wire.Builder
	bodies  []*posted // of this session, loop and one-shots
	foreign int
	next    int // in bodies: where the next request is looked for first
	digests map[[sha256.Size]byte][]*posted

	open     []*reconstruct.Request // requests without a body yet
	last     *posted                // the body of the request before
	oneshots []*oneshot
	assumed  map[string]bool
	order    []string // the keys of assumed, as they came
	holes    map[wire.HoleKind]int
	proved   int
	fileIDs  map[string]string
	renewed  int
	verdicts map[string]finding.Verdict // by request key
	matched  int
	known    int // bodies that say they are of this session
	starts   int // compactions that were started; what a failed one sent is not in the log
}

// A posted body, and what it was matched with.
type posted struct {
	*capture.Body
	text  []byte
	taken bool
	body  *wire.Body // of the request that it is, for re-posts
	key   string
}

func newTraffic(c *Capture, session string, objects *objectstore.Verifier, redactor *redact.Redactor) *traffic {
	if c == nil {
		return nil
	}
	t := &traffic{
		of: c, session: session, redact: redactor, builder: wire.NewBuilder(c.Policy, objects),
		digests: make(map[[sha256.Size]byte][]*posted), assumed: make(map[string]bool), holes: make(map[wire.HoleKind]int),
		fileIDs: make(map[string]string), verdicts: make(map[string]finding.Verdict),
	}
	for _, b := range c.Bodies {
		if b.SessionID != "" && b.SessionID != session {
			t.foreign++
			continue
		}
		p := &posted{Body: b}
		t.bodies = append(t.bodies, p)
		if b.SessionID != "" {
			t.known++
		}
		if b.Incomparable != "" {
			continue
		}
		text, err := b.Bytes()
		if err != nil {
			b.Incomparable = err.Error()
			continue
		}
		p.text = text
		sum := sha256.Sum256(text)
		t.digests[sum] = append(t.digests[sum], p)
	}
	return t
}

// request looks for the body of a request.
func (t *traffic) request(q *reconstruct.Request) finding.Verdict {
	body, p := t.find(q)
	if p == nil {
		if !q.Prepared {
			t.open = append(t.open, q.Keep())
		}
		return finding.Rebuilt
	}
	t.take(q, p, body)
	return finding.Verified
}

func (t *traffic) take(q *reconstruct.Request, p *posted, body *wire.Body) {
	p.taken, p.body, p.key = true, body, q.Key()
	t.last = p
	t.matched++
	for i, other := range t.bodies {
		if other == p {
			t.next = i + 1
		}
	}
	for _, a := range body.Assumptions {
		name := a.Name + " = " + a.Value
		if !t.of.Fixed[a.Name] && !t.assumed[name] {
			t.assumed[name] = true
			t.order = append(t.order, name)
		}
	}
	for _, h := range body.Holes {
		if h.Proved {
			t.proved++
			continue
		}
		t.holes[h.Kind]++
		if h.Kind == wire.FileID {
			if old := t.fileIDs[h.AttachmentID]; old != "" && old != h.Filled {
				t.renewed++
			}
			t.fileIDs[h.AttachmentID] = h.Filled
		}
	}
}

// find returns the untaken body that is the request's, under the policy that
// explains it.
func (t *traffic) find(q *reconstruct.Request) (*wire.Body, *posted) {
	for _, policy := range t.policies(nil) {
		t.builder.SetPolicy(policy)
		_, digest, ok, err := t.builder.Digest(q)
		if err != nil {
			return nil, nil
		}
		if !ok {
			return t.findWithImages(q)
		}
		for _, p := range t.digests[digest] {
			if !p.taken {
				if q.Member("reasoningEffort") != nil {
					return &wire.Body{}, p // no images, no assumptions
				}
				body, _ := t.builder.DeepSeek(q)
				return body, p
			}
		}
		if q.Member("reasoningEffort") != nil {
			return nil, nil // nothing to vary
		}
	}
	return nil, nil
}

// findWithImages tries the bodies one by one, the expected one first, each under
// the policy that it shows.
func (t *traffic) findWithImages(q *reconstruct.Request) (*wire.Body, *posted) {
	for i := range t.bodies {
		p := t.bodies[(t.next+i)%len(t.bodies)]
		if p.taken || p.text == nil || p.Compact {
			continue
		}
		for _, policy := range t.policies(p.text) {
			t.builder.SetPolicy(policy)
			body, err := t.builder.DeepSeek(q)
			if err == nil && body.Match(p.text) == nil {
				return body, p
			}
		}
	}
	return nil, nil
}

// policies returns the policies to try: that of the flags first, then what a
// captured body suggests, then other defaults of a deployment.
func (t *traffic) policies(captured []byte) []wire.Policy {
	first := t.of.Policy
	list := []wire.Policy{first}
	if captured != nil {
		list = append(list, wire.Infer(first, t.of.Fixed, captured)...)
	}
	if !t.of.Fixed["thinking"] && !t.of.Fixed["default-effort"] {
		for _, p := range list {
			for _, thinking := range []string{"enabled", "disabled"} {
				p.Thinking, p.Effort = thinking, ""
				list = append(list, p)
			}
			for _, effort := range []string{"high", "low", "max"} {
				p.Thinking, p.Effort = "", effort
				list = append(list, p)
			}
		}
	}
	return list
}

// A oneshot is a request outside the loop that the log tells of.
type oneshot struct {
	seq     int64
	line    int64
	what    string
	model   string
	found   bool
	whole   bool        // the log determines all of it; otherwise all but the last message
	variant [][2][]byte // its body before and behind the instruction, by policy
}

// instruction stands in a compaction's body where its last message goes.
const instruction = "dsh-verify:the-instruction-is-not-in-the-log:5c1d"

// oneshot notes a request outside the loop.
func (t *traffic) oneshot(q *reconstruct.Oneshot) {
	o := &oneshot{seq: q.Seq, line: q.Pos.Line, what: string(q.Kind), whole: q.Hole() == ""}
	t.oneshots = append(t.oneshots, o)
	if !q.Known() {
		return
	}
	message := ecmajson.Value(`{"role":"user","content":[{"type":"text","text":"` + instruction + `"}]}`)
	canonical, _, err := ecmajson.Canonical(q.Append(nil, message))
	if err != nil {
		return
	}
	o.model = ecmajson.Value(canonical).Lookup("model").Text()
	for _, policy := range t.policies(nil) {
		b := wire.NewBuilder(policy, nil)
		if body, err := b.DeepSeek(wire.JSON(canonical)); err == nil {
			before, after, _ := bytes.Cut(body.Bytes(), []byte(instruction))
			o.variant = append(o.variant, [2][]byte{before, after})
		}
	}
}

// record counts the compactions that this session started.
func (t *traffic) record(rec *logformat.Record, seed int64) {
	if e := rec.Event; e != nil && e.Type == logformat.TypeCompactionStart && e.Seq >= seed {
		t.starts++
	}
}

// matches reports whether a body is the one-shot's, as far as the log says.
func (o *oneshot) matches(text []byte) bool {
	for _, v := range o.variant {
		if o.whole && bytes.Equal(text, v[0]) {
			return true
		}
		if !o.whole && len(text) > len(v[0])+len(v[1]) && bytes.HasPrefix(text, v[0]) && bytes.HasSuffix(text, v[1]) {
			return true
		}
	}
	return false
}

// close sorts out what is left: one-shots, re-posts, bodies that differ, and what
// has no counterpart.
func (t *traffic) close(r *run) {
	place := finding.Place{Seq: -1, File: t.of.Path}
	r.log.ComparedWith = t.of.Path
	t.closeOneshots(r, place)
	t.closeReposts(r, place)
	if t.matched > 0 || t.known > 0 {
		t.closeDrift(r)
	}
	var extra, incomparable, unknown []string
	for _, p := range t.bodies {
		switch {
		case p.taken:
		case p.Incomparable != "":
			incomparable = append(incomparable, p.Name+" ("+p.Incomparable+")")
		case p.SessionID == "":
			unknown = append(unknown, p.Name)
		default:
			extra = append(extra, p.Name)
		}
	}
	if len(extra) > 0 {
		r.note(finding.CaptureExtra, listed(extra), place)
		r.worse(finding.Drift)
	}
	if len(incomparable) > 0 {
		r.note(finding.CaptureIncomparable, listed(incomparable), place)
		r.worse(finding.Unverifiable)
	}
	if t.matched > 0 || t.known > 0 {
		t.closeMissing(r, place, len(incomparable), unknown)
	}
	if len(t.order) > 0 {
		r.note(finding.CaptureAssumed, strings.Join(t.order, "; "), place)
	}
	for _, kind := range []wire.HoleKind{wire.FileID, wire.ImageData, wire.ImageSize, wire.OmissionText} {
		if n := t.holes[kind]; n > 0 {
			r.note(finding.CaptureHole, fmt.Sprintf("%d × %s", n, kind), place)
		}
	}
	if t.proved > 0 {
		r.note(finding.CaptureProved, plural(t.proved, "place"), place)
	}
	if t.renewed > 0 {
		r.note(finding.CaptureRenewed, plural(t.renewed, "time"), place)
	}
	if len(unknown) > 0 && t.matched > 0 {
		r.note(finding.CaptureUnknown, listed(unknown), place)
	}
	if t.foreign > 0 {
		r.note(finding.CaptureElsewhere, fmt.Sprintf("%d bodies", t.foreign), place)
	}
	for i := range r.log.Requests {
		row := &r.log.Requests[i]
		if v, ok := t.verdicts[row.Key()]; ok {
			row.Verdict = v
		}
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
	if t.matched > 0 {
		r.worse(finding.Verified)
	} else if r.log.Counts.Requests > 0 {
		r.note(finding.RecordingNotMatched, "", place)
		r.worse(finding.Unverifiable)
	}
}

func (t *traffic) closeOneshots(r *run, place finding.Place) {
	for _, o := range t.oneshots {
		for _, p := range t.bodies {
			if p.taken || p.text == nil || !o.matches(p.text) {
				continue
			}
			p.taken, o.found = true, true
			what := fmt.Sprintf("%s of seq %d is %s", o.what, o.seq, p.Name)
			if !o.whole {
				what += ", all but its final instruction compared"
			}
			r.note(finding.CaptureOneshot, what, place)
			break
		}
	}
	t.oneshotDrift(r, place)
	for _, p := range t.bodies {
		if !p.taken && p.Compact && p.text != nil {
			p.taken = true
			r.note(finding.CaptureOneshotUnverified, p.Name+" is a compaction by its header", place)
		}
	}
}

// oneshotDrift pairs the compactions that the log tells of and that no body equals
// with the bodies that say they are compactions of the same model, in order. Where
// compactions failed, a body may be of one of those, and nothing is said.
func (t *traffic) oneshotDrift(r *run, place finding.Place) {
	var left []*posted
	for _, p := range t.bodies {
		if !p.taken && p.Compact && p.text != nil {
			left = append(left, p)
		}
	}
	told := 0
	for _, o := range t.oneshots {
		if o.what == string(reconstruct.CompactionOneshot) {
			told++
		}
	}
	if len(left) <= t.starts-told {
		return
	}
	for _, o := range t.oneshots {
		if o.found || o.whole || len(o.variant) == 0 {
			continue
		}
		i := slices.IndexFunc(left, func(p *posted) bool { return modelOf(p.text) == o.model })
		if i < 0 {
			continue
		}
		p := left[i]
		left = slices.Delete(left, i, i+1)
		p.taken = true
		at, rebuilt := o.differs(p.text)
		headline, pointer := whereAt(rebuilt, int64(at), t.redact)
		where := place
		where.Seq, where.Offset, where.Pointer = o.seq, int64(at), pointer
		f := finding.New(finding.CaptureOneshotDrift, fmt.Sprintf("%s of seq %d, %s byte %d: %s", o.what, o.seq, p.Name, at, headline), where)
		f.Cause = &finding.Place{File: r.log.File, Session: t.session, Line: o.line, Seq: o.seq}
		f.Detail = []string{"captured " + t.around(p.text, int64(at)), "log      " + t.around(rebuilt, int64(at))}
		r.add(f)
		r.worse(finding.Drift)
	}
}

func modelOf(body []byte) string {
	if _, err := ecmajson.Check(body); err != nil {
		return ""
	}
	return ecmajson.Value(bytes.TrimSpace(body)).Lookup("model").Text()
}

// differs returns where a body parts from the variant that explains most of it,
// and that variant.
func (o *oneshot) differs(text []byte) (at int, rebuilt []byte) {
	best := -1
	for _, v := range o.variant {
		whole := slices.Concat(v[0], []byte(instruction), v[1])
		n := 0
		for n < min(len(v[0]), len(text)) && v[0][n] == text[n] {
			n++
		}
		if n == len(v[0]) { // the instruction is the capture's own; what follows it differs
			back := 0
			for back < min(len(v[1]), len(text)-n) && v[1][len(v[1])-1-back] == text[len(text)-1-back] {
				back++
			}
			n = len(whole) - back - 1
		}
		if n > best {
			best, rebuilt = n, whole
		}
	}
	return best, rebuilt
}

// listed joins names, the first of many.
func listed(names []string) string {
	const shown = 10
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:shown], ", ") + fmt.Sprintf(" and %d more", len(names)-shown)
}

// closeReposts recognises further posts of one attempt: the same body, or the same
// but for file ids. How often a dispatch posted is not in the log.
func (t *traffic) closeReposts(r *run, place finding.Place) {
	for i, p := range t.bodies {
		if p.taken || p.text == nil {
			continue
		}
		first := t.sameAs(i)
		if first == nil {
			continue
		}
		p.taken, p.key = true, first.key
		f := finding.New(finding.CaptureRepost, fmt.Sprintf("%s and %s, request %s", first.Name, p.Name, first.key), place)
		f.Place.Request = first.key
		r.add(f)
	}
}

// sameAs returns the matched body that a body repeats, nil when there is none.
func (t *traffic) sameAs(i int) *posted {
	p := t.bodies[i]
	for _, other := range t.digests[sha256.Sum256(p.text)] {
		if other.key != "" {
			return other
		}
	}
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if first := t.bodies[j]; first.renewable() && first.body.Match(p.text) == nil {
			return first
		}
	}
	return nil
}

// renewable reports whether a body names files, whose ids a second post renews.
func (p *posted) renewable() bool {
	return p.body != nil && slices.ContainsFunc(p.body.Holes, func(h wire.Hole) bool { return h.Kind == wire.FileID })
}

// closeDrift pairs the requests and bodies that are left, in order, and reports
// where each pair differs. Those that differ at the same event are one finding.
func (t *traffic) closeDrift(r *run) {
	causes := make(map[string]int) // index of the finding
	var left []*posted
	for _, p := range t.bodies {
		if !p.taken && p.text != nil && p.SessionID != "" {
			left = append(left, p)
		}
	}
	if t.known == 0 {
		left = t.unknown()
	}
	var missing []*reconstruct.Request
	for i, q := range t.open {
		// Without as many bodies as requests, order says nothing about the later ones.
		if i >= len(left) {
			missing = append(missing, q)
			continue
		}
		p := left[i]
		p.taken = true
		t.verdicts[q.Key()] = finding.Drift
		t.drift(r, q, p, causes)
	}
	t.open = missing
}

// unknown returns the untaken bodies of a capture that names no sessions, as far
// as they start as a request that is open does.
func (t *traffic) unknown() (left []*posted) {
	for _, p := range t.bodies {
		if p.taken || p.text == nil {
			continue
		}
		for _, q := range t.open {
			body, at := t.closest(q, p.text)
			if body == nil {
				continue
			}
			if o, ok := body.OriginAt(at.Body); ok && o.Message > 0 || at.Body > body.Len()/2 {
				left = append(left, p)
				break
			}
		}
	}
	return left
}

func (t *traffic) drift(r *run, q *reconstruct.Request, p *posted, causes map[string]int) {
	body, at := t.closest(q, p.text)
	if body == nil {
		r.note(finding.CaptureDrift, fmt.Sprintf("request %s cannot be made into a body, and %s was posted", q.Key(), p.Name), finding.Place{Request: q.Key(), Seq: -1, File: t.of.Path})
		r.worse(finding.Drift)
		return
	}
	rebuilt := body.Bytes()
	headline, pointer := whereAt(rebuilt, at.Body, t.redact)
	place := finding.Place{Request: q.Key(), Seq: -1, File: t.of.Path, Offset: at.Capture, Pointer: pointer}
	from := "the configuration"
	var event *finding.Place
	cause := ""
	if o, ok := body.OriginAt(at.Body); ok {
		for part := range q.Parts() {
			if part.Kind == reconstruct.MessagePart && part.Index == o.Message || part.Kind == reconstruct.SystemPart && o.Message == wire.FromSystem || part.Kind == reconstruct.ToolsPart && o.Message == wire.FromTools {
				from, place.Seq = describePart(part), seqOf(part)
				event = eventOf(r.log.File, q, part)
				cause = causeOf(q, part, true)
			}
		}
	}
	if i, ok := causes[cause]; ok && cause != "" {
		r.log.Findings[i].Requests = append(r.log.Findings[i].Requests, q.Key())
		r.log.Findings[i].Count++
		return
	}
	f := finding.New(finding.CaptureDrift, fmt.Sprintf("request %s, %s byte %d: %s; it should come from %s", q.Key(), p.Name, at.Capture, headline, from), place)
	f.Cause = event
	f.Requests = []string{q.Key()}
	f.Detail = []string{"captured " + t.around(p.text, at.Capture), "log      " + t.around(rebuilt, at.Body)}
	r.add(f)
	r.worse(finding.Drift)
	if cause != "" {
		causes[cause] = len(r.log.Findings) - 1
	}
}

// closest returns the body of a request under the policy that explains most of
// what was captured, and where they differ.
func (t *traffic) closest(q *reconstruct.Request, captured []byte) (best *wire.Body, at wire.Difference) {
	for _, policy := range t.policies(captured) {
		t.builder.SetPolicy(policy)
		body, err := t.builder.DeepSeek(q)
		if err != nil {
			continue
		}
		if d := body.Match(captured); d != nil && (best == nil || d.Capture > at.Capture) {
			best, at = body, *d
		}
	}
	return best, at
}

func (t *traffic) around(text []byte, at int64) string {
	start, end := max(0, at-window), min(int64(len(text)), at+window)
	return elide(text[start:end], start, int64(len(text)), t.redact)
}

func (t *traffic) closeMissing(r *run, place finding.Place, incomparable int, unknown []string) {
	if len(t.open) == 0 {
		return
	}
	var keys []string
	for _, q := range t.open {
		keys = append(keys, q.Key())
	}
	if incomparable >= len(keys) {
		for _, key := range keys {
			t.verdicts[key] = finding.Unverifiable
		}
		return
	}
	f := finding.New(finding.CaptureMissing, plural(len(keys), "request"), place)
	f.Place.Request, f.Requests = keys[0], keys
	if len(unknown) > 0 {
		f.Detail = []string{"bodies of no known session that equal none of them: " + listed(unknown)}
	}
	r.add(f)
	r.worse(finding.Drift)
	for _, key := range keys {
		t.verdicts[key] = finding.Drift
	}
}
