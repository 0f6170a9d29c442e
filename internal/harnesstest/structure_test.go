package harnesstest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Structural damage moves, adds and drops whole events and numbers what is left again,
// with what refers to it, so that the log stays one that can load: only then are its
// requests compared.

// An event is a row of a log taken apart; a packed row counts as several.
type event struct {
	line  ecmajson.Value
	was   int64 // the number it had; -1: it is new
	count int64
}

// A plotted log is its header line and its events.
type plotted struct {
	header []byte
	events []event
}

// plot takes a log apart; ok is false when it has a line that is no row.
func plot(text []byte) (p plotted, ok bool) {
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	p.header = lines[0]
	next := int64(0)
	for _, line := range lines[1:] {
		canonical, _, err := ecmajson.Canonical(append([]byte(nil), line...))
		if err != nil {
			return p, false
		}
		e := event{line: ecmajson.Value(canonical), was: next, count: 1}
		if payload := payloadOf(e.line); payload != nil {
			e.count = int64(payload.Len())
		}
		next += e.count
		p.events = append(p.events, e)
	}
	return p, len(p.events) > 0
}

// payloadOf returns the members of a packed row, nil of an event.
func payloadOf(line ecmajson.Value) ecmajson.Value {
	data := line.Lookup("data")
	switch line.Lookup("type").Text() {
	case "text-chunks", "reasoning-chunks":
		return data.Lookup("texts")
	case "tool-call-chunks":
		return data.Lookup("args")
	}
	return nil
}

// text numbers the events and prints the log.
func (p *plotted) text(r *rand.Rand) []byte {
	numbers := make(map[int64]int64)
	next := int64(0)
	for _, e := range p.events {
		for k := range e.count {
			if _, twice := numbers[e.was+k]; e.was >= 0 && !twice {
				numbers[e.was+k] = next + k
			}
		}
		next += e.count
	}
	out := append(append([]byte(nil), p.header...), '\n')
	next = 0
	for _, e := range p.events {
		out = append(append(out, renumbered(r, e.line, next, numbers)...), '\n')
		next += e.count
	}
	return out
}

func renumbered(r *rand.Rand, line ecmajson.Value, seq int64, numbers map[int64]int64) ecmajson.Value {
	number := ecmajson.Value(strconv.FormatInt(seq, 10))
	line = with(with(line, "seq", number), "seq0", number)
	if sources := line.Lookup("sourceEventSeqs"); sources.Kind() == ecmajson.Array {
		line = with(line, "sourceEventSeqs", cited(r, expanded(sources), numbers))
	}
	op := line.Lookup("surfaceOp")
	for _, end := range []string{"start", "end"} {
		if n, ok := op.Lookup(end).SafeInt(); ok {
			if to, found := numbers[n]; found {
				op = with(op, end, ecmajson.Value(strconv.FormatInt(to, 10)))
			}
		}
	}
	return with(line, "surfaceOp", op)
}

// with gives a member of an object another value; an object without it stays.
func with(v ecmajson.Value, key string, value ecmajson.Value) ecmajson.Value {
	if v.Lookup(key) == nil {
		return v
	}
	out := []byte{'{'}
	for k, old := range v.Members() {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if k.Is(key) {
			old = value
		}
		out = append(append(append(out, k...), ':'), old...)
	}
	return append(out, '}')
}

func expanded(sources ecmajson.Value) (seqs []int64) {
	for v := range sources.Elements() {
		if n, ok := v.SafeInt(); ok {
			seqs = append(seqs, n)
			continue
		}
		var ends []int64
		for end := range v.Elements() {
			n, _ := end.SafeInt()
			ends = append(ends, n)
		}
		for n := ends[0]; len(ends) == 2 && n <= ends[1] && len(seqs) < 1000; n++ {
			seqs = append(seqs, n)
		}
	}
	return seqs
}

// cited prints the numbers that a row cites, one by one or in ranges.
func cited(r *rand.Rand, seqs []int64, numbers map[int64]int64) ecmajson.Value {
	var now []int64
	for _, n := range seqs {
		to, found := numbers[n]
		if found || r.IntN(20) == 0 {
			now = append(now, max(to, n*int64(len(numbers)&1)))
		}
	}
	ranges := r.IntN(2) == 0
	out := []byte{'['}
	for i := 0; i < len(now); {
		j := i
		for j+1 < len(now) && now[j+1] == now[j]+1 {
			j++
		}
		if !ranges || j < i+2 && r.IntN(8) > 0 {
			j = i
			out = fmt.Appendf(out, "%d,", now[i])
		} else {
			out = fmt.Appendf(out, "[%d,%d],", now[i], now[j])
		}
		i = j + 1
	}
	return append(bytes.TrimSuffix(out, []byte(",")), ']')
}

// restructure changes the order and the number of events one to three times.
func restructure(r *rand.Rand, text []byte) ([]byte, string) {
	p, ok := plot(text)
	if !ok {
		return text, "not plotted"
	}
	how := ""
	for range 1 + r.IntN(3) {
		change := changes[r.IntN(len(changes))]
		change.do(r, &p)
		how += change.name + "; "
		if len(p.events) == 0 {
			break
		}
	}
	return p.text(r), how
}

