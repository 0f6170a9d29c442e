package capture

import (
	"crypto/sha256"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/text"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// closeReposts recognises further posts of one attempt or one-shot: the same body, or the same
// except for file ids. How often a dispatch posted is not in the log.
func (t *Check) closeReposts(place finding.Place) {
	for i, p := range t.bodies {
		if p.taken || p.text == nil {
			continue
		}
		first := t.sameAs(i)
		if first == nil {
			continue
		}
		p.taken, p.key = true, first.key
		what := first.Name + " and " + p.Name
		if first.key != "" {
			what += ", request " + first.key
		}
		f := finding.New(finding.CaptureRepost, finding.Plain(what), place)
		f.Place.Request = first.key
		t.log.Add(f)
	}
}

// sameAs returns the matched body that a body repeats, nil when there is none.
func (t *Check) sameAs(i int) *posted {
	p := t.bodies[i]
	for _, other := range t.digests[sha256.Sum256(p.text)] {
		if other.taken {
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

// shown is how many of many are listed.
const shown = 10

// listedTexts joins texts, the first of many.
func listedTexts(list []finding.Text) finding.Text {
	t := finding.Join(list[:min(len(list), shown)], ", ")
	if more := len(list) - shown; more > 0 {
		return finding.Say("%s and %d more", t, more)
	}
	return t
}

// listed joins names, the first of many.
func listed(names []string) string { return text.List(names, shown) }
