package upgradecheck

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/upgrade"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// An Outcome is in one word what a release does with a log.
type Outcome string

// The outcomes, the best first.
const (
	Native    Outcome = "native"     // the log is of the release's own format, and read
	Upgrades  Outcome = "upgrades"   // it is read, and the upgraded log can be published
	ReadsOnly Outcome = "reads only" // it is read, and cannot be gone on with
	Refuses   Outcome = "refuses"
	TooNew    Outcome = "too new" // its format is newer than the release's
)

// A Report is what was found of a home.
type Report struct {
	SchemaVersion int        `json:"schemaVersion"`
	Sessions      []*Session `json:"sessions"`
	Counts        []*Count   `json:"counts"`
	NotTried      []string   `json:"notTried"` // releases of which nothing is said
}

// A Session is what releases do with the log of one session.
type Session struct {
	File     string     `json:"file"`
	ID       string     `json:"sessionId,omitempty"`
	Failure  string     `json:"failure,omitempty"` // why the log could not be read at all
	Format   int64      `json:"format"`
	Releases []*Release `json:"releases"`
}

// A Release is what one release does with a log.
type Release struct {
	Release   string   `json:"release"`
	Outcome   Outcome  `json:"outcome"`
	Reads     bool     `json:"reads"`
	Publishes bool     `json:"publishes"`
	Events    int      `json:"events"`   // of the log that the release takes
	Inserted  int      `json:"inserted"` // that an upgrade adds
	Refusal   *Refusal `json:"refusal,omitempty"`
	Losses    []Loss   `json:"losses"`
}

// Same reports whether two releases do the same with a log.
func (r *Release) Same(other *Release) bool {
	a, b := *r, *other
	a.Release, b.Release = "", ""
	return reflect.DeepEqual(a, b)
}

// A Refusal is why a release does not read a log, or does not publish its upgrade.
type Refusal struct {
	Code    logformat.Code `json:"code"`
	Stage   upgrade.Stage  `json:"stage"`
	Line    int64          `json:"line,omitempty"`
	Seq     *int64         `json:"seq,omitempty"`
	Member  string         `json:"member,omitempty"`
	Message string         `json:"message"`
	Means   string         `json:"means"`
	Action  string         `json:"action"`
}

// A Loss is something that an upgrade does not keep.
type Loss struct {
	Kind   upgrade.LossKind `json:"kind"`
	Member string           `json:"member,omitempty"`
	Line   int64            `json:"line,omitempty"` // of the first place
	Count  int              `json:"count"`
}

// A Count says how many sessions have which outcome in one release.
type Count struct {
	Release   string `json:"release"`
	Sessions  int    `json:"sessions"`
	Native    int    `json:"native"`
	Upgrades  int    `json:"upgrades"`
	ReadsOnly int    `json:"readsOnly"`
	Refuses   int    `json:"refuses"`
	TooNew    int    `json:"tooNew"`
	Failed    int    `json:"failed"` // that could not be read at all
	// Reasons are the codes of what blocks sessions, the most frequent first.
	Reasons []Reason `json:"reasons"`
}

// A Reason is how many sessions a code blocks in one release.
type Reason struct {
	Code     logformat.Code `json:"code"`
	Sessions int            `json:"sessions"`
}

// newRelease turns a verdict into a row. What it quotes of the log is redacted by r, which
// may be nil.
func newRelease(v *upgrade.Verdict, r *redact.Redactor) *Release {
	row := &Release{
		Release: v.Release, Outcome: outcome(v), Reads: v.Reads, Publishes: v.Publishes, Events: v.Events, Inserted: v.Inserted, Losses: []Loss{},
	}
	for _, loss := range v.Losses {
		row.Losses = append(row.Losses, Loss{Kind: loss.Kind, Member: quoted(loss.Member, r), Line: loss.First.Line, Count: loss.Count})
	}
	if v.Refusal == nil {
		return row
	}
	info := upgrade.Info(v.Refusal.Code)
	row.Refusal = &Refusal{
		Code: v.Refusal.Code, Stage: v.Refusal.Stage, Line: v.Refusal.Line, Member: v.Refusal.Member,
		Message: message(v.Refusal).Redact(r).String(), Means: info.Meaning, Action: info.Action,
	}
	if seq := v.Refusal.Seq; seq >= 0 {
		row.Refusal.Seq = &seq
	}
	if r != nil {
		row.Refusal.Member = r.Pointer(v.Refusal.Member)
	}
	return row
}

// message says what is wrong, and what is there instead. Where that is what the code means
// already, it is only what is there.
func message(r *upgrade.Refusal) finding.Text {
	found := finding.Text{finding.Excerpt(r.Found, r.Found)}
	switch {
	case r.Found == "":
		return finding.Plain(r.Detail)
	case r.Detail == upgrade.Info(r.Code).Meaning:
		return found
	}
	return finding.Say("%s, found %s", r.Detail, found)
}

// quoted returns what a loss names, which may be a name from the log.
func quoted(name string, r *redact.Redactor) string {
	if r == nil || name == "" || redact.IsFree(name) {
		return name
	}
	return r.Text(name)
}

func outcome(v *upgrade.Verdict) Outcome {
	switch {
	case v.Own && v.Reads:
		return Native
	case v.Publishes:
		return Upgrades
	case v.Reads:
		return ReadsOnly
	case v.Refusal.Code == upgrade.CodeNewer:
		return TooNew
	}
	return Refuses
}

// count counts what a release does with a log; nil is one that could not be read.
func (c *Count) count(r *Release) {
	c.Sessions++
	if r == nil {
		c.Failed++
		return
	}
	if r.Refusal != nil && r.Outcome != TooNew {
		c.reason(r.Refusal.Code)
	}
	switch r.Outcome {
	case Native:
		c.Native++
	case Upgrades:
		c.Upgrades++
	case ReadsOnly:
		c.ReadsOnly++
	case Refuses:
		c.Refuses++
	case TooNew:
		c.TooNew++
	}
}

func (c *Count) reason(code logformat.Code) {
	for i := range c.Reasons {
		if c.Reasons[i].Code == code {
			c.Reasons[i].Sessions++
			return
		}
	}
	c.Reasons = append(c.Reasons, Reason{code, 1})
}

// sort puts the reasons in order.
func (c *Count) sort() {
	slices.SortFunc(c.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(a.Code, b.Code))
	})
}

// Blocked returns how many sessions the release cannot go on with, although their format is
// not too new for it.
func (c *Count) Blocked() int { return c.ReadsOnly + c.Refuses + c.Failed }
