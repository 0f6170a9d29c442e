package transcript

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// project0 is the projection of format 0. Answers are logged as they arrive; the
// system prompt is a member of the header; a tool's result is a message of the user.
func project0(e *logformat.Event, a *Act) {
	switch e.Type {
	case logformat.TypeAssistantChunk:
		chunk0(e, a)
	case logformat.TypeUserMessage:
		message0(e, a, User)
	case logformat.TypeAssistantMessage:
		message0(e, a, Assistant)
		a.usage = usageOfData
	case logformat.TypeToolResult:
		message0(e, a, Tool)
	case logformat.TypeTurnStart:
		a.Kind = TurnStart
	case logformat.TypeTurnEnd:
		a.Kind = TurnEnd
	case logformat.TypeStepStart:
		a.Kind = StepStart
	case logformat.TypeStepEnd:
		a.Kind = StepEnd
	case logformat.TypeRequestHeader:
		a.Kind, a.Header = Snapshot, header0(e.Data)
	case logformat.TypeRequestContext:
		a.Kind = Context
	case logformat.TypeLLMRetry:
		a.Kind = Retry
	case logformat.TypeLLMRetryStarted:
		a.Kind, a.Started = Retry, true
	case logformat.TypeSessionEndSeed:
		a.Kind = SeedEnd
	default:
		side0(e, a)
	}
}

// chunk0 projects a chunk that is not known to be a delta.
func chunk0(e *logformat.Event, a *Act) {
	a.Kind = FirstByte
	chunk := e.Data.Lookup("chunk")
	switch kind := chunk.Lookup("type"); {
	case kind.Is("usage"):
		a.usage = usageOfChunk
	case kind.Is("finish"):
		reason := chunk.Lookup("reason").Lookup("kind")
		a.Kind, a.End, a.Failed = StreamEnd, reason, reason.Is("error") || reason.Is("aborted")
	}
}

func message0(e *logformat.Event, a *Act, role Role) {
	a.Kind = Message
	a.Entry = Entry{Role: role, Op: e.Surface}
	a.Entry.Start, a.Entry.End, _ = e.MessageSpan()
}

// header0 is a snapshot without what counts as absent: empty system prompts and tool
// lists, and defaults of which none is marked.
func header0(data ecmajson.Value) Header {
	header := data.Lookup("header")
	h := Header{Config: header.Lookup("config"), Reason: data.Lookup("reason"), StartsSeries: data.Lookup("startsSeries").Kind() == ecmajson.True}
	if defaults := header.Lookup("adapterDefaults"); isMarked(defaults) {
		h.AdapterDefaults = defaults
	}
	if system := header.Lookup("system"); hasLength(system) {
		h.System = system
	}
	if tools := header.Lookup("tools"); hasLength(tools) {
		h.Tools = tools
	}
	return h
}

func isMarked(defaults ecmajson.Value) bool {
	return defaults.Lookup("reasoningEffort").Kind() == ecmajson.True || defaults.Lookup("maxTokens").Kind() == ecmajson.True
}

// hasLength is JavaScript's v.length > 0, by which the harness knows a present
// system prompt or tool list.
func hasLength(v ecmajson.Value) bool {
	switch v.Kind() {
	case ecmajson.String:
		return len(v) > len(`""`)
	case ecmajson.Array:
		return len(v) > len(`[]`)
	case ecmajson.Object:
		n, ok := v.Lookup("length").Float()
		return ok && n > 0
	}
	return false
}

// side0 projects what is outside the loop.
func side0(e *logformat.Event, a *Act) {
	switch e.Type {
	case logformat.TypeCompactionStart:
		a.Kind, a.Side = SideRequest, Side{Kind: Summary, Begins: true}
	case logformat.TypeCompactionSummary:
		a.Kind, a.Side, a.Announces = SideRequest, summary0(e.Data), Compaction
	case logformat.TypeCompactionPrune:
		a.Announces = Pruning
	case logformat.TypeSessionTitleRequest:
		a.Kind, a.Side = SideRequest, title0(e.Data)
	case logformat.TypeSearchRequest:
		a.Kind, a.Side = SideRequest, Side{Kind: Search, Called: true}
	}
}

func summary0(data ecmajson.Value) Side {
	return Side{
		Kind: Summary, Called: data.Lookup("llmStreamCall").Kind() == ecmajson.True,
		Provider: data.Lookup("provider"), Model: data.Lookup("model"), MaxTokens: data.Lookup("maxTokens"),
		Usage: data.Lookup("usage"), Shadowed: data.Lookup("shadowedSeqs"),
	}
}

func title0(data ecmajson.Value) Side {
	route := data.Lookup("route")
	return Side{
		Kind: Title, Called: true, Provider: route.Lookup("provider"), Model: route.Lookup("model"),
		System: data.Lookup("system"), MaxTokens: data.Lookup("maxTokens"), Messages: data.Lookup("messages"),
	}
}
