package audit

import (
	"fmt"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// Hazards are things in messages or headers for which a provider may reject every
// request that holds them. Those of one kind are one finding, with its requests.
type hazards struct {
	groups []*hazard
}

type hazard struct {
	finding finding.Finding
	live    []int64 // events whose message or header holds it
	last    int64
}

// note adds a hazard of the message or header at a place.
func (h *hazards) note(code finding.Code, severity finding.Severity, place finding.Place, said finding.Text) {
	h.add(code, severity, place, place.Seq, said)
}

// add adds a hazard that is found at a place, of the message or header of an event.
func (h *hazards) add(code finding.Code, severity finding.Severity, place finding.Place, carrier int64, said finding.Text) {
	for _, g := range h.groups {
		if g.finding.Code == code && g.finding.Severity == severity {
			g.finding.Count++
			if g.last != carrier {
				g.live, g.last = append(g.live, carrier), carrier
			}
			return
		}
	}
	f := finding.New(code, said, place)
	f.Severity, f.Count = severity, 1
	h.groups = append(h.groups, &hazard{finding: f, live: []int64{carrier}, last: carrier})
}

// request adds a request to the hazards that it holds. What left the surface, and
// headers that are no longer in force, are let go.
func (h *hazards) request(q *reconstruct.Request, surface *reconstruct.Surface) {
	for _, g := range h.groups {
		holds := slices.ContainsFunc(g.live, func(seq int64) bool {
			if q.Header.Seq == seq || q.Config.Seq == seq {
				return true
			}
			m := surface.Node(seq)
			return m != nil && q.Includes(m, surface)
		})
		if holds {
			g.finding.Requests = append(g.finding.Requests, q.Key())
		}
		g.live = slices.DeleteFunc(g.live, func(seq int64) bool {
			return surface.Node(seq) == nil && seq < min(q.Header.Seq, q.Config.Seq)
		})
	}
}

func (h *hazards) findings() (found []finding.Finding) {
	for _, g := range h.groups {
		f := g.finding
		if f.Count--; f.Count > 0 {
			f.Remark = fmt.Sprintf("; %d more like it", f.Count)
		}
		found = append(found, f)
	}
	return found
}

// forms are the properties of a JSON text that are hazards.
var forms = []struct {
	form ecmajson.Form
	code finding.Code
}{
	{ecmajson.LoneSurrogate, finding.AuditLoneSurrogate},
	{ecmajson.NUL, finding.AuditNUL},
}

// large is the length in bytes from which a message is very large.
const large = 1 << 20

// rejectable notes what in a message a provider may reject.
func (a *Audit) rejectable(e *logformat.Event, message ecmajson.Value) {
	if len(message) >= large {
		a.hazards.note(finding.AuditLarge, finding.Warning, placeOf(e), finding.Say("%d bytes", len(message)))
	}
	a.text(e, message)
}

// headerContent notes what in a header a provider may reject.
func (a *Audit) headerContent(e *logformat.Event) { a.text(e, e.Data.Lookup("header")) }

func (a *Audit) text(e *logformat.Event, v ecmajson.Value) {
	if e.Form&ecmajson.InvalidUTF8 != 0 {
		a.hazards.note(finding.AuditInvalidUTF8, finding.Warning, placeOf(e), finding.Plain(e.Type))
	}
	if e.Form&(ecmajson.LoneSurrogate|ecmajson.NUL) == 0 {
		return
	}
	form, err := ecmajson.Check(v)
	if err != nil {
		return
	}
	for _, f := range forms {
		if form&f.form != 0 {
			a.hazards.note(f.code, finding.Warning, placeOf(e), finding.Plain(e.Type))
		}
	}
}
