package loggen

import (
	"fmt"
	"io"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Options say what to write. The zero value is one short turn.
type Options struct {
	Requests     int    // steps; each makes one request
	StepsPerTurn int    // default 10
	Deltas       int    // text deltas of each step; default 20
	Delta        string // text of one delta; default seven characters
	ResultBytes  int    // text of each tool result; default 200
	Tools        int    // tools in the header, about 250 bytes each; default 4
	CompactEvery int    // steps between two compactions; 0: never
	Packed       bool   // deltas as packed rows
	Zstandard    bool   // one frame for each step
}

// A Writer writes one log.
type Writer struct {
	opts Options
	out  io.Writer
	enc  *zstd.Encoder
	buf  []byte // the batch under way
	comp []byte
	err  error

	seq, time int64
	turn      int
	surface   []int64 // event numbers
}

// Write writes a log to w.
func Write(w io.Writer, opts Options) error {
	g, err := NewWriter(w, opts)
	if err != nil {
		return err
	}
	for step := range g.opts.Requests {
		g.Step(step)
	}
	return g.Close()
}

// NewWriter starts a log: it writes the header.
func NewWriter(w io.Writer, opts Options) (*Writer, error) {
	opts.defaults()
	g := &Writer{opts: opts, out: w, time: 1_700_000_000_000}
	if opts.Zstandard {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
		if err != nil {
			return nil, err
		}
		g.enc = enc
	}
	g.buf = append(g.buf, `{"type":"session","version":0,"id":"ses-generated","createdAt":1700000000000,"cwd":"/home/ada/project","delegationDepth":0}`+"\n"...)
	g.flush()
	return g, g.err
}

func (o *Options) defaults() {
	set := func(v *int, to int) {
		if *v == 0 {
			*v = to
		}
	}
	set(&o.Requests, 1)
	set(&o.StepsPerTurn, 10)
	set(&o.Deltas, 20)
	set(&o.ResultBytes, 200)
	set(&o.Tools, 4)
	if o.Delta == "" {
		o.Delta = "a lamp "
	}
}

// Step writes one step; steps count from 0.
func (g *Writer) Step(index int) {
	first := index%g.opts.StepsPerTurn == 0
	last := (index+1)%g.opts.StepsPerTurn == 0 || index+1 == g.opts.Requests
	if g.opts.CompactEvery > 0 && index > 0 && index%g.opts.CompactEvery == 0 && first {
		g.compact(index)
	}
	if first {
		g.turn++
		g.event(logformat.TypeTurnStart, fmt.Sprintf(`{"turn":%d}`, g.turn), "")
	}
	step := index%g.opts.StepsPerTurn + 1
	g.event(logformat.TypeStepStart, fmt.Sprintf(`{"turn":%d,"step":%d}`, g.turn, step), "")
	if first {
		g.surfaceEvent(logformat.TypeUserMessage, g.userMessage(fmt.Sprintf("Question %d: how is the lamp?", g.turn)), `"append"`)
	}
	if index == 0 {
		g.event(logformat.TypeRequestHeader, g.header(), "")
	}
	g.answer(step, !last)
	g.event(logformat.TypeStepEnd, fmt.Sprintf(`{"turn":%d,"step":%d}`, g.turn, step), "")
	if last {
		g.event(logformat.TypeTurnEnd, fmt.Sprintf(`{"turn":%d,"reason":{"kind":"completed"}}`, g.turn), "")
	}
	g.flush()
}

// Close ends the log.
func (g *Writer) Close() error {
	g.flush()
	return g.err
}

func (g *Writer) answer(step int, tool bool) {
	start := g.seq
	where := fmt.Sprintf(`{"turn":%d,"step":%d,"chunk":`, g.turn, step)
	g.event(logformat.TypeAssistantChunk, where+`{"type":"block-start","index":0,"blockType":"text"}}`, "")
	g.deltas(step)
	text := make([]byte, 0, len(g.opts.Delta)*g.opts.Deltas)
	for range g.opts.Deltas {
		text = append(text, g.opts.Delta...)
	}
	literal := string(ecmajson.AppendString(nil, string(text)))
	g.event(logformat.TypeAssistantChunk, where+`{"type":"block-end","index":0,"block":{"type":"text","text":`+literal+`}}}`, "")
	content, finish := `[{"type":"text","text":`+literal+`}`, "stop"
	callID := fmt.Sprintf("call_%d", start)
	if tool {
		block := `{"type":"tool-call","id":"` + callID + `","name":"tool_0","arguments":"{\"n\":1}"}`
		g.event(logformat.TypeAssistantChunk, where+`{"type":"block-start","index":1,"blockType":"tool-call"}}`, "")
		g.event(logformat.TypeAssistantChunk, where+`{"type":"tool-call-delta","index":1,"id":"`+callID+`","name":"tool_0","argumentsDelta":"{\"n\":1}"}}`, "")
		g.event(logformat.TypeAssistantChunk, where+`{"type":"block-end","index":1,"block":`+block+`}}`, "")
		content, finish = content+","+block, "tool-calls"
	}
	usage := `{"inputTokens":120,"outputTokens":17}`
	g.event(logformat.TypeAssistantChunk, where+`{"type":"usage","usage":`+usage+`}}`, "")
	g.event(logformat.TypeAssistantChunk, where+`{"type":"finish","reason":{"kind":"`+finish+`"}}}`, "")
	data := fmt.Sprintf(`{"turn":%d,"step":%d,"message":{"role":"assistant","content":%s],"source":{"kind":"model","provider":"generated","model":"lamp-1"},"id":"a-%d"},"usage":%s}`,
		g.turn, step, content, g.seq, usage)
	sources := make([]int64, 0, g.seq-start)
	for s := start; s < g.seq; s++ {
		sources = append(sources, s)
	}
	g.surfaceEvent(logformat.TypeAssistantMessage, data, `"append"`, sources...)
	if tool {
		g.tool(step, callID)
	}
}

func (g *Writer) tool(step int, callID string) {
	call := g.seq
	g.event(logformat.TypeToolCall, fmt.Sprintf(`{"turn":%d,"step":%d,"callId":"%s","name":"tool_0","arguments":"{\"n\":1}"}`, g.turn, step, callID), "")
	text := make([]byte, 0, g.opts.ResultBytes+16)
	for len(text) < g.opts.ResultBytes {
		text = append(text, "row of a table, "...)
	}
	g.surfaceEvent(logformat.TypeToolResult, fmt.Sprintf(`{"turn":%d,"step":%d,"message":{"source":{"kind":"tool","callId":"%s"},"content":[{"type":"tool-result","toolCallId":"%s","content":[{"type":"text","text":"%s"}],"isError":false}],"role":"user","id":"t-%d"}}`,
		g.turn, step, callID, callID, text, g.seq), `"append"`, call)
}

// deltas writes the step's text deltas, packed or an event each.
func (g *Writer) deltas(step int) {
	literal := string(ecmajson.AppendString(nil, g.opts.Delta))
	if !g.opts.Packed || g.opts.Deltas < 3 {
		for range g.opts.Deltas {
			g.event(logformat.TypeAssistantChunk, fmt.Sprintf(`{"turn":%d,"step":%d,"chunk":{"type":"text-delta","index":0,"text":%s}}`, g.turn, step, literal), "")
		}
		return
	}
	b := append(g.buf, `{"type":"text-chunks","seq0":`...)
	b = strconv.AppendInt(b, g.seq, 10)
	b = append(b, `,"time0":`...)
	b = strconv.AppendInt(b, g.time, 10)
	b = append(b, fmt.Sprintf(`,"data":{"turn":%d,"step":%d,"index":0,"dt":[`, g.turn, step)...)
	for i := range g.opts.Deltas - 1 {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '0'+byte(i%3))
	}
	b = append(b, `],"texts":[`...)
	for i := range g.opts.Deltas {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, literal...)
	}
	g.buf = append(b, "]}}\n"...)
	g.seq += int64(g.opts.Deltas)
	g.time += int64(g.opts.Deltas)
}

