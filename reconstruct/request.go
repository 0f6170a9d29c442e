package reconstruct

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Digest is the SHA-256 of a request's bytes.
type Digest [sha256.Size]byte

// String returns the digest in lower-case hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// A Boundary says where in the log a request was made, by event numbers.
type Boundary struct {
	StepStart int64 // of the step
	Messages  int64 // the messages are the surface as it was before this event
	Dispatch  int64 // the event that shows the request was sent; -1 when none does
}

// Doubt tells why a request's rebuilt bytes may not be the bytes that were sent
// although the log is accepted.
type Doubt uint8

// The doubts, about the lifetime of the harness in which the request was sent.
const (
	DoubtUpgraded    Doubt = 1 << iota // the lifetime wrote legacy shapes: it sent them as they were then
	DoubtForeignJSON                   // the lifetime's lines are not as the harness prints them: another writer made or edited them
	DoubtLostBytes                     // the lifetime's lines hold invalid UTF-8: bytes were lost
)

// A Request is one attempt of one step: what was sent, or would have been, in
// one call of the model. See the package comment for its bytes.
type Request struct {
	SessionID string
	Seed      int64 // events below it were inherited from the parent session
	Ordinal   int   // 1-based among the requests that the log shows as sent; 0 for a prepared one
	Turn      int64
	Step      int64
	Attempt   int64
	Prepared  bool // the log cannot show that it was sent
	Boundary  Boundary
	Config    *EpochHeader // the header whose config it carries
	Header    *EpochHeader // the header whose system and tools it carries: a retry keeps its step's
	Relation  Relation
	Doubt     Doubt
	OverOld   bool // earlier history was upgraded or reprinted; the request itself is the harness's own

	layout      *layout
	shapeSource ShapeSource
	shaped      *shaped    // its lifetime; nil: the format has one shape
	variants    []variant  // in the other shapes
	first       *Message   // of the list, when kept is nil
	last        *Message   // nil: no messages
	kept        []*Message // the messages, when they do not follow the live list

	count  int   // messages
	length int64 // bytes
	digest Digest
	summed bool
}

// Key returns "turn.step.attempt".
func (q *Request) Key() string { return fmt.Sprintf("%d.%d.%d", q.Turn, q.Step, q.Attempt) }

// Model returns the model that the config names.
func (q *Request) Model() string { return q.Config.Config.Lookup("model").Text() }

// Messages yields the request's messages in order.
func (q *Request) Messages() iter.Seq[*Message] {
	return func(yield func(*Message) bool) {
		if q.kept != nil {
			for _, m := range q.kept {
				if m.Bytes != nil && !yield(m) {
					return
				}
			}
			return
		}
		if q.last == nil {
			return
		}
		for m := q.first; ; m = m.next {
			if m.Bytes != nil && !yield(m) || m == q.last {
				return
			}
		}
	}
}

// Includes reports whether the request holds the message; surface is the
// session's, unchanged since the request was made.
func (q *Request) Includes(m *Message, surface *Surface) bool {
	if m.Bytes == nil {
		return false
	}
	if q.kept != nil {
		return slices.Contains(q.kept, m)
	}
	return q.last != nil && surface.Node(m.Seq) == m && m.label <= q.last.label
}

// Keep makes the request valid for good: it no longer follows the live surface.
func (q *Request) Keep() *Request {
	k := *q
	k.kept = q.nodes()
	return &k
}

// nodes returns the request's surface nodes as a slice that is never nil.
func (q *Request) nodes() []*Message {
	if q.kept != nil {
		return q.kept
	}
	nodes := []*Message{}
	if q.last == nil {
		return nodes
	}
	for m := q.first; ; m = m.next {
		nodes = append(nodes, m)
		if m == q.last {
			return nodes
		}
	}
}

// Count returns the number of messages.
func (q *Request) Count() int { return q.count }

// Len returns the request's length in bytes.
func (q *Request) Len() int64 { return q.length }

// Digest returns the SHA-256 of the request's bytes.
func (q *Request) Digest() Digest {
	if !q.summed {
		h := sha256.New()
		q.WriteTo(h)
		h.Sum(q.digest[:0])
		q.summed = true
	}
	return q.digest
}

