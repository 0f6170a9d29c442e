package capture

import (
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/text"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// Close sorts out what is left: one-shots, re-posts, bodies that differ, and what
// has no counterpart. Each body of the session ends as a request's, a one-shot's, a
// re-post, or in a finding that is no note.
func (t *Check) Close() {
	place := finding.Place{Seq: -1, File: t.of.Path}
	t.log.ComparedWith = t.of.Path
	t.closeFlaws(place)
	t.closeOneshots(place)
	t.closeReposts(place)
	t.closeDoubts()
	t.closeDrift()
	left := t.leftOver()
	t.closeLeft(place, left)
	if t.matched+t.drifted > 0 || t.known > 0 {
		t.closeMissing(place, left)
	}
	t.closeNotes(place)
	if len(left.unknown) > 0 && t.matched > 0 {
		t.log.Note(finding.CaptureUnknown, finding.Plain(listed(left.unknown)), place)
	}
	if t.foreign > 0 {
		t.log.Note(finding.CaptureElsewhere, finding.Say("%d bodies", t.foreign), place)
	}
	t.count()
	switch {
	case t.matched > 0:
		t.log.Compared()
	case t.drifted == 0 && t.log.Counts.Requests > 0:
		t.log.Note(finding.RecordingNotMatched, private(t.of.Others), place)
	}
}

// private is what a redacted finding leaves out.
func private(s string) finding.Text {
	if s == "" {
		return nil
	}
	return finding.Text{{Kind: finding.Private, Text: s}}
}

// flawCodes are the findings of what is odd about a capture.
var flawCodes = []struct {
	kind traffic.FlawKind
	code finding.Code
}{
	{traffic.EndsEarly, finding.CaptureEndsEarly},
	{traffic.Behind, finding.CaptureBehind},
	{traffic.Repeated, finding.RecordingRepeated},
	{traffic.NotUTF8, finding.RecordingNotUTF8},
	{traffic.TwoNames, finding.CaptureTwoSessions},
	{traffic.Unlisted, finding.CaptureUnlisted},
}

// closeFlaws reports what is odd about the capture, each kind once.
func (t *Check) closeFlaws(place finding.Place) {
	for _, c := range flawCodes {
		var details []string
		for _, flaw := range t.of.Flaws {
			if flaw.Kind == c.kind {
				details = append(details, flaw.Detail)
			}
		}
		if len(details) > 0 {
			t.log.Note(c.code, finding.Plain(listed(details)), place)
		}
	}
	var changed []string
	for _, p := range t.bodies {
		if p.Changed != "" {
			changed = append(changed, p.Name+" ("+p.Changed+")")
		}
	}
	if len(changed) > 0 {
		t.log.Note(finding.CaptureChanged, finding.Plain(listed(changed)), place)
	}
}

// closeDoubts takes the bodies that nothing equals for what the capture did not keep
// whole, where it shows that.
func (t *Check) closeDoubts() {
	for _, p := range t.bodies {
		if !p.taken && p.text != nil && p.Doubt != "" {
			p.Incomparable, p.text = p.Doubt, nil
		}
	}
}

// What is left of a capture: the names of bodies that are nothing's.
type left struct {
	extra        []string // of this session
	incomparable []string
	alike        []string // of no known session, and nearly those of a request of this one
	unknown      []string // of no known session
}

func (t *Check) leftOver() (l left) {
	own := t.own()
	for _, p := range t.bodies {
		switch {
		case p.taken:
		case p.Incomparable != "":
			l.incomparable = append(l.incomparable, p.Name+" ("+p.Incomparable+")")
		case p.SessionID != "":
			l.extra = append(l.extra, p.Name)
		case own.alike(p.text):
			l.alike = append(l.alike, p.Name)
		default:
			l.unknown = append(l.unknown, p.Name)
		}
	}
	return l
}

func (t *Check) closeLeft(place finding.Place, l left) {
	if len(l.extra) > 0 {
		t.log.Note(finding.CaptureExtra, finding.Plain(listed(l.extra)), place)
	}
	if len(l.incomparable) > 0 {
		t.log.Note(finding.CaptureIncomparable, finding.Plain(listed(l.incomparable)), place)
	}
	if len(l.alike) > 0 {
		t.log.Note(finding.CaptureAlike, finding.Plain(listed(l.alike)), place)
	}
}

// closeMissing reports the requests that no body equals. Where bodies cannot be
// compared, or the capture was cut, it is those that are missing.
func (t *Check) closeMissing(place finding.Place, l left) {
	if len(t.open) == 0 {
		return
	}
	var keys []string
	for _, q := range t.open {
		keys = append(keys, q.Key())
	}
	verdict := finding.Drift
	if len(l.incomparable) >= len(keys) || t.of.EndsEarly() {
		verdict = finding.Unverifiable
	}
	for _, key := range keys {
		t.verdicts[key] = verdict
	}
	if verdict != finding.Drift {
		return
	}
	f := finding.New(finding.CaptureMissing, finding.Plain(text.Count(len(keys), "request")), place)
	f.Place.Request, f.Requests = keys[0], keys
	if len(l.unknown) > 0 {
		f.Detail = []finding.Lines{finding.Say("bodies of no known session that equal none of them: %s", listed(l.unknown))}
	}
	t.log.Add(f)
}

// closeNotes says what the equality of the bodies rests on.
func (t *Check) closeNotes(place finding.Place) {
	t.closeExtensions(place)
	if len(t.settings.texts) > 0 {
		t.log.Note(finding.CaptureAssumed, finding.Join(t.settings.texts, "; "), place)
	}
	if list := t.settings.disagreeing(); len(list) > 0 {
		t.log.Note(finding.CaptureTwoSettings, finding.Plain(listed(list)), place)
	}
	for _, kind := range []wire.HoleKind{wire.FileID, wire.ImageData, wire.ImageSize, wire.OmissionText} {
		if n := t.holes[kind]; n > 0 {
			t.log.Note(finding.CaptureHole, finding.Say("%d × %s", n, kind), place)
		}
	}
	if t.proved > 0 {
		t.log.Note(finding.CaptureProved, finding.Plain(text.Count(t.proved, "place")), place)
	}
	if t.renewed > 0 {
		t.log.Note(finding.CaptureRenewed, finding.Plain(text.Count(t.renewed, "time")), place)
	}
	var lengths []string
	for _, p := range t.bodies {
		if p.body != nil && p.Length != "" {
			lengths = append(lengths, p.Name+" ("+p.Length+")")
		}
	}
	if len(lengths) > 0 {
		t.log.Note(finding.CaptureLength, finding.Plain(listed(lengths)), place)
	}
}

// count puts the verdicts on the rows of the report.
func (t *Check) count() {
	for i := range t.log.Requests {
		row := &t.log.Requests[i]
		if v, ok := t.verdicts[row.Key()]; ok {
			row.Verdict = v
		}
		switch row.Verdict {
		case finding.Verified:
			if row.Prepared {
				t.log.Counts.Proved++
				continue
			}
			t.log.Counts.Verified++
		case finding.Drift:
			t.log.Counts.Drifted++
		}
	}
}
