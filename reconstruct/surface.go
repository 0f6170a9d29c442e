package reconstruct

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// A Message is a surface event and what the model sees of it. It does not change
// once it is on the surface, and stays valid after it left it.
type Message struct {
	Seq      int64
	Type     string // of the event, as the log has it
	Role     transcript.Role
	Time     int64 // milliseconds since the Unix epoch
	Pos      logformat.Position
	Bytes    ecmajson.Value // the message's JSON in a request; nil when the model does not see it
	Logged   ecmajson.Value // the message's JSON, seen or not
	Sources  []int64        // of a replacing event: what it cites
	Upgraded logformat.Upgrade
	Form     ecmajson.Form

	// Of a replacing event: the event numbers of the span it took the place of,
	// in surface order, and what kind of record announced it.
	Shadowed []int64
	By       ReplaceKind

	// Offloaded lists the events that marked images of it as offloaded, in place.
	Offloaded []int64

	// Head: it is the surface's protected head, which only its own kind may replace.
	Head bool

	data ecmajson.Value // the event's, of a tool's result; Logged is part of it

	// label orders the surface: appended nodes count up, a replacing node takes
	// the label of the first node that it removes. So labels ascend along the
	// list and never need renumbering.
	label      int64
	prev, next *Message
}

// ReplaceKind is what replaced a span of the surface.
type ReplaceKind string

// The kinds, recognised by the record right before the replacing event.
const (
	ByCompaction ReplaceKind = "compaction"
	ByPruning    ReplaceKind = "pruning"
	ByOffload    ReplaceKind = "offload" // its images, in place
	ByOther      ReplaceKind = "other"
)

// A Surface is the ordered list of the events that the model sees. Append,
// lookup and the order test cost constant time, a replace costs the nodes that
// it removes.
type Surface struct {
	rules      *surfaceRules
	head, tail *Message
	bySeq      map[int64]*Message
	length     int
	labels     int64
	before     func(first *Message) // called before nodes from first on leave the list, or change
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

// apply puts the message of an act on the surface, by the rules of section 5 of the
// format. An act without one changes nothing and gives nil. A refusal leaves the
// surface as it was.
func (s *Surface) apply(a *transcript.Act) (*Message, *logformat.Refusal) {
	switch {
	case a.Kind == transcript.Offload:
		return s.rules.offload(s, a)
	case a.Replaces():
		return s.replace(a)
	case a.OnSurface():
		if code, detail := s.rules.check(s, a, span{}); code != "" {
			return nil, refusalOf(a, code, detail)
		}
		m := s.newMessage(a)
		m.Head = a.Entry.Head && s.head == nil
		s.append(m)
		return m, nil
	}
	return nil, nil
}

// check looks for what is wrong with an act that puts a message on the surface.
func (r *surfaceRules) check(s *Surface, a *transcript.Act, span span) (logformat.Code, string) {
	if r.refuse == nil {
		return "", ""
	}
	return r.refuse(s, a, span)
}

func refusalOf(a *transcript.Act, code logformat.Code, detail string) *logformat.Refusal {
	return &logformat.Refusal{Code: code, Phase: logformat.PhaseEvents, Pos: a.Event.Pos, Seq: a.Event.Seq, Detail: detail}
}

// newMessage returns the node of an act. Of a tool's result all of the event is kept,
// because a later one is compared with it.
func (s *Surface) newMessage(a *transcript.Act) *Message {
	e := a.Event
	m := &Message{
		Seq: e.Seq, Type: e.Type, Role: a.Entry.Role, Time: e.Time, Pos: e.Pos, Upgraded: e.Upgraded, Form: e.Form,
	}
	if a.Entry.Role == transcript.Tool {
		m.data = append(make(ecmajson.Value, 0, len(e.Data)), e.Data...)
		m.Logged = m.data[a.Entry.Start:a.Entry.End:a.Entry.End]
	} else {
		logged := a.JSON()
		m.Logged = append(make(ecmajson.Value, 0, len(logged)), logged...)
	}
	m.Bytes = s.rules.visible(a.Entry.Role, m.Logged)
	return m
}

// visible returns what the model sees of a message: nil where its role vanishes with
// its content.
func (r *surfaceRules) visible(role transcript.Role, message ecmajson.Value) ecmajson.Value {
	if slices.Contains(r.vanish, role) && hasNoContent(message) {
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

func (s *Surface) replace(a *transcript.Act) (*Message, *logformat.Refusal) {
	span, code, detail := s.spanOf(a)
	if code == "" {
		code, detail = s.rules.check(s, a, span)
	}
	if code != "" {
		return nil, refusalOf(a, code, detail)
	}
	m := s.newMessage(a)
	m.Shadowed = span.seqs
	m.Sources = append([]int64(nil), a.Event.Sources...)
	m.Head = a.Entry.Head && span.first.Head
	s.splice(span, m)
	return m, nil
}

// spanOf returns the nodes that an act takes the place of, or why it cannot.
func (s *Surface) spanOf(a *transcript.Act) (span, logformat.Code, string) {
	op := a.Entry.Op
	first, last := s.bySeq[op.Start], s.bySeq[op.End]
	switch {
	case first == nil:
		return span{}, logformat.CodeReplaceMissing, fmt.Sprintf("start seq %d", op.Start)
	case last == nil:
		return span{}, logformat.CodeReplaceMissing, fmt.Sprintf("end seq %d", op.End)
	case first.label > last.label:
		return span{}, logformat.CodeReplaceReversed, fmt.Sprintf("start seq %d lies after end seq %d", op.Start, op.End)
	}
	seqs := spanSeqs(first, last)
	if seq, missing := firstMissing(seqs, a.Event.Sources); missing {
		return span{}, logformat.CodeReplaceSources, fmt.Sprintf("sourceEventSeqs omits seq %d", seq)
	}
	return span{first, last, seqs}, "", ""
}

func spanSeqs(first, last *Message) (seqs []int64) {
	for m := first; ; m = m.next {
		seqs = append(seqs, m.Seq)
		if m == last {
			return seqs
		}
	}
}

// splice puts a node in the place of a span.
func (s *Surface) splice(span span, m *Message) {
	if s.before != nil {
		s.before(span.first)
	}
	m.label = span.first.label
	m.prev, m.next = span.first.prev, span.last.next
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
	for _, seq := range span.seqs {
		delete(s.bySeq, seq)
	}
	s.bySeq[m.Seq] = m
	s.length += 1 - len(span.seqs)
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
