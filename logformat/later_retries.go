package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// retries are the chains of retries of a log.
type retries struct {
	chains  map[chainKey]*chain // of the open turn
	turn    int64               // that they are of
	ids     map[string]*chain
	planned map[plannedKey]int64 // retries that did not start yet; their step
}

type chainKey struct {
	step             int64
	provider, policy string
}

type chain struct {
	id    string
	turn  int64
	count int64
}

type plannedKey struct {
	id   string
	n    int64
	turn int64
}

// relateRetry: V2-33.
func relateRetry(log *laterLog, row *envelope, _ *Event) *Refusal {
	rel, data := &log.rel, row.data
	id, provider, policy := data.Lookup("retryId"), data.Lookup("provider"), data.Lookup("policyKey")
	turn, step, n, ok := retryOf(data)
	fault := func(detail string) *Refusal { return row.relation(CodeRetry, detail) }
	switch {
	case !ok || !nonEmpty(id) || !nonEmpty(policy):
		return fault("it does not name its place, retryId, policyKey and number")
	case !rel.turnOpen || turn != rel.turn || rel.step == 0 || step != rel.step:
		return fault(stepText(data))
	case !nonEmpty(provider) || !rel.hasHeader || !provider.Is(rel.provider):
		return fault("provider " + seqText(provider.Value()))
	}
	c := rel.retries.chain(turn, chainKey{step, provider.Text(), policy.Text()})
	if !rel.retries.goesOn(c, id, n) {
		return fault("retry " + seqText(data.Lookup("retry").Value()) + " of " + seqText(id.Value()))
	}
	rel.retries.plan(c, id.Text(), n, step)
	return nil
}

// retryOf reads where a retry belongs, and its number.
func retryOf(data ecmajson.Node) (turn, step, n int64, ok bool) {
	turn, ok = data.Lookup("turn").SafeInt()
	step, ok2 := data.Lookup("step").SafeInt()
	n, ok3 := data.Lookup("retry").SafeInt()
	return turn, step, n, ok && ok2 && ok3
}

// goesOn reports whether a retry is the next of a chain, under an id that is its own.
func (r *retries) goesOn(c *chain, id ecmajson.Node, n int64) bool {
	other := r.ids[id.Text()]
	return n == c.count+1 && (c.count == 0 || id.Is(c.id)) && (other == nil || other == c)
}

// chain returns the chain of a key in a turn.
func (r *retries) chain(turn int64, key chainKey) *chain {
	if r.chains == nil {
		r.chains, r.ids, r.planned = make(map[chainKey]*chain), make(map[string]*chain), make(map[plannedKey]int64)
	}
	if r.turn != turn {
		r.turn = turn
		clear(r.chains)
	}
	c := r.chains[key]
	if c == nil {
		c = &chain{turn: turn}
		r.chains[key] = c
	}
	return c
}

func (r *retries) plan(c *chain, id string, n, step int64) {
	c.id, c.count = id, n
	r.ids[id] = c
	r.planned[plannedKey{id, n, c.turn}] = step
}

// relateRetryStarted: V2-34.
func relateRetryStarted(log *laterLog, row *envelope, _ *Event) *Refusal {
	data := row.data
	turn, step, n, ok := retryOf(data)
	key := plannedKey{data.Lookup("retryId").Text(), n, turn}
	planned, found := log.rel.retries.planned[key]
	if !ok || !found || planned != step {
		return row.relation(CodeRetryStarted, "retry "+seqText(data.Lookup("retry").Value())+" of "+seqText(data.Lookup("retryId").Value()))
	}
	delete(log.rel.retries.planned, key)
	return nil
}

// A dispatch is a call of a tool from within another one's.
type dispatch struct {
	root, parent, name string
	arguments          []byte
	ended              bool
}

// dispatchOf reads the members that name a dispatch.
func dispatchOf(data ecmajson.Node) (d dispatch, id string, ok bool) {
	root, parent, sub, name := data.Lookup("rootCallId"), data.Lookup("parentCallId"), data.Lookup("subCallId"), data.Lookup("name")
	d = dispatch{root: root.Text(), parent: parent.Text(), name: name.Text()}
	return d, sub.Text(), nonEmpty(root) && nonEmpty(parent) && nonEmpty(sub) && nonEmpty(name)
}

// relateDispatchStart: V2-31, V2-32.
func relateDispatchStart(log *laterLog, row *envelope, event *Event) *Refusal {
	rel := &log.rel
	if refusal := relateInTurn(log, row, event); refusal != nil {
		return refusal
	}
	d, id, ok := dispatchOf(row.data)
	above := rel.dispatches[d.parent]
	if !ok || rel.dispatches[id] != nil || d.parent != d.root && (above == nil || above.root != d.root) {
		return row.relation(CodeDispatch, "dispatch "+seqText(row.data.Lookup("subCallId").Value()))
	}
	d.arguments = append(d.arguments, row.data.Lookup("arguments").Value()...)
	if rel.dispatches == nil {
		rel.dispatches = make(map[string]*dispatch)
	}
	rel.dispatches[id] = &d
	return nil
}

// relateDispatch: V2-31, V2-32.
func relateDispatch(log *laterLog, row *envelope, event *Event) *Refusal {
	if refusal := relateInTurn(log, row, event); refusal != nil {
		return refusal
	}
	d, id, ok := dispatchOf(row.data)
	begun := log.rel.dispatches[id]
	if !ok || begun == nil || begun.ended || begun.root != d.root || begun.parent != d.parent || begun.name != d.name ||
		!ecmajson.Equal(begun.arguments, row.data.Lookup("arguments").Value()) {
		return row.relation(CodeDispatch, "dispatch "+seqText(row.data.Lookup("subCallId").Value()))
	}
	begun.ended, begun.arguments = true, nil
	return nil
}
