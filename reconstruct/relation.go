package reconstruct

// A Relation compares a request with the one before it in the same log.
type Relation struct {
	Kind RelationKind
	// Inherited: the request before was the parent session's.
	Inherited bool
	// Parts lists what of the header differs.
	Parts []HeaderPart
	// HeaderSeq is the snapshot that came into force since the request before,
	// -1 when none did; HeaderReason is its reason.
	HeaderSeq    int64
	HeaderReason string
	// Replaces lists the replaces that happened in between, in log order.
	Replaces []*Message
	// KeptMessages and KeptBytes are how much of the request before is still a
	// prefix of this one: whole messages, and bytes from the start.
	KeptMessages int
	KeptBytes    int64
	// PreviousBytes is the length of the request before.
	PreviousBytes int64
}

// RelationKind sums a relation up.
type RelationKind string

// The kinds of relation.
const (
	First         RelationKind = "first"   // no request before
	Extends       RelationKind = "extends" // same header, the messages before plus new ones
	HeaderChanged RelationKind = "header"  // the header differs, the messages extend
	Replaced      RelationKind = "replace" // messages were replaced, same header
	Reset         RelationKind = "reset"   // both
)

// history remembers what the next relation is measured against.
type history struct {
	layout    *layout
	config    *EpochHeader
	header    *EpochHeader
	count     int
	messages  int64 // bytes of its messages
	length    int64
	any       bool
	inherited bool

	replaces []replaceNote
	snapshot *EpochHeader // the latest since
}

// A replaceNote is a replace since the request before, and how many messages
// and bytes came before it.
type replaceNote struct {
	message *Message // nil until the replacing event is on the surface
	count   int
	bytes   int64
}

// replaced notes a replace that is about to happen.
func (h *history) replaced(count int, bytes int64) {
	if h.any {
		h.replaces = append(h.replaces, replaceNote{count: count, bytes: bytes})
	}
}

// name completes the notes of the latest replace.
func (h *history) name(m *Message) {
	for i := len(h.replaces) - 1; i >= 0 && h.replaces[i].message == nil; i-- {
		h.replaces[i].message = m
	}
}

// split parts the notes into those that the request shows and those that came
// after its messages were taken, which the next one shows.
func (h *history) split(q *Request) (shown, later []replaceNote) {
	for i, note := range h.replaces {
		if q.kept != nil && note.message != nil && note.message.Seq >= q.Boundary.Messages {
			return h.replaces[:i], h.replaces[i:]
		}
	}
	return h.replaces, nil
}

// relate compares q with the request before and makes q the one to compare with.
func (h *history) relate(q *Request) {
	r := Relation{Kind: First, HeaderSeq: -1}
	if h.snapshot != nil {
		r.HeaderSeq, r.HeaderReason = h.snapshot.Seq, h.snapshot.Reason
	}
	shown, later := h.split(q)
	if h.any {
		r.Inherited = h.inherited
		r.PreviousBytes = h.length
		h.measure(&r, q, shown)
	}
	q.Relation = r
	h.remember(q, later)
}

func (h *history) measure(r *Relation, q *Request, replaces []replaceNote) {
	// A later replace before an earlier one is counted on a surface that has
	// changed only after it, so the smallest number is the true one.
	kept, keptBytes := h.count, h.messages
	for _, note := range replaces {
		r.Replaces = append(r.Replaces, note.message)
		if note.count < kept {
			kept, keptBytes = note.count, note.bytes
		}
	}
	changed := ChangedParts(h.config, q.Config)
	configChanged := len(changed) > 0 && changed[0] == PartConfig
	if configChanged {
		r.Parts = append(r.Parts, PartConfig)
	}
	for _, part := range ChangedParts(h.header, q.Header) {
		if part != PartConfig {
			r.Parts = append(r.Parts, part)
		}
	}
	sameHeader := string(h.layout.prefix) == string(q.layout.prefix) && string(h.layout.suffix) == string(q.layout.suffix)
	r.KeptMessages = min(kept, q.count)
	whole := r.KeptMessages == h.count
	switch {
	case sameHeader && whole:
		r.Kind = Extends
	case sameHeader:
		r.Kind = Replaced
	case whole:
		r.Kind = HeaderChanged
	default:
		r.Kind = Reset
	}
	if string(h.layout.prefix) != string(q.layout.prefix) {
		r.KeptBytes = int64(commonPrefix(h.layout.prefix, q.layout.prefix))
		return
	}
	r.KeptBytes = int64(len(q.layout.prefix)) + keptBytes
}

func (h *history) remember(q *Request, later []replaceNote) {
	*h = history{
		replaces: append([]replaceNote(nil), later...), layout: q.layout, config: q.Config, header: q.Header, count: q.count, length: q.length, any: true,
		messages: q.length - int64(len(q.layout.prefix)+len(q.layout.suffix)),
	}
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
