package upgrade

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

func member(key string, value *jsvalue.Value) jsvalue.Member {
	return jsvalue.Member{Key: key, Value: value}
}

// turnStart drops the trigger that early builds wrote.
func (s *step01) turnStart(e *Event) (*Event, *Refusal) {
	if e.Type != logformat.TypeTurnStart || !e.Data.Has("trigger") {
		return e, nil
	}
	turn, ok := e.Data.Get("turn").Count()
	if !exactMembers(e.Data, []string{"turn", "trigger"}, nil) || !ok || turn < 1 || !e.Data.Get("trigger").Get("kind").Filled() {
		return nil, legacyFault(e)
	}
	s.lose("turn/start trigger", e)
	return e.withData(jsvalue.Object(member("turn", e.Data.Get("turn")))), nil
}

// turnEnd gives the reasons of early builds their later form.
func (s *step01) turnEnd(e *Event) (*Event, *Refusal) {
	if e.Type != logformat.TypeTurnEnd {
		return e, nil
	}
	turn, ok := e.Data.Get("turn").Count()
	reason := e.Data.Get("reason")
	if !exactMembers(e.Data, []string{"turn", "reason"}, nil) || !ok || turn < 1 || !reason.Get("kind").IsString() {
		return nil, legacyFault(e)
	}
	alone := exactMembers(reason, []string{"kind"}, nil)
	switch reason.Get("kind").Text() {
	case "completed", "blocked", "max-tokens", "interrupted":
		if !alone {
			return nil, legacyFault(e)
		}
		return e, nil
	case "aborted", "disposed":
		kind := "legacy"
		if reason.Get("kind").Is("disposed") {
			kind = "disposed"
		} else if reason.Has("reason") {
			return e, nil
		}
		if !alone {
			return nil, legacyFault(e)
		}
		reason = jsvalue.Object(member("kind", jsvalue.String("aborted")), member("reason", jsvalue.Object(member("kind", jsvalue.String(kind)))))
	case "error":
		if reason.Has("error") {
			return e, nil
		}
		if reason = s.earlyError(e, reason); reason == nil {
			return nil, legacyFault(e)
		}
	default:
		return e, nil
	}
	return e.withData(e.Data.With("reason", reason)), nil
}

// earlyError gives the reason of a failed turn its later form; nil when it is not complete.
func (s *step01) earlyError(e *Event, reason *jsvalue.Value) *jsvalue.Value {
	if !isCount(reason.Get("step")) {
		return nil
	}
	failure := reason.Get("failure")
	if failure == nil {
		code := jsvalue.String("UNKNOWN")
		if given := reason.Get("code"); given != nil {
			code = given
		}
		if !exactMembers(reason, []string{"kind", "step", "message"}, []string{"code"}) || !reason.Get("message").IsString() || !code.IsString() {
			return nil
		}
		failure = jsvalue.Object(member("message", reason.Get("message")), member("code", code))
	} else if !exactMembers(reason, []string{"kind", "step", "failure"}, nil) ||
		!exactMembers(failure, []string{"message", "code"}, []string{"status", "providerRetryAfterMs", "requestId"}) ||
		!failure.Get("message").IsString() || !failure.Get("code").IsString() {
		return nil
	}
	s.lose("turn/end reason.step", e)
	return jsvalue.Object(member("kind", jsvalue.String("error")), member("error", failure))
}

// requestHeader drops the prefix of messages that early builds put into the header.
func (s *step01) requestHeader(e *Event) (*Event, *Refusal) {
	if e.Type != logformat.TypeRequestHeader {
		return e, nil
	}
	header := e.Data.Get("header")
	if !header.IsObject() {
		return nil, legacyFault(e)
	}
	if !header.Has("messagePrefix") {
		return e, nil
	}
	if !header.Get("messagePrefix").IsArray() {
		return nil, legacyFault(e)
	}
	s.lose("request/header messagePrefix", e)
	return e.withData(e.Data.With("header", header.Without("messagePrefix"))), nil
}

// steering makes a message of the user of one that steered a turn.
func (s *step01) steering(e *Event) (*Event, *Refusal) {
	if e.Type != logformat.TypeSteeringMessage {
		return e, nil
	}
	wrapped := e.Data.Get("message")
	complete := exactMembers(e.Data, []string{"turn", "content", "source"}, nil)
	if wrapped != nil {
		complete = exactMembers(e.Data, []string{"turn", "message"}, nil)
	}
	if !complete || !isCount(e.Data.Get("turn")) {
		return nil, legacyFault(e)
	}
	s.lose("steering/message turn", e)
	if wrapped == nil {
		wrapped = e.Data.Without("turn").With("id", s.legacyID(e)).With("role", jsvalue.String("user"))
	}
	next := e.withData(wrapped)
	next.Type = logformat.TypeUserMessage
	return next, nil
}

func (s *step01) legacyID(e *Event) *jsvalue.Value {
	return jsvalue.String(fmt.Sprintf("legacy-message:%s:%d", s.header.ID, e.Seq))
}

