package transcript

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Kind is what happened.
type Kind uint8

// The kinds; see the package comment.
const (
	Other Kind = iota
	TurnStart
	TurnEnd
	StepStart
	StepEnd
	Message
	Settlement
	ToolUpdate
	Offload
	Snapshot
	Context
	FirstByte
	StreamEnd
	Retry
	SideRequest
	SeedEnd
)

var kindNames = [...]string{
	"other", "turn start", "turn end", "step start", "step end", "message", "settlement", "tool update", "offload",
	"snapshot", "context", "first byte", "stream end", "retry", "side request", "seed end",
}

// String returns the kind in words.
func (k Kind) String() string { return kindNames[k] }

// An Act is what a record says that happened. Only the parts that belong to its kind
// are filled in. The record is the log's own.
type Act struct {
	*logformat.Record
	Kind Kind

	Entry     Entry          // what it puts on the surface; its Op is OpNone when that is nothing
	Header    Header         // of a Snapshot
	Side      Side           // of a SideRequest
	Announces Announcement   // what takes the place of a part of the surface, right after it
	End       ecmajson.Value // of a StreamEnd: how the stream ended, a JSON string; see Ended
	Failed    bool           // of a StreamEnd: a further attempt may follow
	Started   bool           // of a Retry: it is under way

	usage usagePlace
}

// A Role is who speaks in a message, whatever role the message itself states.
type Role uint8

// The roles.
const (
	NoRole Role = iota
	User
	Assistant
	Tool
	System
	Developer
)

var roleNames = [...]string{"", "user", "assistant", "tool", "system", "developer"}

// String returns the role as later formats spell it.
func (r Role) String() string { return roleNames[r] }

// An Entry is a message and what it does on the surface.
type Entry struct {
	Role       Role
	Start, End int // of the message in the event's data
	Op         logformat.SurfaceOp
	Head       bool // it may become the surface's head, which only its own kind replaces
}

// JSON returns the message of an act that has an Entry, as it is logged. It is part
// of the event's data.
func (a *Act) JSON() ecmajson.Value {
	if a.Entry.End == 0 {
		return nil
	}
	return a.Event.Data[a.Entry.Start:a.Entry.End:a.Entry.End]
}

// A Header is a snapshot in canonical form: what counts as absent is nil.
type Header struct {
	Config, AdapterDefaults, System, Tools ecmajson.Value
	Reason                                 ecmajson.Value // why it was written, a JSON string
	StartsSeries                           bool
}

// An Announcement is what a record says of the replace that follows it at once.
type Announcement uint8

// The announcements.
const (
	Nothing Announcement = iota
	Compaction
	Pruning
)

// A SideKind is what a request outside the loop is for.
type SideKind uint8

// The kinds of request outside the loop.
const (
	NoSide  SideKind = iota
	Summary          // of history, for a compaction
	Title
	Search
)

// A Side is a request outside the loop, as far as the log tells it.
type Side struct {
	Kind   SideKind
	Begins bool // it is only begun: what is in force now is what it carries
	Called bool // the model was called

	Provider, Model, MaxTokens, System, Usage ecmajson.Value // nil: not told
	Messages                                  ecmajson.Value // an array of the messages themselves
	Shadowed                                  ecmajson.Value // an array of the events whose messages it sums up
}

// usagePlace is where an act's data has the provider's token counts.
type usagePlace uint8

const (
	noUsage usagePlace = iota
	usageOfChunk
	usageOfData
	usageOfSettlement
)

// Usage returns the token counts that the provider reported with an answer, nil when
// the act reports none.
func (a *Act) Usage() ecmajson.Value {
	switch a.usage {
	case usageOfChunk:
		return a.Event.Data.Lookup("chunk").Lookup("usage")
	case usageOfData:
		return a.Event.Data.Lookup("usage")
	case usageOfSettlement:
		if a.Entry.Role == Assistant {
			return a.Event.Data.Lookup("usage")
		}
		return a.settled("usage").Lookup("usage")
	}
	return nil
}

// Place returns the turn and step that an act names, 0 where it names none.
func (a *Act) Place() (turn, step int64) {
	var t, s ecmajson.Value
	if a.Row != nil {
		t, s = a.Row.Turn, a.Row.Step
	} else {
		t, s = a.Event.Data.Lookup("turn"), a.Event.Data.Lookup("step")
	}
	turn, _ = t.SafeInt()
	step, _ = s.SafeInt()
	return turn, step
}

// Time returns when it happened, in milliseconds since the Unix epoch; of a packed
// run, when its first event did.
func (a *Act) Time() int64 {
	if a.Row != nil {
		return a.Row.Time0
	}
	return a.Event.Time
}

// OnSurface reports whether the act puts something on the surface.
func (a *Act) OnSurface() bool { return a.Entry.Op.Op != logformat.OpNone }

// Appends reports whether the act appends a message of a role to the surface.
func (a *Act) Appends(role Role) bool {
	return a.Entry.Op.Op == logformat.OpAppend && a.Entry.Role == role
}

// Replaces reports whether the act takes the place of a part of the surface.
func (a *Act) Replaces() bool { return a.Entry.Op.Op == logformat.OpReplace }