// compact replaces all except the last four surface events by a summary.
func (g *Writer) compact(index int) {
	if len(g.surface) < 6 {
		return
	}
	cut := len(g.surface) - 4
	shadowed := g.surface[:cut]
	id := fmt.Sprintf("compaction-%d", index)
	start := g.seq
	g.event(logformat.TypeCompactionStart, fmt.Sprintf(`{"compactionId":"%s","turn":%d}`, id, g.turn), "")
	summary := g.seq
	g.event(logformat.TypeCompactionSummary, fmt.Sprintf(`{"compactionId":"%s","summary":[{"type":"text","text":"What was said before."}],"llmStreamCall":false,"shadowedRange":{"start":%d,"end":%d},"shadowedSeqs":%s,"provider":"generated","model":"lamp-1","maxTokens":200}`,
		id, shadowed[0], shadowed[cut-1], numbers(shadowed)), "")
	op := fmt.Sprintf(`{"op":"replace","start":%d,"end":%d}`, shadowed[0], shadowed[cut-1])
	sources := append([]int64{start, summary}, shadowed...)
	rest := append([]int64{g.seq}, g.surface[cut:]...)
	g.surfaceEvent(logformat.TypeUserMessage, g.userMessage("What was said before."), op, sources...)
	g.surface = rest
	g.event(logformat.TypeCompactionEnd, fmt.Sprintf(`{"compactionId":"%s","turn":%d}`, id, g.turn), "")
}

