package objects

import (
	"bytes"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// A Check verifies the attachments that requests reference. A reference
// counts once a request holds it; what no request holds cannot break one.
type Check struct {
	verify.Base
	log      *result.Log
	session  *reconstruct.Session
	verifier *objectstore.Verifier // nil: no store available
	carriers []*carrier            // messages with references that may be on the surface
	found    map[string]*objectFinding
	order    []string
	objects  map[string]bool // distinct ids in requests, and whether they verify
	rows     []*attachmentRow
	byID     map[string]*attachmentRow
}

// An attachmentRow is an attachment of the report, and the request that counted
// it last.
type attachmentRow struct {
	result.Attachment
	last string
}

// A carrier is a message with references.
type carrier struct {
	message *reconstruct.Message
	refs    []ecmajson.Value
}

// An objectFinding is a failure or a note about one object, and the requests
// that hold it.
type objectFinding struct {
	finding  finding.Finding
	requests []string
}

// New returns the check that verifies attachments with a verifier; nil: no store is available, which is said.
func New(verifier *objectstore.Verifier) *Check {
	return &Check{verifier: verifier, found: make(map[string]*objectFinding), objects: make(map[string]bool), byID: make(map[string]*attachmentRow)}
}

// Begin notes the report and the fold.
func (c *Check) Begin(log *result.Log, session *reconstruct.Session) {
	c.log, c.session = log, session
}

// After notes a message that came onto the surface.
func (c *Check) After(*logformat.Record) {
	if act := c.session.Act(); act.OnSurface() {
		if m := c.session.Surface().Node(act.Event.Seq); m != nil {
			c.message(m)
		}
	}
}

// message notes the references of a message that came onto the surface.
func (c *Check) message(m *reconstruct.Message) {
	if m.Bytes == nil || !bytes.Contains(m.Bytes, []byte(`"image"`)) {
		return
	}
	var refs []ecmajson.Value
	for ref := range objectstore.References(m.Bytes) {
		refs = append(refs, ref)
	}
	if len(refs) > 0 {
		c.carriers = append(c.carriers, &carrier{m, refs})
	}
}

// Request checks the references of the messages that a request holds. Messages
// that left the surface are dropped.
func (c *Check) Request(q *reconstruct.Request) finding.Verdict {
	surface := c.session.Surface()
	live := c.carriers[:0]
	for _, carrier := range c.carriers {
		if q.Includes(carrier.message, surface) {
			for _, ref := range carrier.refs {
				c.reference(q, carrier.message, ref)
			}
		}
		if surface.Node(carrier.message.Seq) == carrier.message {
			live = append(live, carrier)
		}
	}
	clear(c.carriers[len(live):])
	c.carriers = live
	return ""
}

func (c *Check) reference(q *reconstruct.Request, m *reconstruct.Message, v ecmajson.Value) {
	ref, failure := objectstore.ParseReference(v)
	c.count(q, ref)
	if failure == nil && c.verifier == nil {
		c.note(q, m, "", "", finding.New(finding.ObjectsNotChecked, nil, finding.Place{Seq: m.Seq, Line: m.Pos.Line}))
		c.objects[ref.AttachmentID] = false
		return
	}
	if failure == nil {
		check := c.verifier.Verify(ref)
		failure = check.Failure
		if check.Symlink {
			f := finding.New(finding.ObjectSymbolicLink, finding.Plain(check.Path), finding.Place{Seq: m.Seq, Line: m.Pos.Line, Object: ref.AttachmentID})
			c.note(q, m, "link", ref.AttachmentID, f)
		}
	}
	if ok, seen := c.objects[ref.AttachmentID]; !seen || ok {
		c.objects[ref.AttachmentID] = failure == nil
	}
	if failure == nil {
		return
	}
	f := finding.FromObject(failure, ref.AttachmentID, finding.Place{Seq: m.Seq, Line: m.Pos.Line, Object: ref.AttachmentID})
	c.note(q, m, f.Code.String()+failure.Detail, ref.AttachmentID, f)
}

// count counts a request for an attachment.
func (c *Check) count(q *reconstruct.Request, ref objectstore.Reference) {
	row := c.byID[ref.AttachmentID]
	if row == nil {
		row = &attachmentRow{Attachment: result.Attachment{ID: ref.AttachmentID, MediaType: ref.MediaType, Bytes: ref.Bytes, Width: ref.Width, Height: ref.Height}}
		c.byID[ref.AttachmentID] = row
		c.rows = append(c.rows, row)
	}
	if row.last != q.Key() {
		row.last = q.Key()
		row.Requests++
	}
}

// note adds a request to a finding, which is made when it is the first.
func (c *Check) note(q *reconstruct.Request, m *reconstruct.Message, kind, id string, f finding.Finding) {
	key := kind + " " + id
	of := c.found[key]
	if of == nil {
		of = &objectFinding{finding: f}
		of.finding.Place.Request = q.Key()
		c.found[key] = of
		c.order = append(c.order, key)
	}
	if n := len(of.requests); n == 0 || of.requests[n-1] != q.Key() {
		of.requests = append(of.requests, q.Key())
	}
}

// Close reports what was found.
func (c *Check) Close() {
	counts := &c.log.Counts
	counts.Objects = len(c.objects)
	for _, ok := range c.objects {
		if ok {
			counts.ObjectsOK++
		}
	}
	for _, row := range c.rows {
		switch {
		case c.objects[row.ID]:
			row.Verdict = finding.Verified
		case c.verifier == nil:
			row.Verdict = finding.Unverifiable
		default:
			row.Verdict = finding.Drift
		}
		c.log.Attachments = append(c.log.Attachments, row.Attachment)
	}
	if c.verifier != nil {
		c.log.Objects = c.verifier.Store().Name()
	}
	for _, key := range c.order {
		f := c.found[key].finding
		f.Requests = c.found[key].requests
		if f.Code == finding.ObjectsNotChecked {
			f.Said = finding.Say("%d objects in %d requests", len(c.objects), len(f.Requests))
		}
		c.log.Add(f)
	}
}