var changes = []struct {
	name string
	do   func(*rand.Rand, *plotted)
}{
	{"drop an event", func(r *rand.Rand, p *plotted) { p.drop(r.IntN(len(p.events)), 1) }},
	{"drop a run", func(r *rand.Rand, p *plotted) { p.drop(r.IntN(len(p.events)), 1+r.IntN(6)) }},
	{"drop the end", func(r *rand.Rand, p *plotted) { p.events = p.events[:r.IntN(len(p.events)+1)] }},
	{"repeat an event", func(r *rand.Rand, p *plotted) { p.insert(r.IntN(len(p.events)+1), p.any(r)) }},
	{"move an event", func(r *rand.Rand, p *plotted) {
		i := r.IntN(len(p.events))
		e := p.events[i]
		p.drop(i, 1)
		p.insert(r.IntN(len(p.events)+1), e)
	}},
	{"swap neighbours", func(r *rand.Rand, p *plotted) {
		i := r.IntN(len(p.events))
		j := max(i-1, 0)
		p.events[i], p.events[j] = p.events[j], p.events[i]
	}},
	{"add an event", addEvent},
	{"add an event", addEvent},
	{"add an event", addEvent},
	{"add an event", addEvent},
	{"replace a span", replaceSpan},
	{"replace a span", replaceSpan},
	{"pack chunks", packChunks},
	{"unpack a row", unpackRow},
	{"fail a stream", failStream},
}

func (p *plotted) any(r *rand.Rand) event { return p.events[r.IntN(len(p.events))] }

func (p *plotted) drop(i, n int) {
	p.events = append(p.events[:i:i], p.events[min(len(p.events), i+n):]...)
}

func (p *plotted) insert(i int, e ...event) {
	p.events = append(p.events[:i:i], append(append([]event(nil), e...), p.events[i:]...)...)
}

// addEvent adds an invented event, more often where a step has just begun.
func addEvent(r *rand.Rand, p *plotted) {
	at := r.IntN(len(p.events) + 1)
	if r.IntN(2) == 0 {
		for i := range p.events {
			k := (at + i) % len(p.events)
			if typ := p.events[k].line.Lookup("type").Text(); typ == "step/start" || typ == "user/message" {
				at = k + 1
				break
			}
		}
	}
	text := inventions[r.IntN(len(inventions))]
	p.insert(at, event{line: ecmajson.Value(text), was: -1, count: 1})
}

// replaceSpan adds an event in place of a span of what the model sees.
func replaceSpan(r *rand.Rand, p *plotted) {
	at := 1 + r.IntN(len(p.events))
	var surface []event
	for _, e := range p.events[:at] {
		if op := e.line.Lookup("surfaceOp"); op != nil && e.was >= 0 {
			surface = append(surface, e)
		}
	}
	if len(surface) == 0 {
		return
	}
	i := r.IntN(len(surface))
	j := i + r.IntN(min(3, len(surface)-i))
	if r.IntN(12) == 0 {
		i, j = j, i
	}
	sources := "["
	for _, e := range surface[min(i, j) : max(i, j)+1] {
		sources += fmt.Sprintf("%d,", e.was)
	}
	line := fmt.Sprintf(`{"type":"user/message","seq":0,"time":3,"data":{"content":[{"type":"text","text":"in place"}],"source":{"kind":"user"},"role":"user","id":"new-%d"},"sourceEventSeqs":%s],"surfaceOp":{"op":"replace","start":%d,"end":%d}}`,
		r.IntN(1000), sources[:len(sources)-1], surface[i].was, surface[j].was)
	if i == j && surface[i].line.Lookup("type").Is("tool/result") {
		line = string(surface[i].line)
		op := fmt.Sprintf(`"sourceEventSeqs":[%d],"surfaceOp":{"op":"replace","start":%d,"end":%d}}`, surface[i].was, surface[i].was, surface[i].was)
		line = string(bytes.Replace([]byte(line), []byte(`"surfaceOp":"append"}`), []byte(op), 1))
	}
	p.insert(at, event{line: ecmajson.Value(line), was: -1, count: 1})
}

// failStream lets a stream end in an error, so that what follows is a retry.
func failStream(r *rand.Rand, p *plotted) {
	at := r.IntN(len(p.events))
	for i := range p.events {
		k := (at + i) % len(p.events)
		e := &p.events[k]
		if !e.line.Lookup("type").Is("assistant/chunk") {
			continue
		}
		chunk := pick(r, `{"type":"finish","reason":{"kind":"error","error":{"message":"m","code":"SERVER"}}}`, `{"type":"finish","reason":{"kind":"aborted"}}`, `{"type":"finish","reason":{"kind":"stop"}}`, `{"type":"finish"}`)
		e.line = with(e.line, "data", with(e.line.Lookup("data"), "chunk", ecmajson.Value(chunk)))
		return
	}
}
