package golden

// Kind says what happened to a part of a transcript.
type Kind string

// The kinds of change.
const (
	SessionChanged Kind = "changed-session" // a member of the identity; Name is id, format, parent or seed

	HeaderAdded     Kind = "header-added"
	HeaderRemoved   Kind = "header-removed"
	HeaderChanged   Kind = "changed-header" // its reason
	ConfigChanged   Kind = "changed-config" // a field; Old or New is "" when it came or went
	ConfigReordered Kind = "config-reordered"
	SystemChanged   Kind = "changed-system"
	ToolAdded       Kind = "tool-added"
	ToolRemoved     Kind = "tool-removed"
	ToolChanged     Kind = "changed-tool"
	ToolsReordered  Kind = "tools-reordered"
	ToolsChanged    Kind = "changed-tools" // tools that are no list of named objects

	MessageAdded    Kind = "message-added"
	MessageRemoved  Kind = "message-removed"
	MessageChanged  Kind = "changed-message"
	MessageMoved    Kind = "message-moved"
	ReplacedChanged Kind = "changed-replace" // what a message took the place of

	RequestAdded   Kind = "request-added"
	RequestRemoved Kind = "request-removed"
	RequestChanged Kind = "changed-request" // and no other change explains it
	LinesReordered Kind = "lines-reordered" // the same lines in another order
)

// A Change is one difference between two sums. Consequences are folded into it:
// a message that changed changes every request that holds it.
type Change struct {
	Kind Kind
	Name string // of a config field, a tool, or a member of the identity
	Type string // of a message: the event's type; of a header: its reason
	// Number counts messages or snapshots from 1, in the new sum or, of what was
	// removed, in the old one. 0 for other changes.
	Number int
	// Old and New are digests or, of config fields, identity, reasons and orders,
	// the values. "" stands for nothing.
	Old, New string
	// OldBytes and NewBytes are lengths, where Old and New are digests.
	OldBytes, NewBytes int64
	// Headers are the numbers of further snapshots with the same change.
	Headers []int
	// Requests are the keys of the requests that changed and hold the part.
	Requests []string
	// Place is where the part is in the new log.
	Place Place

	order  int // in the order of the new sum
	before int // of a message: its number in the old sum, 0 when it was not there
}
