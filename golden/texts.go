package golden

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// Texts reads a log and returns the JSON of those messages, system prompts, tools
// and config values whose digest is wanted, by digest. A log that is refused
// gives what was found before.
func Texts(r *logformat.Reader, wanted map[string]bool) (map[string]ecmajson.Value, error) {
	found := make(map[string]ecmajson.Value)
	keep := func(v ecmajson.Value) {
		if v == nil {
			return
		}
		if digest := digestOf(v).Digest; wanted[digest] && found[digest] == nil {
			found[digest] = append(ecmajson.Value(nil), v...)
		}
	}
	header, err := r.Header()
	if err != nil {
		return found, err
	}
	for act, err := range transcript.New(header).Acts(r) {
		if err != nil {
			return found, err
		}
		keep(act.JSON())
		keep(act.Header.System)
		keep(act.Header.Tools)
		for tool := range act.Header.Tools.Elements() {
			keep(tool)
		}
		for _, value := range act.Header.Config.Members() {
			if len(value) > maxInline {
				keep(value)
			}
		}
	}
	return found, nil
}
