package audit

import (
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// A rewrite follows the records that announce a replacement of a part of the
// surface.
type rewrite struct {
	open      *logformat.Event        // the start of a compaction that is not ended
	summed    bool                    // it has its summary
	record    *logformat.Event        // that announces a replacement, the event before
	announces transcript.Announcement // what the record announces
}

// announce remembers a record that announces a replacement.
func (w *rewrite) announce(act *transcript.Act) {
	w.record, w.announces = act.Event.Clone(), act.Announces
}

// recordCode is the code of what is wrong with a record's replacement.
func (w *rewrite) recordCode() finding.Code {
	if w.announces == transcript.Pruning {
		return finding.AuditPrune
	}
	return finding.AuditCompaction
}

// recordFollowedBy checks that a record's replacement follows it at once. A crash
// may have come between the two.
func (a *Audit) recordFollowedBy(e *logformat.Event) {
	record := a.rewrite.record
	if record == nil || e.Surface.Op == logformat.OpReplace {
		return
	}
	a.rewrite.record = nil
	if e.Type == logformat.TypeCompactionEnd && e.Data.Lookup("error") != nil {
		return // the harness could not put the summary in place, and says so
	}
	f := finding.New(a.rewrite.recordCode(), finding.Say("%s is followed by %s and not by the replacement that it announces", record.Type, e.Type), placeOf(record))
	if a.turn.open {
		a.postpone(f, unless("interrupted", logEnds, lifetimeEnds))
	} else {
		a.add(f)
	}
}

func (a *Audit) compaction(act *transcript.Act) {
	e, w := act.Event, &a.rewrite
	if act.Announces == transcript.Pruning {
		a.insideTurn(finding.AuditPrune, e)
		w.announce(act)
		return
	}
	id := e.Data.Lookup("compactionId")
	if act.Side.Begins {
		if w.open != nil {
			a.report(finding.AuditCompaction, e, "a compaction starts while that of seq %d is open", w.open.Seq)
		}
		a.compactionTurn(e)
		w.open, w.summed = e.Clone(), false
		return
	}
	if w.open == nil || !ecmajson.Equal(id, w.open.Data.Lookup("compactionId")) {
		a.report(finding.AuditCompaction, e, "%s names the compaction %s, which is not open", e.Type, brief(id))
	}
	if act.Announces == transcript.Compaction {
		w.summed = true
		w.announce(act)
		return
	}
	a.compactionTurn(e)
	if w.open != nil && !w.summed && e.Data.Lookup("error") == nil {
		a.report(finding.AuditCompaction, e, "a compaction ends without summary and without error")
	}
	w.open = nil
}

// compactionTurn compares the turn that a compaction names with the open one.
func (a *Audit) compactionTurn(e *logformat.Event) {
	switch v := e.Data.Lookup("turn"); {
	case v.Kind() == ecmajson.Null:
		if a.turn.open && a.act.Side.Begins {
			a.report(finding.AuditCompaction, e, "it says that no turn is open, and turn %d is", a.turn.number)
		}
	case !a.turn.open || number(v) != a.turn.number:
		a.report(finding.AuditCompaction, e, "it names turn %s while %s", brief(v), a.whereNow())
	}
}

// replaced compares a replacing event with the record before it.
func (a *Audit) replaced(e *logformat.Event) {
	record, announced := a.rewrite.record, a.rewrite.announces
	role := a.act.Entry.Role
	a.rewrite.record = nil
	source := e.Data.Lookup("source")
	if role == transcript.Tool && !a.turn.open {
		a.report(finding.AuditPrune, e, "a tool result is replaced outside of any turn")
	}
	switch {
	case record != nil && announced == transcript.Pruning && role == transcript.Tool,
		record != nil && announced == transcript.Compaction && role == transcript.User:
		a.replacement(e, record)
	case record != nil:
		a.report(a.rewrite.recordCode(), e, "%s is replaced after %s", e.Type, record.Type)
	case source.Lookup("compactionId") != nil:
		a.report(finding.AuditCompaction, e, "it is the summary of a compaction, and no compaction/summary stands right before it")
	default:
		a.report(finding.AuditReplace, e, "%s replaces %s", e.Type, seqList(spans(a.shadowed(e))))
	}
}

// replacement compares a replacement with its record.
func (a *Audit) replacement(e, record *logformat.Event) {
	code, data := a.rewrite.recordCode(), record.Data
	shadowed := a.shadowed(e)
	said := seqsOf(data.Lookup("shadowedSeqs"))
	span := data.Lookup("shadowedRange")
	switch {
	case !slices.Equal(said, shadowed):
		a.report(code, e, "its record says that it shadows %s, it shadows %s", seqList(spans(said)), seqList(spans(shadowed)))
	case number(span.Lookup("start")) != e.Surface.Start || number(span.Lookup("end")) != e.Surface.End:
		a.report(code, e, "its record says that it replaces %s, it replaces seq %d to %d", brief(span), e.Surface.Start, e.Surface.End)
	}
	cites := shadowed
	if a.rewrite.announces == transcript.Compaction {
		if a.rewrite.open != nil {
			cites = append([]int64{a.rewrite.open.Seq, record.Seq}, shadowed...)
		}
		a.summary(e, data)
	}
	if !slices.Equal(e.Sources, cites) {
		a.report(code, e, "it cites %s where %s belong", seqList(spans(e.Sources)), seqList(spans(cites)))
	}
}

// summary compares the message that a compaction leaves with its record.
func (a *Audit) summary(e *logformat.Event, data ecmajson.Value) {
	if id := e.Data.Lookup("source").Lookup("compactionId"); id != nil && !ecmajson.Equal(id, data.Lookup("compactionId")) {
		a.report(finding.AuditCompaction, e, "it names the compaction %s, its record %s", brief(id), brief(data.Lookup("compactionId")))
	}
	content := slices.Collect(e.Data.Lookup("content").Elements())
	want := slices.Collect(data.Lookup("summary").Elements())
	for at := 0; at+len(want) <= len(content); at++ {
		if slices.EqualFunc(content[at:at+len(want)], want, ecmajson.Equal) {
			return
		}
	}
	a.report(finding.AuditCompaction, e, "it does not hold the summary that its record holds")
}

// shadowed returns the events on the surface that a replacing event takes away.
func (a *Audit) shadowed(e *logformat.Event) (seqs []int64) {
	surface := a.session.Surface()
	for m := surface.Node(e.Surface.Start); m != nil; m = m.Next() {
		seqs = append(seqs, m.Seq)
		if m.Seq == e.Surface.End {
			break
		}
	}
	return seqs
}

// replacedIDs returns the ids of the messages that a replacing event takes away.
func (a *Audit) replacedIDs(e *logformat.Event) map[string]bool {
	ids := make(map[string]bool)
	for _, seq := range a.shadowed(e) {
		if m := a.session.Surface().Node(seq); m != nil {
			ids[m.Logged.Lookup("id").Text()] = true
		}
	}
	return ids
}

func seqsOf(v ecmajson.Value) (seqs []int64) {
	for e := range v.Elements() {
		seqs = append(seqs, number(e))
	}
	return seqs
}
