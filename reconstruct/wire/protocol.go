package wire

import (
	"iter"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Protocol is one way to post a request. It does not follow from the format of a
// log: a deployment chooses it.
//
// A body is laid out by Begin, one call of [Layout.Message] for each message in
// order, and [Layout.End]. A protocol is safe for concurrent use; a layout is not.
type Protocol interface {
	// Name is the protocol's name in options and in output.
	Name() string
	// Path is how the path of a post ends, behind the address of the provider.
	Path() string
	// IsBody reports whether a JSON value looks like a body of the protocol, and not
	// like a request or a body of another.
	IsBody(v ecmajson.Value) bool
	// Writes reports whether the adapter itself writes a top-level member of the
	// name. All others are an [Extension].
	Writes(member string) bool
	// Infer returns the policies that a captured body suggests, most likely first.
	// Settings that are fixed, by the names of [Assumption], stay as they are in p.
	Infer(p Policy, fixed map[string]bool, captured []byte) []Policy
	// Parse takes a message of a request apart. The result is kept while requests
	// hold the message. The error is an [Unsupported].
	Parse(message ecmajson.Value) (Message, error)
	// Begin writes what stands before the messages. The messages are those of the
	// request, in its order. The error is an [Unsupported].
	Begin(w *Writer, q Request, messages []Message) (Layout, error)
}

// A Message is a request's message as a protocol took it apart.
type Message interface {
	// Attachments is how many images and files the message shows or stands a text for:
	// what the body has for them is not in the request alone.
	Attachments() int
}

// A Layout is a body under way.
type Layout interface {
	// Message writes the message of the request with the given index.
	Message(w *Writer, index int, m Message)
	// End writes what stands after the messages. The error is an [Unsupported].
	End(w *Writer) error
	// State is what the messages so far leave to those that follow, and Resume goes
	// on from such a state, of a layout that began with the same bytes. They are
	// called for bodies without attachments only.
	State() any
	Resume(state any)
}

// A Request is a loop request as data; its values are canonical JSON.
type Request interface {
	// Member returns a member of the request other than its messages, absent
	// when there is none.
	Member(key string) ecmajson.Value
	// MessageValues yields the messages in order.
	MessageValues() iter.Seq[ecmajson.Value]
}

// JSON is a request given as canonical JSON text, as a recording holds it.
type JSON ecmajson.Value

// Member returns a member of the request.
func (q JSON) Member(key string) ecmajson.Value { return ecmajson.Value(q).Lookup(key) }

// MessageValues yields the request's messages.
func (q JSON) MessageValues() iter.Seq[ecmajson.Value] {
	return ecmajson.Value(q).Lookup("messages").Elements()
}

// An Unsupported error says why the adapter itself would post nothing for a
// request.
type Unsupported struct {
	Reason string
	Bare   string // the reason, without what it quotes of the request
}

func (e *Unsupported) Error() string { return "the adapter posts no body: " + e.Reason }
