package reconstruct

import (
	"fmt"
	"iter"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// OneshotKind is what a request outside the loop is for.
type OneshotKind string

// The kinds.
const (
	CompactionOneshot OneshotKind = "compaction" // told by a compaction/summary that called the model
	TitleOneshot      OneshotKind = "title"      // told whole by a session/title-llm-request
	SearchOneshot     OneshotKind = "search"     // a web search: named by its event, not described
)

// A Oneshot is a request outside the loop that the log tells of. Its JSON is
//
//	{"provider","model","messages":[…],"system"?,"tools"?,"maxTokens"?,"sessionId","purpose"}
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
	}{{"system", o.System}, {"tools", o.Tools}, {"maxTokens", o.MaxTokens}} {
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

// oneshot tells of the one-shot that an event records, before the event is
// applied. The parent's, in a fork, are not told of.
func (s *Session) oneshot(e *logformat.Event) {
	if s.opts.Oneshot == nil || s.inherited(e.Seq) {
		return
	}
	o := &Oneshot{Seq: e.Seq, Time: e.Time, Pos: e.Pos, SessionID: s.header.ID}
	switch e.Type {
	case logformat.TypeCompactionStart:
		s.compacting = s.epoch
		return
	case logformat.TypeCompactionSummary:
		if e.Data.Lookup("llmStreamCall").Kind() != ecmajson.True {
			return
		}
		s.compaction(o, e.Data)
	case logformat.TypeSessionTitleRequest:
		o.title(e.Data)
	case logformat.TypeSearchRequest:
		o.Kind = SearchOneshot
	default:
		return
	}
	if s.oneshots == nil {
		s.oneshots = make(map[OneshotKind]int)
	}
	s.oneshots[o.Kind]++
	o.Ordinal = s.oneshots[o.Kind]
	s.opts.Oneshot(o)
}

// compaction fills in a compaction: the shadowed messages as they are on the
// surface, under the header that was in force when it began.
func (s *Session) compaction(o *Oneshot, data ecmajson.Value) {
	o.Kind, o.Header = CompactionOneshot, s.compacting
	if o.Header == nil {
		o.Header = s.epoch
	}
	o.Provider, o.Model, o.MaxTokens = data.Lookup("provider"), data.Lookup("model"), data.Lookup("maxTokens")
	o.Usage = data.Lookup("usage")
	if o.Header != nil {
		o.System, o.Tools = o.Header.System, o.Header.Tools
	}
	for v := range data.Lookup("shadowedSeqs").Elements() {
		seq, _ := v.SafeInt()
		switch m := s.surface.Node(seq); {
		case m == nil:
			o.Missing++
		case m.Bytes != nil:
			o.messages = append(o.messages, m.Bytes)
		}
	}
}

func (o *Oneshot) title(data ecmajson.Value) {
	o.Kind = TitleOneshot
	route := data.Lookup("route")
	o.Provider, o.Model = route.Lookup("provider"), route.Lookup("model")
	o.System, o.MaxTokens = data.Lookup("system"), data.Lookup("maxTokens")
	for m := range data.Lookup("messages").Elements() {
		o.messages = append(o.messages, m)
	}
}
