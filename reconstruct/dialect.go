package reconstruct

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// A Dialect is how the writers of a log format make requests, as far as acts do not
// tell it. The fold asks its dialect and never which format it is.
type Dialect struct {
	boundary func(*Session) boundary
	surface  surfaceRules
	shapes   []shape            // of requests; where there are several and the log bears no sign, the first is assumed
	tools    func() toolHistory // nil: requests have no tool history
}

// dialects are those of the formats that are read.
var dialects = map[*logformat.Version]*Dialect{
	logformat.Version0: dialect0,
	logformat.Version1: dialect0,
	logformat.Version2: {
		boundary: newSettlements,
		surface:  surfaceRules{vanish: []transcript.Role{transcript.Assistant}},
		shapes:   dialect0.shapes,
	},
	logformat.Version3: {
		boundary: newSettlements,
		surface:  surfaceRules{vanish: []transcript.Role{transcript.System, transcript.Assistant}, offload: offloadImages},
		shapes:   []shape{{members: withoutHistory}},
	},
	logformat.Version4: {
		boundary: newSettlements,
		surface: surfaceRules{
			vanish:  []transcript.Role{transcript.System, transcript.Developer, transcript.Assistant},
			offload: offloadImages,
		},
		shapes: []shape{
			{logformat.Shape02, []PartKind{MessagePart, ToolHistoryPart, ToolsPart, SessionIDPart}},
			{logformat.Shape017, withoutHistory},
		},
		tools: newAnnouncedTools,
	},
}

// dialect0 is that of formats 0 and 1: answers are logged as they arrive, and the system
// prompt is a member of the request.
var dialect0 = &Dialect{
	boundary: newFirstChunk,
	surface:  surfaceRules{vanish: []transcript.Role{transcript.Assistant}, refuse: refuseToolRewrite},
	shapes:   []shape{{members: []PartKind{MessagePart, SystemPart, ToolsPart, SessionIDPart}}},
}

var withoutHistory = []PartKind{MessagePart, ToolsPart, SessionIDPart}

// A boundary is the rule by which acts show where requests were made.
type boundary interface {
	// act sees an act before it changes surface and header, and returns the request that
	// it completes, nil when there is none.
	act(a *transcript.Act) *Request
	// leaving is called before nodes of the surface leave it, or change.
	leaving()
	// finish ends the log.
	finish() *Request
}

// surfaceRules are what differs in how acts change the surface.
type surfaceRules struct {
	// vanish lists the roles of which the model does not see a message without content.
	vanish []transcript.Role
	// refuse says what is wrong with an act that puts a message on the surface, "" when
	// nothing is. A replace has passed the rules that hold for each; span is what it removes.
	// It is nil where the reader of the log holds it to all rules.
	refuse func(s *Surface, a *transcript.Act, span span) (logformat.Code, string)
	// offload changes messages in place; nil where nothing does.
	offload func(s *Surface, a *transcript.Act) (*Message, *logformat.Refusal)
}

// A span is a run of nodes on the surface; the zero span is none.
type span struct {
	first, last *Message
	seqs        []int64
}

// A shape is a request's members in their order, after those of config.
type shape struct {
	name    string // "" where a format has only one
	members []PartKind
}

// A toolHistory is which tools a session's history announced.
type toolHistory interface {
	// fold sees each act except pieces of answers, those of the parent session too.
	fold(a *transcript.Act)
	// value is the member of a request that is made now.
	value() ecmajson.Value
	// revision changes when value does.
	revision() int
}
