package audit

import (
	"hash/maphash"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// An identity knows which message ids were used, and which events are user
// messages. Ids are kept as hashes: two of them never meet by accident.
type identity struct {
	seed  maphash.Seed
	first map[uint64]int64 // the event that used the id
	users map[int64]struct{}
}

func newIdentity() identity {
	return identity{maphash.MakeSeed(), make(map[uint64]int64), make(map[int64]struct{})}
}

// message checks what holds for every message: its id, and content that providers
// reject.
func (a *Audit) message(e *logformat.Event, message ecmajson.Value) {
	a.rejectable(e, message)
	id := message.Lookup("id").Text()
	key := maphash.String(a.identity.seed, id)
	first, used := a.identity.first[key]
	if !used {
		a.identity.first[key] = e.Seq
		return
	}
	if e.Surface.Op == logformat.OpReplace && a.replacedIDs(e)[id] {
		return
	}
	a.report(finding.AuditMessageID, e, "%q, first used in seq %d", id, first)
}

// title checks that a title is about user messages of the log.
func (a *Audit) title(e *logformat.Event) {
	for _, seq := range seqsOf(e.Data.Lookup("messageSeqs")) {
		if _, ok := a.identity.users[seq]; !ok {
			a.report(finding.AuditTitle, e, "seq %d is no user message before it", seq)
			return
		}
	}
}
