package capture

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/check/origin"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

// A oneshot is a request outside the loop that the log tells of.
type oneshot struct {
	seq     int64
	line    int64
	what    string
	model   string
	process int // the lifetime that posted it
	found   bool
	whole   bool         // the log determines all of it; otherwise all except the last message
	request wire.JSON    // nil: the log does not describe it
	bodies  []*wire.Body // by policy; nil with images, whose policies a capture tells
}

// instruction stands in a compaction's request where its last message goes.
const instruction = "dsh-verify:the-instruction-is-not-in-the-log:5c1d"

// Oneshot notes a request outside the loop.
func (t *Check) Oneshot(q *reconstruct.Oneshot) {
	o := &oneshot{seq: q.Seq, line: q.Pos.Line, what: string(q.Kind), whole: q.Hole() == "", process: t.lifetime}
	t.oneshots = append(t.oneshots, o)
	if !q.Known() {
		return
	}
	message := ecmajson.Value(`{"role":"user","content":[{"type":"text","text":"` + instruction + `"}]}`)
	canonical, _, err := ecmajson.Canonical(q.Append(nil, message))
	if err != nil {
		return
	}
	o.request = wire.JSON(canonical)
	o.model = o.request.Member("model").Text()
	for _, policy := range t.policies(nil) {
		body := o.body(wire.NewBuilder(chat.Protocol, policy, nil))
		if body == nil || body.Images > 0 {
			o.bodies = nil
			return
		}
		o.bodies = append(o.bodies, body)
	}
}

// body returns what a builder makes of the one-shot, nil if that is nothing.
func (o *oneshot) body(b *wire.Builder) *wire.Body {
	body, err := b.Body(o.request)
	if err != nil || !o.whole && !body.Open(instruction, "it is code of the harness, and not in the log") {
		return nil
	}
	return body
}

// candidates returns the bodies that the one-shot may have had, for a captured one.
func (t *Check) candidates(o *oneshot, captured []byte) (list []*wire.Body) {
	if o.request == nil || o.bodies != nil {
		return o.bodies
	}
	for _, policy := range t.policies(captured) {
		t.builder.SetPolicy(policy)
		if body := o.body(t.builder); body != nil {
			list = append(list, body)
		}
	}
	return list
}

// matches returns the body of a one-shot that a captured one equals, as far as the log
// says.
func (t *Check) matches(o *oneshot, captured []byte) *wire.Body {
	for _, body := range t.candidates(o, captured) {
		if body.Match(captured) == nil {
			return body
		}
	}
	return nil
}

// act counts the processes that wrote the log, and the compactions that this session
// started.
func (t *Check) act() {
	if t.session.EndsLifetime() {
		t.lifetime++
	}
	if a := t.session.Act(); a.Side.Begins && !t.session.Inherited(a.Event.Seq) {
		t.starts++
	}
}

func (t *Check) closeOneshots(place finding.Place) {
	for _, o := range t.oneshots {
		for _, p := range t.bodies {
			if p.taken || p.text == nil {
				continue
			}
			body := t.matches(o, p.text)
			if body == nil {
				continue
			}
			p.taken, o.found = true, true
			t.rests(p, body, o.model, o.process)
			what := fmt.Sprintf("%s of seq %d is %s", o.what, o.seq, p.Name)
			if !o.whole {
				what += ", all except its final instruction compared"
			}
			t.log.Note(finding.CaptureOneshot, finding.Plain(what), place)
			break
		}
	}
	t.oneshotDrift(place)
	if t.untold() == 0 {
		return // nothing explains another compaction
	}
	for _, p := range t.bodies {
		if !p.taken && p.Compact && p.text != nil {
			p.taken = true
			t.log.Note(finding.CaptureOneshotUnverified, finding.Say("%s is a compaction by its header", p.Name), place)
		}
	}
}

// untold is the number of compactions that were started and whose bodies the log does
// not tell of, because they failed.
func (t *Check) untold() int {
	n := t.starts
	for _, o := range t.oneshots {
		if o.what == string(reconstruct.CompactionOneshot) && o.request != nil {
			n--
		}
	}
	return max(0, n)
}

// oneshotDrift pairs the compactions that the log tells of and that no body equals
// with the bodies that say they are compactions of the same model, in order. Where
// compactions failed, a body may be of one of those, and nothing is said.
func (t *Check) oneshotDrift(place finding.Place) {
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
		if o.found || o.whole || o.request == nil {
			continue
		}
		i := slices.IndexFunc(left, func(p *posted) bool { return modelOf(p.text) == o.model })
		if i < 0 {
			continue
		}
		p := left[i]
		left = slices.Delete(left, i, i+1)
		body, at := t.closestOneshot(o, p.text)
		if body == nil {
			continue
		}
		p.taken = true
		rebuilt := body.Bytes()
		headline, pointer := origin.At(rebuilt, at.Body)
		where := place
		where.Seq, where.Offset, where.Pointer = o.seq, at.Capture, pointer
		f := finding.New(finding.CaptureOneshotDrift, finding.Say("%s of seq %d, %s byte %d: %s", o.what, o.seq, p.Name, at.Capture, headline), where)
		f.Cause = &finding.Place{File: t.log.File, Session: t.log.Session.ID, Line: o.line, Seq: o.seq}
		f.Detail = bothSides(p.text, at.Capture, rebuilt, at.Body)
		t.log.Add(f)
	}
}

func modelOf(body []byte) string {
	if _, err := ecmajson.Check(body); err != nil {
		return ""
	}
	return ecmajson.Value(bytes.TrimSpace(body)).Lookup("model").Text()
}

// closestOneshot returns the body of a one-shot that explains most of a captured one,
// and where the two differ.
func (t *Check) closestOneshot(o *oneshot, captured []byte) (best *wire.Body, at wire.Difference) {
	for _, body := range t.candidates(o, captured) {
		if d := body.Match(captured); d != nil && (best == nil || d.Capture > at.Capture) {
			best, at = body, *d
		}
	}
	return best, at
}
