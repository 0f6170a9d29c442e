package reconstruct

import (
	"fmt"
	"iter"
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// OneshotKind is what a request outside the loop is for.
type OneshotKind string

// The kinds.
const (
	CompactionOneshot OneshotKind = "compaction" // known from a compaction that called the model
	TitleOneshot      OneshotKind = "title"      // told whole by the event of a title
	SearchOneshot     OneshotKind = "search"     // a web search: named by its event, not described
)

// A Oneshot is a request outside the loop that the log tells of. Its JSON is
//
//	{"provider","model","messages":[…],"system"?,"toolHistory"?,"tools"?,"maxTokens"?,"sessionId","purpose"}
//
// A title is whole. Of a compaction all is known but its last message, an
// instruction that is code of the harness and not log; that is its Hole. Nothing
// is known of a search. It is valid until the next record is applied.
type Oneshot struct {
	Kind    OneshotKind
	Ordinal int // 1-based among the session's one-shots of the kind
	Seq     int64
	Time    int64
	Pos     logformat.Position

	SessionID string
	Provider  ecmajson.Value
	Model     ecmajson.Value
	MaxTokens ecmajson.Value // nil: none
	System    ecmajson.Value // nil: none
	History   ecmajson.Value // of tools; nil: none
	Tools     ecmajson.Value // nil: none
	Usage     ecmajson.Value // what the provider reported, nil: nothing is logged
	Header    *EpochHeader   // of a compaction: the one whose system and tools it carries
	Missing   int            // of a compaction: shadowed events that are not on the surface

	messages []ecmajson.Value
}

// Key returns the name by which commands know the one-shot, as "compaction:2".
func (o *Oneshot) Key() string { return fmt.Sprintf("%s:%d", o.Kind, o.Ordinal) }

// Known reports whether the log describes the one-shot at all.
func (o *Oneshot) Known() bool { return o.Kind != SearchOneshot }

// Hole names what the log does not hold of the one-shot, "" when it is whole.
func (o *Oneshot) Hole() string {
	switch o.Kind {
	case CompactionOneshot:
		return "the last message, an instruction that is code of the harness and not in the log"
	case SearchOneshot:
		return "the whole request"
	}
	return ""
}

// HolePointer is where in the JSON the hole is, "" where it is all of it or none.
func (o *Oneshot) HolePointer() string {
	if o.Kind != CompactionOneshot {
		return ""
	}
	return fmt.Sprintf("/messages/%d", len(o.messages))
}

// Messages yields the messages that the log tells.
func (o *Oneshot) Messages() iter.Seq[ecmajson.Value] {
	return func(yield func(ecmajson.Value) bool) {
		for _, m := range o.messages {
			if !yield(m) {
				return
			}
		}
	}
}

// Count returns the number of messages that the log tells.
func (o *Oneshot) Count() int { return len(o.messages) }

// Append appends the one-shot's JSON to dst. A compaction's hole is filled with
// instruction, the JSON of a message; when that is nil, it is left out.
func (o *Oneshot) Append(dst []byte, instruction ecmajson.Value) []byte {
	dst = append(append(dst, `{"provider":`...), orNull(o.Provider)...)
	dst = append(append(dst, `,"model":`...), orNull(o.Model)...)
	dst = append(dst, `,"messages":[`...)
	for i, m := range o.messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, m...)
	}
	if o.Kind == CompactionOneshot && instruction != nil {
		if len(o.messages) > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, instruction...)
	}
	dst = append(dst, ']')
	for _, member := range []struct {
		key   string
		value ecmajson.Value
	}{{"system", o.System}, {"toolHistory", o.History}, {"tools", o.Tools}, {"maxTokens", o.MaxTokens}} {
		if member.value != nil {
			dst = append(append(append(append(dst, `,"`...), member.key...), `":`...), member.value...)
		}
	}
	dst = append(append(dst, `,"sessionId":`...), ecmajson.AppendString(nil, o.SessionID)...)
	return append(append(append(dst, `,"purpose":"`...), o.purpose()...), `"}`...)
}

func (o *Oneshot) purpose() string {
	if o.Kind == TitleOneshot {
		return "session-title"
	}
	return string(o.Kind)
}

func orNull(v ecmajson.Value) ecmajson.Value {
	if v == nil {
		return ecmajson.Value("null")
	}
	return v
}

// oneshotKinds are the kinds of one-shot by what an act calls them.
var oneshotKinds = map[transcript.SideKind]OneshotKind{
	transcript.Summary: CompactionOneshot, transcript.Title: TitleOneshot, transcript.Search: SearchOneshot,
}

// oneshot tells of the one-shot that an act records, before the act is applied. The
// parent's, in a fork, are not told of.
func (s *Session) oneshot(a *transcript.Act) {
	if s.opts.Oneshot == nil || a.Kind != transcript.SideRequest || s.Inherited(a.Event.Seq) {
		return
	}
	side := &a.Side
	if side.Begins {
		s.compacting = s.epoch
	}
	if !side.Called {
		return
	}
	o := &Oneshot{
		Kind: oneshotKinds[side.Kind], Seq: a.Event.Seq, Time: a.Event.Time, Pos: a.Event.Pos, SessionID: s.header.ID,
		Provider: side.Provider, Model: side.Model, MaxTokens: side.MaxTokens, System: side.System, Usage: side.Usage,
		messages: slices.Collect(side.Messages.Elements()),
	}
	if o.Kind == CompactionOneshot {
		s.compaction(o, side.Shadowed)
	}
	if s.oneshots == nil {
		s.oneshots = make(map[OneshotKind]int)
	}
	s.oneshots[o.Kind]++
	o.Ordinal = s.oneshots[o.Kind]
	s.opts.Oneshot(o)
}

// compaction fills in a compaction: the shadowed messages as they are on the
// surface, under the header that was in force when it began. Where the system prompt is
// the surface's head, it comes first.
func (s *Session) compaction(o *Oneshot, shadowed ecmajson.Value) {
	if o.Header = s.compacting; o.Header == nil {
		o.Header = s.epoch
	}
	if o.Header != nil {
		o.System, o.Tools = o.Header.System, o.Header.Tools
	}
	if s.tools != nil {
		o.History = s.tools.value()
	}
	if head := s.surface.head; head != nil && head.Head && head.Bytes != nil {
		o.messages = append(o.messages, head.Bytes)
	}
	for v := range shadowed.Elements() {
		seq, _ := v.SafeInt()
		switch m := s.surface.Node(seq); {
		case m == nil:
			o.Missing++
		case m.Bytes != nil:
			o.messages = append(o.messages, m.Bytes)
		}
	}
}
