package upgrade

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/internal/upgrade/shape"
)

// A step23 is the step from format 2 to 3. The system prompt of the headers becomes a message
// at the head of the surface: an empty one after the first start of a step, one that replaces it
// before each header whose prompt changed. Events are numbered again.
type step23 struct {
	header   Header
	cut      int64 // as step 1→2 left it, -1 where the rows are of format 2
	lost     *losses
	inserted *int
	mapping  []int64         // new numbers, by old number
	ids      map[string]bool // of messages in the log
	made     map[string]bool // of messages that the step made
	seq      int64
	oldCut   int64 // -1 until it is known
	newCut   int64
	foreign  int64          // number of the last delivery of another session, -1 for none
	step     *jsvalue.Value // turn and step that are open, nil for none
	head     int64          // number of the system message at the head, -1 for none
	prompt   string
	next     func(*Event) *Refusal
}

func newStep23(header Header, cut int64, lost *losses, inserted *int, next func(*Event) *Refusal) *step23 {
	s := &step23{
		header: header, cut: cut, lost: lost, inserted: inserted, ids: make(map[string]bool), made: make(map[string]bool),
		oldCut: -1, newCut: -1, foreign: -1, head: -1, next: next,
	}
	if !header.Seeded {
		s.oldCut, s.newCut = 0, 0
	}
	return s
}

func (s *step23) event(e *Event) *Refusal {
	if refusal := s.admit(e); refusal != nil {
		return refusal.at(e.Origin)
	}
	if refusal := s.noteIDs(e); refusal != nil {
		return refusal.at(e.Origin)
	}
	source := e
	if e.Type == logformat.TypeRequestHeader {
		var refusal *Refusal
		if source, refusal = s.takePrompt(e); refusal != nil {
			return refusal.at(e.Origin)
		}
	}
	if surface3[e.Type] && s.head < 0 {
		return refuse(CodeHeadless, StageStep23, "a message stands before the first step, where no system message can go before it").at(e.Origin)
	}
	if refusal := s.observe(e); refusal != nil {
		return refusal.at(e.Origin)
	}
	numbered, refusal := s.renumber(source)
	if refusal != nil {
		return refusal.at(e.Origin)
	}
	s.mapping = append(s.mapping, s.seq)
	s.seq++
	if refusal := s.emit(renamed(numbered)); refusal != nil {
		return refusal
	}
	return s.afterStep(e)
}

const (
	promptPlugin = "@deepseek-ai/dsh-system-prompt"
)

// surface2 and surface3 are the types that stand on the surface.
var (
	surface2 = map[string]bool{logformat.TypeUserMessage: true, logformat.TypeAssistantMessage: true, logformat.TypeToolResult: true}
	surface3 = map[string]bool{logformat.TypeUserMessage: true, logformat.TypeAssistantMessage: true, logformat.TypeToolResult: true, logformat.TypeSystemMessage: true}
)

// afterStep opens and closes steps, and puts the head on the surface.
func (s *step23) afterStep(e *Event) *Refusal {
	switch e.Type {
	case logformat.TypeStepStart:
		s.step = jsvalue.Object(member("turn", e.Data.Get("turn")), member("step", e.Data.Get("step")))
		if s.head < 0 {
			return s.system("", e)
		}
	case logformat.TypeStepEnd, logformat.TypeTurnEnd:
		s.step = nil
	}
	return nil
}

// takePrompt takes the system prompt out of a header.
func (s *step23) takePrompt(e *Event) (*Event, *Refusal) {
	header := e.Data.Get("header")
	if prompt := header.Get("system").Text(); prompt != s.prompt {
		if refusal := s.system(prompt, e); refusal != nil {
			return nil, refusal
		}
	}
	return e.withData(e.Data.With("header", header.Without("system"))), nil
}

// observe notes the mark of what was inherited, and deliveries.
func (s *step23) observe(e *Event) *Refusal {
	switch {
	case e.Type == logformat.TypeSessionEndSeed && e.Data.Get("inherited").IsTrue():
		if !s.header.Seeded {
			return refuse(logformat.CodeSeedMarker, StageStep23, "the session is not seeded, and has the mark of what it inherited")
		}
		s.oldCut, s.newCut = e.Seq, s.seq
	case e.Type == logformat.TypeDeliveryAccepted:
		version, _ := e.Data.Get("sessionFormatVersion").Count()
		if version == 3 {
			return refuse(CodeDelivery, StageStep23, "a delivery of format 2 claims to be of format 3")
		}
		if version == 2 && !e.Data.Get("sessionId").Is(s.header.ID) {
			s.foreign = e.Seq
		}
	}
	return nil
}

