package upgrade

import (
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// publish looks at what a release looks at before it puts the upgraded log beside the old one:
// each stream can be expanded, and gives the content, usage and replay state of its message.
func publish(t *Transcript) *Refusal {
	for _, e := range t.Events {
		if e.Type != logformat.TypeAssistantMessage && e.Type != logformat.TypeAssistantAttempt {
			continue
		}
		a := newAssembler()
		if refusal := a.replay(e.Data.Get("stream")); refusal != nil {
			return refusal.at(e.Origin)
		}
		if e.Type == logformat.TypeAssistantAttempt || a.chunks == 0 {
			continue
		}
		if refusal := a.compare(e.Data); refusal != nil {
			return refusal.at(e.Origin)
		}
	}
	return nil
}

// An assembler puts the blocks of an answer together from its chunks.
type assembler struct {
	blocks map[string]*block
	order  []*block
	chunks int
	usage  *jsvalue.Value
	reason *jsvalue.Value
	final  *jsvalue.Value // the replay state of the finish chunk
}

type block struct {
	index    *jsvalue.Value
	kind     *jsvalue.Value
	text     strings.Builder
	id, name *jsvalue.Value
	closed   *jsvalue.Value // the block with which the provider closed it
}

func newAssembler() *assembler { return &assembler{blocks: make(map[string]*block)} }

func streamFault(detail string, got *jsvalue.Value) *Refusal {
	return refuse(CodeStream, StagePublish, detail).found(got)
}

func (a *assembler) replay(stream *jsvalue.Value) *Refusal {
	for _, record := range stream.Items() {
		if refusal := a.record(record); refusal != nil {
			return refusal
		}
	}
	return nil
}

func (a *assembler) record(record *jsvalue.Value) *Refusal {
	switch record.Get("type").Text() {
	case plainChunk:
		if _, ok := wholeTime(record.Get("time")); !ok || !exactMembers(record, []string{"type", "time", "chunk"}, nil) ||
			!record.Get("chunk").IsObject() || !record.Get("chunk").Lossless() {
			return streamFault("a chunk in a stream is not one", record)
		}
		return a.push(record.Get("chunk"))
	case "text-chunks", "reasoning-chunks":
		return a.run(record, "texts", []string{"type", "time0", "index", "dt", "texts"})
	case toolChunks:
		if !record.Get("id").Filled() || record.Has("name") && !record.Get("name").Filled() {
			return streamFault("a run of a tool call has no id, or an empty name", record)
		}
		return a.run(record, "args", []string{"type", "time0", "index", "dt", "id", "args"})
	}
	return streamFault("a record of a stream is of an unknown type", record)
}

func wholeTime(v *jsvalue.Value) (int64, bool) {
	if n, ok := v.SafeInt(); ok {
		return n, true
	}
	f, ok := v.Float()
	return 0, ok && f == 0 // -0
}

func (a *assembler) run(record *jsvalue.Value, texts string, members []string) *Refusal {
	var optional []string
	if texts == "args" {
		optional = []string{"name"}
	}
	parts := record.Get(texts).Items()
	if !exactMembers(record, members, optional) || !isCount(record.Get("index")) || len(parts) == 0 || !allStrings(parts) {
		return streamFault("a run of a stream has not its members", record)
	}
	if !timesFit(record, len(parts)) {
		return streamFault("the times of a run do not fit", record)
	}
	a.chunks += len(parts)
	b := a.block(record.Get("index"), jsvalue.String(blockKinds[record.Get("type").Text()]))
	if b.closed != nil {
		return nil
	}
	if texts == "args" {
		b.id = record.Get("id")
		if record.Has("name") {
			b.name = record.Get("name")
		}
	}
	for _, part := range parts {
		b.text.WriteString(part.Text())
	}
	return nil
}

// blockKinds are the kinds of block that runs are of.
var blockKinds = map[string]string{"text-chunks": "text", "reasoning-chunks": "reasoning", toolChunks: "tool-call"}

// timesFit reports whether a run has a time for each of its members.
func timesFit(record *jsvalue.Value, members int) bool {
	at, ok := wholeTime(record.Get("time0"))
	gaps := record.Get("dt")
	if !ok || !gaps.IsArray() || len(gaps.Items()) != members-1 {
		return false
	}
	for _, gap := range gaps.Items() {
		n, ok := wholeTime(gap)
		if at += n; !ok || abs(at) > maxSafe {
			return false
		}
	}
	return true
}

// block returns the block of an index, which a chunk of it may begin.
func (a *assembler) block(index, kind *jsvalue.Value) *block {
	k := string(index.Append(nil))
	b := a.blocks[k]
	if b == nil {
		b = &block{index: index, kind: kind}
		a.blocks[k] = b
		a.order = append(a.order, b)
	}
	return b
}

// push takes a chunk that stands alone.
func (a *assembler) push(chunk *jsvalue.Value) *Refusal {
	a.chunks++
	index := chunk.Get("index")
	switch chunk.Get("type").Text() {
	case "block-start":
		a.block(index, chunk.Get("blockType"))
	case "text-delta", "reasoning-delta":
		b := a.block(index, jsvalue.String(strings.TrimSuffix(chunk.Get("type").Text(), "-delta")))
		if b.closed == nil {
			b.text.WriteString(chunk.Get("text").Text())
		}
	case "tool-call-delta":
		b := a.block(index, jsvalue.String("tool-call"))
		if b.closed == nil {
			b.id = chunk.Get("id")
			if chunk.Get("name").Filled() {
				b.name = chunk.Get("name")
			}
			b.text.WriteString(chunk.Get("argumentsDelta").Text())
		}
	case "block-end":
		if block := chunk.Get("block"); block == nil || jsvalue.Same(block, jsvalue.Null()) {
			return streamFault("a block that ends is not there", chunk)
		}
		if b := a.block(index, chunk.Get("block").Get("type")); b.closed == nil {
			b.closed = chunk.Get("block")
		}
	case "usage":
		a.usage = chunk.Get("usage")
	case "finish":
		a.reason, a.final = chunk.Get("reason"), chunk.Get("replayState")
	default:
		return streamFault("a chunk is of an unknown type", chunk)
	}
	return nil
}

// assemble returns a block as the message holds it; nil where it cannot be one.
func (b *block) assemble() *jsvalue.Value {
	if b.closed != nil {
		return b.closed
	}
	text := jsvalue.String(joined(b.text.String()))
	switch {
	case b.kind.Is("text") || b.kind.Is("reasoning"):
		return jsvalue.Object(member("type", b.kind), member("text", text))
	case b.kind.Is("tool-call"):
		id, name := b.id, b.name
		if id == nil {
			id = jsvalue.String("call-" + string(b.index.Append(nil)))
		}
		if name == nil {
			name = jsvalue.String("")
		}
		return jsvalue.Object(member("type", b.kind), member("id", id), member("name", name), member("arguments", text))
	}
	return nil
}

// compare compares what the chunks give with what the message says.
func (a *assembler) compare(data *jsvalue.Value) *Refusal {
	all := make([]*jsvalue.Value, len(a.order))
	interrupted := data.Get("interrupted").IsTrue()
	for i, b := range a.order {
		if all[i] = b.assemble(); all[i] == nil && !interrupted {
			return streamFault("a block does not end, and is of a type that only a provider can complete", b.kind)
		}
	}
	kept, dropped := all, []bool(nil)
	if a.reason.Get("kind").Is("max-tokens") {
		kept, dropped = withoutCalls(all)
	}
	content := kept
	if interrupted {
		content = a.visible(all)
	}
	message := data.Get("message")
	switch {
	case !jsvalue.DeepEqual(message.Get("content"), jsvalue.Array(content...)):
		return refuse(CodeContent, StagePublish, "the content of an assistant message is not what its stream gives").found(message.Get("content"))
	case !jsvalue.DeepEqual(data.Get("usage"), a.usage):
		return refuse(CodeUsage, StagePublish, "the usage of an assistant message is not the last of its stream").found(data.Get("usage"))
	}
	state := a.state(len(all), len(kept), dropped)
	if !jsvalue.DeepEqual(message.Get("source").Get("replayState"), state) {
		return refuse(CodeReplay, StagePublish, "the replay state of an assistant message is not what its stream gives").found(message.Get("source").Get("replayState"))
	}
	return nil
}

func withoutCalls(all []*jsvalue.Value) (kept []*jsvalue.Value, dropped []bool) {
	for _, b := range all {
		call := b.Get("type").Is("tool-call")
		dropped = append(dropped, call)
		if !call {
			kept = append(kept, b)
		}
	}
	return kept, dropped
}

// visible returns what an interrupted message keeps: text and reasoning that is not blank.
func (a *assembler) visible(all []*jsvalue.Value) (kept []*jsvalue.Value) {
	for _, b := range all {
		kind := b.Get("type")
		if (kind.Is("text") || kind.Is("reasoning")) && jsvalue.Trim(b.Get("text").Text()) != "" {
			kept = append(kept, b)
		}
	}
	return kept
}

// state returns the replay state for the kept blocks.
func (a *assembler) state(all, kept int, dropped []bool) *jsvalue.Value {
	blocks := a.final.Get("blocks")
	switch {
	case blocks == nil:
		return a.final
	case len(blocks.Items()) != all:
		return nil
	case kept == all:
		return a.final
	}
	var rest []*jsvalue.Value
	for i, b := range blocks.Items() {
		if !dropped[i] {
			rest = append(rest, b)
		}
	}
	return jsvalue.Object(member("response", a.final.Get("response")), member("blocks", jsvalue.Array(rest...)))
}
