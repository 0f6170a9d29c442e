package audit

import (
	"bytes"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// A lifetime is the time of one loop instance: from the log's start or from a
// session/end-seed on.
type lifetime struct {
	headed bool // it wrote its first request header
}

func (a *Audit) requestHeader(act *transcript.Act) {
	e := act.Event
	a.insideTurn(finding.AuditHeaderOutside, e)
	a.headerContent(e)
	old, reason := a.session.Epoch(), e.Data.Lookup("reason").Text()
	current := reconstruct.NewHeader(act)
	first := !a.lifetime.headed
	a.lifetime.headed = true
	want := "change"
	switch {
	case old == nil:
		want = "initial"
	case first:
		want = "resume"
	}
	switch {
	case reason != "initial" && reason != "resume" && reason != "change":
		a.report(finding.AuditHeaderOld, e, "%q", reason)
	case reason != want:
		a.report(finding.AuditHeaderReason, e, "the reason is %q where %q belongs", reason, want)
	case reason == "change" && sameHeader(old, current):
		a.report(finding.AuditHeaderReason, e, "the reason is \"change\", and nothing differs from the header of seq %d", old.Seq)
	}
}

// sameHeader compares two headers as the harness does before it writes one.
func sameHeader(x, y *reconstruct.EpochHeader) bool {
	for _, key := range []string{"provider", "model", "reasoningEffort", "temperature", "maxTokens", "stop"} {
		if !ecmajson.Equal(x.Config.Lookup(key), y.Config.Lookup(key)) {
			return false
		}
	}
	for _, key := range []string{"reasoningEffort", "maxTokens"} {
		if !ecmajson.Equal(x.AdapterDefaults.Lookup(key), y.AdapterDefaults.Lookup(key)) {
			return false
		}
	}
	return ecmajson.Equal(x.System, y.System) && bytes.Equal(x.Tools, y.Tools)
}

func (a *Audit) requestContext(e *logformat.Event) {
	a.insideTurn(finding.AuditHeaderOutside, e)
	header := a.session.Epoch()
	a.context = clone(e.Data)
	if header == nil {
		a.report(finding.AuditContext, e, "there is no request header before it")
		return
	}
	if what := a.routeDiffers(e.Data, header); what != nil {
		a.report(finding.AuditContext, e, "%s", what)
	}
}

// contextMissing holds, at an attempt's first chunk, that the context follows the
// route. A log without any is older than contexts are.
func (a *Audit) contextMissing(e *logformat.Event) {
	header := a.session.Epoch()
	if a.context == nil || header == nil {
		return
	}
	if a.routeDiffers(a.context, header) != nil {
		a.report(finding.AuditContext, e, "the request header of seq %d changed the route, and no context followed", header.Seq)
		a.context = nil
	}
}

// route compares the producer of an assistant message with the header in force.
func (a *Audit) route(e *logformat.Event, source ecmajson.Value) {
	if header := a.session.Epoch(); header != nil {
		if what := a.routeDiffers(source, header); what != nil {
			a.report(finding.AuditRoute, e, "%s", what)
		}
	}
}

func (a *Audit) routeDiffers(v ecmajson.Value, header *reconstruct.EpochHeader) finding.Text {
	for _, key := range []string{"provider", "model"} {
		if want := header.Config.Lookup(key); !ecmajson.Equal(want, v.Lookup(key)) {
			return finding.Say("its %s is %s, the request header of seq %d has %s", key, brief(v.Lookup(key)), header.Seq, brief(want))
		}
	}
	return nil
}

// A retryRecord is the latest llm/retry of a step.
type retryRecord struct {
	id, attempt ecmajson.Value
}

// retry compares the records of a retry with the failure that they follow.
func (a *Audit) retry(act *transcript.Act) {
	e := act.Event
	if !a.inOpenStep(e) {
		return
	}
	r := &a.step.retry
	id, attempt := e.Data.Lookup("retryId"), e.Data.Lookup("retry")
	if act.Started {
		if !ecmajson.Equal(r.id, id) || !ecmajson.Equal(r.attempt, attempt) {
			a.report(finding.AuditRetry, e, "no llm/retry before it announced retry %s of %s", brief(attempt), brief(id))
		}
		return
	}
	r.id, r.attempt = clone(id), clone(attempt)
	w := &a.step.answer
	switch {
	case !w.failed():
		a.report(finding.AuditRetry, e, "no failed attempt stands before it")
	case !ecmajson.Equal(w.finish.Lookup("failure"), e.Data.Lookup("failure")):
		a.report(finding.AuditRetry, e, "its failure is not that of the attempt before")
	}
}
