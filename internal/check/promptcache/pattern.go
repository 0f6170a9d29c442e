package promptcache

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/headerdiff"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// patterns names habits of the session's headers, and of its drops.
func (a *analysis) patterns() (list []Pattern) {
	for _, find := range []func() *Pattern{a.grows, a.clock, a.counter, a.flips, a.comesAndGoes, a.modelsAlternate} {
		if p := find(); p != nil {
			list = append(list, *p)
		}
	}
	for _, find := range []func([]*Request) *Pattern{afterPauses, atTurns} {
		if p := find(a.report.Requests); p != nil {
			list = append(list, *p)
		}
	}
	return list
}

// A step is two headers of requests that follow each other.
type step struct {
	old, new headers
}

// steps returns the pairs of headers for which changed holds.
func (a *analysis) steps(changed func(step) bool) (list []step) {
	for i := 1; i < len(a.heads); i++ {
		if s := (step{a.heads[i-1], a.heads[i]}); changed(s) {
			list = append(list, s)
		}
	}
	return list
}

func keysOf(steps []step) (keys []string) {
	for _, s := range steps {
		keys = append(keys, s.new.request)
	}
	return keys
}

func systemChanged(s step) bool { return string(s.old.rest.System) != string(s.new.rest.System) }
func toolsChanged(s step) bool  { return string(s.old.rest.Tools) != string(s.new.rest.Tools) }

// grows: every change of the system prompt only adds to it.
func (a *analysis) grows() *Pattern {
	changes := a.steps(systemChanged)
	if len(changes) < 2 {
		return nil
	}
	for _, s := range changes {
		old, current := s.old.rest.System, s.new.rest.System
		if old == nil || current == nil || !strings.HasPrefix(string(current), string(old[:len(old)-1])) {
			return nil
		}
	}
	first, last := changes[0].old.rest.System, changes[len(changes)-1].new.rest.System
	return &Pattern{
		"a system prompt that only grows",
		fmt.Sprintf("%d changes, each of which adds to its end, from %d to %d bytes: what is added could be a message, which keeps the prefix", len(changes), len(first), len(last)),
		keysOf(changes),
	}
}

var (
	timePattern  = regexp.MustCompile(`\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?|\b\d{1,2}:\d{2}(?::\d{2})?\b|\b1[0-9]{9}(?:[0-9]{3})?\b`)
	digitPattern = regexp.MustCompile(`\d+`)
)

// A part is a part of a header in which numbers are looked for.
type part struct {
	name    string
	changed func(step) bool
	value   func(headers) ecmajson.Value
}

var parts = []part{
	{"system prompt", systemChanged, func(h headers) ecmajson.Value { return h.rest.System }},
	{"tools", toolsChanged, func(h headers) ecmajson.Value { return h.rest.Tools }},
}

// clock: a change is of times only.
func (a *analysis) clock() *Pattern { return a.masked("a timestamp", timePattern, 1) }

// counter: change after change is of numbers only.
func (a *analysis) counter() *Pattern {
	if a.clock() != nil {
		return nil
	}
	return a.masked("one number that changes in every snapshot", digitPattern, 2)
}

// masked finds the changes that are gone once what a pattern matches is masked.
func (a *analysis) masked(name string, mask *regexp.Regexp, least int) *Pattern {
	for _, p := range parts {
		changes := a.steps(p.changed)
		same := slices.DeleteFunc(slices.Clone(changes), func(s step) bool {
			old, current := p.value(s.old), p.value(s.new)
			return mask.ReplaceAllString(string(old), "0") != mask.ReplaceAllString(string(current), "0")
		})
		// A number is a pattern only if nothing else ever changes.
		if len(same) < least || least > 1 && len(same) < len(changes) {
			continue
		}
		old, current := different(mask, p.value(same[0].old), p.value(same[0].new))
		return &Pattern{
			name + " in the " + p.name,
			fmt.Sprintf("%s, first %s → %s: all after it is read again each time", times(len(same)), diffview.Visible(a.redact.Text(old)), diffview.Visible(a.redact.Text(current))),
			keysOf(same),
		}
	}
	return nil
}

