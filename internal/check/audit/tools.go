package audit

import (
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A call is a tool call that the model asked for.
type call struct {
	id              string
	name, arguments ecmajson.Value
	message         int64 // the assistant message, by event number
	calledAt        int64 // its tool/call, -1 when there is none
	answered        bool
}

// asked takes the tool calls of an assistant message.
func (a *Audit) asked(e *logformat.Event, content ecmajson.Value) {
	a.step.calls = nil
	seen := make(map[string]bool)
	for block := range content.Elements() {
		if !block.Lookup("type").Is("tool-call") {
			continue
		}
		id := block.Lookup("id").Text()
		switch {
		case id == "":
			a.hazards.note(finding.AuditEmptyCallID, finding.Warning, placeOf(e), finding.Say("%s", finding.Span{Kind: finding.Quoted, Text: block.Lookup("name").Text()}))
		case seen[id]:
			a.hazards.note(finding.AuditRepeatedCall, finding.Warning, placeOf(e), finding.Say("%q", id))
		}
		seen[id] = true
		a.step.calls = append(a.step.calls, call{
			id: id, name: clone(block.Lookup("name")), arguments: clone(block.Lookup("arguments")), message: e.Seq, calledAt: -1,
		})
	}
}

// toolCall compares a tool/call with the block that asked for it.
func (a *Audit) toolCall(e *logformat.Event) {
	if !a.inOpenStep(e) {
		return
	}
	id := e.Data.Lookup("callId").Text()
	next, found := -1, -1
	for i := range a.step.calls {
		c := &a.step.calls[i]
		if c.calledAt >= 0 {
			continue
		}
		if next < 0 {
			next = i
		}
		if c.id == id {
			found = i
			break
		}
	}
	if found < 0 {
		a.report(finding.AuditToolCall, e, "no open tool-call block of the step's assistant message has the id %q", id)
		if next >= 0 {
			a.step.calls[next].calledAt = e.Seq
		}
		return
	}
	c := &a.step.calls[found]
	c.calledAt = e.Seq
	switch {
	case !ecmajson.Equal(c.name, e.Data.Lookup("name")):
		a.report(finding.AuditToolCall, e, "call %q is of %s, the assistant message names %s", id, brief(e.Data.Lookup("name")), brief(c.name))
	case !ecmajson.Equal(c.arguments, e.Data.Lookup("arguments")):
		a.report(finding.AuditToolCall, e, "the arguments of call %q differ", id)
	case found != next:
		a.report(finding.AuditToolOrder, e, "call %q is made before call %q", id, a.step.calls[next].id)
	}
}

// toolResult compares an appended tool/result with its call.
func (a *Audit) toolResult(e *logformat.Event) {
	message := e.Data.Lookup("message")
	a.message(e, message)
	if e.Surface.Op != logformat.OpAppend {
		a.replaced(e)
		return
	}
	if !a.inOpenStep(e) {
		return
	}
	id := message.Lookup("source").Lookup("callId").Text()
	c := a.openCall(id)
	isCloser := closerID(message) || closerCode(e)
	switch {
	case c == nil:
		a.report(finding.AuditToolResult, e, "no open call of the step has the id %q", id)
	case c.calledAt < 0 && !closerCode(e):
		a.report(finding.AuditToolResult, e, "call %q was asked for and never made", id)
	}
	if isCloser {
		a.closerResult(e, message, c)
	}
	if c == nil {
		return
	}
	a.resultSources(e, c)
	c.answered = true
	if isCloser { // one closer for all calls of an id
		for i := range a.step.calls {
			if a.step.calls[i].id == id {
				a.step.calls[i].answered = true
			}
		}
	}
}

// openCall returns the first call of an id that was made and not answered, else
// one that was not made.
func (a *Audit) openCall(id string) *call {
	var asked *call
	for i := range a.step.calls {
		c := &a.step.calls[i]
		switch {
		case c.id != id || c.answered:
		case c.calledAt >= 0:
			return c
		case asked == nil:
			asked = c
		}
	}
	return asked
}

// resultSources compares what a result cites with its call.
func (a *Audit) resultSources(e *logformat.Event, c *call) {
	if e.Upgraded != "" {
		return
	}
	if c.calledAt < 0 {
		if e.Sources != nil {
			a.report(finding.AuditResultSources, e, "it cites %s, and call %q was never made", seqList(spans(e.Sources)), c.id)
		}
		return
	}
	if len(e.Sources) != 1 || e.Sources[0] != c.calledAt {
		a.report(finding.AuditResultSources, e, "it cites %s, and call %q is seq %d", seqList(spans(e.Sources)), c.id, c.calledAt)
	}
}

// unansweredCalls judges, at a step's end, the calls without a result. A failure
// in the machinery that runs tools leaves some behind, and with them a session
// that providers reject; nothing else does.
func (a *Audit) unansweredCalls(e *logformat.Event) {
	for i := range a.step.calls {
		c := &a.step.calls[i]
		if c.answered {
			continue
		}
		place := placeOf(e)
		id, message := c.id, c.message
		f := finding.New(finding.AuditUnanswered, finding.Say("%q, asked for in seq %d", id, message), place)
		a.postpone(f, func(a *Audit, f finding.Finding, goesOn string) {
			severity := finding.Error
			switch goesOn {
			case "error", "aborted", logEnds:
				severity = finding.Warning
			}
			a.hazards.add(f.Code, severity, f.Place, message, finding.Say("%q, asked for in seq %d", id, message))
		})
	}
}

const closerPrefix = "interrupted-tool-result-"

func closerID(message ecmajson.Value) bool {
	return strings.HasPrefix(message.Lookup("id").Text(), closerPrefix)
}

func closerCode(e *logformat.Event) bool {
	code := e.Data.Lookup("error").Lookup("code")
	return code.Is(notStarted) || code.Is(outcomeUnknown)
}

const (
	notStarted     = "TOOL_NOT_STARTED"
	outcomeUnknown = "TOOL_OUTCOME_UNKNOWN"
)
