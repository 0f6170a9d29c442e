package shape_test

import (
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/internal/upgrade/shape"
	"github.com/dsh-verify/dsh-verify/logformat"
)

const (
	message = `{"id":"m","role":"user","content":[{"type":"text","text":"x"}],"source":SOURCE}`
	plugin  = `{"kind":"plugin","plugin":"p"`
	failure = `"failure":{"message":"m","code":"c"}`
	retry   = `"retryId":"r","turn":1,"step":1,"provider":"p","policyKey":"k","delayMs":0,` + failure
	goal    = `"kind":"goal/change","version":1,"operation":"create","roundsStarted":0,"createdAt":1,"updatedAt":1`
)

// TestCheck: each rule of the admitted data (section 12.2 of the specification) with one that
// keeps it and one that breaks it; the pointer says where.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		kind, data string
		version    int
		fault      string // the pointer; "ok" for none
		why        string
	}{
		{logformat.TypeAgentPresetSelected, `{"agentPreset":""}`, 0, "ok", "s may be empty"},
		{logformat.TypeAgentPresetSelected, `{"agentPreset":1}`, 0, "/agentPreset", "s is a string"},
		{logformat.TypeAgentPresetSelected, `{}`, 0, "/agentPreset", "a member is missing"},
		{logformat.TypeAgentPresetSelected, `{"agentPreset":"a","more":1}`, 0, "/more", "a member is not known"},
		{logformat.TypeAgentPresetSelected, `null`, 0, "", "data are an object"},
		{logformat.TypePermissionPreset, `{"preset":""}`, 0, "/preset", "s+ is not empty"},
		{logformat.TypePlanMode, `{"active":1}`, 0, "/active", "b is true or false"},
		{logformat.TypeTurnStart, `{"turn":-0}`, 0, "/turn", "n is not -0"},
		{logformat.TypeTurnStart, `{"turn":1.0}`, 0, "ok", "1.0 is a count"},
		{logformat.TypeStepStart, `{"turn":1,"step":1.5}`, 0, "/step", "n is whole"},
		{logformat.TypeRequestContext, `{"provider":"p","model":"m","contextWindow":0}`, 0, "/contextWindow", "n+ is from 1"},
		{logformat.TypeHookResult, `{"turn":1,"point":"p","handlerId":"h","decision":"d","durationMs":-1}`, 0, "/durationMs", "f0 is not negative"},
		{logformat.TypeHookResult, `{"turn":1,"point":"p","handlerId":"h","decision":"d","durationMs":0.5,"exitCode":-1}`, 0, "ok", "i may be negative"},
		{logformat.TypeHookInvoked, `{"turn":1,"point":"p","dialect":"other","handlerId":"h"}`, 0, "/dialect", "one of these strings"},
		{logformat.TypeCommandDone, `{"commandId":"c","kind":"success","sourceEventSeq":9}`, 0, "ok", "seq is below the event's"},
		{logformat.TypeCommandDone, `{"commandId":"c","kind":"success","sourceEventSeq":10}`, 0, "/sourceEventSeq", "seq is not the event's"},
		{logformat.TypeCompactionStart, `{"compactionId":"c","turn":null}`, 0, "ok", "n|null"},
		{logformat.TypeCompactionStart, `{"compactionId":"c","turn":"1"}`, 0, "/turn", "n|null is no string"},
		{logformat.TypeCompactionPrune, `{"shadowedRange":{"start":1,"end":2},"shadowedSeqs":[1,2],"shadowedTokenCount":0}`, 0, "ok", "a span"},
		{logformat.TypeCompactionPrune, `{"shadowedRange":{"start":1,"end":3},"shadowedSeqs":[1,2],"shadowedTokenCount":0}`, 0, "/shadowedRange/end", "the span ends elsewhere"},
		{logformat.TypeCompactionPrune, `{"shadowedRange":{"start":1,"end":1},"shadowedSeqs":[1,1],"shadowedTokenCount":0}`, 0, "/shadowedSeqs/1", "no repeats"},
		{logformat.TypeCompactionPrune, `{"shadowedRange":{"start":1,"end":1},"shadowedSeqs":[],"shadowedTokenCount":0}`, 0, "/shadowedSeqs", "not empty"},
		{logformat.TypeCompactionSummary, `{"compactionId":"c","summary":[],"shadowedRange":{"start":1,"end":1},"shadowedSeqs":[1],"shadowedTokenCount":0,"provider":"p","model":"m","llmStreamCall":true}`, 0, "/rawOutput", "a call has its output"},
		{logformat.TypeLLMRetry, `{"mode":"normal","retry":2,"maxRetries":2,` + retry + `}`, 0, "ok", "the last retry"},
		{logformat.TypeLLMRetry, `{"mode":"normal","retry":3,"maxRetries":2,` + retry + `}`, 0, "/retry", "beyond the limit"},
		{logformat.TypeLLMRetry, `{"mode":"always","retry":3,"maxRetries":4,` + retry + `}`, 0, "/maxRetries", "a limit without its mode"},
		{logformat.TypeRequestHeader, `{"header":{"config":{"provider":"p","model":"m"},"adapterDefaults":{"maxTokens":true}},"reason":"initial"}`, 0, "/header/adapterDefaults/maxTokens", "a default without a value"},
		{logformat.TypeRequestHeader, `{"header":{"config":{"provider":"p","model":"m","top_p":1}},"reason":"initial"}`, 0, "/header/config/top_p", "a member of config"},
		{logformat.TypeRequestHeader, `{"header":{"config":{"provider":"p","model":"m"}},"reason":"other"}`, 0, "/reason", "the reason"},
		{logformat.TypeSubagentModelPolicy, `{"allowedModels":[{"provider":"p","model":"m"},{"provider":"p","model":"m"}]}`, 0, "/allowedModels/1", "a model twice"},
		{logformat.TypeSubagentDescriptor, `{"version":3,"mode":"one-shot","provider":"p","label":""}`, 0, "ok", "a subagent for one task"},
		{logformat.TypeSubagentDescriptor, `{"version":2,"mode":"one-shot","provider":"p"}`, 0, "/version", "an old descriptor"},
		{logformat.TypeSubagentDescriptor, `{"version":3,"mode":"continuable","provider":"p","label":"l","agentModel":"m"}`, 0, "/agentModel", "a model without a provider"},
		{logformat.TypeGoalChange, `{` + goal + `,"goal":{"id":"g","revision":1,"objective":"o","phase":"blocked","maxGoalRounds":1}}`, 0, "/goal/blockedReason", "blocked without a reason"},
		{logformat.TypeScheduleChange, `{"version":1,"operation":"create","schedule":{"kind":"every","everySeconds":299,"id":"i","prompt":"p","scheduledAt":"2026-01-02T03:04:05.678Z"}}`, 0, "/schedule/everySeconds", "too often"},
		{logformat.TypeScheduleChange, `{"version":1,"operation":"create","schedule":{"kind":"at","id":"i","prompt":"p","scheduledAt":"2026-02-30T03:04:05.678Z"}}`, 0, "/schedule/scheduledAt", "no such day"},
		{logformat.TypeScheduleChange, `{"version":1,"operation":"delete","id":" i"}`, 0, "/id", "white space"},
		{logformat.TypeTurnEnd, `{"turn":1,"reason":{"kind":"completed","more":1}}`, 0, "/reason/more", "no further member"},
		{logformat.TypeTurnEnd, `{"turn":1,"reason":{"kind":"other","more":1}}`, 0, "ok", "other reasons are free"},
		{logformat.TypeTurnEnd, `{"turn":1,"reason":{"kind":"aborted","reason":{"kind":"hook","reason":"r"}}}`, 0, "ok", "a hook's reason"},
		{logformat.TypeDeliveryAccepted, `{"sessionId":1,"throughSeq":"x"}`, 2, "ok", "a delivery of another format is opaque"},
		{logformat.TypeDeliveryAccepted, `{"sessionId":1,"throughSeq":3}`, 0, "/sessionId", "one of its own is not"},
		{logformat.TypeDeliveryAccepted, `{"sessionId":"s","throughSeq":3,"sessionFormatVersion":0}`, 0, "/sessionFormatVersion", "format 0 has no version in it"},
		{logformat.TypeSessionEndSeed, `{"inherited":true}`, 2, "ok", "the mark of format 2"},
		{logformat.TypeSessionEndSeed, `{"inherited":true}`, 0, "/inherited", "which format 0 has not"},
		{logformat.TypeAssistantAttempt, `{"turn":1,"step":1,"stream":[{"type":"chunk","time":1,"chunk":{"type":"block-start","index":0,"blockType":"odd"}}]}`, 2, "/stream/0/chunk/blockType", "a block in a stream"},
		{logformat.TypeAssistantAttempt, `{"turn":0,"step":1,"stream":[]}`, 2, "/turn", "settlements count from 1"},
	} {
		compare(t, c.kind, c.data, c.version, c.fault, c.why)
	}
}

