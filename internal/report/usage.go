package report

import (
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/check/promptcache"
)

// A CacheNote is what the prompt cache did for a request, and why.
type CacheNote struct {
	Verdict string
	Bad     bool // nothing in the log explains it
	Says    string
	Causes  []string
}

// A CostRow is what one kind of cause cost over the whole log.
type CostRow struct{ Cause, Requests, Tokens, Bytes string }

// readCache analyses the log's use of the prompt cache.
func (c *collector) readCache() error {
	reader, closer, err := c.source.Open()
	if err != nil {
		return err
	}
	defer closer.Close()
	analysis, err := promptcache.Read(c.log.File, reader, promptcache.Options{})
	if err != nil {
		return err
	}
	c.cached = make(map[string]*promptcache.Request)
	for _, q := range analysis.Requests {
		c.cached[q.Request] = q
	}
	for _, cost := range analysis.Costs {
		row := CostRow{Cause: c.ink.name(cost.Cause), Requests: number(cost.Requests), Bytes: size(cost.Bytes), Tokens: "–"}
		if analysis.Totals.CacheRead > 0 {
			row.Tokens = number(cost.Tokens)
		}
		c.session.Costs = append(c.session.Costs, row)
	}
	for _, p := range analysis.Patterns {
		text := c.ink.name(p.Name)
		if c.ink.redactor == nil {
			text += ": " + c.ink.line(p.Detail)
		}
		c.session.Patterns = append(c.session.Patterns, text)
	}
	return nil
}

// prompt is the length of a request's prompt and how much of it the prompt
// before it started with, in bytes; 0 for what was not sent.
func (c *collector) prompt(key string) (length, kept int64) {
	if q := c.cached[key]; q != nil {
		return q.PromptBytes, q.KeptBytes
	}
	return 0, 0
}

// broke names what broke the prefix of the request before, "" when nothing did.
func (c *collector) broke(key string) string {
	q := c.cached[key]
	if q == nil || q.First {
		return ""
	}
	if cause, ok := q.FirstDifference(); ok {
		return string(cause.Kind)
	}
	return ""
}

// share is the part of a prompt's tokens that came from the cache, 0 to 1.
func share(u promptcache.Usage) (float64, bool) {
	if u.Input < 0 || u.CacheRead < 0 {
		return 0, false
	}
	whole := u.Input + u.CacheRead + max(0, u.CacheWrite)
	if whole == 0 {
		return 0, false
	}
	return float64(u.CacheRead) / float64(whole), true
}

func (c *collector) cacheNote(key string) *CacheNote {
	q := c.cached[key]
	if q == nil {
		return nil
	}
	n := &CacheNote{Verdict: string(q.Verdict), Bad: q.Verdict == promptcache.UnexplainedDrop}
	var parts []string
	if !q.First {
		parts = append(parts, fmt.Sprintf("its prompt of %s starts with %s of the one before", size(q.PromptBytes), size(q.KeptBytes)))
	}
	if words := tokens(q.Usage); words != "" {
		parts = append(parts, words)
	}
	if q.Expected > 0 && q.Usage.CacheRead >= 0 {
		parts = append(parts, number(int64(q.Expected))+" were to be expected from the cache")
	}
	if q.Lost > 0 {
		parts = append(parts, number(int64(q.Lost))+" had to be read again")
	}
	n.Says = strings.Join(parts, "; ")
	for _, cause := range q.Causes {
		text := cause.Label()
		if c.ink.redactor == nil && cause.Detail != "" {
			text = c.ink.line(cause.Detail)
			if !strings.HasPrefix(text, string(cause.Kind)) {
				text = cause.Label() + ": " + text
			}
		}
		if !cause.Resets {
			text += " (does not touch the prompt before it)"
		}
		n.Causes = append(n.Causes, text)
	}
	return n
}

// tokens lists the numbers that a provider reported.
func tokens(u promptcache.Usage) string {
	var parts []string
	for _, n := range []struct {
		count promptcache.Tokens
		what  string
	}{{u.Input, "tokens in"}, {u.CacheRead, "read from the cache"}, {u.CacheWrite, "written to it"}, {u.Output, "out"}} {
		if n.count >= 0 {
			parts = append(parts, number(int64(n.count))+" "+n.what)
		}
	}
	return strings.Join(parts, ", ")
}
