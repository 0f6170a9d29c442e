package upgrade

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// A Stage is where on its way a log was refused.
type Stage string

// The stages, in the order in which a release comes to them. Rows go through the steps one
// by one, so a fault of a late step in an early row comes before one of an early step in a
// late row.
const (
	StageHeader  Stage = "header"  // the header line
	StageRows    Stage = "rows"    // a row is decoded
	StageStep01  Stage = "0→1"     // shapes of early builds
	StageStep12  Stage = "1→2"     // chunks become streams
	StageStep23  Stage = "2→3"     // the system prompt becomes a message
	StageStep34  Stage = "3→4"     // tool results become messages of their own role
	StageResult  Stage = "result"  // the log that came out, as a whole
	StageOwn     Stage = "own"     // the log is of the release's own format
	StagePublish Stage = "publish" // the new file is read back
)

// A Refusal is why a release does not read a log, or does not publish its upgrade. It
// is about the first fault in the release's own order of checks.
type Refusal struct {
	Code   logformat.Code
	Stage  Stage
	Origin        // the row of the source log; line 0 where it is the log as a whole
	Member string // RFC 6901 pointer from the row, "" where it is the row as a whole
	Detail string // what is wrong with it; nothing in it comes from the log
	Found  string // what is there instead, from the log; "" where that says nothing

	fatal bool // refuses even where a malformed row would be dropped
}

// Error returns the refusal as one sentence, with what it quotes of the log.
func (r *Refusal) Error() string {
	text := fmt.Sprintf("%s at %s: %s", r.Code, r.Stage, r.Detail)
	if r.Found != "" {
		text += ", found " + r.Found
	}
	return text
}

func refuse(code logformat.Code, stage Stage, detail string) *Refusal {
	return &Refusal{Code: code, Stage: stage, Detail: detail, Origin: Origin{Seq: -1}}
}

// at places a refusal at an event, unless it has a place.
func (r *Refusal) at(from Origin) *Refusal {
	if r != nil && r.Line == 0 {
		r.Origin = from
	}
	return r
}

// found adds what is there instead.
func (r *Refusal) found(v *jsvalue.Value) *Refusal {
	r.Found = excerpt(v)
	return r
}

// maxExcerpt is how many bytes of a value a refusal quotes.
const maxExcerpt = 80

func excerpt(v *jsvalue.Value) string {
	if v == nil {
		return "nothing"
	}
	text := string(v.Append(nil))
	if len(text) > maxExcerpt {
		text = strings.ToValidUTF8(text[:maxExcerpt], "") + "…"
	}
	return text
}

// A LossKind is what an upgrade does not keep.
type LossKind string

// The kinds of losses.
const (
	// LossTail are rows that the release drops because a row before them is malformed.
	LossTail LossKind = "rows of the tail dropped"
	// LossMember is a member of a row that has no place in the later format.
	LossMember LossKind = "member dropped"
	// LossName is an event or a block whose type the later format does not know: it stays,
	// under a name that nothing interprets.
	LossName LossKind = "name put aside"
)

// A Loss is something that is in the source log and, as such, not in the upgraded one.
type Loss struct {
	Kind   LossKind
	Member string // the member or the name, "" where the kind says it all
	First  Origin // the first place
	Count  int    // of places
}

// losses counts what is lost, by kind and member, in order of the first place.
type losses struct {
	all   []Loss
	index map[[2]string]int
}

func (l *losses) add(kind LossKind, member string, at Origin) {
	key := [2]string{string(kind), member}
	if i, ok := l.index[key]; ok {
		l.all[i].Count++
		return
	}
	if l.index == nil {
		l.index = make(map[[2]string]int)
	}
	l.index[key] = len(l.all)
	l.all = append(l.all, Loss{Kind: kind, Member: member, First: at, Count: 1})
}

// A Verdict is what one release does with one log.
type Verdict struct {
	Release   string
	From      int64 // the log's format
	Into      int64 // the format that the release writes
	Own       bool  // the log is of that format: nothing has to be upgraded
	Reads     bool
	Publishes bool     // only where Reads
	Refusal   *Refusal // why not, nil where it publishes
	Events    int      // of the source log that were kept, when it reads
	Inserted  int      // that the upgrade adds
	Losses    []Loss
	// Result is the upgraded log, nil where the release does not read the source.
	Result *Transcript
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
