package golden

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// Check reads a log to its end and compares its sum with the one that is wanted.
// No changes mean that the sums are equal. The errors are those of Record.
func Check(want *Sum, r *logformat.Reader) (*Sum, []Change, error) {
	sum, err := Record(r)
	if err != nil {
		return nil, nil, err
	}
	return sum, Compare(want, sum), nil
}

// maxTraced is how many changed messages are traced to the requests that hold
// them; what a rewritten transcript changes is not worth more.
const maxTraced = 64

// Compare returns what changed from one sum to another, in the order of the new
// one. It returns nothing only for sums whose files are equal.
func Compare(old, new *Sum) []Change {
	if bytes.Equal(Format(old), Format(new)) {
		return nil
	}
	c := &comparison{old: old, new: new, folded: make(map[string]int)}
	c.pairRequests()
	c.session()
	c.headers()
	c.messages()
	c.requests()
	if len(c.changes) == 0 {
		c.add(Change{Kind: LinesReordered, Place: nowhere, order: last})
	}
	slices.SortStableFunc(c.changes, func(a, b Change) int { return cmp.Compare(a.order, b.order) })
	return c.changes
}

type comparison struct {
	old, new *Sum
	changes  []Change
	folded   map[string]int // index in changes of a header's change, by what it is

	oldParts, newParts []string // of the snapshots, as text

	oldOf     []int // by request of the new sum, its index in the old one; -1: none
	newOf     []int // the other way round
	changed   []bool
	explained []bool // by request of the new sum
}

func (c *comparison) add(change Change) *Change {
	c.changes = append(c.changes, change)
	return &c.changes[len(c.changes)-1]
}

// pairRequests pairs requests by turn, step and attempt; a key that is there
// twice by its occurrence.
func (c *comparison) pairRequests() {
	type occurrence struct {
		key string
		n   int
	}
	index := func(requests []Request) (keys []occurrence, at map[occurrence]int) {
		at = make(map[occurrence]int, len(requests))
		for i := range requests {
			o := occurrence{key: requests[i].Key()}
			for ; ; o.n++ {
				if _, taken := at[o]; !taken {
					break
				}
			}
			at[o] = i
			keys = append(keys, o)
		}
		return keys, at
	}
	oldKeys, inOld := index(c.old.Requests)
	newKeys, inNew := index(c.new.Requests)
	c.oldOf, c.newOf = make([]int, len(newKeys)), make([]int, len(oldKeys))
	for i, key := range oldKeys {
		c.newOf[i] = -1
		if j, ok := inNew[key]; ok {
			c.newOf[i] = j
		}
	}
	c.changed, c.explained = make([]bool, len(newKeys)), make([]bool, len(newKeys))
	for j, key := range newKeys {
		i, ok := inOld[key]
		if !ok {
			c.oldOf[j] = -1
			continue
		}
		c.oldOf[j] = i
		a, b := &c.old.Requests[i], &c.new.Requests[j]
		c.changed[j] = a.Part != b.Part || a.Prepared != b.Prepared
	}
}

func (c *comparison) session() {
	a, b := c.old.Session, c.new.Session
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	for _, member := range []struct{ name, old, new string }{
		{"id", a.ID, b.ID},
		{"format", number(a.Format), number(b.Format)},
		{"parent", a.Parent, b.Parent},
		{"seed", number(a.Seed), number(b.Seed)},
	} {
		if member.old == member.new && !(member.name == "parent" && a.Fork != b.Fork) {
			continue
		}
		change := Change{Kind: SessionChanged, Name: member.name, Old: member.old, New: member.new, Place: Place{Seq: -1, LogLine: 1}}
		if member.name == "id" { // the one that requests hold
			change.Requests = c.keys(func(int) bool { return true })
		}
		c.add(change)
	}
}

// keys lists the changed requests of which hold tells that they hold a part, and
// notes that they are explained.
func (c *comparison) keys(hold func(int) bool) (keys []string) {
	for j, changed := range c.changed {
		if changed && hold(j) {
			c.explained[j] = true
			keys = append(keys, c.new.Requests[j].Key())
		}
	}
	return keys
}

func (c *comparison) messages() {
	oldKeys, newKeys := messageKeys(c.old), messageKeys(c.new)
	pairs := align(oldKeys, newKeys, func(i, j int) bool { return c.old.Messages[i].Type == c.new.Messages[j].Type })
	gone := make(map[string][]int) // removed messages, by key
	for _, p := range pairs {
		if p.new < 0 {
			gone[oldKeys[p.old]] = append(gone[oldKeys[p.old]], p.old)
		}
	}
	moved := make(map[int]bool)
	numbers := make([]int, len(c.old.Messages)+1) // of old messages in the new sum, 0: gone
	for k, p := range pairs {
		if p.old < 0 {
			if from := gone[newKeys[p.new]]; len(from) > 0 {
				pairs[k].old = from[0]
				gone[newKeys[p.new]] = from[1:]
				moved[from[0]] = true
			}
		}
		if pairs[k].old >= 0 && pairs[k].new >= 0 {
			numbers[pairs[k].old+1] = pairs[k].new + 1
		}
	}
	order := 0
	for _, p := range pairs {
		if p.new >= 0 {
			order = 2 * c.new.Messages[p.new].Line
		}
		switch {
		case p.new < 0 && moved[p.old]: // named where it is now
		case p.new < 0:
			m := &c.old.Messages[p.old]
			c.add(Change{Kind: MessageRemoved, Type: m.Type, Number: p.old + 1, before: p.old + 1, Old: m.Digest, OldBytes: m.Bytes, Place: nowhere, order: order + 1})
		case p.old < 0:
			m := &c.new.Messages[p.new]
			c.add(Change{Kind: MessageAdded, Type: m.Type, Number: p.new + 1, New: m.Digest, NewBytes: m.Bytes, Place: m.Place, order: order})
		default:
			c.message(p, moved[p.old], numbers, order)
		}
	}
	c.trace()
}

