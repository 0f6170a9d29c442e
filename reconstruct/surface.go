package reconstruct

import (
	"bytes"
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Message is a surface event and what the model sees of it. It does not change
// once it is on the surface, and stays valid after it left it.
type Message struct {
	Seq      int64
	Type     string // user/message, assistant/message or tool/result
	Time     int64  // milliseconds since the Unix epoch
	Pos      logformat.Position
	Bytes    ecmajson.Value // the message's JSON in a request; nil when the event derives to no message
	Data     ecmajson.Value // the event's data; Bytes is part of it
	Sources  []int64        // of a replacing event: what it cites
	Upgraded logformat.Upgrade
	Form     ecmajson.Form

	// Of a replacing event: the event numbers of the span it took the place of,
	// in surface order, and what kind of record announced it.
	Shadowed []int64
	By       ReplaceKind

	// label orders the surface: appended nodes count up, a replacing node takes
	// the label of the first node that it removes. So labels ascend along the
	// list and never need renumbering.
	label      int64
	prev, next *Message
}

// ReplaceKind is what replaced a span of the surface.
type ReplaceKind string

// The kinds, told by the record right before the replacing event.
const (
	ByCompaction ReplaceKind = "compaction"
	ByPruning    ReplaceKind = "pruning"
	ByOther      ReplaceKind = "other"
)

// A Surface is the ordered list of the events that the model sees. Append,
// lookup and the order test cost constant time, a replace costs the nodes that
// it removes. The zero value is empty.
type Surface struct {
	head, tail *Message
	bySeq      map[int64]*Message
	length     int
	labels     int64
	before     func(first, last *Message) // called before nodes first..last leave the list
}

// Len returns the number of nodes, those without a message included.
func (s *Surface) Len() int { return s.length }

// Node returns the node of an event, nil when it is not on the surface.
func (s *Surface) Node(seq int64) *Message { return s.bySeq[seq] }

// First returns the first node, nil when the surface is empty; [Message.Next]
// leads on.
func (s *Surface) First() *Message { return s.head }

// Next returns the node after m, nil for the last. It is meaningful only while
// m is on the surface.
func (m *Message) Next() *Message { return m.next }

// Seqs returns the event numbers on the surface, in order.
func (s *Surface) Seqs() []int64 {
	seqs := make([]int64, 0, s.length)
	for m := s.head; m != nil; m = m.next {
		seqs = append(seqs, m.Seq)
	}
	return seqs
}

// Apply puts a surface event on the surface, by the rules of section 5 of the
// format. Log-only events change nothing and return nil. A refusal leaves the
// surface as it was.
func (s *Surface) Apply(e *logformat.Event) (*Message, *logformat.Refusal) {
	switch e.Surface.Op {
	case logformat.OpAppend:
		m := newMessage(e)
		s.append(m)
		return m, nil
	case logformat.OpReplace:
		return s.replace(e)
	}
	return nil, nil
}

func newMessage(e *logformat.Event) *Message {
	m := &Message{
		Seq: e.Seq, Type: e.Type, Time: e.Time, Pos: e.Pos, Upgraded: e.Upgraded, Form: e.Form,
		Data: append(make(ecmajson.Value, 0, len(e.Data)), e.Data...),
	}
	if start, end, ok := e.MessageSpan(); ok {
		m.Bytes = visibleMessage(e.Type, m.Data[start:end:end])
	}
	return m
}

// DeriveEventMessage returns the message that the model sees of an event: the
// data of a user/message, the message of an assistant/message unless its
// content is empty, the message of a tool/result, and nil for anything else.
// The result is part of the event's data.
func DeriveEventMessage(e *logformat.Event) ecmajson.Value {
	start, end, ok := e.MessageSpan()
	if !ok {
		return nil
	}
	return visibleMessage(e.Type, e.Data[start:end:end])
}

// visibleMessage drops an assistant message without content, which exists only
// to carry the usage of its step.
func visibleMessage(eventType string, message ecmajson.Value) ecmajson.Value {
	if eventType == logformat.TypeAssistantMessage && hasNoContent(message) {
		return nil
	}
	return message
}

// hasNoContent looks for content [] without walking through content that there is.
func hasNoContent(message ecmajson.Value) bool {
	return bytes.Contains(message, []byte(`"content":[]`)) && string(message.Lookup("content")) == "[]"
}

func (s *Surface) append(m *Message) {
	if s.bySeq == nil {
		s.bySeq = make(map[int64]*Message)
	}
	s.labels++
	m.label = s.labels
	m.prev = s.tail
	if s.tail == nil {
		s.head = m
	} else {
		s.tail.next = m
	}
	s.tail = m
	s.bySeq[m.Seq] = m
	s.length++
}

func (s *Surface) replace(e *logformat.Event) (*Message, *logformat.Refusal) {
	refuse := func(code logformat.Code, format string, args ...any) (*Message, *logformat.Refusal) {
		return nil, &logformat.Refusal{
			Code: code, Phase: logformat.PhaseEvents, Pos: e.Pos, Seq: e.Seq, Detail: fmt.Sprintf(format, args...),
		}
	}
	first, last := s.bySeq[e.Surface.Start], s.bySeq[e.Surface.End]
	switch {
	case first == nil:
		return refuse(logformat.CodeReplaceMissing, "start seq %d", e.Surface.Start)
	case last == nil:
		return refuse(logformat.CodeReplaceMissing, "end seq %d", e.Surface.End)
	case first.label > last.label:
		return refuse(logformat.CodeReplaceReversed, "start seq %d lies behind end seq %d", e.Surface.Start, e.Surface.End)
	}
	shadowed := spanSeqs(first, last)
	if seq, missing := firstMissing(shadowed, e.Sources); missing {
		return refuse(logformat.CodeReplaceSources, "sourceEventSeqs omits seq %d", seq)
	}
	if e.Type == logformat.TypeToolResult {
		if len(shadowed) != 1 || first.Type != logformat.TypeToolResult {
			return refuse(logformat.CodeReplaceToolTarget, "it replaces %d events, the first a %s", len(shadowed), first.Type)
		}
		if !sameButContent(first.Data, e.Data) {
			return refuse(logformat.CodeReplaceToolEdit, "")
		}
	}
	m := newMessage(e)
	m.Shadowed = shadowed
	m.Sources = append([]int64(nil), e.Sources...)
	s.splice(first, last, m)
	return m, nil
}

func spanSeqs(first, last *Message) (seqs []int64) {
	for m := first; ; m = m.next {
		seqs = append(seqs, m.Seq)
		if m == last {
			return seqs
		}
	}
}

func (s *Surface) splice(first, last, m *Message) {
	if s.before != nil {
		s.before(first, last)
	}
	m.label = first.label
	m.prev, m.next = first.prev, last.next
	if m.prev == nil {
		s.head = m
	} else {
		m.prev.next = m
	}
	if m.next == nil {
		s.tail = m
	} else {
		m.next.prev = m
	}
	for _, seq := range m.Shadowed {
		delete(s.bySeq, seq)
	}
	s.bySeq[m.Seq] = m
	s.length += 1 - len(m.Shadowed)
}

// firstMissing returns the first of want that is not in have.
func firstMissing(want, have []int64) (int64, bool) {
	set := make(map[int64]struct{}, len(have))
	for _, seq := range have {
		set[seq] = struct{}{}
	}
	for _, seq := range want {
		if _, ok := set[seq]; !ok {
			return seq, true
		}
	}
	return 0, false
}

// sameButContent reports whether two tool/result data differ at most in the
// content of their result block.
func sameButContent(a, b ecmajson.Value) bool {
	if !sameMembers(a, b, "message") {
		return false
	}
	am, bm := a.Lookup("message"), b.Lookup("message")
	return sameMembers(am, bm, "content") &&
		sameMembers(firstElement(am.Lookup("content")), firstElement(bm.Lookup("content")), "content")
}

func firstElement(v ecmajson.Value) ecmajson.Value {
	for e := range v.Elements() {
		return e
	}
	return nil
}

// sameMembers compares two objects member by member, but for one key.
func sameMembers(a, b ecmajson.Value, except string) bool {
	if a.Len() != b.Len() {
		return false
	}
	for key, v := range a.Members() {
		if key.Is(except) {
			continue
		}
		other := b.Lookup(key.Text())
		if other == nil || !ecmajson.Equal(v, other) {
			return false
		}
	}
	return true
}
