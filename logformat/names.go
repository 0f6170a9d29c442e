package logformat

// The names of events. A name stands in no other place of the code, so that what
// handles an event can be found from here; which of them a format knows is stated by
// its [Version].

// Of format 0.
const (
	TypeAgentPresetSelected    = "agent-preset/selected"
	TypeAgentInboxSpliced      = "agent/inbox/spliced"
	TypeApprovalAsked          = "approval/asked"
	TypeApprovalDecided        = "approval/decided"
	TypeApprovalPolicy         = "approval/policy"
	TypeAssistantChunk         = "assistant/chunk"
	TypeAssistantMessage       = "assistant/message"
	TypeCommandDone            = "command/done"
	TypeCommandRun             = "command/run"
	TypeCompactionEnd          = "compaction/end"
	TypeCompactionPrune        = "compaction/prune"
	TypeCompactionStart        = "compaction/start"
	TypeCompactionSummary      = "compaction/summary"
	TypeFeedbackRecord         = "feedback/record"
	TypeGoalChange             = "goal/change"
	TypeHookInvoked            = "hook/invoked"
	TypeHookResult             = "hook/result"
	TypeLLMRetry               = "llm/retry"
	TypeLLMRetryStarted        = "llm/retry-started"
	TypePermissionPreset       = "permission/preset"
	TypePlanMode               = "plan/mode"
	TypeRequestContext         = "request/context"
	TypeRequestHeader          = "request/header"
	TypeSandboxMode            = "sandbox/mode"
	TypeScheduleChange         = "schedule/change"
	TypeSessionEndSeed         = "session/end-seed"
	TypeSessionTitle           = "session/title"
	TypeSessionTitleRequest    = "session/title-llm-request"
	TypeStepEnd                = "step/end"
	TypeStepStart              = "step/start"
	TypeSubagentDescriptor     = "subagent/descriptor"
	TypeTeamMember             = "team/member"
	TypeTeamMessageDelivered   = "team/message/delivered"
	TypeTeamMessageQueued      = "team/message/queued"
	TypeTeamTask               = "team/task"
	TypeTodoWrite              = "todo/write"
	TypeToolWorkflowAgentEnd   = "tool-workflow/agent-end"
	TypeToolWorkflowAgentStart = "tool-workflow/agent-start"
	TypeToolWorkflowRunEnd     = "tool-workflow/run-end"
	TypeToolWorkflowRunStart   = "tool-workflow/run-start"
	TypeToolCall               = "tool/call"
	TypeToolCodeDispatch       = "tool/code-dispatch"
	TypeToolCodeDispatchStart  = "tool/code-dispatch-start"
	TypeToolResult             = "tool/result"
	TypeTurnEnd                = "turn/end"
	TypeTurnStart              = "turn/start"
	TypeUserMessage            = "user/message"
	TypeSearchRequest          = "web/deepseek-search-llm-request"
)

// Of format 0 from release 0.1.2 on.
const (
	TypeModelSelection      = "model/selection"
	TypeDeliveryAccepted    = "session-log-deepseek/delivery-accepted"
	TypeSubagentModelPolicy = "subagent/model-selection-policy"
)

// Of later formats; the version of each says which.
const (
	TypeAssistantAttempt      = "assistant/attempt"
	TypeDeliverablesPresented = "deliverables/presented"
	TypeDeveloperMessage      = "developer/message"
	TypeFeedbackMessageDelete = "feedback/message-delete"
	TypeFeedbackMessagePut    = "feedback/message-put"
	TypeImageOffload          = "image/offload"
	TypeJobRegistered         = "job/registered"
	TypeJobSettled            = "job/settled"
	TypeSubagentCatalog       = "subagent/catalog"
	TypeSystemMessage         = "system/message"
	TypeToolPTCDispatch       = "tool/ptc-dispatch"
	TypeToolPTCDispatchStart  = "tool/ptc-dispatch-start"
	TypeWorkingDirectory      = "working-directory/change"
	TypeWorkspaceChanges      = "workspace/changes"
)

// Of format 0 before its first release: upgraded on load, or refused by name.
const (
	TypeSteeringMessage    = "steering/message"
	TypeRequestHeaderDelta = "request/header-delta"
	TypeModeSet            = "mode/set"
)
