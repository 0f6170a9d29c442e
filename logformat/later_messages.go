package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// The messages that formats 3 and 4 add, each in the member message of its event. Tool
// results have a role of their own in format 4, and no block around what they hold.
var (
	systemMessage    = &messageRules{member: "message", role: "system"}
	promptMessage    = &messageRules{member: "message", role: "system", rest: checkPrompt} // format 4
	developerMessage = &messageRules{member: "message", role: "developer"}
	toolMessage      = &messageRules{member: "message", role: "tool"}
)

func checkPrompt(row *envelope, source, _ ecmajson.Node) *Refusal {
	if !source.Lookup("kind").Is("system-prompt") {
		return row.fault(CodeMessageSource, PhaseMessages, "a system/message has another source kind than system-prompt")
	}
	return nil
}
