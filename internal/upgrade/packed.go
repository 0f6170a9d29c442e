package upgrade

import (
	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// A run is a packed row of formats 0 and 1: deltas of one block that follow each other.
type run struct {
	kind     string // text-chunks, reasoning-chunks or tool-call-chunks
	first    int64
	turn     *jsvalue.Value
	step     *jsvalue.Value
	index    *jsvalue.Value
	id, name *jsvalue.Value
	time0    int64
	gaps     []int64
	texts    []*jsvalue.Value
	lastTime int64
	origin   Origin
}

func (r *run) last() int64 { return r.first + int64(len(r.texts)) - 1 }

var packedTags = map[string]bool{"text-chunks": true, "reasoning-chunks": true, toolChunks: true}

const toolChunks = "tool-call-chunks"

// readRow0 decodes a row of formats 0 and 1. The envelope of an event is looked at later, on
// the way; only the coding of cited events makes it malformed.
func readRow0(v *jsvalue.Value, origin Origin) (row, *Refusal) {
	if packedTags[v.Get(keyType).Text()] {
		r, refusal := readRun(v, origin)
		return row{run: r}, refusal
	}
	e := newRow(v, origin)
	if !v.Has(keySources) {
		return row{event: e}, nil
	}
	seq, ok := v.Get(keySeq).Count()
	if !ok {
		return row{}, envelopeFault(keySeq, "the number is no count", v.Get(keySeq))
	}
	if e.Sources, e.cites = decodeRanges0(v.Get(keySources), seq); !e.cites {
		return row{}, envelopeFault(keySources, "the cited events are no list of counts and ranges", v.Get(keySources))
	}
	return row{event: e}, nil
}

func readRun(v *jsvalue.Value, origin Origin) (*run, *Refusal) {
	data := v.Get(keyData)
	payload, required, optional := "texts", []string{"turn", "step", "index", "dt", "texts"}, []string(nil)
	tool := v.Get(keyType).Is(toolChunks)
	if tool {
		payload, required, optional = "args", []string{"turn", "step", "index", "id", "dt", "args"}, []string{"name"}
	}
	if !exactMembers(v, []string{keyType, "seq0", "time0", keyData}, nil) || !exactMembers(data, required, optional) {
		return nil, chunkRow("a packed row has not exactly its members")
	}
	r := &run{
		kind: v.Get(keyType).Text(), turn: data.Get("turn"), step: data.Get("step"), index: data.Get("index"), id: data.Get("id"),
		name: data.Get("name"), texts: data.Get(payload).Items(), origin: origin,
	}
	switch {
	case !r.readNumbers(v):
		return nil, chunkRow("a number of a packed row is no count, or its time no safe integer")
	case len(r.texts) == 0 || !allStrings(r.texts):
		return nil, chunkRow("a packed row holds no strings")
	case tool && (!r.id.Filled() || r.name != nil && !r.name.IsString()):
		return nil, chunkRow("a packed row of a tool call has no id, or a name that is no string")
	case r.last() > maxSafe || !r.readGaps(data.Get("dt")):
		return nil, chunkRow("the times or numbers of a packed row do not fit its members")
	}
	return r, nil
}

func chunkRow(detail string) *Refusal { return refuse(logformat.CodeChunkRow, StageRows, detail) }

func (r *run) readNumbers(v *jsvalue.Value) bool {
	var counted, timed bool
	r.first, counted = v.Get("seq0").Count()
	r.time0, timed = v.Get("time0").SafeInt()
	return counted && timed && isCount(r.turn) && isCount(r.step) && isCount(r.index)
}

func (r *run) readGaps(gaps *jsvalue.Value) bool {
	if !gaps.IsArray() || len(gaps.Items()) != len(r.texts)-1 {
		return false
	}
	r.lastTime = r.time0
	for _, item := range gaps.Items() {
		gap, ok := item.SafeInt()
		if !ok || abs(r.lastTime+gap) > maxSafe {
			return false
		}
		r.gaps = append(r.gaps, gap)
		r.lastTime += gap
	}
	return true
}

const maxSafe = 1<<53 - 1

func abs(n int64) int64 { return max(n, -n) }

func allStrings(items []*jsvalue.Value) bool {
	for _, item := range items {
		if !item.IsString() {
			return false
		}
	}
	return true
}

// exactMembers reports whether a value is an object that has the required members, and no
// other than these and the optional ones.
func exactMembers(v *jsvalue.Value, required, optional []string) bool {
	if !v.IsObject() {
		return false
	}
	n := len(required)
	for _, key := range required {
		if !v.Has(key) {
			return false
		}
	}
	for _, key := range optional {
		if v.Has(key) {
			n++
		}
	}
	return len(v.Members()) == n
}
