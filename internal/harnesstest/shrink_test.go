package harnesstest

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// judgeSessions has the harness's loader judge the logs of a session, as they
// are and damaged.
func judgeSessions(t *testing.T, seed uint64, dir string, total *totals) {
	files, _ := filepath.Glob(filepath.Join(dir, "sessions", "*", "*", "session.jsonl*"))
	if len(files) == 0 {
		return
	}
	var batch []trial
	r := rand.New(rand.NewPCG(seed, 3))
	for _, path := range files {
		b := readBase(t, path)
		if b == nil {
			continue
		}
		batch = append(batch, trial{base: b, file: b.file, how: "undamaged", seed: seed})
		for i := range 4 {
			file, how := mutate(r, b)
			batch = append(batch, trial{base: b, file: file, how: how, seed: seed*1000 + uint64(i)})
		}
	}
	c := newComparison([]*loader{published(t)})
	c.compare(t, batch)
	c.report(t)
	total.Lock()
	total.judged += len(batch)
	total.Unlock()
}

// shrink leaves away what does not matter for a failure. It plays a few dozen
// smaller plans at most.
func (h *harness) shrink(p *plan, why error) (*plan, error) {
	best := p
	budget := 40
	kind := failureKind(why)
	try := func(smaller *plan) bool {
		if budget == 0 || len(smaller.Lifetimes) == 0 {
			return false
		}
		budget--
		dir, err := os.MkdirTemp("", "shrink")
		if err != nil {
			return false
		}
		defer os.RemoveAll(dir)
		err = h.play(smaller, dir, nil)
		if err == nil || failureKind(err) != kind {
			return false
		}
		best, why = smaller, err
		return true
	}
	for changed := true; changed && budget > 0; {
		changed = false
		for _, cut := range cuts(best) {
			if try(cut) {
				changed = true
				break
			}
		}
	}
	return best, why
}

// failureKind is a failure without what differs from run to run.
func failureKind(err error) string {
	text := err.Error()
	for _, code := range []string{"recording/", "object/", "log/", "lifetime", "edited", "recorded", "store"} {
		if at := strings.Index(text, code); at >= 0 {
			return text[at : at+len(code)]
		}
	}
	return ""
}

// cuts are the plans that are one step smaller, the smallest first.
func cuts(p *plan) (smaller []*plan) {
	add := func(change func(*plan)) {
		text, _ := json.Marshal(p)
		var c plan
		if json.Unmarshal(text, &c) == nil {
			change(&c)
			smaller = append(smaller, &c)
		}
	}
	if n := len(p.Lifetimes); n > 1 {
		add(func(c *plan) { c.Lifetimes = c.Lifetimes[:n-1] })
	}
	for i, l := range p.Lifetimes {
		for k := len(l.Turns) - 1; k >= 0; k-- {
			add(func(c *plan) {
				c.Lifetimes[i].Turns = append(c.Lifetimes[i].Turns[:k], c.Lifetimes[i].Turns[k+1:]...)
			})
		}
		if len(l.Tools) > 0 {
			add(func(c *plan) { c.Lifetimes[i].Tools = c.Lifetimes[i].Tools[1:] })
		}
		if l.EarlyActs != nil {
			add(func(c *plan) { c.Lifetimes[i].EarlyActs = nil })
		}
		if l.Compact != nil {
			add(func(c *plan) { c.Lifetimes[i].Compact = nil })
		}
		for k, t := range l.Turns {
			if len(t.Before) > 0 {
				add(func(c *plan) { c.Lifetimes[i].Turns[k].Before = t.Before[1:] })
			}
			if len(t.Replies) > 0 {
				add(func(c *plan) { c.Lifetimes[i].Turns[k].Replies = t.Replies[:len(t.Replies)-1] })
			}
			for m, reply := range t.Replies {
				if len(reply) > 1 {
					add(func(c *plan) { c.Lifetimes[i].Turns[k].Replies[m] = reply[len(reply)/2:] })
					add(func(c *plan) { c.Lifetimes[i].Turns[k].Replies[m] = reply[1:] })
				}
			}
		}
	}
	return smaller
}
