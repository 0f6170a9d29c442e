package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// CodeOtherProgram is the code of a session log of another program.
const CodeOtherProgram Code = "other/program"

// otherPrograms are the first lines of the session logs that other programs keep, by the
// members that stand in them: people name such a file in place of a dsh log, and some of
// them begin as one does.
var otherPrograms = []struct {
	typ     string // of the line; "": any, or none
	members []string
	name    string
}{
	{"session", []string{"timestamp"}, "pi, or a program made from it"},
	{"session_meta", []string{"payload"}, "Codex"},
	{"", []string{"id", "timestamp", "instructions"}, "Codex"},
	{"summary", []string{"leafUuid"}, "Claude Code"},
	{"file-history-snapshot", []string{"messageId"}, "Claude Code"},
	{"", []string{"sessionId", "uuid"}, "Claude Code"},
	{"", []string{"sessionId", "parentUuid"}, "Claude Code"},
	{"queue-operation", []string{"sessionId"}, "Claude Code"},
}

// otherProgram recognises the first line of another program's log: nil where it may be a
// header of the harness, each of which says when the session was created. A format that is read
// has rules of its own for a header that does not.
func otherProgram(line headerLine) *Refusal {
	header := line.value
	if header.Kind() != ecmajson.Object || has(header, "createdAt") {
		return nil
	}
	for _, other := range otherPrograms {
		if other.typ != "" && !header.Lookup("type").Is(other.typ) || !hasAll(header, other.members) {
			continue
		}
		return line.fault(CodeOtherProgram, PhaseVersion, "its first line is as those of "+other.name)
	}
	if number, stated := line.version(); stated && versionOf(number) == nil && header.Lookup("type").Is("session") {
		return line.fault(CodeOtherProgram, PhaseVersion, "it does not say when the session was created, and states version "+string(header.Lookup("version")))
	}
	return nil
}

func hasAll(v ecmajson.Value, members []string) bool {
	for _, name := range members {
		if !has(v, name) {
			return false
		}
	}
	return true
}
