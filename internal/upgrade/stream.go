package upgrade

import (
	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// A stream is what a settlement of format 2 holds of its chunks: deltas of one block that
// follow each other are one record, anything else is a record of its own.
type stream struct{ records []*streamRecord }

type streamRecord struct {
	kind     string
	chunk    *jsvalue.Value // of a plain chunk
	time0    int64
	lastTime int64
	index    *jsvalue.Value
	id, name *jsvalue.Value
	gaps     []*jsvalue.Value
	texts    []*jsvalue.Value
}

const plainChunk = "chunk"

func packedRecord(r *run) *streamRecord {
	record := &streamRecord{
		kind: r.kind, time0: r.time0, lastTime: r.lastTime, index: r.index, id: r.id, name: r.name, texts: r.texts,
	}
	for _, gap := range r.gaps {
		record.gaps = append(record.gaps, jsvalue.Int(gap))
	}
	return record
}

// push adds a chunk that was a row of its own.
func (s *stream) push(at, chunk *jsvalue.Value) *Refusal {
	r, want := chunkRecord(at, chunk)
	if want != "" {
		refusal := refuse(CodeChunk, StageStep12, "a chunk cannot be packed: "+want).found(chunk)
		refusal.Member = "/data/chunk"
		return refusal
	}
	s.merge(r)
	return nil
}

// chunkRecord returns a chunk as a record, or what is wrong with it.
func chunkRecord(at, chunk *jsvalue.Value) (*streamRecord, string) {
	when, ok := wholeTime(at)
	switch {
	case !ok:
		return nil, "its time is no safe integer"
	case !chunk.Lossless():
		return nil, "a number in it is -0 or too large"
	}
	r := &streamRecord{kind: plainChunk, chunk: chunk, time0: when, lastTime: when}
	switch chunk.Get("type").Text() {
	case "block-start", "block-end", "usage", "finish":
		return r, ""
	case "text-delta":
		return r.delta("text-chunks", "text")
	case "reasoning-delta":
		return r.delta("reasoning-chunks", "text")
	case "tool-call-delta":
		return r.toolDelta()
	}
	return nil, "its type is not known"
}

func (r *streamRecord) delta(kind, text string) (*streamRecord, string) {
	if !isCount(r.chunk.Get("index")) || !r.chunk.Get(text).IsString() {
		return nil, "its index is no count, or its text no string"
	}
	r.kind, r.index, r.texts = kind, r.chunk.Get("index"), []*jsvalue.Value{r.chunk.Get(text)}
	r.chunk = nil
	return r, ""
}

// toolDelta is a delta of a tool call; one without an id or a name stays a chunk of its own.
func (r *streamRecord) toolDelta() (*streamRecord, string) {
	chunk := r.chunk
	id, name := chunk.Get("id"), chunk.Get("name")
	if !id.IsString() || name != nil && !name.IsString() {
		return nil, "its id or name is no string"
	}
	delta, fault := (&streamRecord{chunk: chunk, time0: r.time0, lastTime: r.lastTime}).delta(toolChunks, "argumentsDelta")
	if fault != "" || id.Filled() && !name.Is("") {
		if delta != nil {
			delta.id, delta.name = id, name
		}
		return delta, fault
	}
	return r, ""
}

// merge adds a record: to the last one where it goes on with the same block.
func (s *stream) merge(r *streamRecord) {
	if n := len(s.records); n > 0 && s.records[n-1].continues(r) {
		last := s.records[n-1]
		last.gaps = append(append(last.gaps, jsvalue.Int(r.time0-last.lastTime)), r.gaps...)
		last.texts = append(last.texts, r.texts...)
		last.lastTime = r.lastTime
		return
	}
	own := *r
	own.gaps, own.texts = append([]*jsvalue.Value(nil), r.gaps...), append([]*jsvalue.Value(nil), r.texts...)
	s.records = append(s.records, &own)
}

func (r *streamRecord) continues(next *streamRecord) bool {
	return r.kind == next.kind && r.kind != plainChunk && jsvalue.Same(r.index, next.index) &&
		jsvalue.Same(r.id, next.id) && jsvalue.Same(r.name, next.name) && abs(next.time0-r.lastTime) <= maxSafe
}

// value returns the stream as a row holds it.
func (s *stream) value() *jsvalue.Value {
	items := make([]*jsvalue.Value, len(s.records))
	for i, r := range s.records {
		items[i] = r.value()
	}
	return jsvalue.Array(items...)
}

func (r *streamRecord) value() *jsvalue.Value {
	if r.kind == plainChunk {
		return jsvalue.Object(member("type", jsvalue.String(plainChunk)), member("time", jsvalue.Int(r.time0)), member("chunk", r.chunk))
	}
	texts := "texts"
	if r.kind == toolChunks {
		texts = "args"
	}
	return jsvalue.Object(
		member("type", jsvalue.String(r.kind)), member("time0", jsvalue.Int(r.time0)), member("index", r.index),
		member("dt", jsvalue.Array(r.gaps...)), member("id", r.id), member("name", r.name), member(texts, jsvalue.Array(r.texts...)),
	)
}
