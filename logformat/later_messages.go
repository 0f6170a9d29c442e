package logformat

// The messages that formats 3 and 4 add, each in the member message of its event. Tool
// results have a role of their own in format 4, and no block around what they hold.
var (
	systemMessage    = &messageRules{member: "message", role: "system"}
	developerMessage = &messageRules{member: "message", role: "developer"}
	toolMessage      = &messageRules{member: "message", role: "tool"}
)
