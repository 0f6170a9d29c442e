package logformat

import (
	"iter"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Position names a record in its log.
type Position struct {
	Line   int64 // 1-based; the header is line 1. In a SQLite store the row's ordinal plus 1. 0: no line.
	Offset int64 // of the line's first byte in the decoded log
	Frame  int   // 1-based Zstandard frame in which the line ends; 0 in plain text
}

// An Event is one event of the log, validated by sections 2 to 5 of the format
// except for the rules that need the current surface. Its byte slices are valid
// until the reader's next step; Clone keeps them.
type Event struct {
	Type      string
	Seq       int64
	Time      int64          // milliseconds since the Unix epoch
	Data      ecmajson.Value // canonical; null is present
	Surface   SurfaceOp
	Sources   []int64 // distinct, each less than Seq; nil when absent, empty but not nil for an empty stream
	Ignorable bool
	Known     bool // the type is in the vocabulary, or was admitted by Options
	Admitted  bool // the type was admitted by Options
	Pos       Position
	Form      ecmajson.Form // what the log's own bytes were
	Upgraded  Upgrade       // the legacy shape that was upgraded, or ""

	messageStart, messageEnd int  // of the message in Data; both 0 when there is none
	delta                    bool // a chunk that is known to be a delta
}

// MessageSpan returns where in Data the message of a message event is: all of
// it in a user/message, its member message in an assistant/message and a
// tool/result. ok is false for other events.
func (e *Event) MessageSpan() (start, end int, ok bool) {
	return e.messageStart, e.messageEnd, e.messageEnd > 0
}

// setMessage notes where the message of an event lies, if it has one.
func (e *Event) setMessage(row *envelope, m *messageRules) {
	switch {
	case m == nil || m.in(row).Kind() != ecmajson.Object:
	case m.member == "":
		e.messageEnd = len(e.Data)
	default:
		base, _ := row.data.Span()
		start, end := m.in(row).Span()
		e.messageStart, e.messageEnd = start-base, end-base
	}
}

// Clone returns a copy of e that stays valid.
func (e *Event) Clone() *Event {
	c := *e
	c.Data = append(ecmajson.Value(nil), e.Data...)
	if e.Sources != nil {
		c.Sources = append([]int64{}, e.Sources...)
	}
	return &c
}

// Op tells how an event enters the surface.
type Op uint8

// The surface operations.
const (
	OpNone    Op = iota // a log-only event
	OpAppend            // to the end
	OpReplace           // in place of the nodes from Start to End
)

// A SurfaceOp is an event's surfaceOp member.
type SurfaceOp struct {
	Op         Op
	Start, End int64 // of a replace: event numbers, both inclusive, in surface order
}

// A Record is what one line of the log holds: an event, or a packed row of
// chunk events. Exactly one of the two is set.
type Record struct {
	Event *Event
	Row   *ChunkRow
}

// First and Last return the numbers of the record's first and last event.
func (r *Record) First() int64 {
	if r.Row != nil {
		return r.Row.Seq0
	}
	return r.Event.Seq
}

// Last returns the number of the record's last event.
func (r *Record) Last() int64 {
	if r.Row != nil {
		return r.Row.Seq0 + int64(r.Row.Count) - 1
	}
	return r.Event.Seq
}

// Position returns the place of the record's line.
func (r *Record) Position() Position {
	if r.Row != nil {
		return r.Row.Pos
	}
	return r.Event.Pos
}

// Events yields the record's events: itself, or the members of the row.
func (r *Record) Events() iter.Seq[*Event] {
	if r.Row != nil {
		return r.Row.Events()
	}
	return func(yield func(*Event) bool) { yield(r.Event) }
}

// IsDelta reports whether the event is a chunk known to be a text, reasoning or
// tool-call delta, without a look at its data. A false may still be one.
func (e *Event) IsDelta() bool { return e.delta }