func messageKeys(s *Sum) []string {
	keys := make([]string, len(s.Messages))
	for i, m := range s.Messages {
		keys[i] = m.Type + " " + m.Digest
	}
	return keys
}

// message compares a message that is in both sums.
func (c *comparison) message(p pair, moved bool, numbers []int, order int) {
	a, b := &c.old.Messages[p.old], &c.new.Messages[p.new]
	change := Change{
		Type: b.Type, Number: p.new + 1, before: p.old + 1, Place: b.Place, order: order,
		Old: a.Digest, New: b.Digest, OldBytes: a.Bytes, NewBytes: b.Bytes,
	}
	switch {
	case moved:
		change.Kind = MessageMoved
	case a.Part != b.Part || a.Type != b.Type:
		change.Kind = MessageChanged
	case (a.First == 0) != (b.First == 0) || a.First > 0 && !(same(numbers, a.First, b.First) && same(numbers, a.Last, b.Last)):
		change.Kind = ReplacedChanged
		change.Old, change.New, change.OldBytes, change.NewBytes = span(a), span(b), 0, 0
	default:
		return
	}
	c.add(change)
}

// same reports whether two numbers are of the same message; one that is gone is
// reported as such.
func same(numbers []int, old, new int) bool { return numbers[old] == new || numbers[old] == 0 }

func span(m *Message) string {
	if m.First == 0 {
		return ""
	}
	return strconv.Itoa(m.First) + "-" + strconv.Itoa(m.Last)
}

// trace finds the requests that hold the messages that changed.
func (c *comparison) trace() {
	oldLives, newLives := lives(c.old), lives(c.new)
	marks := make([]int, len(c.new.Requests)+1)
	oldMarks := make([]int, len(c.old.Requests)+1)
	traced := 0
	for k := range c.changes {
		change := &c.changes[k]
		if !isMessage(change.Kind) {
			continue
		}
		var before, after *life
		if change.before > 0 {
			before = &oldLives[change.before-1]
			oldMarks[before.from]++
			oldMarks[before.to]--
		}
		if change.Kind != MessageRemoved {
			after = &newLives[change.Number-1]
			marks[after.from]++
			marks[after.to]--
		}
		if traced++; traced <= maxTraced {
			change.Requests = c.keys(func(j int) bool { return holds(after, j) || holds(before, c.oldOf[j]) })
		}
	}
	depth := 0
	for i, newIndex := range c.newOf {
		if depth += oldMarks[i]; depth > 0 && newIndex >= 0 {
			c.explained[newIndex] = true
		}
	}
	depth = 0
	for j := range c.explained {
		if depth += marks[j]; depth > 0 {
			c.explained[j] = true
		}
	}
}

func holds(l *life, request int) bool {
	return l != nil && request >= l.from && request < l.to && !l.not[request]
}

func isMessage(k Kind) bool {
	switch k {
	case MessageAdded, MessageRemoved, MessageChanged, MessageMoved, ReplacedChanged:
		return true
	}
	return false
}

// requests reports what changed about requests themselves, last because it is a
// consequence more often than a cause.
func (c *comparison) requests() {
	c.unexplained()
	added := Change{Kind: RequestAdded, Place: nowhere, order: last}
	for j := range c.new.Requests {
		if q := &c.new.Requests[j]; c.oldOf[j] < 0 {
			if added.Requests == nil {
				added.Place = q.Place
			}
			added.Requests = append(added.Requests, q.Key())
		}
	}
	removed := Change{Kind: RequestRemoved, Place: nowhere, order: last}
	for i := range c.old.Requests {
		if c.newOf[i] < 0 {
			removed.Requests = append(removed.Requests, c.old.Requests[i].Key())
		}
	}
	for _, change := range []Change{added, removed} {
		if change.Requests != nil {
			c.add(change)
		}
	}
}

const last = int(^uint(0) >> 1)

func (c *comparison) unexplained() {
	for j := range c.new.Requests {
		if !c.changed[j] || c.explained[j] {
			continue
		}
		a, b := &c.old.Requests[c.oldOf[j]], &c.new.Requests[j]
		c.add(Change{
			Kind: RequestChanged, Requests: []string{b.Key()}, Place: b.Place, order: 2 * b.Line,
			Old: describe(a), New: describe(b),
		})
	}
}

// describe says what a sum knows of a request besides its bytes.
func describe(q *Request) string {
	var b strings.Builder
	if q.Prepared {
		b.WriteString("prepared, ")
	}
	b.WriteString("header " + strconv.Itoa(q.Header))
	if q.Config != q.Header {
		b.WriteString(", config of " + strconv.Itoa(q.Config))
	}
	b.WriteString(", " + strconv.Itoa(q.Messages) + " messages, " + strconv.FormatInt(q.Bytes, 10) + " bytes")
	return b.String()
}
