package upgrade

import (
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// The members of an event's envelope.
const (
	keyType      = "type"
	keySeq       = "seq"
	keyTime      = "time"
	keyData      = "data"
	keyIgnorable = "ignorable"
	keySources   = "sourceEventSeqs"
	keyOp        = "surfaceOp"
)

// An Event is one event on its way through the steps. Its envelope keeps the order of
// members that the row had, because an upgrade prints them in that order.
type Event struct {
	Type      string
	Seq       int64          // the event's number in the format that it is in
	Time      *jsvalue.Value // as logged; nil when absent
	Data      *jsvalue.Value
	Ignorable *jsvalue.Value
	Op        *jsvalue.Value // surfaceOp
	Sources   []int64        // sourceEventSeqs with its ranges expanded
	Origin    Origin         // the row that the event comes from

	order    []string       // the members of the envelope
	cites    bool           // sourceEventSeqs is there
	nameless bool           // the type is no string
	number   *jsvalue.Value // seq as logged
}

// An Origin is where in the source log something stands.
type Origin struct {
	Line int64 // 1 is the header; 0 for what an upgrade adds at the end
	Seq  int64 // of the event in the source log, -1 for the header
}

// newEvent returns an event that an upgrade adds. Its envelope has the members in the
// order type, seq, time, data.
func newEvent(eventType string, seq int64, at *jsvalue.Value, data *jsvalue.Value, from Origin) *Event {
	return &Event{
		Type: eventType, Seq: seq, Time: at, Data: data, Origin: from, number: jsvalue.Int(seq),
		order: []string{keyType, keySeq, keyTime, keyData},
	}
}

// has reports whether the envelope has a member.
func (e *Event) has(key string) bool { return slices.Contains(e.order, key) }

// renumber returns the event with another number.
func (e *Event) renumber(seq int64) *Event {
	next := *e
	next.Seq, next.number = seq, jsvalue.Int(seq)
	return &next
}

// withData returns the event with other data.
func (e *Event) withData(data *jsvalue.Value) *Event {
	next := *e
	next.Data = data
	return &next
}

// setOp sets surfaceOp: in its place, or at the end.
func (e *Event) setOp(op *jsvalue.Value) {
	e.Op = op
	e.place(keyOp)
}

// setSources sets sourceEventSeqs: in its place, or at the end.
func (e *Event) setSources(seqs []int64) {
	e.Sources, e.cites = seqs, true
	e.place(keySources)
}

func (e *Event) place(key string) {
	if !e.has(key) {
		e.order = append(slices.Clone(e.order), key)
	}
}

// drop removes members from the envelope.
func (e *Event) drop(keys ...string) {
	e.order = slices.DeleteFunc(slices.Clone(e.order), func(key string) bool { return slices.Contains(keys, key) })
	if slices.Contains(keys, keySources) {
		e.Sources, e.cites = nil, false
	}
	if slices.Contains(keys, keyOp) {
		e.Op = nil
	}
}

// appended reports whether the event goes to the end of the surface.
func (e *Event) appended() bool { return e.Op.Is("append") }

// Append appends the row that a release writes of the event, without a line feed.
func (e *Event) Append(dst []byte) []byte {
	dst = append(dst, '{')
	for i, key := range e.order {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsvalue.String(key).Append(dst), ':')
		dst = e.member(key).Append(dst)
	}
	return append(dst, '}')
}

func (e *Event) member(key string) *jsvalue.Value {
	switch key {
	case keyType:
		return jsvalue.String(e.Type)
	case keySeq:
		return e.number
	case keyTime:
		return e.Time
	case keyData:
		return e.Data
	case keyIgnorable:
		return e.Ignorable
	case keyOp:
		return e.Op
	case keySources:
		return encodeRanges(e.Sources)
	}
	return nil
}

// A Header is the header of a log, in the words of formats 2 to 4.
type Header struct {
	Version       int64
	ID            string
	CreatedAt     *jsvalue.Value
	Cwd           *jsvalue.Value
	ParentSession *jsvalue.Value
	Seeded        bool
	Origin        *jsvalue.Value
	Depth         *jsvalue.Value
	AgentPreset   *jsvalue.Value
}

// Append appends the header line that a release writes, without a line feed.
func (h *Header) Append(dst []byte) []byte {
	return jsvalue.Object(
		jsvalue.Member{Key: "type", Value: jsvalue.String("session")},
		jsvalue.Member{Key: "version", Value: jsvalue.Int(h.Version)},
		jsvalue.Member{Key: "id", Value: jsvalue.String(h.ID)},
		jsvalue.Member{Key: "createdAt", Value: h.CreatedAt},
		jsvalue.Member{Key: "cwd", Value: h.Cwd},
		jsvalue.Member{Key: "parentSession", Value: h.ParentSession},
		jsvalue.Member{Key: "isSeeded", Value: jsvalue.Bool(h.Seeded)},
		jsvalue.Member{Key: "origin", Value: h.Origin},
		jsvalue.Member{Key: "delegationDepth", Value: h.Depth},
		jsvalue.Member{Key: "agentPreset", Value: h.AgentPreset},
	).Append(dst)
}

// A Transcript is a log in one format: what a step makes of the one before.
type Transcript struct {
	Header Header
	Cut    int64 // events that the session inherited
	Events []*Event
}

// AppendText appends the log as a release writes it: a line each for the header and the
// events, byte for byte as the release prints them.
func (t *Transcript) AppendText(dst []byte) []byte {
	dst = append(t.Header.Append(dst), '\n')
	for _, e := range t.Events {
		dst = append(e.Append(dst), '\n')
	}
	return dst
}
