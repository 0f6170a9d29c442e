package audit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

func clone(v ecmajson.Value) ecmajson.Value {
	if v == nil {
		return nil
	}
	return append(ecmajson.Value{}, v...)
}

// An answer is the fold of the chunks of one attempt.
type answer struct {
	chunks  []span // event numbers, in runs
	blocks  []*block
	usage   ecmajson.Value // of the last usage chunk
	finish  ecmajson.Value // the reason of the last finish chunk
	replay  ecmajson.Value // its replayState
	unknown bool           // a chunk or a block of a kind that has no rule
}

// A span is a run of event numbers, both ends inclusive.
type span struct{ first, last int64 }

// A block is one block of an answer.
type block struct {
	index    float64
	kind     string
	text     []byte // WTF-8: text, reasoning or arguments so far
	id, name ecmajson.Value
	closed   ecmajson.Value // the block that block-end gave; it wins
}

func (w *answer) finishKind() string { return w.finish.Lookup("kind").Text() }

// failed reports whether the attempt ended in a failure, so that a further chunk
// is of another attempt.
func (w *answer) failed() bool {
	kind := w.finishKind()
	return kind == "error" || kind == "aborted"
}

func (w *answer) cite(first, last int64) {
	if n := len(w.chunks); n > 0 && w.chunks[n-1].last+1 == first {
		w.chunks[n-1].last = last
		return
	}
	w.chunks = append(w.chunks, span{first, last})
}

// block returns the block of an index, which is new at its first chunk.
func (w *answer) block(index ecmajson.Value, kind string) *block {
	n, _ := index.Float()
	for i := len(w.blocks) - 1; i >= 0; i-- {
		if w.blocks[i].index == n {
			return w.blocks[i]
		}
	}
	b := &block{index: n, kind: kind}
	w.blocks = append(w.blocks, b)
	return b
}

// open returns the answer that a chunk at an event belongs to.
func (a *Audit) open(e *logformat.Event) *answer {
	s := &a.step
	if s.answered {
		a.report(finding.AuditChunkLate, e, "step %d of turn %d has its assistant message already", s.number, a.turn.number)
	}
	if s.answer.failed() {
		s.answer = answer{}
	}
	if len(s.answer.chunks) == 0 && !a.lifetime.headed {
		a.lifetime.headed = true
		a.report(finding.AuditHeaderMissing, e, "the first answer of this lifetime")
	}
	if len(s.answer.chunks) == 0 {
		a.contextMissing(e)
	}
	return &s.answer
}

func (a *Audit) chunk(e *logformat.Event) {
	if !a.inOpenStep(e) {
		return
	}
	w := a.open(e)
	w.cite(e.Seq, e.Seq)
	chunk := e.Data.Lookup("chunk")
	index := chunk.Lookup("index")
	switch kind := chunk.Lookup("type").Text(); kind {
	case "block-start":
		w.block(index, chunk.Lookup("blockType").Text())
	case "text-delta", "reasoning-delta":
		w.block(index, strings.TrimSuffix(kind, "-delta")).delta(chunk.Lookup("text"))
	case "tool-call-delta":
		w.block(index, "tool-call").toolDelta(chunk.Lookup("id"), chunk.Lookup("name"), chunk.Lookup("argumentsDelta"))
	case "block-end":
		a.blockEnd(e, w.block(index, chunk.Lookup("block").Lookup("type").Text()), chunk.Lookup("block"))
	case "usage":
		w.usage = clone(chunk.Lookup("usage"))
	case "finish":
		w.finish, w.replay = clone(chunk.Lookup("reason")), clone(chunk.Lookup("replayState"))
	default:
		w.unknown = true
	}
}

// deltas folds a packed row.
func (a *Audit) deltas(row *logformat.ChunkRow) {
	first := &logformat.Event{Type: logformat.TypeAssistantChunk, Seq: row.Seq0, Pos: row.Pos}
	w := a.open(first)
	w.cite(row.Seq0, row.Seq0+int64(row.Count)-1)
	kind := "text"
	switch row.Kind {
	case logformat.ReasoningRow:
		kind = "reasoning"
	case logformat.ToolCallRow:
		kind = "tool-call"
	}
	b := w.block(row.Index, kind)
	for delta := range row.Deltas.Elements() {
		if kind == "tool-call" {
			b.toolDelta(row.ID, row.Name, delta)
		} else {
			b.delta(delta)
		}
	}
}

func (b *block) delta(text ecmajson.Value) {
	if b.closed == nil {
		b.text = text.AppendText(b.text)
	}
}

func (b *block) toolDelta(id, name, arguments ecmajson.Value) {
	if b.closed != nil {
		return
	}
	if b.id == nil || !ecmajson.Equal(b.id, id) {
		b.id = clone(id)
	}
	if name.Text() != "" && !ecmajson.Equal(b.name, name) {
		b.name = clone(name)
	}
	b.text = arguments.AppendText(b.text)
}

