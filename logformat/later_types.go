package logformat

// laterTypes are the names that formats 2 to 4 share.
func laterTypes() map[string]*typeRules {
	return withRules(logOnlyTypes(map[string]*typeRules{
		TypeUserMessage:      {class: onSurface, message: userMessage},
		TypeAssistantMessage: {class: onSurface, message: assistantMessage},
		TypeToolResult:       {class: onSurface, message: toolResult},
		TypeRequestHeader:    {class: logOnly},
	},
		TypeAgentPresetSelected,
		TypeAgentInboxSpliced,
		TypeApprovalAsked,
		TypeApprovalDecided,
		TypeApprovalPolicy,
		TypeAssistantAttempt,
		TypeCommandDone,
		TypeCommandRun,
		TypeCompactionEnd,
		TypeCompactionPrune,
		TypeCompactionStart,
		TypeCompactionSummary,
		TypeFeedbackMessageDelete,
		TypeFeedbackMessagePut,
		TypeFeedbackRecord,
		TypeGoalChange,
		TypeHookInvoked,
		TypeHookResult,
		TypeLLMRetry,
		TypeLLMRetryStarted,
		TypeModelSelection,
		TypePermissionPreset,
		TypePlanMode,
		TypeRequestContext,
		TypeSandboxMode,
		TypeScheduleChange,
		TypeDeliveryAccepted,
		TypeSessionEndSeed,
		TypeSessionTitle,
		TypeSessionTitleRequest,
		TypeStepEnd,
		TypeStepStart,
		TypeSubagentDescriptor,
		TypeSubagentModelPolicy,
		TypeTeamMember,
		TypeTeamMessageDelivered,
		TypeTeamMessageQueued,
		TypeTeamTask,
		TypeTodoWrite,
		TypeToolWorkflowAgentEnd,
		TypeToolWorkflowAgentStart,
		TypeToolWorkflowRunEnd,
		TypeToolWorkflowRunStart,
		TypeToolCall,
		TypeTurnEnd,
		TypeTurnStart,
		TypeSearchRequest,
	))
}

// withRules gives the names their rules across rows and of their data.
func withRules(table map[string]*typeRules) map[string]*typeRules {
	for name, relate := range map[string]func(log *laterLog, row *envelope, event *Event) *Refusal{
		TypeTurnStart:           relateTurnStart,
		TypeTurnEnd:             relateTurnEnd,
		TypeStepStart:           relateStepStart,
		TypeStepEnd:             relateStepEnd,
		TypeUserMessage:         relateUser,
		TypeAssistantMessage:    relateAssistant,
		TypeAssistantAttempt:    relateInStep,
		TypeToolCall:            relateCall,
		TypeToolResult:          relateResult,
		TypeRequestHeader:       relateHeader,
		TypeRequestContext:      relateContext,
		TypeLLMRetry:            relateRetry,
		TypeLLMRetryStarted:     relateRetryStarted,
		TypeCompactionStart:     relateCompactionStart,
		TypeCompactionSummary:   relateSummary,
		TypeCompactionPrune:     relateShadowed,
		TypeCompactionEnd:       relateCompactionEnd,
		TypeCommandRun:          relateCommandRun,
		TypeCommandDone:         relateCommandDone,
		TypeSessionTitle:        relateTitle,
		TypeSessionTitleRequest: relateTitleRequest,
		TypeDeliveryAccepted:    relateDelivery,
		TypeSessionEndSeed:      relateEndSeed,
		TypeAgentInboxSpliced:   relateSpliced,
	} {
		table[name].relate = relate
	}
	table[TypeAssistantMessage].shape = shapeSettlement
	table[TypeAssistantAttempt].shape = shapeSettlement
	table[TypeRequestHeader].shape = shapeHeader
	table[TypeRequestHeader].refuse = refuseFallback
	return table
}

// dispatches gives the two rows of a dispatch, which changed their names, their rules.
func dispatches(table map[string]*typeRules, start, end string) map[string]*typeRules {
	table[start] = &typeRules{class: logOnly, relate: relateDispatchStart}
	table[end] = &typeRules{class: logOnly, relate: relateDispatch}
	return table
}

// withOffload gives the rows that format 3 was given last, and format 4 has from the start,
// their rules.
func withOffload(table map[string]*typeRules) map[string]*typeRules {
	table[TypeSubagentCatalog].relate = relateCatalog
	table[TypeImageOffload].shape = shapeOffload
	return table
}

// withSystem adds the system prompt as a message.
func withSystem(table map[string]*typeRules) map[string]*typeRules {
	table[TypeSystemMessage] = &typeRules{class: onSurface, message: systemMessage, relate: relateSystem}
	return table
}
