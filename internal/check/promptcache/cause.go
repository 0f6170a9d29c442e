package promptcache

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/headerdiff"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// CauseKind is a kind of difference between two requests.
type CauseKind string

// The kinds.
const (
	ModelSwitch    CauseKind = "model switch"
	ConfigField    CauseKind = "config field"
	SystemPrompt   CauseKind = "system prompt"
	ToolsAdded     CauseKind = "tools added"
	ToolsRemoved   CauseKind = "tools removed"
	ToolsReordered CauseKind = "tools reordered"
	ToolsEdited    CauseKind = "tools edited"
	ToolsKeyOrder  CauseKind = "tools' key order"
	Compaction     CauseKind = "compaction"
	Pruning        CauseKind = "pruning"
	OtherReplace   CauseKind = "other replace"
	Unexplained    CauseKind = "unexplained" // of a cost: nothing in the log
)

// A Cause is a difference between a request and the one before it.
type Cause struct {
	Kind     CauseKind `json:"kind"`
	Detail   string    `json:"detail"` // a clause; log text in it is visible
	Seq      int64     `json:"seq"`    // of the request header or the replacing event
	Resets   bool      `json:"resets"` // it changes the prompt, or may
	AtResume bool      `json:"atResume,omitempty"`
	Names    []string  `json:"names,omitempty"` // of tools, or of the config field

	Change *headerdiff.Change `json:"-"` // of the system prompt, or of the first tool
}

// Label names the cause for a list of costs.
func (c Cause) Label() string {
	if c.AtResume {
		return string(c.Kind) + " at resume"
	}
	return string(c.Kind)
}

// headerCauses attributes the differences of two headers, in the order in which
// they stand in a prompt.
func headerCauses(old, current *reconstruct.EpochHeader, atResume bool, redactor *redact.Redactor) (list []Cause) {
	changes := headerdiff.Compare(old, current)
	add := func(kind CauseKind, resets bool, detail string, names []string, change *headerdiff.Change) {
		list = append(list, Cause{kind, detail, current.Seq, resets, atResume, names, change})
	}
	if of := filter(changes, func(c headerdiff.Change) bool { return isRoute(c) }); len(of) > 0 {
		add(ModelSwitch, true, join(of), fieldNames(of, redactor), nil)
	}
	for _, c := range changes {
		if c.Part == headerdiff.Config && !isRoute(c) {
			add(ConfigField, isRendered(c), c.Clause(redactor), fieldNames([]headerdiff.Change{c}, redactor), nil)
		}
	}
	for _, c := range changes {
		if c.Part == headerdiff.System {
			add(SystemPrompt, true, c.String(), nil, &c)
		}
	}
	for _, kind := range toolKinds(old, current) {
		of := filter(changes, func(c headerdiff.Change) bool { return c.Part == headerdiff.Tools && toolKind(c) == kind })
		if len(of) == 0 {
			continue
		}
		detail := string(kind) + ": " + listed(fieldNames(of, redactor))
		if kind == ToolsReordered || of[0].Name == "" {
			detail = of[0].Clause(redactor)
		}
		add(kind, true, detail, fieldNames(of, redactor), &of[0])
	}
	return list
}

func isRoute(c headerdiff.Change) bool {
	return c.Part == headerdiff.Config && (c.Name == "provider" || c.Name == "model")
}

// isRendered reports whether a config field may change the prompt. Limits, sampling
// settings and the order of the fields do not.
func isRendered(c headerdiff.Change) bool {
	return !slices.Contains([]string{"", "maxTokens", "temperature", "stop"}, c.Name)
}

func toolKind(c headerdiff.Change) CauseKind {
	switch c.Kind {
	case headerdiff.Added:
		return ToolsAdded
	case headerdiff.Removed:
		return ToolsRemoved
	case headerdiff.Reorder:
		return ToolsReordered
	case headerdiff.KeyOrder:
		return ToolsKeyOrder
	}
	return ToolsEdited
}

// toolKinds returns the kinds of tool changes, the one that comes first in the
// prompt in front.
func toolKinds(old, current *reconstruct.EpochHeader) []CauseKind {
	kinds := []CauseKind{ToolsAdded, ToolsRemoved, ToolsReordered, ToolsEdited, ToolsKeyOrder}
	was, is := slices.Collect(old.Tools.Elements()), slices.Collect(current.Tools.Elements())
	i := 0
	for i < min(len(was), len(is)) && string(was[i]) == string(is[i]) {
		i++
	}
	first := ToolsReordered
	switch {
	case i == len(was):
		first = ToolsAdded
	case i == len(is):
		first = ToolsRemoved
	case was[i].Lookup("name").Text() == is[i].Lookup("name").Text():
		first = ToolsEdited
		if c := headerdiff.Compare(&reconstruct.EpochHeader{System: was[i]}, &reconstruct.EpochHeader{System: is[i]}); c[0].Kind == headerdiff.KeyOrder {
			first = ToolsKeyOrder
		}
	case !slices.Contains(headerdiff.ToolNames(old.Tools), is[i].Lookup("name").Text()):
		first = ToolsAdded
	case !slices.Contains(headerdiff.ToolNames(current.Tools), was[i].Lookup("name").Text()):
		first = ToolsRemoved
	}
	at := slices.Index(kinds, first)
	return append([]CauseKind{first}, slices.Delete(kinds, at, at+1)...)
}

// replaceCauses attributes messages that were replaced. They reset the prefix only
// where the request before held some of them.
func replaceCauses(replaces []*reconstruct.Message, resets bool) (list []Cause) {
	for _, m := range replaces {
		if m == nil {
			continue
		}
		kind := map[reconstruct.ReplaceKind]CauseKind{reconstruct.ByCompaction: Compaction, reconstruct.ByPruning: Pruning}[m.By]
		if kind == "" {
			kind = OtherReplace
		}
		what := fmt.Sprintf("seq %d", m.Seq)
		if n := len(m.Shadowed); n == 1 {
			what += fmt.Sprintf(" replaces seq %d", m.Shadowed[0])
		} else {
			what += fmt.Sprintf(" replaces %d events, seq %d to %d in surface order", n, m.Shadowed[0], m.Shadowed[n-1])
		}
		list = append(list, Cause{Kind: kind, Detail: string(kind) + ": " + what, Seq: m.Seq, Resets: resets})
	}
	return list
}

func filter(changes []headerdiff.Change, keep func(headerdiff.Change) bool) (list []headerdiff.Change) {
	for _, c := range changes {
		if keep(c) {
			list = append(list, c)
		}
	}
	return list
}

func join(changes []headerdiff.Change) string {
	words := make([]string, len(changes))
	for i, c := range changes {
		words[i] = strings.TrimPrefix(c.String(), "config ")
	}
	return strings.Join(words, ", ")
}

func fieldNames(changes []headerdiff.Change, redactor *redact.Redactor) (names []string) {
	for _, c := range changes {
		if c.Name != "" {
			names = append(names, c.Label(redactor))
		}
	}
	return names
}

// listed joins names for a person.
func listed(names []string) string {
	const most = 8
	words := make([]string, 0, most)
	for i, name := range names {
		if i == most {
			return strings.Join(words, ", ") + fmt.Sprintf(" and %d more", len(names)-most)
		}
		words = append(words, diffview.Visible(name))
	}
	return strings.Join(words, ", ")
}
