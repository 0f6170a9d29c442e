package promptcache

import (
	"crypto/sha256"

	"github.com/dsh-verify/dsh-verify/internal/headerdiff"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// Options adjust the judgement.
type Options struct {
	// Block is in how many tokens the provider caches; 0: 64.
	Block int64
	// Redactor, when set, replaces the texts that the report quotes.
	Redactor *redact.Redactor
}

// Read analyses one log. The error is a *logformat.Refusal or a failure to read.
func Read(name string, r *logformat.Reader, opts Options) (*Report, error) {
	header, err := r.Header()
	if err != nil {
		return nil, err
	}
	a := newAnalysis(name, header, opts)
	for rec, err := range r.Records() {
		if err != nil {
			return nil, err
		}
		q, err := a.session.Apply(rec)
		if err != nil {
			return nil, reconstruct.Outranked(r, err)
		}
		if q != nil {
			a.request(q, a.session.Act().Time())
		}
		a.after(a.session.Act())
	}
	if q := a.session.Finish(); q != nil {
		a.request(q, 0)
	}
	a.close()
	return a.report, nil
}

// An analysis follows one log.
type analysis struct {
	report  *Report
	header  *logformat.SessionHeader
	session *reconstruct.Session
	slack   Tokens
	redact  *redact.Redactor

	open     *Request // the latest, whose usage is still to come
	openKey  promptKey
	epoch    *reconstruct.EpochHeader // the latest snapshot
	previous headers                  // of the request before
	heads    []headers                // of the requests, without repetitions
	cum      []int64                  // bytes of the first n messages of the request before
	prompts  prompts
	pending  []Cause // of requests that were not answered, since the last one that was
	last     Tokens  // whole prompt of the last request that reported it, tokens; -1: none
	answered int64   // when the request before was last heard of, ms; 0: never
}

// headers are those that a request carries, with the request.
type headers struct {
	config, rest *reconstruct.EpochHeader
	request      string
}

// whole returns the two as one header.
func (h headers) whole() *reconstruct.EpochHeader {
	w := *h.config
	w.System, w.Tools = h.rest.System, h.rest.Tools
	return &w
}

func newAnalysis(name string, header *logformat.SessionHeader, opts Options) *analysis {
	if opts.Block <= 0 {
		opts.Block = 64
	}
	a := &analysis{header: header, slack: Tokens(2 * opts.Block), redact: opts.Redactor, last: -1, cum: []int64{0}, prompts: make(prompts)}
	a.report = &Report{
		File: name, SessionID: header.ID, ParentSession: header.ParentSession, Block: opts.Block,
		Requests: []*Request{}, Costs: []Cost{}, Worst: []Loss{}, Patterns: []Pattern{}, Lifetimes: []Lifetime{}, Notes: []string{},
	}
	a.report.Totals = Totals{
		Verdicts: make(map[Verdict]int),
		Input:    -1, CacheRead: -1, CacheWrite: -1, Output: -1, Lost: -1, OneshotIn: -1, OneshotOut: -1,
	}
	a.session = reconstruct.NewSession(header, reconstruct.Options{Oneshot: a.oneshot})
	return a
}

// request adds a request. One that the log cannot show as sent may have left
// nothing in any cache: it is counted and left out.
func (a *analysis) request(q *reconstruct.Request, time int64) {
	if q.Prepared {
		a.report.Totals.Prepared++
		return
	}
	a.settle()
	r := q.Relation
	row := &Request{
		Ordinal: q.Ordinal, Request: q.Key(), Turn: q.Turn, Step: q.Step, Attempt: q.Attempt, DispatchSeq: q.Boundary.Dispatch,
		Provider: q.Config.Config.Lookup("provider").Text(), Model: q.Model(), Messages: q.Count(),
		First: r.Kind == reconstruct.First, Inherited: r.Inherited, Resume: r.HeaderReason == "resume",
		KeptMessages: r.KeptMessages, Causes: []Cause{}, Usage: unreported, Reference: -1, Expected: -1, Lost: -1, LostToNothing: -1,
	}
	if a.answered > 0 {
		row.Pause = max(0, time-a.answered)
	}
	a.answered = time
	now := headers{q.Config, q.Header, row.Request}
	before := a.promptBytes(r)
	a.count(q)
	row.PromptBytes = int64(len(q.Header.System)+len(q.Header.Tools)) + a.cum[len(a.cum)-1]
	if !row.First && a.previous.config != nil {
		a.compare(row, q, now, before)
	}
	a.prompts.cut(r.KeptMessages)
	a.openKey = keyOf(now)
	row.Expected = a.prompts.longest(a.openKey)
	a.open, a.previous = row, now
	if n := len(a.heads); n == 0 || a.heads[n-1].config != now.config || a.heads[n-1].rest != now.rest {
		a.heads = append(a.heads, now)
	}
	a.report.Requests = append(a.report.Requests, row)
}

// promptBytes returns the length of the prompt of the request before.
func (a *analysis) promptBytes(r reconstruct.Relation) int64 {
	if r.Inherited || a.previous.rest == nil {
		return r.PreviousBytes // the parent's, of which only the length is known
	}
	return int64(len(a.previous.rest.System)+len(a.previous.rest.Tools)) + a.cum[len(a.cum)-1]
}

// count brings the sums of message bytes up to a request.
func (a *analysis) count(q *reconstruct.Request) {
	a.cum = a.cum[:min(len(a.cum), q.Relation.KeptMessages+1)]
	i := 0
	for m := range q.Messages() {
		if i++; i >= len(a.cum) {
			a.cum = append(a.cum, a.cum[len(a.cum)-1]+int64(len(m.Bytes)))
		}
	}
}

// compare finds what differs from the request before, and how much of its prompt is
// still a prefix.
func (a *analysis) compare(row *Request, q *reconstruct.Request, now headers, before int64) {
	old, current := a.previous.whole(), now.whole()
	row.Causes = append(row.Causes, headerCauses(old, current, row.Resume, a.redact)...)
	whole := q.Relation.Kind == reconstruct.Extends || q.Relation.Kind == reconstruct.HeaderChanged
	row.Causes = append(row.Causes, replaceCauses(q.Relation.Replaces, !whole)...)
	if !whole && len(q.Relation.Replaces) == 0 {
		row.Causes = append(row.Causes, Cause{Kind: OtherReplace, Detail: "messages of the request before are gone", Seq: q.Boundary.Dispatch, Resets: true})
	}
	row.KeptBytes = keptBytes(old, current, a.cum[row.KeptMessages])
	row.behind = max(0, min(before, row.PromptBytes)-row.KeptBytes)
	if before > 0 {
		row.KeptShare = min(1, float64(row.KeptBytes)/float64(before))
	}
	if _, reset := row.FirstDifference(); whole && !reset {
		row.KeptShare = 1 // the length of an inherited prompt is not known exactly
	}
}

// keptBytes returns how much of a prompt stays, messages being what stays of those.
func keptBytes(old, current *reconstruct.EpochHeader, messages int64) int64 {
	for _, field := range []string{"provider", "model"} {
		if !ecmajson.Equal(old.Config.Lookup(field), current.Config.Lookup(field)) {
			return 0
		}
	}
	if string(old.System) != string(current.System) {
		return common(old.System, current.System)
	}
	if string(old.Tools) != string(current.Tools) {
		return int64(len(old.System)) + common(old.Tools, current.Tools)
	}
	return int64(len(old.System)+len(old.Tools)) + messages
}

func common(a, b []byte) int64 {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return int64(n)
}

// after takes what an act says of the request that is open.
func (a *analysis) after(act *transcript.Act) {
	if act.Kind == transcript.Snapshot {
		a.snapshot()
		return
	}
	if v := act.Usage(); v != nil && a.open != nil && !act.Replaces() {
		a.open.Usage = parseUsage(v)
		a.answered = act.Time()
	}
}

// snapshot compares the header of a new lifetime with the one before it.
func (a *analysis) snapshot() {
	old := a.epoch
	a.epoch = a.session.Epoch()
	if a.session.Inherited(a.epoch.Seq) {
		a.previous = headers{config: a.epoch, rest: a.epoch} // the parent's requests are not yielded
	}
	if old == nil || a.epoch.Reason != "resume" {
		return
	}
	kind := "resume"
	if a.session.Inherited(old.Seq) && !a.session.Inherited(a.epoch.Seq) {
		kind = "fork"
	}
	a.report.Lifetimes = append(a.report.Lifetimes, NewLifetime(kind, "", &headerdiff.Step{Old: old, New: a.epoch, Changes: headerdiff.Compare(old, a.epoch)}, a.redact))
}

func (a *analysis) oneshot(o *reconstruct.Oneshot) {
	if o.Kind != reconstruct.CompactionOneshot {
		return
	}
	t := &a.report.Totals
	t.Compactions++
	u := parseUsage(o.Usage)
	t.OneshotIn.add(u.prompt())
	t.OneshotOut.add(u.Output)
}

// A promptKey stands for what comes before the messages in a prompt.
type promptKey [sha256.Size]byte

func keyOf(h headers) (key promptKey) {
	hash := sha256.New()
	for name, value := range h.config.Config.Members() {
		if isRendered(headerdiff.Change{Name: name.Text()}) {
			hash.Write(name)
			hash.Write(value)
		}
	}
	hash.Write([]byte{0})
	hash.Write(h.rest.System)
	hash.Write([]byte{0})
	hash.Write(h.rest.Tools)
	hash.Sum(key[:0])
	return key
}

// A sentPrompt is an earlier prompt whose messages are still a prefix of the
// history.
type sentPrompt struct {
	messages int
	tokens   Tokens
}

type prompts map[promptKey][]sentPrompt

// cut forgets the prompts that end after the kept messages. Under each key they
// ascend, because a history grows between two cuts.
func (p prompts) cut(kept int) {
	for key, list := range p {
		n := len(list)
		for n > 0 && list[n-1].messages > kept {
			n--
		}
		p[key] = list[:n]
	}
}

// longest returns the tokens of the longest prompt under a key, 0 when there is none.
func (p prompts) longest(key promptKey) Tokens {
	if list := p[key]; len(list) > 0 {
		return list[len(list)-1].tokens
	}
	return 0
}

func (p prompts) add(key promptKey, s sentPrompt) { p[key] = append(p[key], s) }
