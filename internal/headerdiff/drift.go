// Package headerdiff compares request headers member by member: config fields, the
// system prompt, tools by their names. It tells what is another value from what is
// the same value with its keys in another order, which a person does not see and a
// prompt cache does.
package headerdiff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// Kind is what happened to a member.
type Kind string

// The kinds.
const (
	Added    Kind = "added"
	Removed  Kind = "removed"
	Edited   Kind = "edited"
	Reorder  Kind = "reordered"     // the members of a list, or of an object, stand in another order
	KeyOrder Kind = "keys in order" // the same value, its keys in another order
)

// Part is the part of a header that a change is in.
type Part string

// The parts.
const (
	Config   Part = "config"
	Defaults Part = "adapterDefaults"
	System   Part = "system"
	Tools    Part = "tools"
)

// A Change is one difference between two headers.
type Change struct {
	Part Part
	Kind Kind
	Name string         // of the config field or tool; "" for a part as a whole
	Old  ecmajson.Value // nil when added
	New  ecmajson.Value // nil when removed
}

// Compare lists how the current header differs from the old one: config, system
// prompt, tools, in this order. Equal headers give none.
func Compare(old, current *reconstruct.EpochHeader) []Change {
	var list []Change
	list = append(list, object(Config, old.Config, current.Config)...)
	list = append(list, object(Defaults, old.AdapterDefaults, current.AdapterDefaults)...)
	if kind, differs := value(old.System, current.System); differs {
		list = append(list, Change{Part: System, Kind: kind, Old: old.System, New: current.System})
	}
	return append(list, tools(old.Tools, current.Tools)...)
}

// value compares two values that may be absent.
func value(old, current ecmajson.Value) (Kind, bool) {
	switch {
	case bytes.Equal(old, current):
		return "", false
	case old == nil:
		return Added, true
	case current == nil:
		return Removed, true
	case ecmajson.Equal(old, current):
		return KeyOrder, true
	}
	return Edited, true
}

// object compares two objects field by field.
func object(part Part, old, current ecmajson.Value) (list []Change) {
	for key, was := range old.Members() {
		name := key.Text()
		if kind, differs := value(was, current.Lookup(name)); differs {
			list = append(list, Change{part, kind, name, was, current.Lookup(name)})
		}
	}
	for key, is := range current.Members() {
		if name := key.Text(); old.Lookup(name) == nil {
			list = append(list, Change{part, Added, name, nil, is})
		}
	}
	if len(list) == 0 && !bytes.Equal(old, current) {
		list = append(list, Change{Part: part, Kind: Reorder, Old: old, New: current})
	}
	return list
}

// tools compares two tool lists by name, and as one value where names repeat.
func tools(old, current ecmajson.Value) (list []Change) {
	was, is := byName(old), byName(current)
	if was == nil || is == nil {
		if kind, differs := value(old, current); differs {
			list = append(list, Change{Part: Tools, Kind: kind, Old: old, New: current})
		}
		return list
	}
	for _, t := range was.list {
		other := is.tools[t.name]
		if kind, differs := value(t.value, other); differs {
			list = append(list, Change{Tools, kind, t.name, t.value, other})
		}
	}
	for _, t := range is.list {
		if was.tools[t.name] == nil {
			list = append(list, Change{Tools, Added, t.name, nil, t.value})
		}
	}
	if !slices.Equal(was.common(is), is.common(was)) {
		list = append(list, Change{Part: Tools, Kind: Reorder, Old: old, New: current})
	}
	return list
}

type tool struct {
	name  string
	value ecmajson.Value
}

type toolList struct {
	list  []tool
	tools map[string]ecmajson.Value
}

// byName indexes a tool list; nil when it is none, or names are missing or repeat.
func byName(v ecmajson.Value) *toolList {
	t := &toolList{tools: make(map[string]ecmajson.Value)}
	if v != nil && v.Kind() != ecmajson.Array {
		return nil
	}
	for e := range v.Elements() {
		name := e.Lookup("name").Text()
		if name == "" || t.tools[name] != nil {
			return nil
		}
		t.tools[name] = e
		t.list = append(t.list, tool{name, e})
	}
	return t
}

// common returns the names that the other list has too, in this one's order.
func (t *toolList) common(other *toolList) (names []string) {
	for _, e := range t.list {
		if other.tools[e.name] != nil {
			names = append(names, e.name)
		}
	}
	return names
}

// ToolNames returns the names of a tool list in its order.
func ToolNames(v ecmajson.Value) (names []string) {
	for e := range v.Elements() {
		names = append(names, e.Lookup("name").Text())
	}
	return names
}

// longest is how much of a value a sentence quotes.
const longest = 60

// String returns the change as a clause for a person, in which log text is
// visible.
func (c Change) String() string { return c.Clause(nil) }

// Label is the name of what changed. A redactor, when there is one, replaces the
// names of tools, and those of fields that the format does not know.
func (c Change) Label(redactor *redact.Redactor) string {
	if c.Part == Tools {
		return redactor.Name(c.Name)
	}
	return redactor.Member(c.Name)
}

// Clause is String; a redactor, when there is one, replaces the names and values
// that it quotes. Numbers stay, and so does the route.
func (c Change) Clause(redactor *redact.Redactor) string {
	label, values := diffview.Visible(c.Label(redactor)), redactor
	if c.Part == Config && (c.Name == "provider" || c.Name == "model") {
		values = nil
	}
	switch c.Part {
	case Config, Defaults:
		if c.Name == "" {
			return string(c.Part) + " keys reordered: " + names(keys(c.Old), redactor.Member) + " → " + names(keys(c.New), redactor.Member)
		}
		return fmt.Sprintf("%s %s: %s", c.Part, label, arrow(c.Old, c.New, values))
	case System:
		if c.Kind == Edited || c.Kind == KeyOrder {
			return fmt.Sprintf("system prompt %s, %d → %d bytes", c.Kind, len(c.Old), len(c.New))
		}
		return "system prompt " + string(c.Kind)
	}
	switch {
	case c.Name != "" && c.Kind == KeyOrder:
		return "tool " + label + " has its keys in another order"
	case c.Name != "":
		return "tool " + label + " " + string(c.Kind)
	case c.Kind == Reorder:
		return "tools reordered: " + names(ToolNames(c.Old), redactor.Name) + " → " + names(ToolNames(c.New), redactor.Name)
	}
	return "tools " + string(c.Kind)
}

// Diff returns how an edited member's values differ, nil where there are not two.
func (c Change) Diff() *diffview.Diff {
	if c.Old == nil || c.New == nil || c.Kind == Reorder {
		return nil
	}
	return diffview.Compare(c.Old, c.New)
}

func arrow(old, current ecmajson.Value, redactor *redact.Redactor) string {
	return brief(old, redactor) + " → " + brief(current, redactor)
}

func brief(v ecmajson.Value, redactor *redact.Redactor) string {
	if v == nil {
		return "none"
	}
	text := string(v)
	if v.Kind() == ecmajson.String {
		text = v.Text()
	}
	switch v.Kind() {
	case ecmajson.String, ecmajson.Array, ecmajson.Object:
		if redactor != nil {
			return redactor.Text(text)
		}
	}
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return diffview.Visible(text)
}

func keys(v ecmajson.Value) (list []string) {
	for key := range v.Members() {
		list = append(list, key.Text())
	}
	return list
}

func names(list []string, redact func(string) string) string {
	shown := make([]string, 0, len(list))
	for i, name := range list {
		if i == 8 {
			shown = append(shown, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		shown = append(shown, diffview.Visible(redact(name)))
	}
	return strings.Join(shown, ", ")
}