// noteIDs notes the ids of messages, so that a system message gets none of them.
func (s *step23) noteIDs(e *Event) *Refusal {
	for message := range messagesOf(e) {
		id := message.Get("id").Text()
		if s.made[id] {
			return takenID(id)
		}
		s.ids[id] = true
	}
	return nil
}

func takenID(id string) *Refusal {
	return refuse(CodeMessageID, StageStep23, "two messages would have one id").found(jsvalue.String(id))
}

// system adds a system message: as the head, or in its place. Its id follows from the event
// that it stands beside.
func (s *step23) system(prompt string, beside *Event) *Refusal {
	if s.step == nil {
		return refuse(CodePrompt, StageStep23, "the system prompt changes while no step is open").at(beside.Origin)
	}
	identity := jsvalue.Array(
		jsvalue.String("session-format-v2-to-v3"), jsvalue.String(s.header.ID), jsvalue.Int(beside.Seq), jsvalue.String(beside.Type),
	).Append(nil)
	sum := sha256.Sum256(identity)
	id := "v2-to-v3-system-" + hex.EncodeToString(sum[:])
	if s.ids[id] || s.made[id] {
		return takenID(id).at(beside.Origin)
	}
	s.made[id] = true
	content := jsvalue.Array()
	if prompt != "" {
		content = jsvalue.Array(jsvalue.Object(member("type", jsvalue.String("text")), member("text", jsvalue.String(prompt))))
	}
	message := jsvalue.Object(
		member("id", jsvalue.String(id)), member("role", jsvalue.String("system")),
		member("source", jsvalue.Object(member("kind", jsvalue.String("plugin")), member("plugin", jsvalue.String(promptPlugin)))),
		member("content", content),
	)
	e := newEvent(logformat.TypeSystemMessage, s.seq, beside.Time, s.step.With("message", message), beside.Origin)
	s.seq++
	*s.inserted++
	if s.head < 0 {
		e.setOp(jsvalue.String("append"))
	} else {
		e.setOp(replaceOp("start", "end", s.head))
		e.setSources([]int64{s.head})
	}
	s.head, s.prompt = e.Seq, prompt
	return s.emit(e)
}

func replaceOp(start, end string, seq int64) *jsvalue.Value {
	return jsvalue.Object(member("op", jsvalue.String("replace")), member(start, jsvalue.Int(seq)), member(end, jsvalue.Int(seq)))
}

// renumber returns an event with its new number, and with those of the events it refers to.
func (s *step23) renumber(e *Event) (*Event, *Refusal) {
	one := func(v *jsvalue.Value) (*jsvalue.Value, *Refusal) {
		n, ok := v.Count()
		if !ok || n >= e.Seq {
			return nil, lostReference(StageStep23).found(v)
		}
		return jsvalue.Int(s.mapping[n]), nil
	}
	data, refusal := mapData(e, one)
	if refusal != nil {
		return nil, refusal
	}
	next := e.renumber(s.seq)
	next.Data = data
	if e.cites {
		mapped := make([]int64, len(e.Sources))
		for i, n := range e.Sources {
			mapped[i] = s.mapping[n]
		}
		next.Sources = mapped
	}
	if e.Op != nil && !e.appended() {
		if next.Op, refusal = mapRange(e.Op, one, "start", "end"); refusal != nil {
			return nil, refusal
		}
	}
	return next, nil
}

// emit gives an event the form of format 3, and passes it on when it has it.
func (s *step23) emit(e *Event) *Refusal {
	if e.Op != nil && !e.appended() {
		next := *e
		next.Op = jsvalue.Object(member("op", jsvalue.String("replace")), member("startSeq", e.Op.Get("start")), member("endSeq", e.Op.Get("end")))
		e = &next
	}
	if e.Type == logformat.TypeRequestHeader {
		header := e.Data.Get("header")
		for _, key := range []string{"tools", "adapterDefaults"} {
			if v := header.Get(key); v != nil && len(v.Items()) == 0 && len(v.Members()) == 0 {
				header = header.Without(key)
				s.lost.add(LossMember, "request/header empty "+key, e.Origin)
			}
		}
		e = e.withData(e.Data.With("header", header))
	}
	if refusal := check3(e, StageStep23); refusal != nil {
		return refusal.at(e.Origin)
	}
	return s.next(e)
}

// finish returns how many events of format 3 were inherited.
func (s *step23) finish() (int64, *Refusal) {
	switch {
	case s.oldCut < 0:
		return 0, refuse(logformat.CodeSeedMarker, StageStep23, "the session is seeded, and has no mark of what it inherited")
	case s.cut >= 0 && s.cut != s.oldCut:
		return 0, refuse(logformat.CodeSeedMarker, StageStep23, "the mark of what was inherited is not where the header says")
	case s.foreign >= 0 && (s.header.ParentSession == nil || s.foreign >= s.oldCut):
		return 0, refuse(logformat.CodeDelivery, StageStep23, "a delivery names another session")
	}
	return s.newCut, nil
}

