package golden

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// headers compares the snapshots. The same change in several of them is one.
func (c *comparison) headers() {
	c.oldParts, c.newParts = headerKeys(c.old), headerKeys(c.new)
	pairs := align(c.oldParts, c.newParts, func(int, int) bool { return true })
	order := 0
	for _, p := range pairs {
		if p.new >= 0 {
			order = 2 * c.new.Headers[p.new].Line
		}
		if p.new < 0 {
			h := &c.old.Headers[p.old]
			c.add(Change{Kind: HeaderRemoved, Type: h.Reason, Number: p.old + 1, Place: nowhere, order: order + 1})
			continue
		}
		h := &c.new.Headers[p.new]
		at := Change{Type: h.Reason, Number: p.new + 1, Place: h.Place, order: order}
		before := &Header{}
		if p.old >= 0 {
			before = &c.old.Headers[p.old]
			if before.Reason != h.Reason {
				change := at
				change.Kind, change.Old, change.New = HeaderChanged, before.Reason, h.Reason
				c.add(change)
			}
		} else {
			change := at
			change.Kind = HeaderAdded
			c.add(change)
			if before = c.new.header(p.new); p.new == 0 { // the one in front of it
				continue
			}
		}
		c.parts(&before.Parts, &h.Parts, at)
	}
	c.traceHeaders()
}

func headerKeys(s *Sum) []string {
	keys := make([]string, len(s.Headers))
	for i := range s.Headers {
		keys[i] = string(s.Headers[i].Parts.append(nil))
	}
	return keys
}

// header adds a change of a snapshot, or notes that it is one that was added.
func (c *comparison) header(at Change, kind Kind, name, old, new string, oldBytes, newBytes int64) {
	key := strings.Join([]string{string(kind), name, old, new}, "\x00")
	if k, again := c.folded[key]; again {
		c.changes[k].Headers = append(c.changes[k].Headers, at.Number)
		return
	}
	at.Kind, at.Name, at.Old, at.New, at.OldBytes, at.NewBytes = kind, name, old, new, oldBytes, newBytes
	c.add(at)
	c.folded[key] = len(c.changes) - 1
}

func (c *comparison) parts(a, b *Parts, at Change) {
	c.config(a.Config, b.Config, at)
	if a.System != b.System {
		c.header(at, SystemChanged, "", a.System.Digest, b.System.Digest, a.System.Bytes, b.System.Bytes)
	}
	if a.Whole != b.Whole {
		c.header(at, ToolsChanged, "", a.Whole.Digest, b.Whole.Digest, a.Whole.Bytes, b.Whole.Bytes)
	}
	c.tools(a.Tools, b.Tools, at)
}

func (c *comparison) config(a, b []Field, at Change) {
	old := make(map[string]string, len(a))
	for _, f := range a {
		old[f.Key] = f.Value
	}
	kept := make(map[string]bool)
	for _, f := range b {
		before, known := old[f.Key]
		kept[f.Key] = known
		if before != f.Value {
			c.header(at, ConfigChanged, f.Key, before, f.Value, 0, 0)
		}
	}
	var oldOrder, newOrder []string
	for _, f := range a {
		if !kept[f.Key] {
			c.header(at, ConfigChanged, f.Key, f.Value, "", 0, 0)
			continue
		}
		oldOrder = append(oldOrder, f.Key)
	}
	for _, f := range b {
		if kept[f.Key] {
			newOrder = append(newOrder, f.Key)
		}
	}
	if !slices.Equal(oldOrder, newOrder) {
		c.header(at, ConfigReordered, "", list(oldOrder), list(newOrder), 0, 0)
	}
}

// tools compares two lists of tools. Tools of one name pair up by their order.
func (c *comparison) tools(a, b []Tool, at Change) {
	oldNames, newNames := toolNames(a), toolNames(b)
	old := make(map[string]Tool, len(a))
	for i, t := range a {
		old[oldNames[i]] = t
	}
	kept := make(map[string]bool)
	var oldOrder, newOrder []string
	for i, t := range b {
		before, known := old[newNames[i]]
		kept[newNames[i]] = known
		switch {
		case !known:
			c.header(at, ToolAdded, t.Name, "", t.Digest, 0, t.Bytes)
			continue
		case before.Part != t.Part:
			c.header(at, ToolChanged, t.Name, before.Digest, t.Digest, before.Bytes, t.Bytes)
		}
		newOrder = append(newOrder, newNames[i])
	}
	for i, t := range a {
		if !kept[oldNames[i]] {
			c.header(at, ToolRemoved, t.Name, t.Digest, "", t.Bytes, 0)
			continue
		}
		oldOrder = append(oldOrder, oldNames[i])
	}
	if !slices.Equal(oldOrder, newOrder) {
		c.header(at, ToolsReordered, "", list(oldOrder), list(newOrder), 0, 0)
	}
}

// toolNames returns the names of tools as JSON strings; a second one of the same
// name is recognised by its number.
func toolNames(tools []Tool) []string {
	seen := make(map[string]int)
	names := make([]string, len(tools))
	for i, t := range tools {
		name := string(ecmajson.AppendString(nil, t.Name))
		if seen[name]++; seen[name] > 1 {
			names[i] = fmt.Sprintf("%s (%d)", name, seen[name])
			continue
		}
		names[i] = name
	}
	return names
}

func list(names []string) string { return strings.Join(names, ", ") }

// traceHeaders finds the requests that carry the snapshots that changed.
func (c *comparison) traceHeaders() {
	for k := range c.changes {
		change := &c.changes[k]
		switch change.Kind {
		case SessionChanged, HeaderChanged:
			continue
		case HeaderRemoved:
			change.Requests = c.keys(func(j int) bool {
				return c.oldOf[j] >= 0 && (c.old.Requests[c.oldOf[j]].Header == change.Number || c.old.Requests[c.oldOf[j]].Config == change.Number)
			})
			continue
		}
		numbers := append([]int{change.Number}, change.Headers...)
		change.Requests = c.keys(func(j int) bool {
			q := &c.new.Requests[j]
			return slices.Contains(numbers, q.Header) && !ofConfig(change.Kind) || slices.Contains(numbers, q.Config) && (ofConfig(change.Kind) || change.Kind == HeaderAdded)
		})
	}
	for j, i := range c.oldOf { // a request whose snapshot went away carries another one now
		if i < 0 || !c.changed[j] {
			continue
		}
		a, b := &c.old.Requests[i], &c.new.Requests[j]
		if c.oldParts[a.Header-1] != c.newParts[b.Header-1] || c.oldParts[a.Config-1] != c.newParts[b.Config-1] {
			c.explained[j] = true
		}
	}
}

func ofConfig(k Kind) bool { return k == ConfigChanged || k == ConfigReordered }
