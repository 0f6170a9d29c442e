package promptcache

import (
	"cmp"
	"fmt"
	"slices"
)

// close ends the analysis: sums, costs and patterns.
func (a *analysis) close() {
	a.settle()
	r := a.report
	t := &r.Totals
	t.Requests = len(r.Requests)
	var losses []Loss
	for _, q := range r.Requests {
		t.Verdicts[q.Verdict]++
		t.Input.add(q.Usage.Input)
		t.CacheRead.add(q.Usage.CacheRead)
		t.CacheWrite.add(q.Usage.CacheWrite)
		t.Output.add(q.Usage.Output)
		t.Lost.add(q.Lost)
		if _, ok := q.FirstDifference(); ok {
			t.Resets++
		}
		losses = append(losses, q.losses()...)
	}
	t.Judged = t.Verdicts[Hit] + t.Verdicts[ExplainedDrop] + t.Verdicts[UnexplainedDrop]
	r.Costs = costs(losses)
	slices.SortStableFunc(losses, func(x, y Loss) int { return dearer(x.Tokens, y.Tokens, x.Bytes, y.Bytes) })
	for _, l := range losses[:min(3, len(losses))] {
		if l.Tokens > 0 || l.Bytes > 0 {
			r.Worst = append(r.Worst, l)
		}
	}
	r.Patterns = append(r.Patterns, a.patterns()...)
	a.notes()
}

func dearer(tokens, otherTokens, bytes, otherBytes int64) int {
	return cmp.Or(cmp.Compare(otherTokens, tokens), cmp.Compare(otherBytes, bytes))
}

// losses returns what the request lost, by cause.
func (q *Request) losses() (list []Loss) {
	first, reset := q.FirstDifference()
	if explained := q.Lost - q.LostToNothing; explained > 0 {
		list = append(list, Loss{q.Request, q.blame.Label(), q.blame.Detail, int64(explained), q.behind, true})
	} else if reset {
		list = append(list, Loss{q.Request, first.Label(), first.Detail, 0, q.behind, q.Usage.reportsCache()})
	}
	if q.LostToNothing > 0 {
		list = append(list, Loss{q.Request, string(Unexplained), "nothing in the log explains it" + pause(q.Pause), int64(q.LostToNothing), 0, true})
	}
	return list
}

// pause tells of a pause that is long enough for a cache to expire.
func pause(ms int64) string {
	if ms < minutes {
		return ""
	}
	return "; it came " + span(ms) + " after the request before"
}

// minutes is a pause after which caches are known to expire, in milliseconds.
const minutes = 5 * 60_000

func span(ms int64) string {
	switch s := ms / 1000; {
	case s < 120:
		return fmt.Sprintf("%d s", s)
	case s < 7200:
		return fmt.Sprintf("%d min", s/60)
	default:
		return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
	}
}

func costs(losses []Loss) []Cost {
	list := []Cost{}
	at := make(map[string]int)
	for _, l := range losses {
		i, ok := at[l.Cause]
		if !ok {
			i = len(list)
			at[l.Cause] = i
			list = append(list, Cost{Cause: l.Cause})
		}
		list[i].Requests++
		list[i].Tokens += l.Tokens
		list[i].Bytes += l.Bytes
		list[i].Reported = list[i].Reported || l.Reported
	}
	slices.SortStableFunc(list, func(x, y Cost) int { return dearer(x.Tokens, y.Tokens, x.Bytes, y.Bytes) })
	return list
}

// fewest is how many requests must have been judged for their share to say anything.
const fewest = 3

func (a *analysis) notes() {
	r := a.report
	t := r.Totals
	note := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	switch {
	case t.Requests == 0:
		note("the log shows no request as sent")
	case t.Verdicts[NotReported] == t.Requests:
		note("the provider reported no cache numbers for any request: prompts are compared, and nothing is said about what the cache gave")
	case t.Judged < fewest:
		note("%d of %d requests could be judged: too few to say how the cache does", t.Judged, t.Requests)
	}
	if keys := shrinking(r.Requests); len(keys) > 0 {
		note("%d requests extend the one before and report a shorter prompt, the first %s: the reported tokens do not fit the prompts", len(keys), keys[0])
	}
	if q := thin(r.Requests); q != nil {
		note("request %s has a prompt of %d bytes and reports %d tokens: the reported tokens do not fit the prompts", q.Request, q.PromptBytes, q.Usage.prompt())
	}
	if t.Prepared > 0 {
		note("%d prepared but not shown as sent, and left out", t.Prepared)
	}
}

// shrinking returns the requests whose prompt grew while its tokens became fewer.
func shrinking(rows []*Request) (keys []string) {
	for i := 1; i < len(rows); i++ {
		q, before := rows[i], rows[i-1].Usage.prompt()
		if now := q.Usage.prompt(); len(q.Causes) == 0 && !q.First && now >= 0 && now < before {
			keys = append(keys, q.Request)
		}
	}
	return keys
}

// mostBytes is more bytes than a token has, images aside, which are references in
// a prompt's JSON and make it shorter.
const mostBytes = 40

// thin returns the first request with fewer tokens than its bytes can be.
func thin(rows []*Request) *Request {
	for _, q := range rows {
		if n := q.Usage.prompt(); n >= 0 && q.PromptBytes > 10_000 && q.PromptBytes > mostBytes*int64(n) {
			return q
		}
	}
	return nil
}