// admit compares an event of format 2 with what the upgrade admits.
func (s *step23) admit(e *Event) *Refusal {
	if e.nameless || !shape.Known(e.Type, 2) {
		return unknownName(e, StageStep23)
	}
	if refusal := admitEnvelope2(e); refusal != nil {
		return refusal
	}
	if refusal := checkData(e, 2, StageStep23); refusal != nil {
		return refusal
	}
	if e.Type == logformat.TypeToolResult && e.Data.Get("error").Get("code").Is(codeNotStarted) {
		message := e.Data.Get("message")
		if !repairID(message.Get("id"), message.Get("source").Get("callId")) {
			return refuse(logformat.CodeResultUnknown, StageStep23, "the id of the result of a call that was not started is not that of a repair").found(message.Get("id"))
		}
	}
	return nil
}

const codeNotStarted = "TOOL_NOT_STARTED"

func admitEnvelope2(e *Event) *Refusal {
	surface := surface2[e.Type]
	for _, key := range e.order {
		code := logformat.CodeEnvelope
		switch key {
		case keyType, keySeq, keyTime, keyData, keyIgnorable:
			continue
		case keySources, keyOp:
			if surface {
				continue
			}
			code = logformat.CodeSurfaceOpLogOnly
		}
		r := refuse(code, StageStep23, "an event of this type has no such member")
		r.Member = "/" + key
		return r
	}
	for _, key := range envelopeMembers[:4] {
		if !e.has(key) {
			return envelope2(logformat.CodeEnvelope, key, "the member is missing")
		}
	}
	_, timed := e.Time.SafeInt()
	switch {
	case !isCount(e.number):
		return envelope2(logformat.CodeEnvelope, keySeq, "the number is no count").found(e.number)
	case !timed:
		return envelope2(logformat.CodeEnvelope, keyTime, "the time is no safe integer").found(e.Time)
	case e.Ignorable != nil && !e.Ignorable.IsTrue():
		return envelope2(logformat.CodeEnvelope, keyIgnorable, "the mark is not true").found(e.Ignorable)
	case !surface:
		return nil
	}
	return admitSurface2(e)
}

func envelope2(code logformat.Code, member, detail string) *Refusal {
	r := refuse(code, StageStep23, detail)
	r.Member = "/" + member
	return r
}

func admitSurface2(e *Event) *Refusal {
	switch {
	case e.cites && e.Type == logformat.TypeAssistantMessage:
		return envelope2(logformat.CodeSourcesShape, keySources, "an assistant message cites events")
	case e.cites && (len(e.Sources) == 0 || !distinctBelow(e.Sources, e.Seq)):
		return envelope2(logformat.CodeSourcesShape, keySources, "the cited events are none, not distinct, or not earlier")
	case e.Op == nil:
		return envelope2(logformat.CodeSurfaceOpLogOnly, keyOp, "the member is missing")
	case e.appended():
		return nil
	}
	start, ok1 := e.Op.Get("start").Count()
	end, ok2 := e.Op.Get("end").Count()
	if !exactMembers(e.Op, []string{"op", "start", "end"}, nil) || !e.Op.Get("op").Is("replace") || !ok1 || !ok2 || start >= e.Seq || end >= e.Seq {
		return envelope2(logformat.CodeSurfaceOpShape, keyOp, "the change of the surface has not the form of format 2, or names no earlier events").found(e.Op)
	}
	return nil
}

// codePreset is the name that format 3 gives to the preset "code".
var codePreset = jsvalue.String("ptc")

// renamed gives an event the names of format 3.
func renamed(e *Event) *Event {
	switch e.Type {
	case logformat.TypeAgentPresetSelected:
		if e.Data.Get("agentPreset").Is("code") {
			return e.withData(e.Data.With("agentPreset", codePreset))
		}
	case logformat.TypeToolCodeDispatchStart, logformat.TypeToolCodeDispatch:
		next := *e
		next.Type = fmt.Sprintf("tool/ptc-%s", e.Type[len("tool/code-"):])
		return &next
	case logformat.TypeUserMessage, logformat.TypeAgentInboxSpliced, logformat.TypeSessionTitleRequest:
		return mapMessages(e, func(message *jsvalue.Value) *jsvalue.Value {
			source := message.Get("source")
			if !source.Get("kind").Is("plugin") || !source.Get("plugin").Is("tools-code-mode") {
				return message
			}
			return message.With("source", source.With("plugin", jsvalue.String("tools-ptc")))
		})
	}
	return e
}