// blockEnd closes a block. That the deltas before it say the same is no rule of
// the harness, which takes the block as it comes.
func (a *Audit) blockEnd(e *logformat.Event, b *block, closed ecmajson.Value) {
	if b.closed != nil {
		return
	}
	member := "text"
	if b.kind == "tool-call" {
		member = "arguments"
	}
	if len(b.text) > 0 && !sameText(b.text, closed.Lookup(member)) {
		a.report(finding.AuditDeltasDiffer, e, "block %v", b.index)
	}
	b.closed, b.text = clone(closed), nil
}

// sameText compares text with a string of the log by UTF-16 units, for a pair of
// surrogates may be split over two deltas.
func sameText(text []byte, v ecmajson.Value) bool {
	return v.Kind() == ecmajson.String && ecmajson.Equal(ecmajson.AppendString(nil, string(text)), v)
}

// blockType is the type of the block as it stands.
func (b *block) blockType() string {
	if b.closed != nil {
		return b.closed.Lookup("type").Text()
	}
	return b.kind
}

// matches reports whether a message's block is what the chunks give.
func (b *block) matches(got ecmajson.Value) bool {
	if b.closed != nil {
		return ecmajson.Equal(b.closed, got)
	}
	switch b.kind {
	case "text", "reasoning":
		return got.Lookup("type").Is(b.kind) && got.Len() == 2 && sameText(b.text, got.Lookup("text"))
	case "tool-call":
		id, name := b.id, b.name
		if id.Kind() != ecmajson.String {
			id = ecmajson.AppendString(nil, "call-"+string(ecmajson.AppendNumber(nil, b.index)))
		}
		if name == nil {
			name = ecmajson.Value(`""`)
		}
		return got.Lookup("type").Is("tool-call") && got.Len() == 4 && ecmajson.Equal(id, got.Lookup("id")) &&
			ecmajson.Equal(name, got.Lookup("name")) && sameText(b.text, got.Lookup("arguments"))
	}
	return false
}

// visible reports whether the block is text or reasoning that is not blank.
func (b *block) visible() bool {
	kind := b.blockType()
	if kind != "text" && kind != "reasoning" {
		return false
	}
	text := b.text
	if b.closed != nil {
		text = b.closed.Lookup("text").AppendText(nil)
	}
	return !blank(text)
}

// blank reports whether JavaScript's trim leaves nothing.
func blank(text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A,
			r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
			text = text[size:]
		default:
			return false
		}
	}
	return true
}

// kept returns the blocks that the answer's message holds, and for each block of
// the answer whether it is among them.
func (w *answer) kept(interrupted bool) (blocks []*block, keeps []bool) {
	truncated := w.finishKind() == "max-tokens"
	for _, b := range w.blocks {
		keep := !truncated || b.blockType() != "tool-call"
		if interrupted {
			keep = b.visible()
		}
		if keep {
			blocks = append(blocks, b)
		}
		keeps = append(keeps, keep)
	}
	return blocks, keeps
}

func (a *Audit) assistantMessage(e *logformat.Event) {
	message := e.Data.Lookup("message")
	a.message(e, message)
	if e.Surface.Op != logformat.OpAppend {
		a.replaced(e)
		return
	}
	if !a.inOpenStep(e) {
		return
	}
	s := &a.step
	if s.answered {
		a.report(finding.AuditSecondMessage, e, "step %d of turn %d", s.number, a.turn.number)
	}
	s.answered = true
	s.interrupted = e.Data.Lookup("interrupted").Kind() == ecmajson.True
	s.truncated = !s.interrupted && s.answer.finishKind() == "max-tokens"
	a.turn.truncated = a.turn.truncated || s.truncated
	if e.Upgraded == "" {
		a.assembly(e, message)
		a.route(e, message.Lookup("source"))
	}
	if s.interrupted {
		f := finding.New(finding.AuditInterrupted, nil, placeOf(e))
		a.postpone(f, unless("aborted", "interrupted", lifetimeEnds, logEnds))
	}
	a.asked(e, message.Lookup("content"))
}

// assembly compares an assistant message with the chunks of its attempt.
func (a *Audit) assembly(e *logformat.Event, message ecmajson.Value) {
	w, interrupted := &a.step.answer, a.step.interrupted
	if w.failed() && !interrupted {
		a.report(finding.AuditFinish, e, "the chunks end in %s", w.finishKind())
	}
	if got := e.Sources; !w.cites(got) {
		a.report(finding.AuditSources, e, "it cites %s, and the chunks of its attempt are %s", seqList(spans(got)), seqList(w.chunks))
	}
	if w.unknown {
		return
	}
	blocks, keeps := w.kept(interrupted)
	a.content(e, blocks, message.Lookup("content"))
	if got := e.Data.Lookup("usage"); !ecmajson.Equal(w.usage, got) {
		a.report(finding.AuditUsage, e, "the message has %s, the chunks %s", brief(got), brief(w.usage))
	}
	want := w.replayState(keeps)
	if interrupted {
		want = nil
	}
	if got := message.Lookup("source").Lookup("replayState"); !ecmajson.Equal(want, got) {
		a.report(finding.AuditReplayState, e, "the message has %s, the chunks give %s", brief(got), brief(want))
	}
}

