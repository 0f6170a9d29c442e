package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// FileName is what a sum file is called beside the log of a session.
const FileName = "requests.sum"

// A Sum is what a sum file says of a transcript.
type Sum struct {
	Session  Session
	Headers  []Header
	Messages []Message
	Requests []Request
}

// Session identifies the transcript.
type Session struct {
	ID     string // WTF-8
	Format int64  // the log's format version
	Fork   bool   // it has a parent or inherited events
	Parent string
	Seed   int64 // events inherited
}

// A Header is one request/header snapshot.
type Header struct {
	Reason string
	As     int // number of the snapshot with the same parts, 0 when it has parts of its own
	Parts  Parts
	Line   int // in the sum file

	Place
}

// Parts are what a request shows of a header. A snapshot with the parts of an
// earlier one has them too.
type Parts struct {
	Config []Field
	System Part // zero: none
	Tools  []Tool
	// Whole stands for tools that are no list of named objects.
	Whole Part
}

// A Field is a member of a config.
type Field struct {
	Key   string
	Value string // JSON, or BYTES:DIGEST of one that is long
}

// A Part is a length and a digest. The zero Part stands for nothing.
type Part struct {
	Bytes  int64
	Digest string // lower-case hexadecimal SHA-256, "" for nothing
}

// A Tool is one tool of a header.
type Tool struct {
	Name string
	Part
}

// A Message is a surface event.
type Message struct {
	Type string
	Part // zero when the model sees nothing of it
	// First and Last are the numbers of the messages that bound what this one took
	// the place of; 0 when it was appended.
	First, Last int
	Line        int // in the sum file

	Place
}

// A Request is one attempt of one step.
type Request struct {
	Turn, Step, Attempt int64
	Prepared            bool // nothing shows that it was sent
	Header              int  // number of the snapshot of system prompt and tools
	Config              int  // number of the snapshot of the config
	Messages            int
	Part
	Line int // in the sum file

	Place
}

// Key returns "turn.step.attempt".
func (q *Request) Key() string { return fmt.Sprintf("%d.%d.%d", q.Turn, q.Step, q.Attempt) }

// A Place is where in its log something was found. It is not in the sum file:
// of a sum that was parsed it is zero except for Seq, which is -1.
type Place struct {
	Seq     int64 // event number; of a request, the event that shows it was sent, or its step's start
	LogLine int64 // 1-based; 0 for requests
}

var nowhere = Place{Seq: -1}

// header returns the snapshot with a number, which may be 0.
func (s *Sum) header(number int) *Header {
	if number < 1 || number > len(s.Headers) {
		return &Header{Place: nowhere}
	}
	return &s.Headers[number-1]
}

// digestOf returns the length and digest of a part's JSON.
func digestOf(v []byte) Part {
	sum := sha256.Sum256(v)
	return Part{int64(len(v)), hex.EncodeToString(sum[:])}
}

// maxInline is how long a config's value may be to stand in the file itself.
const maxInline = 64

func fieldOf(key, value ecmajson.Value) Field {
	text := string(value)
	if len(text) > maxInline {
		text = digestOf(value).field()
	}
	return Field{key.Text(), text}
}

func (p Part) field() string { return fmt.Sprintf("%d:%s", p.Bytes, p.Digest) }
