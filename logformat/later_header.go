package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// laterHeader is the header line of formats 2 to 4 (V2-03, V2-04, V2-05): the members
// of format 0, in any order, with isSeeded in place of seedLength, and no others.
var laterHeader = headerRules{
	members: []headerMember{
		{"id", readID},
		{"id", requireID},
		{"createdAt", readCreatedAt},
		{"cwd", readCwd},
		{"parentSession", readParentSession},
		{"isSeeded", readSeeded},
		{"origin", readOrigin},
		{"delegationDepth", readDelegationDepth},
		{"agentPreset", readAgentPreset},
	},
	retired: []string{"sandboxMode", "approvalPolicy"},
	closed:  true,
	posted:  appendPosted,
}

// readSeeded: a seeded log is posted with the length of its seed.
func readSeeded(h *SessionHeader, v headerValue) (Code, string) {
	switch v.Kind() {
	case ecmajson.True:
		h.Seeded, h.HasSeedLength = true, true
	case ecmajson.False:
	default:
		return CodeHeaderField, "isSeeded is neither true nor false"
	}
	return "", ""
}