// WriteTo writes the request's exact bytes.
func (q *Request) WriteTo(w io.Writer) (int64, error) {
	var written int64
	for part := range q.pieces() {
		n, err := w.Write(part)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Bytes returns the request's exact bytes in one slice.
func (q *Request) Bytes() []byte {
	b := make([]byte, 0, q.length)
	for part := range q.pieces() {
		b = append(b, part...)
	}
	return b
}

var comma = []byte{','}

// pieces yields the rope.
func (q *Request) pieces() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if !yield(q.layout.prefix) {
			return
		}
		first := true
		for m := range q.Messages() {
			if !first && !yield(comma) || !yield(m.Bytes) {
				return
			}
			first = false
		}
		yield(q.layout.suffix)
	}
}

// PartKind is what a part of a request is.
type PartKind uint8

// The kinds of part.
const (
	ConfigPart PartKind = iota
	MessagePart
	SystemPart
	ToolsPart
	SessionIDPart
	ToolHistoryPart
)

// String returns the kind's name.
func (k PartKind) String() string {
	return [...]string{"config", "message", "system", "tools", "sessionId", "toolHistory"}[k]
}

// A Part is a span of a request that comes from one place of the log.
type Part struct {
	Kind       PartKind
	Pointer    string // RFC 6901, of the part's value in the request
	Start, End int64  // bytes of the value in the request
	Value      ecmajson.Value
	Message    *Message     // of a message
	Index      int          // of a message: its index in the request
	Header     *EpochHeader // of config, system and tools; nil for a message and the session id
}

// Parts yields the request's parts in byte order. What lies between them is
// punctuation and keys.
func (q *Request) Parts() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		at := int64(1)
		for i, m := range q.layout.members {
			if i > 0 {
				at++
			}
			at += int64(len(m.key)) + 1
			if i == q.layout.messages {
				var ok bool
				if at, ok = q.messageParts(at, yield); !ok {
					return
				}
				continue
			}
			end := at + int64(len(m.value))
			p := Part{Kind: m.part, Pointer: "/" + pointerToken(m.key.Text()), Start: at, End: end, Value: m.value}
			switch m.part {
			case ConfigPart:
				p.Header = q.Config
			case SystemPart, ToolsPart:
				p.Header = q.Header
			}
			if !yield(p) {
				return
			}
			at = end
		}
	}
}

func (q *Request) messageParts(at int64, yield func(Part) bool) (int64, bool) {
	at++ // [
	i := 0
	for m := range q.Messages() {
		if i > 0 {
			at++
		}
		end := at + int64(len(m.Bytes))
		p := Part{
			Kind: MessagePart, Pointer: fmt.Sprintf("/messages/%d", i), Start: at, End: end,
			Value: m.Bytes, Message: m, Index: i,
		}
		if !yield(p) {
			return 0, false
		}
		at = end
		i++
	}
	return at + 1, true // ]
}

// PartAt returns the part that holds the byte at offset, false when the byte is
// a key or punctuation.
func (q *Request) PartAt(offset int64) (Part, bool) {
	for p := range q.Parts() {
		if offset >= p.Start && offset < p.End {
			return p, true
		}
	}
	return Part{}, false
}

func pointerToken(key string) string {
	out := make([]byte, 0, len(key))
	for i := 0; i < len(key); i++ {
		switch key[i] {
		case '~':
			out = append(out, "~0"...)
		case '/':
			out = append(out, "~1"...)
		default:
			out = append(out, key[i])
		}
	}
	return string(out)
}

// doubtOf returns the doubts that an event of these properties casts on the
// requests of its lifetime.
func doubtOf(form ecmajson.Form, upgraded logformat.Upgrade) (d Doubt) {
	if upgraded != "" {
		d |= DoubtUpgraded
	}
	if form&ecmajson.InvalidUTF8 != 0 {
		d |= DoubtLostBytes
	} else if !form.Canonical() {
		d |= DoubtForeignJSON
	}
	return d
}

// Member returns a member of the request other than its messages, absent when
// there is none.
func (q *Request) Member(key string) ecmajson.Value {
	for i, m := range q.layout.members {
		if i != q.layout.messages && m.key.Is(key) {
			return m.value
		}
	}
	return nil
}

// MessageValues yields the JSON of the request's messages in order.
func (q *Request) MessageValues() iter.Seq[ecmajson.Value] {
	return func(yield func(ecmajson.Value) bool) {
		for m := range q.Messages() {
			if !yield(m.Bytes) {
				return
			}
		}
	}
}
