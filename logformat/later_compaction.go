package logformat

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A compaction is the open one, if there is one.
type compaction struct {
	open       bool
	id         string
	command    string // the command that asked for it
	commanded  bool
	turn       int64 // 0: outside of a turn
	summarised bool
	crossed    *Refusal // of a turn that started or ended meanwhile, unless an end-seed follows
}

// names reports whether a row names the open compaction and its command.
func (c *compaction) names(data ecmajson.Node) bool {
	id, command := data.Lookup("compactionId"), data.Lookup("sourceCommandId")
	return c.open && nonEmpty(id) && id.Is(c.id) && (command.Kind() != ecmajson.Absent) == c.commanded && (!c.commanded || command.Is(c.command))
}

// cross notes that a turn starts or ends during a compaction (V2-38).
func (c *compaction) cross(row *envelope) {
	if c.open && c.crossed == nil {
		c.crossed = row.relation(CodeCompactionTurn, "compaction "+c.id)
	}
}

// turnOf reads the turn of a compaction, 0 for null.
func turnOf(data ecmajson.Node) (int64, bool) {
	turn := data.Lookup("turn")
	if turn.Kind() == ecmajson.Null {
		return 0, true
	}
	n, ok := turn.SafeInt()
	return n, ok && n > 0
}

// relateCompactionStart: V2-35.
func relateCompactionStart(log *laterLog, row *envelope, _ *Event) *Refusal {
	rel, data := &log.rel, row.data
	want := int64(0)
	if rel.turnOpen {
		want = rel.turn
	}
	turn, ok := turnOf(data)
	id, command := data.Lookup("compactionId"), data.Lookup("sourceCommandId")
	commanded := command.Kind() != ecmajson.Absent
	if rel.compaction.open || !ok || turn != want || !nonEmpty(id) || commanded && !nonEmpty(command) {
		return row.relation(CodeCompaction, "compaction "+seqText(id.Value()))
	}
	rel.compaction = compaction{open: true, id: id.Text(), command: command.Text(), commanded: commanded, turn: turn}
	return nil
}

// relateSummary: V2-35, V2-37, V2-36, V3-07.
func relateSummary(log *laterLog, row *envelope, event *Event) *Refusal {
	c := &log.rel.compaction
	if !c.names(row.data) {
		return row.relation(CodeCompaction, "compaction "+seqText(row.data.Lookup("compactionId").Value()))
	}
	if c.summarised {
		return row.relation(CodeCompactionEnd, "a second summary")
	}
	c.summarised = true
	return relateShadowed(log, row, event)
}

// relateShadowed: V2-36, V3-07.
func relateShadowed(log *laterLog, row *envelope, _ *Event) *Refusal {
	data := row.data.Value()
	between := data.Lookup("shadowedRange")
	seqs := data.Lookup("shadowedSeqs")
	if !log.surface.isSpan(seqs, between.Lookup("start"), between.Lookup("end")) {
		return row.relation(CodeCompactionSpan, "shadowedRange is "+short(between))
	}
	if head := log.surface.head; head != nil {
		for v := range seqs.Elements() {
			if n, _ := v.SafeInt(); n == head.seq {
				return row.relation(CodeHeadShadowed, fmt.Sprintf("shadowedSeqs names seq %d", n))
			}
		}
	}
	return nil
}

// relateCompactionEnd: V2-35, V2-37, V2-38.
func relateCompactionEnd(log *laterLog, row *envelope, _ *Event) *Refusal {
	c := &log.rel.compaction
	if c.crossed != nil {
		return c.crossed
	}
	if !c.names(row.data) {
		return row.relation(CodeCompaction, "compaction "+seqText(row.data.Lookup("compactionId").Value()))
	}
	turn, ok := turnOf(row.data)
	if !ok || turn != c.turn || !c.summarised && row.data.Lookup("error").Kind() == ecmajson.Absent {
		return row.relation(CodeCompactionEnd, "compaction "+c.id)
	}
	*c = compaction{}
	return nil
}
