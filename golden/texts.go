package golden

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
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
	var header *reconstruct.EpochHeader
	for record, err := range r.Records() {
		if err != nil {
			return found, err
		}
		e := record.Event
		switch {
		case e == nil:
		case e.Type == logformat.TypeRequestHeader:
			header = reconstruct.FoldRequestHeader(header, e)
			keep(header.System)
			keep(header.Tools)
			for tool := range header.Tools.Elements() {
				keep(tool)
			}
			for _, value := range header.Config.Members() {
				if len(value) > maxInline {
					keep(value)
				}
			}
		case e.Surface.Op != logformat.OpNone:
			keep(reconstruct.DeriveEventMessage(e))
		}
	}
	return found, nil
}
