package capture

import (
	"bytes"

	"github.com/dsh-verify/dsh-verify/internal/check/origin"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// closeDrift pairs the requests and bodies that are left, in order, and reports
// where each pair differs. Those that differ at the same event are one finding.
func (t *Check) closeDrift() {
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
		t.drifted++
		t.verdicts[q.Key()] = finding.Drift
		t.drift(q, p, causes)
	}
	t.open = missing
}

func (t *Check) drift(q *reconstruct.Request, p *posted, causes map[string]int) {
	body, at := t.closest(q, p.text)
	if body == nil {
		t.log.Note(finding.CaptureDrift, finding.Say("request %s cannot be made into a body, and %s was posted", q.Key(), p.Name), finding.Place{Request: q.Key(), Seq: -1, File: t.of.Path})
		return
	}
	rebuilt := body.Bytes()
	if len(body.Holes) == 0 && origin.SameJSON(p.text, rebuilt) {
		t.respelled(q, p, rebuilt, causes)
		return
	}
	headline, pointer := origin.At(rebuilt, at.Body)
	place := finding.Place{Request: q.Key(), Seq: -1, File: t.of.Path, Offset: at.Capture, Pointer: pointer}
	from := "the configuration"
	var event *finding.Place
	cause := ""
	if o, ok := body.OriginAt(at.Body); ok {
		for part := range q.Parts() {
			if part.Kind == reconstruct.MessagePart && part.Index == o.Message || part.Kind == reconstruct.SystemPart && o.Message == wire.FromSystem || part.Kind == reconstruct.ToolsPart && o.Message == wire.FromTools {
				from, place.Seq = origin.Describe(part), origin.Seq(part)
				event = origin.Event(t.log.File, q, part)
				cause = origin.Cause(q, part, true)
			}
		}
	}
	if i, ok := causes[cause]; ok && cause != "" {
		t.log.Findings[i].Requests = append(t.log.Findings[i].Requests, q.Key())
		t.log.Findings[i].Count++
		return
	}
	f := finding.New(finding.CaptureDrift, finding.Say("request %s, %s byte %d: %s; it should come from %s", q.Key(), p.Name, at.Capture, headline, from), place)
	f.Cause = event
	f.Requests = []string{q.Key()}
	f.Detail = bothSides(p.text, at.Capture, rebuilt, at.Body)
	t.log.Add(f)
	if cause != "" {
		causes[cause] = len(t.log.Findings) - 1
	}
}

// respelled reports bodies that hold what the adapter would have posted, in another
// spelling, as one finding.
func (t *Check) respelled(q *reconstruct.Request, p *posted, rebuilt []byte, causes map[string]int) {
	const cause = "spelling"
	if i, ok := causes[cause]; ok {
		t.log.Findings[i].Requests = append(t.log.Findings[i].Requests, q.Key())
		t.log.Findings[i].Count++
		return
	}
	how := origin.PrintedAnew
	if bytes.Equal(bytes.TrimRight(p.text, "\r\n"), rebuilt) {
		how = "a line end follows the body, as editors and hooks of a repository put at the end of a file"
	}
	f := finding.New(finding.CaptureDrift, finding.Say("request %s, %s: %s", q.Key(), p.Name, how), finding.Place{Request: q.Key(), Seq: -1, File: t.of.Path})
	f.Requests = []string{q.Key()}
	t.log.Add(f)
	causes[cause] = len(t.log.Findings) - 1
}

// closest returns the body of a request under the policy that explains most of
// what was captured, and where they differ.
func (t *Check) closest(q *reconstruct.Request, captured []byte) (best *wire.Body, at wire.Difference) {
	for _, policy := range t.policies(captured) {
		t.builder.SetPolicy(policy)
		body, err := t.builder.Body(q)
		if err != nil {
			continue
		}
		if d := body.Match(captured); d != nil && (best == nil || d.Capture > at.Capture) {
			best, at = body, *d
		}
	}
	return best, at
}

// bothSides shows a captured and a rebuilt body, each around a byte.
func bothSides(captured []byte, at int64, rebuilt []byte, atRebuilt int64) []finding.Lines {
	return []finding.Lines{
		finding.Say("captured %s", origin.Around(captured, at)),
		finding.Say("log      %s", origin.Around(rebuilt, atRebuilt)),
	}
}