// content compares a message's blocks with those of the chunks; the first
// difference is told.
func (a *Audit) content(e *logformat.Event, blocks []*block, content ecmajson.Value) {
	i := 0
	for got := range content.Elements() {
		if i == len(blocks) {
			break
		}
		b := blocks[i]
		switch kind := b.blockType(); {
		case b.matches(got):
		case !got.Lookup("type").Is(kind):
			a.report(finding.AuditBlocks, e, "block %d is of type %q, the chunks give %q", i, got.Lookup("type").Text(), kind)
			return
		case kind == "text" || kind == "reasoning":
			a.report(finding.AuditText, e, "block %d, %s", i, kind)
			return
		case kind == "tool-call":
			a.report(finding.AuditToolBlock, e, "block %d, call %q", i, got.Lookup("id").Text())
			return
		default:
			a.report(finding.AuditBlocks, e, "block %d, %s", i, kind)
			return
		}
		i++
	}
	if n := content.Len(); n != len(blocks) {
		a.report(finding.AuditBlocks, e, "the message has %d blocks, the chunks give %d", n, len(blocks))
	}
}

// replayState is what the message's source gets of the finish chunk.
func (w *answer) replayState(keeps []bool) ecmajson.Value {
	blocks := w.replay.Lookup("blocks")
	if blocks == nil {
		return w.replay
	}
	if blocks.Len() != len(keeps) {
		return nil
	}
	all := true
	for _, keep := range keeps {
		all = all && keep
	}
	if all {
		return w.replay
	}
	out := []byte{'{'}
	if response := w.replay.Lookup("response"); response != nil {
		out = append(append(out, `"response":`...), response...)
		out = append(out, ',')
	}
	out = append(out, `"blocks":[`...)
	i, first := 0, true
	for entry := range blocks.Elements() {
		if keeps[i] {
			if !first {
				out = append(out, ',')
			}
			out, first = append(out, entry...), false
		}
		i++
	}
	return append(out, "]}"...)
}

// cites reports whether sources are exactly the answer's chunks, in order.
func (w *answer) cites(sources []int64) bool {
	if sources == nil {
		return false
	}
	at := 0
	for _, run := range w.chunks {
		for seq := run.first; seq <= run.last; seq++ {
			if at == len(sources) || sources[at] != seq {
				return false
			}
			at++
		}
	}
	return at == len(sources)
}

func spans(seqs []int64) (runs []span) {
	for _, seq := range seqs {
		if n := len(runs); n > 0 && runs[n-1].last+1 == seq {
			runs[n-1].last = seq
		} else {
			runs = append(runs, span{seq, seq})
		}
	}
	return runs
}

func seqList(runs []span) string {
	if len(runs) == 0 {
		return "nothing"
	}
	var parts []string
	for i, run := range runs {
		if i == 8 {
			parts = append(parts, "…")
			break
		}
		if run.first == run.last {
			parts = append(parts, fmt.Sprint(run.first))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d", run.first, run.last))
		}
	}
	return "seq " + strings.Join(parts, ", ")
}

// brief quotes a value of the log, cut to a line.
func brief(v ecmajson.Value) finding.Span {
	switch {
	case v == nil:
		return finding.Span{Kind: finding.Quoted, Text: "none"}
	case len(v) > 80:
		return finding.Span{Kind: finding.Quoted, Text: strings.ToValidUTF8(string(v[:80]), "") + "…"}
	}
	return finding.Span{Kind: finding.Quoted, Text: string(v)}
}

// unfinishedAnswer judges, at a step's end, chunks that no message took up. A
// cancel leaves a message of what was visible, so only a failure or a crash leaves
// none.
func (a *Audit) unfinishedAnswer(e *logformat.Event) {
	w := &a.step.answer
	if a.step.answered || len(w.chunks) == 0 || w.failed() || w.unknown {
		return
	}
	f := finding.New(finding.AuditMessageMissing, finding.Plain(seqList(w.chunks)), placeOf(e))
	ways := []string{"error", "interrupted", "completed", "max-tokens", lifetimeEnds, logEnds} // completed: turn-reason says it
	if blocks, _ := w.kept(true); len(blocks) == 0 {
		ways = append(ways, "aborted")
	}
	a.postpone(f, unless(ways...))
}
