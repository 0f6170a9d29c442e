package shape

import (
	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// An entry is the shape of one event type's data.
type entry struct {
	data check
	more check // what the notation does not say; nil when there is nothing
}

// members are the shapes of format 0, by event type. Formats 1 and 2 change those of later.
var members = map[string]string{
	logformat.TypeAgentPresetSelected: "agentPreset:s",
	logformat.TypeAgentInboxSpliced:   "target:=next-turn|next-step start:n removedCount?:n inserted:[@user] outcome?:=canceled",
	logformat.TypeApprovalAsked:       "id:s+ toolName:s+ callId?:s+ reason?:s",
	logformat.TypeApprovalDecided:     "id:s+ outcome:=allowed-once|rejected|cancelled|unavailable",
	logformat.TypeApprovalPolicy:      "policy:=ask|never source?:=delegation",
	logformat.TypeAssistantMessage:    "turn:n step:n message:@assistant usage?:@usage interrupted?:=true",
	logformat.TypeCommandRun:          "commandId:s+ name:s+ args?:s source:{kind:=user}",
	logformat.TypeCommandDone:         "commandId:s+ kind:=success|error text?:s sourceEventSeq?:seq",
	logformat.TypeCompactionStart:     "compactionId:s+ sourceCommandId?:s+ turn:n|null",
	logformat.TypeCompactionEnd:       "compactionId:s+ sourceCommandId?:s+ turn:n|null error?:s",
	logformat.TypeCompactionPrune:     "shadowedRange:{start:seq end:seq} shadowedSeqs:seqs+ shadowedTokenCount:n",
	logformat.TypeCompactionSummary: "compactionId:s+ sourceCommandId?:s+ summary:[@block] shadowedRange:{start:seq end:seq} shadowedSeqs:seqs+" +
		" shadowedTokenCount:n provider:s+ model:s+ maxTokens?:n usage?:@usage rawOutput?:[@block] llmStreamCall?:=true",
	logformat.TypeFeedbackRecord:   "text:s+",
	logformat.TypeHookInvoked:      "turn:n point:s+ dialect:=claude-code|codex handlerId:s+ matcher?:s",
	logformat.TypeHookResult:       "turn:n point:s+ handlerId:s+ decision:s+ durationMs:f0 exitCode?:i stderrSummary?:s",
	logformat.TypeLLMRetry:         "retryId:s+ turn:n step:n provider:s+ mode:=normal|always policyKey:s+ retry:n+ maxRetries?:n+ delayMs:f0 failure:@failure",
	logformat.TypeLLMRetryStarted:  "retryId:s+ turn:n step:n retry:n+",
	logformat.TypeModelSelection:   "provider:s+ model:s+ reasoningEffort?:s+",
	logformat.TypePermissionPreset: "preset:s+",
	logformat.TypePlanMode:         "active:b",
	logformat.TypeRequestContext:   "provider:s+ model:s+ contextWindow?:n+",
	logformat.TypeRequestHeader: "header:{config:{provider:s+ model:s+ reasoningEffort?:s+ temperature?:f maxTokens?:n+ stop?:[s]}" +
		" adapterDefaults?:{reasoningEffort?:=true maxTokens?:=true} system?:s tools?:[{name:s+ description:s parameters:obj}]}" +
		" reason:=initial|resume|change|series startsSeries?:=true",
	logformat.TypeSandboxMode:    "mode:=read-only|workspace-write|danger-full-access source?:=delegation",
	logformat.TypeSessionEndSeed: "",
	logformat.TypeSessionTitle:   "title:s+ messageSeqs:seqs source:@title",
	logformat.TypeSessionTitleRequest: "titleProvider:s+ messageSeqs:seqs+ route:{provider:s+ model:s+} system:s messages:[@message]" +
		" maxTokens:n+",
	logformat.TypeDeliveryAccepted:    "sessionId:any throughSeq:any",
	logformat.TypeStepStart:           "turn:n step:n",
	logformat.TypeStepEnd:             "turn:n step:n",
	logformat.TypeSubagentModelPolicy: "allowedModels:[{provider:s+ model:s+}]+",
	logformat.TypeTeamMember: "version:=1 teamId:s+ member:{id:s+ name:s description:s provider:s context:=fresh|fork" +
		" phase:=provisioning|active|failed error?:s}",
	logformat.TypeTeamMessageDelivered: "version:=1 teamId:s+ messageId:s+ targetId:s+",
	logformat.TypeTeamMessageQueued: "version:=1 teamId:s+ message:{id:s+ senderId:s+ senderName:s targetId:s+ delivery:=quiet|wakeup" +
		" content:[@block]}",
	logformat.TypeTeamTask: "version:=1 teamId:s+ task:{id:s+ revision:n+ subject:s description:s" +
		" status:=pending|in_progress|completed|deleted ownerId?:s+ blockedBy:[s+] writeScopes:[s]}",
	logformat.TypeTodoWrite:              "todos:[{content:s status:=pending|in_progress|completed}]",
	logformat.TypeToolWorkflowAgentEnd:   "runId:s+ seq:n+ outcome:=completed|failed|cancelled",
	logformat.TypeToolWorkflowAgentStart: "runId:s+ seq:n+ label:s phase?:s childId:s+",
	logformat.TypeToolWorkflowRunEnd:     "runId:s+ stopReason:=completed|cancelled|error",
	logformat.TypeToolWorkflowRunStart:   "runId:s+ name:s+",
	logformat.TypeToolCall:               "turn:n step:n callId:s+ name:s+ arguments:s",
	logformat.TypeToolCodeDispatch:       "rootCallId:s+ parentCallId:s+ subCallId:s+ name:s+ arguments:any isError:b content:[@block]",
	logformat.TypeToolCodeDispatchStart:  "rootCallId:s+ parentCallId:s+ subCallId:s+ name:s+ arguments:any",
	logformat.TypeToolResult:             "turn:n step:n message:@tool error?:{name:s+ code:s+} meta?:any",
	logformat.TypeTurnStart:              "turn:n",
	logformat.TypeTurnEnd:                "turn:n reason:@ending",
	logformat.TypeSearchRequest: "endpoint:s+ apiVersion:s+ body:{model:s+ max_tokens:n+ messages:[{role:=user" +
		" content:[{type:=text text:s}]1}]1 tools:[{type:=web_search_20250305 name:=web_search max_uses:n+}]1}",
}

// later are the shapes that formats 1 and 2 have in place of those of format 0.
var later = map[int]map[string]string{
	1: {logformat.TypeDeliveryAccepted: "sessionId:any throughSeq:any sessionFormatVersion?:n"},
	2: {
		logformat.TypeDeliveryAccepted: "sessionId:any throughSeq:any sessionFormatVersion?:n",
		logformat.TypeSessionEndSeed:   "inherited?:=true",
		logformat.TypeAssistantAttempt: "turn:n+ step:n+ stream:any",
		logformat.TypeAssistantMessage: "turn:n+ step:n+ message:@assistant usage?:@usage interrupted?:=true stream:any",
		logformat.TypeFeedbackMessagePut: "sessionId:s item:{messageId:s rating:=positive|negative version:s createdAt:n updatedAt:n" +
			" note?:s}",
		logformat.TypeFeedbackMessageDelete: "sessionId:s messageId:s",
	},
}

// special are the shapes that are more than a list of members.
var special = map[string]check{
	logformat.TypeUserMessage:        named("user"),
	logformat.TypeGoalChange:         checkGoal,
	logformat.TypeScheduleChange:     checkSchedule,
	logformat.TypeSubagentDescriptor: checkDescriptor,
}

// further are the rules between members.
var further = map[string]check{
	logformat.TypeCompactionPrune:     checkSpan,
	logformat.TypeCompactionSummary:   checkSummary,
	logformat.TypeLLMRetry:            checkRetry,
	logformat.TypeRequestHeader:       checkDefaults,
	logformat.TypeDeliveryAccepted:    checkDelivery,
	logformat.TypeSubagentModelPolicy: checkRoutes,
	logformat.TypeAssistantMessage:    checkStream,
	logformat.TypeAssistantAttempt:    checkStream,
}

// tables are the compiled shapes of each format.
var tables [3]map[string]entry

func init() {
	for version := range tables {
		tables[version] = make(map[string]entry)
		for name, check := range special {
			tables[version][name] = entry{data: check}
		}
		for _, texts := range []map[string]string{members, later[version]} {
			for name, text := range texts {
				tables[version][name] = entry{data: object(text), more: further[name]}
			}
		}
	}
}

func lookup(eventType string, version int) (entry, bool) {
	e, ok := tables[version][eventType]
	return e, ok
}

func checkSpan(_ *context, data *jsvalue.Value) *Fault {
	seqs := data.Get("shadowedSeqs").Items()
	ends := [2]*jsvalue.Value{seqs[0], seqs[len(seqs)-1]}
	for i, name := range [2]string{"start", "end"} {
		if got := data.Get("shadowedRange").Get(name); !jsvalue.Same(got, ends[i]) {
			return (&Fault{Want: "the range of shadowedSeqs", Got: got}).under(name).under("shadowedRange")
		}
	}
	return nil
}

func checkSummary(c *context, data *jsvalue.Value) *Fault {
	if data.Get("llmStreamCall").IsTrue() && !data.Has("rawOutput") {
		return (&Fault{Want: "the raw output of the call"}).under("rawOutput")
	}
	return checkSpan(c, data)
}

func checkRetry(_ *context, data *jsvalue.Value) *Fault {
	limit, limited := data.Get("maxRetries").Count()
	retry, _ := data.Get("retry").Count()
	delay, _ := data.Get("delayMs").Float()
	switch {
	case data.Get("mode").Is("normal") != limited:
		return (&Fault{Want: "a limit exactly in the mode normal", Got: data.Get("maxRetries")}).under("maxRetries")
	case limited && retry > limit:
		return (&Fault{Want: "no more retries than maxRetries", Got: data.Get("retry")}).under("retry")
	case delay > 1<<31-1:
		return (&Fault{Want: "a delay that a timer can hold", Got: data.Get("delayMs")}).under("delayMs")
	}
	return nil
}

func checkDefaults(_ *context, data *jsvalue.Value) *Fault {
	header := data.Get("header")
	for _, m := range header.Get("adapterDefaults").Members() {
		if !header.Get("config").Has(m.Key) {
			return (&Fault{Want: "a default only of what config has", Got: m.Value}).under(m.Key).under("adapterDefaults").under("header")
		}
	}
	return nil
}

// checkDelivery checks a delivery of the event's own format; those of others are opaque.
func checkDelivery(c *context, data *jsvalue.Value) *Fault {
	if n, _ := data.Get("sessionFormatVersion").Count(); n != int64(c.version) {
		return nil
	}
	if id := data.Get("sessionId"); !id.Filled() {
		return (&Fault{Want: scalars["s+"].want, Got: id}).under("sessionId")
	}
	if through := data.Get("throughSeq"); !scalars["seq"].ok(c, through) {
		return (&Fault{Want: scalars["seq"].want, Got: through}).under("throughSeq")
	}
	return nil
}

func checkRoutes(_ *context, data *jsvalue.Value) *Fault {
	seen := make(map[[2]string]bool)
	for i, route := range data.Get("allowedModels").Items() {
		key := [2]string{route.Get("provider").Text(), route.Get("model").Text()}
		if seen[key] {
			return element(&Fault{Want: "a model that is not there already", Got: route}, i).under("allowedModels")
		}
		seen[key] = true
	}
	return nil
}

func checkDescriptor(c *context, data *jsvalue.Value) *Fault {
	if fault := descriptors.check(c, data); fault != nil {
		return fault
	}
	filter := data.Get("toolFilter")
	switch {
	case data.Has("agentProvider") != data.Has("agentModel"):
		return (&Fault{Want: "agentProvider and agentModel, or neither", Got: data.Get("agentModel")}).under("agentModel")
	case filter != nil && len(filter.Members()) == 0:
		return (&Fault{Want: "a filter that allows or denies", Got: filter}).under("toolFilter")
	}
	return nil
}

// checkStream checks the blocks in the stream of a settlement of format 2. Other records
// are looked at when an upgrade is published.
func checkStream(_ *context, data *jsvalue.Value) *Fault {
	stream := data.Get("stream")
	if stream == nil {
		return nil // formats 0 and 1
	}
	if !stream.IsArray() {
		return (&Fault{Want: "an array", Got: stream}).under("stream")
	}
	for i, record := range stream.Items() {
		if fault := checkRecord(record); fault != nil {
			return element(fault, i).under("stream")
		}
	}
	return nil
}

func checkRecord(record *jsvalue.Value) *Fault {
	chunk := record.Get("chunk")
	switch {
	case !record.IsObject():
		return &Fault{Want: "an object", Got: record}
	case !record.Get("type").Is("chunk"):
		return nil
	case !chunk.IsObject():
		return (&Fault{Want: "an object", Got: chunk}).under("chunk")
	case chunk.Get("type").Is("block-end"):
		return Block(chunk.Get("block")).under("block").under("chunk")
	case chunk.Get("type").Is("block-start") && !BlockKind(chunk.Get("blockType")):
		return (&Fault{Want: "a kind of block that the upgrade knows", Got: chunk.Get("blockType")}).under("blockType").under("chunk")
	}
	return nil
}