// different returns the first matches that differ.
func different(mask *regexp.Regexp, old, current ecmajson.Value) (string, string) {
	was, is := mask.FindAllString(string(old), -1), mask.FindAllString(string(current), -1)
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] {
			return was[i], is[i]
		}
	}
	return "", ""
}

func times(n int) string {
	if n == 1 {
		return "one change"
	}
	return fmt.Sprintf("%d changes", n)
}

// flips: tools go back to an order that they had before.
func (a *analysis) flips() *Pattern {
	seen := make(map[string]bool)
	back := false
	changes := a.steps(func(s step) bool {
		was, is := headerdiff.ToolNames(s.old.rest.Tools), headerdiff.ToolNames(s.new.rest.Tools)
		if slices.Equal(was, is) || !slices.Equal(sorted(was), sorted(is)) {
			return false
		}
		seen[strings.Join(was, "\x00")] = true
		back = back || seen[strings.Join(is, "\x00")]
		return true
	})
	if !back {
		return nil
	}
	return &Pattern{
		"tools flip order",
		fmt.Sprintf("%d times the same tools stand in another order, and come back to an earlier one: sort them", len(changes)), keysOf(changes),
	}
}

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }

// comesAndGoes: a tool that was removed comes back.
func (a *analysis) comesAndGoes() *Pattern {
	gone := make(map[string]bool)
	var names []string
	changes := a.steps(func(s step) bool {
		was, is := headerdiff.ToolNames(s.old.rest.Tools), headerdiff.ToolNames(s.new.rest.Tools)
		back := false
		for _, name := range is {
			if gone[name] && !slices.Contains(was, name) {
				back = true
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		for _, name := range was {
			gone[name] = gone[name] || !slices.Contains(is, name)
		}
		return back
	})
	if len(changes) == 0 {
		return nil
	}
	for i, name := range names {
		names[i] = a.redact.Name(name)
	}
	return &Pattern{"tools come and go", "removed and added again: " + listed(names), keysOf(changes)}
}

// modelsAlternate: the session goes back to a model that it left.
func (a *analysis) modelsAlternate() *Pattern {
	left := make(map[string]bool)
	route := func(h headers) string {
		return string(h.config.Config.Lookup("provider")) + string(h.config.Config.Lookup("model"))
	}
	back := false
	changes := a.steps(func(s step) bool {
		was, is := route(s.old), route(s.new)
		if was == is {
			return false
		}
		left[was] = true
		back = back || left[is]
		return true
	})
	if !back {
		return nil
	}
	return &Pattern{"models alternate", fmt.Sprintf("%d switches, back to a model that was left: each model has a cache of its own", len(changes)), keysOf(changes)}
}

// unexplained returns the requests of unexplained drops.
func unexplained(rows []*Request, where func(*Request) bool) (keys []string, all int) {
	for _, q := range rows {
		if q.Verdict != UnexplainedDrop {
			continue
		}
		all++
		if where(q) {
			keys = append(keys, q.Request)
		}
	}
	return keys, all
}

// afterPauses: unexplained drops follow pauses.
func afterPauses(rows []*Request) *Pattern {
	keys, all := unexplained(rows, func(q *Request) bool { return q.Pause >= minutes })
	if len(keys) == 0 {
		return nil
	}
	return &Pattern{"drops after pauses", fmt.Sprintf("%d of %d unexplained drops come more than 5 minutes after the request before: the cache may have expired", len(keys), all), keys}
}

// atTurns: unexplained drops are at the first step of a turn, and nowhere else.
func atTurns(rows []*Request) *Pattern {
	keys, all := unexplained(rows, func(q *Request) bool { return q.Step == 1 && q.Pause < minutes })
	if len(keys) < 2 || len(keys) < all {
		return nil
	}
	return &Pattern{"drops at the start of turns", fmt.Sprintf("all %d unexplained drops: the provider may leave out the reasoning of earlier turns, which shortens the prefix", all), keys}
}
