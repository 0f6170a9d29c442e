package logformat

// laterTypes are the names that formats 2 to 4 share.
func laterTypes() map[string]*typeRules {
	return logOnlyTypes(map[string]*typeRules{
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
	)
}

// withSystem adds the system prompt as a message.
func withSystem(table map[string]*typeRules) map[string]*typeRules {
	table[TypeSystemMessage] = &typeRules{class: onSurface, message: systemMessage}
	return table
}
