// Package provenance tells where every part of a request came from: the event of
// the log, how it got onto the surface, and since which request the model has
// seen it.
package provenance

import (
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// A History watches the requests of one log go by, in order.
type History struct {
	// Redactor, when set, replaces the names that accounts quote: of calls, of
	// plugins, and what the format does not know.
	Redactor *redact.Redactor

	since   map[int64]string // message seq to the key of the first request that held it
	headers []*reconstruct.EpochHeader
}

// NewHistory returns an empty history.
func NewHistory() *History { return &History{since: make(map[int64]string)} }

// See notes a request. Prepared ones are not noted: nobody may have seen them.
func (h *History) See(q *reconstruct.Request) {
	for _, header := range []*reconstruct.EpochHeader{q.Header, q.Config} {
		if n := len(h.headers); n == 0 || h.headers[n-1].Seq < header.Seq {
			h.headers = append(h.headers, header)
		}
	}
	if q.Prepared {
		return
	}
	i := 0
	for m := range q.Messages() {
		if i >= q.Relation.KeptMessages || q.Relation.Inherited {
			if _, ok := h.since[m.Seq]; !ok {
				h.since[m.Seq] = q.Key()
			}
		}
		i++
	}
}

// An Account is the provenance of a request.
type Account struct {
	SessionID string `json:"sessionId"`
	Request   string `json:"request"` // turn.step.attempt
	Ordinal   int    `json:"ordinal,omitempty"`
	Prepared  bool   `json:"prepared,omitempty"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256,omitempty"` // "" of a redacted account
	// HMACSHA256 is that of the digest, in a redacted account.
	HMACSHA256 string   `json:"hmacSha256,omitempty"`
	Boundary   Boundary `json:"boundary"`
	Relation   Relation `json:"relation"`
	Parts      []Part   `json:"parts"`
}

// A Boundary is where in the log the request was made.
type Boundary struct {
	StepStart int64 `json:"stepStartSeq"`
	Messages  int64 `json:"messagesBeforeSeq"`
	Dispatch  int64 `json:"dispatchSeq"` // -1: none
}

// A Relation is how the request relates to the one before it.
type Relation struct {
	Kind         string `json:"kind"`
	Words        string `json:"words"`
	KeptMessages int    `json:"keptMessages"`
	KeptBytes    int64  `json:"keptBytes"`
}

// A Part is a span of the request and where it comes from.
type Part struct {
	Kind    string `json:"kind"`
	Pointer string `json:"pointer"`
	Start   int64  `json:"start"` // bytes in the request
	End     int64  `json:"end"`
	Seq     int64  `json:"seq"`              // of the event; -1: the log's header line
	Line    int64  `json:"line"`             // of the log
	Offset  int64  `json:"offset"`           // of that line, in bytes of the decoded log
	Time    int64  `json:"time,omitempty"`   // milliseconds since the Unix epoch
	Role    string `json:"role,omitempty"`   // of a message
	Event   string `json:"event,omitempty"`  // the event's type
	Source  string `json:"source,omitempty"` // who made the message
	Since   string `json:"since,omitempty"`  // the first request that held it
	How     string `json:"how"`              // how it got there

	Value ecmajson.Value `json:"-"`
}

// Account returns the provenance of a request that the history has seen.
func (h *History) Account(q *reconstruct.Request, words string) *Account {
	a := &Account{
		SessionID: q.SessionID, Request: q.Key(), Ordinal: q.Ordinal, Prepared: q.Prepared,
		Bytes: q.Len(), SHA256: q.Digest().String(),
		Boundary: Boundary{q.Boundary.StepStart, q.Boundary.Messages, q.Boundary.Dispatch},
		Relation: Relation{string(q.Relation.Kind), words, q.Relation.KeptMessages, q.Relation.KeptBytes},
	}
	for p := range q.Parts() {
		a.Parts = append(a.Parts, h.Part(q, p))
	}
	return a
}

// Part returns the provenance of one part of a request that the history has seen.
func (h *History) Part(q *reconstruct.Request, p reconstruct.Part) Part {
	part := h.part(p)
	if part.Seq >= 0 && part.Seq < q.Seed {
		part.How += ", inherited from the parent session"
	}
	return part
}

func (h *History) part(p reconstruct.Part) Part {
	out := Part{Kind: p.Kind.String(), Pointer: p.Pointer, Start: p.Start, End: p.End, Seq: -1, Line: 1, Value: p.Value}
	switch {
	case p.Message != nil:
		m := p.Message
		out.Seq, out.Line, out.Offset, out.Time, out.Event = m.Seq, m.Pos.Line, m.Pos.Offset, m.Time, m.Type
		out.Role, out.Source = h.Redactor.Word(m.Bytes.Lookup("role").Text()), h.source(m.Bytes)
		out.How, out.Since = how(m), h.since[m.Seq]
	case p.Header != nil:
		e := p.Header
		out.Seq, out.Line, out.Offset, out.Time, out.Event = e.Seq, e.Pos.Line, e.Pos.Offset, e.Time, e.Type
		out.How = h.headerStory(e)
	case p.Kind == reconstruct.ToolHistoryPart:
		out.Seq, out.How = -1, "the tools that the series began with, and those that the history announced since"
	default:
		out.How = "the session's own id, from the log's header line"
	}
	return out
}

// how says how a message got onto the surface.
func how(m *reconstruct.Message) string {
	if len(m.Shadowed) == 0 {
		return "appended"
	}
	first, last := m.Shadowed[0], m.Shadowed[len(m.Shadowed)-1]
	span := fmt.Sprintf("seq %d", first)
	if len(m.Shadowed) > 1 {
		span = fmt.Sprintf("%d events, seq %d to %d in surface order", len(m.Shadowed), first, last)
	}
	switch m.By {
	case reconstruct.ByCompaction:
		return "compaction put it in the place of " + span
	case reconstruct.ByPruning:
		return "pruning put it in the place of " + span
	}
	return "put in the place of " + span + " by an event that no record announces"
}

// headerStory says which snapshot a header is and what it changed.
func (h *History) headerStory(e *reconstruct.EpochHeader) string {
	var before *reconstruct.EpochHeader
	for _, other := range h.headers {
		if other.Seq < e.Seq {
			before = other
		}
	}
	reason := h.Redactor.Word(e.Reason)
	if reason == "" {
		reason = "no reason given"
	}
	if before == nil {
		return "snapshot (" + reason + "), the first that a request used"
	}
	parts := reconstruct.ChangedParts(before, e)
	if len(parts) == 0 {
		return fmt.Sprintf("snapshot (%s), unchanged since seq %d", reason, before.Seq)
	}
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = string(p)
	}
	return fmt.Sprintf("snapshot (%s), changed %s against seq %d", reason, strings.Join(names, ", "), before.Seq)
}

// source says who made a message, by its source member.
func (h *History) source(message ecmajson.Value) string {
	source := message.Lookup("source")
	kind := source.Lookup("kind").Text()
	switch kind {
	case "model":
		return "model " + source.Lookup("provider").Text() + "/" + source.Lookup("model").Text()
	case "tool":
		return "tool call " + h.Redactor.Name(source.Lookup("callId").Text())
	case "plugin":
		return "plugin " + h.Redactor.Name(source.Lookup("plugin").Text())
	}
	return h.Redactor.Word(kind)
}

// At returns the part that a pointer or byte lies in.
func (a *Account) At(pointer string) (Part, bool) {
	for _, p := range a.Parts {
		if pointer == p.Pointer || strings.HasPrefix(pointer, p.Pointer+"/") {
			return p, true
		}
	}
	return Part{}, false
}

// AtByte returns the part that holds a byte of the request.
func (a *Account) AtByte(offset int64) (Part, bool) {
	for _, p := range a.Parts {
		if offset >= p.Start && offset < p.End {
			return p, true
		}
	}
	return Part{}, false
}
