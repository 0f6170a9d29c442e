package report

import (
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// A Kind is how a request relates to the one before it, as the charts colour it.
type Kind struct {
	Name  string // also the class of its colour
	Words string
	Count int
}

// kinds lists the kinds in the order of the legend.
var kinds = []Kind{
	{Name: "first", Words: "first"},
	{Name: "extends", Words: "extends the one before"},
	{Name: "repeats", Words: "repeats it (retry)"},
	{Name: "resume", Words: "extends it, resumed"},
	{Name: "header", Words: "header changed"},
	{Name: "compaction", Words: "compaction"},
	{Name: "pruning", Words: "pruning"},
	{Name: "replace", Words: "other replace"},
	{Name: "prepared", Words: "not shown as sent"},
}

// kindOf returns the name of a request's kind. Of several, it is the one that
// costs most of the prefix.
func kindOf(q *reconstruct.Request) string {
	r := q.Relation
	switch {
	case q.Prepared:
		return "prepared"
	case r.Kind == reconstruct.First:
		return "first"
	case len(r.Replaces) > 0 && (r.Kind == reconstruct.Replaced || r.Kind == reconstruct.Reset):
		kind := "pruning"
		for _, m := range r.Replaces {
			switch m.By {
			case reconstruct.ByCompaction:
				return "compaction"
			case reconstruct.ByOther:
				kind = "replace"
			}
		}
		return kind
	case len(r.Parts) > 0:
		return "header"
	case r.HeaderReason == "resume":
		return "resume"
	case r.KeptMessages == q.Count():
		return "repeats"
	}
	return "extends"
}