// TestSources: the sources of messages, and the blocks in them.
func TestSources(t *testing.T) {
	for _, c := range []struct {
		source  string
		version int
		fault   string
		why     string
	}{
		{`{"kind":"user"}`, 0, "ok", "the user"},
		{`{"kind":"user","more":1}`, 0, "/source/more", "a member"},
		{`{"kind":"odd","more":1}`, 0, "ok", "other kinds are free"},
		{`{"kind":"odd"}`, 2, "/source/kind", "and not in format 2"},
		{`{"kind":"agent-message","form":"relay","senderSessionId":"s"}`, 2, "ok", "agents send from format 2 on"},
		{plugin + `}`, 0, "ok", "a plugin"},
		{plugin + `,"summary":1}`, 0, "ok", "without a form a summary is free"},
		{plugin + `,"form":"notice","summary":"s"}`, 0, "ok", "a notice has a summary"},
		{plugin + `,"form":"notice"}`, 0, "/source/summary", "and must have it"},
		{plugin + `,"form":"relay","sections":[]}`, 0, "/source/sections", "only a snapshot has sections"},
		{plugin + `,"form":"snapshot","sections":[{"name":"","text":"t"}]}`, 0, "/source/sections/0/name", "a section has a name"},
		{plugin + `,"compactionId":"c"}`, 0, "/source/compactionId", "only compact has a compaction"},
		{`{"kind":"plugin","plugin":"compact","compactionId":"c"}`, 0, "ok", "a checkpoint"},
		{`{"kind":"goal","goalId":"g","revision":1,"round":0}`, 0, "/source/round", "rounds count from 1"},
	} {
		compare(t, logformat.TypeUserMessage, messageWith(c.source), c.version, c.fault, c.why)
	}
	for _, c := range []struct {
		block   string
		version int
		fault   string
	}{
		{`{"type":"odd","more":1}`, 0, "ok"},
		{`{"type":"odd"}`, 2, "/content/0/type"},
		{`{"type":"file","attachment":{"attachmentId":"a","name":"","bytes":0}}`, 2, "ok"},
		{`{"type":"file","attachment":{"attachmentId":"","name":"","bytes":0}}`, 2, "/content/0/attachment/attachmentId"},
		{`{"type":"image","attachment":{"attachmentId":"a","mediaType":"image/bmp","bytes":0,"width":1,"height":1}}`, 0, "/content/0/attachment/mediaType"},
		{`{"type":"text","text":"t","more":1}`, 0, "/content/0/more"},
	} {
		data := `{"id":"m","role":"user","content":[` + c.block + `],"source":{"kind":"user"}}`
		compare(t, logformat.TypeUserMessage, data, c.version, c.fault, c.block)
	}
}

func messageWith(source string) string { return message[:len(message)-len("SOURCE}")] + source + "}" }

func compare(t *testing.T, kind, data string, version int, fault, why string) {
	t.Helper()
	v, err := jsvalue.Parse([]byte(data))
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if !shape.Known(kind, version) {
		t.Fatalf("%s is not known in format %d", kind, version)
	}
	got := "ok"
	if f := shape.Check(kind, v, 10, version); f != nil {
		got = f.Pointer
	}
	if got != fault {
		t.Errorf("%s: %s in format %d is at fault at %q, want %q", why, data, version, got, fault)
	}
}

func TestKnown(t *testing.T) {
	for _, c := range []struct {
		kind  string
		known [3]bool
	}{
		{logformat.TypeAssistantAttempt, [3]bool{false, false, true}},
		{logformat.TypeFeedbackMessagePut, [3]bool{false, false, true}},
		{logformat.TypeSystemMessage, [3]bool{}},
		{logformat.TypeUserMessage, [3]bool{true, true, true}},
	} {
		for version, want := range c.known {
			if shape.Known(c.kind, version) != want {
				t.Errorf("%s in format %d is known %v", c.kind, version, !want)
			}
		}
	}
}
