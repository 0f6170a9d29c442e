package capture

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

// Traffic is captured traffic to compare with, and what is known of the
// deployment that sent it.
type Traffic struct {
	*traffic.File
	Policy wire.Policy
	// Fixed are the settings of the policy that a user gave. The others are
	// inferred from the bodies, and what was inferred is reported.
	Fixed map[string]bool
}

// A Check matches requests with captured bodies: by session, then by exact
// bytes, then by order within the session.
type Check struct {
	verify.Base
	of      *Traffic
	objects *objectstore.Verifier
	log     *result.Log
	session *reconstruct.Session
	builder *wire.Builder
	bodies  []*posted // of this session, loop and one-shots
	foreign int
	next    int // in bodies: where the next request is looked for first
	digests map[[sha256.Size]byte][]*posted

	open     []*reconstruct.Request // requests without a body yet
	prepared []*reconstruct.Request // the same, of those that the log cannot show as sent
	last     *posted                // the body of the request before
	oneshots []*oneshot
	settings settings
	lifetime int // of the processes that wrote the log, the current one
	holes    map[wire.HoleKind]int
	proved   int
	fileIDs  map[string]string
	renewed  int
	verdicts map[string]finding.Verdict // by request key
	matched  int
	drifted  int           // requests that were compared with a body and differ
	known    int           // bodies that say they are of this session
	root     string        // of the attachment store, as the first body has it
	events   *postedEvents // nil: no body carries the log's
	starts   int           // compactions that were started; what a failed one sent is not in the log
}

// A posted body, and what it was matched with.
type posted struct {
	*traffic.Body
	at    int    // in the traffic's bodies
	text  []byte // what the adapter wrote of it
	extra wire.Extensions
	taken bool
	body  *wire.Body // of the request that it is, for re-posts
	key   string
}

// New returns the check that compares the requests of a log with captured bodies; objects is nil where no
// store is available.
func New(c *Traffic, objects *objectstore.Verifier) *Check {
	return &Check{
		of: c, objects: objects, digests: make(map[[sha256.Size]byte][]*posted), holes: make(map[wire.HoleKind]int),
		fileIDs: make(map[string]string), verdicts: make(map[string]finding.Verdict),
	}
}

// Begin takes the bodies that may be of the session.
func (t *Check) Begin(log *result.Log, session *reconstruct.Session) {
	t.log, t.session, t.builder = log, session, wire.NewBuilder(chat.Protocol, t.of.Policy, t.objects)
	for _, b := range t.of.Bodies {
		if b.SessionID != "" && !b.BelongsTo(log.Session.ID) {
			t.foreign++
			continue
		}
		p := &posted{Body: b, at: len(t.bodies)}
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
		p.text, p.extra = wire.CutExtensions(chat.Protocol, text)
		if t.events == nil && hasExtension(p.extra, wire.SessionLog) {
			t.events = &postedEvents{header: session.Header()}
		}
		sum := sha256.Sum256(p.text)
		t.digests[sum] = append(t.digests[sum], p)
	}
}

// After notes what a record says of other requests than the loop's.
func (t *Check) After(rec *logformat.Record) {
	t.act()
	t.events.record(rec)
}

// Request looks for the body of a request.
func (t *Check) Request(q *reconstruct.Request) finding.Verdict {
	body, p := t.find(q)
	if p == nil {
		if q.Prepared {
			t.prepared = append(t.prepared, q.Keep())
		} else {
			t.open = append(t.open, q.Keep())
		}
		return finding.Rebuilt
	}
	t.take(q, p, body)
	return finding.Verified
}

func (t *Check) take(q *reconstruct.Request, p *posted, body *wire.Body) {
	p.taken, p.body, p.key = true, body, q.Key()
	t.last = p
	t.matched++
	t.next = p.at + 1
	t.rests(p, body, q.Model(), t.lifetime)
}

// rests notes what the equality of a posted body with one for a model rests on.
func (t *Check) rests(p *posted, body *wire.Body, model string, lifetime int) {
	given := func(a wire.Assumption) bool { return t.of.Fixed[a.Name] }
	t.settings.assume(p.Name, slices.DeleteFunc(slices.Clone(body.Assumptions), given), model, lifetime)
	if body.Root != "" && t.root == "" {
		t.root = body.Root
		if !t.of.Fixed["attachments-root"] {
			t.settings.text("attachments-root", finding.Span{Kind: finding.Quoted, Text: strings.ToValidUTF8(body.Root, "\ufffd")})
		}
	}
	for _, h := range body.Holes {
		if h.Proved {
			t.proved++
			continue
		}
		if h.Kind == wire.ObjectPath || h.Kind == wire.CodeText {
			continue // said of the folder that is assumed, and of the one-shot
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
func (t *Check) find(q *reconstruct.Request) (*wire.Body, *posted) {
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
				body, _ := t.builder.Body(q)
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
func (t *Check) findWithImages(q *reconstruct.Request) (*wire.Body, *posted) {
	for i := range t.bodies {
		p := t.bodies[(t.next+i)%len(t.bodies)]
		if p.taken || p.text == nil || p.Compact {
			continue
		}
		for _, policy := range t.policies(p.text) {
			t.builder.SetPolicy(policy)
			body, err := t.builder.Body(q)
			if err == nil && body.Match(p.text) == nil {
				return body, p
			}
		}
	}
	return nil, nil
}

// policies returns the policies to try: that of the flags first, then what a
// captured body suggests, then other defaults of a deployment.
func (t *Check) policies(captured []byte) []wire.Policy {
	first := t.of.Policy
	if first.Root == "" {
		first.Root = t.root
	}
	list := []wire.Policy{first}
	if captured != nil {
		list = append(list, t.builder.Protocol().Infer(first, t.of.Fixed, captured)...)
	}
	if !t.of.Fixed["thinking"] && !t.of.Fixed["default-effort"] {
		for _, p := range list {
			for _, thinking := range []string{"enabled", "disabled"} {
				p.Thinking, p.Effort = thinking, ""
				list = append(list, p)
			}
			for _, effort := range []string{"high", "low", "max", ""} {
				p.Thinking, p.Effort = "", effort
				list = append(list, p)
			}
		}
	}
	return list
}
