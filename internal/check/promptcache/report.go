package promptcache

import (
	"github.com/dsh-verify/dsh-verify/internal/headerdiff"
	"github.com/dsh-verify/dsh-verify/internal/redact"
)

// SchemaVersion is the version of the JSON report.
const SchemaVersion = 1

// Verdict is what the cache did for a request.
type Verdict string

// The verdicts.
const (
	ColdStart       Verdict = "cold start"
	Hit             Verdict = "hit"
	ExplainedDrop   Verdict = "explained drop"
	UnexplainedDrop Verdict = "UNEXPLAINED drop"
	NotReported     Verdict = "not reported"
	TooFew          Verdict = "too few tokens"
)

// A Report is what was found in one log.
type Report struct {
	File          string     `json:"file"`
	SessionID     string     `json:"sessionId"`
	ParentSession string     `json:"parentSession,omitempty"`
	Block         int64      `json:"block"` // tokens
	Requests      []*Request `json:"requests"`
	Totals        Totals     `json:"totals"`
	Costs         []Cost     `json:"costs"` // the most expensive first
	Worst         []Loss     `json:"worst"` // at most three single drops
	Patterns      []Pattern  `json:"patterns"`
	Lifetimes     []Lifetime `json:"lifetimes"`
	Notes         []string   `json:"notes"`
}

// A Request is one row of the table. Tokens that are not known are negative, and
// null in JSON.
type Request struct {
	Ordinal     int    `json:"ordinal"`
	Request     string `json:"request"` // turn.step.attempt
	Turn        int64  `json:"turn"`
	Step        int64  `json:"step"`
	Attempt     int64  `json:"attempt"`
	DispatchSeq int64  `json:"dispatchSeq"`
	Provider    string `json:"provider"`
	Model       string `json:"model"`
	Messages    int    `json:"messages"`
	First       bool   `json:"first,omitempty"`     // no request before it
	Inherited   bool   `json:"inherited,omitempty"` // the request before was the parent session's
	Resume      bool   `json:"resume,omitempty"`    // the first of a later lifetime
	Pause       int64  `json:"pauseMs"`             // since the request before was answered

	PromptBytes   int64   `json:"promptBytes"`  // of system prompt, tools and messages
	KeptMessages  int     `json:"keptMessages"` // of the request before, from the start
	KeptBytes     int64   `json:"keptBytes"`    // of its prompt
	KeptShare     float64 `json:"keptShare"`    // of its prompt, 0 to 1
	Causes        []Cause `json:"causes"`       // the first that resets is the one that counts
	Usage         Usage   `json:"usage"`
	Reference     Tokens  `json:"reference"`       // tokens that an unchanged prompt would have found in the cache
	Expected      Tokens  `json:"expected"`        // tokens that the cache should have given at least
	Lost          Tokens  `json:"lost"`            // tokens read again because of a drop
	LostToNothing Tokens  `json:"lostUnexplained"` // of them, those that no cause explains
	Verdict       Verdict `json:"verdict"`

	behind int64 // bytes of the prompt before that had to be read again
	blame  Cause // of what was lost and explained
}

// FirstDifference returns the cause that counts: the first in the prompt that resets
// its prefix.
func (q *Request) FirstDifference() (Cause, bool) {
	for _, c := range q.Causes {
		if c.Resets {
			return c, true
		}
	}
	return Cause{}, false
}

// Totals sum a log up. Tokens that no request reported have no sum.
type Totals struct {
	Requests    int             `json:"requests"`
	Prepared    int             `json:"prepared"` // not shown as sent, and left out
	Judged      int             `json:"judged"`   // hits and drops
	Verdicts    map[Verdict]int `json:"verdicts"`
	Resets      int             `json:"resets"` // requests whose prefix was reset by a cause
	Input       Tokens          `json:"inputTokens"`
	CacheRead   Tokens          `json:"cacheReadTokens"`
	CacheWrite  Tokens          `json:"cacheWriteTokens"`
	Output      Tokens          `json:"outputTokens"`
	Lost        Tokens          `json:"lostTokens"`
	Compactions int             `json:"compactionCalls"` // one-shots, whose tokens are not in the sums above
	OneshotIn   Tokens          `json:"compactionInputTokens"`
	OneshotOut  Tokens          `json:"compactionOutputTokens"`
}

// A Cost is what one kind of cause cost.
type Cost struct {
	Cause    string `json:"cause"`
	Requests int    `json:"requests"`
	Tokens   int64  `json:"tokens"` // read again
	Bytes    int64  `json:"bytes"`  // of prompts behind the difference, known without any report
	// Reported says that the provider reported its cache for one of them.
	Reported bool `json:"reported"`
}

// A Loss is one drop, with its cause.
type Loss struct {
	Request string `json:"request"`
	Cause   string `json:"cause"`
	Detail  string `json:"detail"`
	Tokens  int64  `json:"tokens"`
	Bytes   int64  `json:"bytes"`
	// Reported says that the provider reported its cache, so that the tokens are known.
	Reported bool `json:"reported"`
}

// A Pattern is a habit that several requests show.
type Pattern struct {
	Name     string   `json:"name"`
	Detail   string   `json:"detail"`
	Requests []string `json:"requests"`
}

// A Lifetime is how the header of a later lifetime, or of a fork, follows the one
// before it.
type Lifetime struct {
	Kind      string   `json:"kind"` // resume, fork (the header is compared with the inherited one), or parent (with the parent's own log)
	Seq       int64    `json:"seq"`
	BeforeSeq int64    `json:"beforeSeq"`        // of the header that it is compared with
	Parent    string   `json:"parent,omitempty"` // whose log that header is in
	Drift     bool     `json:"drift"`
	Changes   []string `json:"changes"`

	Values []headerdiff.Change `json:"-"`
}

// NewLifetime describes a step from one header to the next; redactor, when set,
// replaces the values that it quotes.
func NewLifetime(kind, parent string, step *headerdiff.Step, redactor *redact.Redactor) Lifetime {
	l := Lifetime{
		Kind: kind, Seq: step.New.Seq, BeforeSeq: step.Old.Seq, Parent: parent,
		Drift: len(step.Changes) > 0, Changes: []string{}, Values: step.Changes,
	}
	for _, c := range step.Changes {
		l.Changes = append(l.Changes, c.Clause(redactor))
	}
	return l
}