func (g *Writer) userMessage(text string) string {
	return fmt.Sprintf(`{"content":[{"type":"text","text":"%s"}],"source":{"kind":"user"},"role":"user","id":"u-%d"}`, text, g.seq)
}

func (g *Writer) header() string {
	tools := ""
	for i := range g.opts.Tools {
		if i > 0 {
			tools += ","
		}
		tools += fmt.Sprintf(`{"name":"tool_%d","description":"Look up the table with the number that is asked for.","parameters":{"type":"object","properties":{"n":{"type":"integer","minimum":1},"note":{"type":"string","description":"why it is asked"}},"required":["n"]}}`, i)
	}
	return `{"header":{"config":{"provider":"generated","model":"lamp-1","maxTokens":256000},"system":"You tend a lighthouse and answer briefly.","tools":[` + tools + `]},"reason":"initial"}`
}

func (g *Writer) event(eventType, data, tail string) {
	b := append(g.buf, `{"type":"`...)
	b = append(b, eventType...)
	b = append(b, `","seq":`...)
	b = strconv.AppendInt(b, g.seq, 10)
	b = append(b, `,"time":`...)
	b = strconv.AppendInt(b, g.time, 10)
	b = append(b, `,"data":`...)
	b = append(b, data...)
	b = append(b, tail...)
	g.buf = append(b, "}\n"...)
	g.seq++
	g.time++
}

func (g *Writer) surfaceEvent(eventType, data, op string, sources ...int64) {
	tail := ""
	if len(sources) > 0 {
		tail = `,"sourceEventSeqs":` + numbers(sources)
	}
	g.surface = append(g.surface, g.seq)
	g.event(eventType, data, tail+`,"surfaceOp":`+op)
}

func numbers(seqs []int64) string {
	b := []byte{'['}
	for i, s := range seqs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, s, 10)
	}
	return string(append(b, ']'))
}

// flush writes the batch, as a frame of its own in a Zstandard log.
func (g *Writer) flush() {
	if len(g.buf) == 0 || g.err != nil {
		return
	}
	out := g.buf
	if g.enc != nil {
		g.comp = g.enc.EncodeAll(g.buf, g.comp[:0])
		out = g.comp
	}
	_, g.err = g.out.Write(out)
	g.buf = g.buf[:0]
}