// retry gives the retries of one chain an id.
func (s *step01) retry(e *Event) (*Event, *Refusal) {
	if e.Type != logformat.TypeLLMRetry {
		return e, nil
	}
	if !e.Data.IsObject() {
		return nil, notObject(e)
	}
	var chain []byte
	for _, key := range []string{"turn", "step", "provider", "policyKey"} {
		chain = append(e.Data.Get(key).Append(chain), 0)
	}
	id := e.Data.Get("retryId")
	switch {
	case id.Filled():
		s.retries[string(chain)] = id.Text()
		return e, nil
	case id != nil:
		return e, nil
	}
	text, ok := s.retries[string(chain)]
	if !ok {
		text = fmt.Sprintf("legacy-retry:%s:%d", s.header.ID, e.Seq)
		s.retries[string(chain)] = text
	}
	return e.withData(e.Data.With("retryId", jsvalue.String(text))), nil
}

// compact gives a compaction an id, and its checkpoint and end the same.
func (s *step01) compact(e *Event) (*Event, *Refusal) {
	switch e.Type {
	case logformat.TypeSessionEndSeed:
		s.compaction = ""
		return e, nil
	case logformat.TypeCompactionStart:
		return s.compactStart(e)
	}
	if s.compaction == "" {
		return e, nil
	}
	id := jsvalue.String(s.compaction)
	switch e.Type {
	case logformat.TypeCompactionSummary, logformat.TypeCompactionEnd:
		if e.Type == logformat.TypeCompactionEnd {
			s.compaction = ""
		}
		if !e.Data.IsObject() {
			return nil, notObject(e)
		}
		if !e.Data.Has("compactionId") {
			return e.withData(e.Data.With("compactionId", id)), nil
		}
	case logformat.TypeUserMessage:
		source := e.Data.Get("source")
		if source.Get("kind").Is("plugin") && source.Get("plugin").Is("compact") && !source.Has("compactionId") {
			return e.withData(e.Data.With("source", source.With("compactionId", id))), nil
		}
	}
	return e, nil
}

func (s *step01) compactStart(e *Event) (*Event, *Refusal) {
	if !e.Data.IsObject() {
		return nil, notObject(e)
	}
	id := e.Data.Get("compactionId")
	switch {
	case id.Filled():
		s.compaction = id.Text()
		return e, nil
	case id != nil:
		return e, nil
	}
	s.compaction = fmt.Sprintf("legacy-compaction:%s:%d", s.header.ID, e.Seq)
	return e.withData(e.Data.With("compactionId", jsvalue.String(s.compaction))), nil
}

// message gives an identity to a message of a build that wrote none.
func (s *step01) message(e *Event) (*Event, *Refusal) {
	d := e.Data
	switch e.Type {
	case logformat.TypeUserMessage:
		if d.Has("id") || d.Has("role") || d.Has("message") || !d.Has("content") || !d.Has("source") {
			return e, nil
		}
		return e.withData(d.With("id", s.legacyID(e)).With("role", jsvalue.String("user"))), nil
	case logformat.TypeAssistantMessage:
		return s.assistant(e)
	case logformat.TypeToolResult:
		return s.toolResult(e)
	}
	return e, nil
}

func (s *step01) assistant(e *Event) (*Event, *Refusal) {
	d := e.Data
	if d.Has("message") || !d.Has("content") || !d.Has("provenance") {
		return e, nil
	}
	if !d.Get("provenance").IsObject() {
		return nil, legacyFault(e)
	}
	message := jsvalue.Object(
		member("id", s.legacyID(e)), member("role", jsvalue.String("assistant")), member("content", d.Get("content")),
		member("source", d.Get("provenance").With("kind", jsvalue.String("model"))),
	)
	return e.withData(d.Without("content", "provenance").With("message", message)), nil
}

func (s *step01) toolResult(e *Event) (*Event, *Refusal) {
	d := e.Data
	callID, isError := d.Get("callId"), d.Get("isError")
	if d.Has("message") || !callID.IsString() || !d.Has("content") || !isError.IsBool() {
		return e, nil
	}
	id := s.legacyID(e)
	if e.Op.Get("op").Is("replace") {
		start, _ := e.Op.Get("start").Count()
		text, ok := s.ids[start]
		if !ok || !isCount(e.Op.Get("start")) {
			return nil, refuse(CodeLegacy, StageStep01, "a tool result replaces a message without identity")
		}
		id = jsvalue.String(text)
	}
	block := jsvalue.Object(
		member("type", jsvalue.String("tool-result")), member("toolCallId", callID), member("content", d.Get("content")), member("isError", isError),
	)
	message := jsvalue.Object(
		member("id", id), member("role", jsvalue.String("user")), member("content", jsvalue.Array(block)),
		member("source", jsvalue.Object(member("kind", jsvalue.String("tool")), member("callId", callID))),
	)
	return e.withData(d.Without("callId", "content", "isError").With("message", message)), nil
}
