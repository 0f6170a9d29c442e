package logformat

import (
	"fmt"
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// relations are what rules across rows (section 5.5 of the specification) keep of a log, as
// far as it was read. What belongs to a step or a turn is dropped with it.
type relations struct {
	broken   bool // a rule was broken: what follows cannot be judged
	unplaced bool // a replacement could not be made: the surface is not known any more

	turn, step         int64 // the last that started
	turnOpen, stepOpen bool
	queued             bool // a message for the next turn was queued since it started
	calls              calls
	provider           string // of the last request/header
	hasHeader          bool
	headers            headerTools
	dispatches         map[string]*dispatch
	retries            retries
	compaction         compaction
	commands           map[string]bool
	commandRows        []int64 // events that run or end a command, in order
	human              []int64 // events of messages that the user wrote, in order
	children           map[string]bool
	catalog, delivery  *Refusal // of rows that are not inherited, as far as is known
}

// relation is a fault across rows.
func (e *envelope) relation(code Code, detail string) *Refusal {
	return e.fault(code, PhaseRelations, detail)
}

// inherit notes that all rows so far were inherited: some rules hold only for a log's own.
func (rel *relations) inherit(hasParent bool) {
	rel.catalog = nil
	clear(rel.children)
	if hasParent {
		rel.delivery = nil
	}
}

// unsettled are the faults that only the end of the log shows.
func (rel *relations) unsettled() (faults []*Refusal) {
	for _, fault := range []*Refusal{rel.catalog, rel.delivery, rel.compaction.crossed} {
		if fault != nil {
			faults = append(faults, fault)
		}
	}
	return faults
}

// names reports whether data name the open turn and step.
func (rel *relations) names(data ecmajson.Node) bool {
	turn, ok := data.Lookup("turn").SafeInt()
	step, ok2 := data.Lookup("step").SafeInt()
	return ok && ok2 && rel.turnOpen && rel.stepOpen && turn == rel.turn && step == rel.step
}

// relateTurnStart: V2-22, V2-38.
func relateTurnStart(log *laterLog, row *envelope, _ *Event) *Refusal {
	rel := &log.rel
	turn, ok := row.data.Lookup("turn").SafeInt()
	closed := !rel.turnOpen || log.rules.related == 0 && rel.queued && !rel.stepOpen // the migration ends that turn
	if !closed || !ok || turn != rel.turn+1 {
		return row.relation(CodeTurnStart, rel.beside("turn", row.data))
	}
	rel.compaction.cross(row)
	rel.turn, rel.turnOpen, rel.step, rel.queued = turn, true, 0, false
	return nil
}

// relateTurnEnd: V2-23, V2-24, V2-38.
func relateTurnEnd(log *laterLog, row *envelope, _ *Event) *Refusal {
	rel := &log.rel
	turn, ok := row.data.Lookup("turn").SafeInt()
	if !rel.turnOpen || rel.stepOpen || !ok || turn != rel.turn {
		return row.relation(CodeTurnClose, rel.beside("turn", row.data))
	}
	rel.compaction.cross(row)
	rel.turnOpen = false
	return nil
}

// relateStepStart: V2-25.
func relateStepStart(log *laterLog, row *envelope, _ *Event) *Refusal {
	rel := &log.rel
	turn, ok := row.data.Lookup("turn").SafeInt()
	step, ok2 := row.data.Lookup("step").SafeInt()
	if !rel.turnOpen || rel.stepOpen || !ok || !ok2 || turn != rel.turn || step != rel.step+1 {
		return row.relation(CodeStepBounds, rel.beside("step", row.data))
	}
	rel.step, rel.stepOpen = step, true
	return nil
}

// relateStepEnd: V2-25, V2-24.
func relateStepEnd(log *laterLog, row *envelope, _ *Event) *Refusal {
	rel := &log.rel
	if !rel.names(row.data) {
		return row.relation(CodeStepBounds, rel.beside("step", row.data))
	}
	if id := rel.calls.unanswered(); id != "" {
		return row.relation(CodeCallUnanswered, "call "+id)
	}
	rel.calls.reset()
	rel.stepOpen = false
	return nil
}

// relateInStep: V2-26, and V3-04 of a system/message.
func relateInStep(log *laterLog, row *envelope, _ *Event) *Refusal {
	if !log.rel.names(row.data) {
		return row.relation(CodeOtherStep, log.rel.beside("step", row.data))
	}
	return nil
}

// beside names the turn of data, or its turn and step, and what is open beside it.
func (rel *relations) beside(what string, data ecmajson.Node) string {
	said := "turn " + seqText(data.Lookup("turn").Value())
	if what == "step" {
		said = stepText(data)
	}
	switch {
	case rel.stepOpen:
		return said + fmt.Sprintf("; open is turn %d, step %d", rel.turn, rel.step)
	case rel.turnOpen:
		return said + fmt.Sprintf("; open is turn %d, with step %d as its last", rel.turn, rel.step)
	}
	return said + fmt.Sprintf("; the last was turn %d, and none is open", rel.turn)
}

func stepText(data ecmajson.Node) string {
	return "turn " + seqText(data.Lookup("turn").Value()) + ", step " + seqText(data.Lookup("step").Value())
}

// relateInTurn: V2-31.
func relateInTurn(log *laterLog, row *envelope, event *Event) *Refusal {
	if !log.rel.turnOpen {
		return row.relation(CodeOutsideTurn, event.Type)
	}
	return nil
}

// relateContext: V2-31, V2-21.
func relateContext(log *laterLog, row *envelope, event *Event) *Refusal {
	if row.data.Kind() != ecmajson.Object {
		return row.relation(CodeDataShape, event.Type)
	}
	return relateInTurn(log, row, event)
}

// relateHeader: V2-31; and what V2-33 and V4-06 need of it.
func relateHeader(log *laterLog, row *envelope, event *Event) *Refusal {
	if refusal := relateInTurn(log, row, event); refusal != nil {
		return refusal
	}
	header := row.data.Lookup("header")
	log.rel.provider, log.rel.hasHeader = header.Lookup("config").Lookup("provider").Text(), true
	if log.rules.tools {
		log.rel.headers.add(event.Seq, header.Lookup("tools").Value())
	}
	return nil
}

// relateUser: V2-35 of a checkpoint; and what V2-41 needs of a message.
func relateUser(log *laterLog, row *envelope, event *Event) *Refusal {
	rel := &log.rel
	source := row.data.Lookup("source")
	if refusal := log.sourceFault(row, row.data); refusal != nil {
		return refusal
	}
	if event.Surface.Op == OpReplace && log.rules.checkpoint(source) && !rel.compaction.names(source) {
		return row.relation(CodeCompaction, "a checkpoint")
	}
	if source.Lookup("kind").Is("user") {
		rel.human = append(rel.human, event.Seq)
	}
	return nil
}

// sourceFault (V4-01): each message says who made it.
func (log *laterLog) sourceFault(row *envelope, message ecmajson.Node) *Refusal {
	if log.rules.wrapped || nonEmpty(message.Lookup("source").Lookup("kind")) {
		return nil
	}
	return row.relation(CodePluginSource, "a source without a kind")
}

// relateMessages: V4-01 of each message of an array.
func relateMessages(member string) func(log *laterLog, row *envelope, _ *Event) *Refusal {
	return func(log *laterLog, row *envelope, _ *Event) *Refusal {
		list := row.data.Lookup(member)
		if !log.rules.wrapped && row.data.Kind() == ecmajson.Object && list.Kind() != ecmajson.Array {
			return row.relation(CodePluginSource, member+" is no array")
		}
		for message := range list.Value().Elements() {
			if !log.rules.wrapped && message.Kind() != ecmajson.Object {
				return row.relation(CodeMessageBody, "a message of "+member+" is no object")
			}
		}
		for message := range list.Children() {
			if refusal := log.sourceFault(row, message); refusal != nil {
				return refusal
			}
		}
		return nil
	}
}

// relateSpliced: V4-01; and whether a turn can end without saying so.
func relateSpliced(log *laterLog, row *envelope, event *Event) *Refusal {
	if row.data.Lookup("target").Is("next-turn") && row.data.Lookup("inserted").Value().Len() > 0 {
		log.rel.queued = true
	}
	return relateInserted(log, row, event)
}

var relateInserted = relateMessages("inserted")

// relateSystem: V3-04, V3-05, V4-01.
func relateSystem(log *laterLog, row *envelope, event *Event) *Refusal {
	if refusal := relateInStep(log, row, event); refusal != nil {
		return refusal
	}
	if log.surface.first != nil && log.surface.head == nil {
		return row.relation(CodeHeadMissing, "")
	}
	return log.sourceFault(row, row.data.Lookup("message"))
}

// relateEndSeed: an end-seed closes an open compaction (V2-35).
func relateEndSeed(log *laterLog, _ *envelope, _ *Event) *Refusal {
	log.rel.compaction = compaction{}
	return nil
}

// contains reports whether an ascending list has an event's number.
func contains(seqs []int64, seq int64) bool {
	_, found := slices.BinarySearch(seqs, seq)
	return found
}
