package logtext

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// kinds says for each kind of line how it is written.
var kinds = map[string]func(*writer, *words){
	"turn":       (*writer).turnLine,
	"step":       (*writer).stepLine,
	"user":       (*writer).user,
	"assistant":  (*writer).assistant,
	"call":       (*writer).call,
	"result":     (*writer).result,
	"header":     (*writer).header,
	"context":    func(w *writer, _ *words) { w.event(logformat.TypeRequestContext, `{"provider":"p","model":"m"}`) },
	"chunk":      (*writer).chunk,
	"chunks":     (*writer).chunks,
	"finish":     (*writer).finish,
	"retry":      (*writer).retry,
	"compaction": (*writer).compaction,
	"prune":      (*writer).prune,
	"end-seed":   func(w *writer, _ *words) { w.event(logformat.TypeSessionEndSeed, "{}") },
	"title":      (*writer).title,
	"event":      func(w *writer, ws *words) { w.event(ws.need("a type"), ws.need("data")) },
	"raw":        (*writer).raw,
}

func number(word string) int64 {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		panic(faultf("%q is no number", word))
	}
	return n
}

func (w *writer) turnLine(ws *words) {
	if !ws.accept("end") {
		w.turn = number(ws.need("a number"))
		w.event(logformat.TypeTurnStart, fmt.Sprintf(`{"turn":%d}`, w.turn))
		return
	}
	kind := ws.take()
	if kind == "" {
		kind = "completed"
	}
	w.event(logformat.TypeTurnEnd, fmt.Sprintf(`{"turn":%d,"reason":{"kind":%q}}`, w.turn, kind))
}

func (w *writer) stepLine(ws *words) {
	if ws.accept("end") {
		w.event(logformat.TypeStepEnd, "{"+w.where()+"}")
		return
	}
	turn, step, _ := strings.Cut(ws.need("turn.step"), ".")
	w.turn, w.step = number(turn), number(step)
	w.event(logformat.TypeStepStart, "{"+w.where()+"}")
}

// message writes a message event: text goes around the message's content.
func (w *writer) message(ws *words, eventType, before, after string) {
	tail := w.operation(ws, eventType)
	id := ws.setting("id", fmt.Sprintf(`"m%d"`, w.next))
	meta := ws.setting("meta", "")
	if meta != "" {
		meta = `,"meta":` + meta
	}
	data := before + `"id":` + id + after
	where := w.where()
	if at := ws.setting("at", ""); at != "" {
		turn, step, _ := strings.Cut(at, ".")
		where = fmt.Sprintf(`"turn":%d,"step":%d`, number(turn), number(step))
	}
	if eventType != logformat.TypeUserMessage {
		data = "{" + where + `,"message":` + data + meta + "}"
	} else {
		data = strings.TrimSuffix(data, "}") + meta + "}"
	}
	w.messages = append(w.messages, w.next)
	w.put(eventType, data, tail)
}

// operation is the end of a message event: what it does on the surface, and what it cites.
func (w *writer) operation(ws *words, eventType string) string {
	span, cited := ws.after("over"), ws.after("cites")
	var sources []int64
	op := `,"surfaceOp":"append"`
	if span != "" {
		start, end := w.span(span)
		op = fmt.Sprintf(`,"surfaceOp":{"op":"replace","start":%d,"end":%d}`, start, end)
		sources = w.between(start, end)
	}
	switch {
	case cited == "none":
		return op + `,"sourceEventSeqs":[]`
	case cited != "":
		sources = nil
		for name := range strings.SplitSeq(cited, ",") {
			sources = append(sources, w.ref(name))
		}
	}
	if len(sources) == 0 {
		return op
	}
	return op + `,"sourceEventSeqs":` + list(sources)
}

func text(literal string) string { return `{"type":"text","text":` + literal + `}` }

func (w *writer) user(ws *words) {
	content := text(ws.need("a text"))
	w.message(ws, logformat.TypeUserMessage, "{", `,"role":"user","source":{"kind":"user"},"content":[`+content+`]}`)
}

func (w *writer) assistant(ws *words) {
	content := ""
	if !ws.accept("empty") {
		content = text(ws.need("a text"))
	}
	w.message(ws, logformat.TypeAssistantMessage, "{",
		`,"role":"assistant","source":{"kind":"model","provider":"p","model":"m"},"content":[`+content+`]}`)
}

func (w *writer) call(ws *words) {
	w.event(logformat.TypeToolCall, fmt.Sprintf(`{%s,"callId":%q,"name":%q,"arguments":"{}"}`, w.where(), ws.need("an id"), ws.need("a name")))
}

func (w *writer) result(ws *words) {
	call := strconv.Quote(ws.need("a call's id"))
	w.message(ws, logformat.TypeToolResult, "{", `,"role":"user","source":{"kind":"tool","callId":`+call+
		`},"content":[{"type":"tool-result","toolCallId":`+call+`,"content":[`+text(ws.need("a text"))+`],"isError":false}]}`)
}

func (w *writer) header(ws *words) {
	config := ws.setting("config", fmt.Sprintf(`{"provider":"p","model":%q}`, ws.need("a model")))
	header := `{"header":{"config":` + config
	for _, member := range []struct{ setting, key string }{{"defaults", "adapterDefaults"}, {"system", "system"}, {"tools", "tools"}} {
		if value := ws.setting(member.setting, ""); value != "" {
			header += fmt.Sprintf(`,%q:%s`, member.key, value)
		}
	}
	w.event(logformat.TypeRequestHeader, header+`},"reason":`+ws.setting("reason", `"change"`)+`}`)
}

func (w *writer) chunk(ws *words) {
	literal := ws.take()
	if literal == "" {
		literal = `"…"`
	}
	w.event(logformat.TypeAssistantChunk, "{"+w.where()+`,"chunk":{"type":"text-delta","index":0,"text":`+literal+`}}`)
}

// chunks writes a packed row, which stands for as many events.
func (w *writer) chunks(ws *words) {
	n := int(number(ws.need("a count")))
	gaps := strings.TrimSuffix(strings.Repeat("1,", n-1), ",")
	texts := strings.TrimSuffix(strings.Repeat(`"…",`, n), ",")
	fmt.Fprintf(&w.text, `{"type":"text-chunks","seq0":%d,"time0":%d,"data":{%s,"index":0,"dt":[%s],"texts":[%s]}}`+"\n",
		w.next, w.time(), w.where(), gaps, texts)
	w.next += int64(n)
}

func (w *writer) finish(ws *words) {
	w.event(logformat.TypeAssistantChunk, "{"+w.where()+`,"chunk":{"type":"finish","reason":{"kind":`+strconv.Quote(ws.need("a kind"))+`}}}`)
}

func (w *writer) retry(ws *words) {
	if ws.accept("started") {
		w.event(logformat.TypeLLMRetryStarted, `{"retryId":"r",`+w.where()+`,"retry":1}`)
		return
	}
	w.event(logformat.TypeLLMRetry, `{"retryId":"r",`+w.where()+
		`,"provider":"p","mode":"normal","policyKey":"k","retry":1,"maxRetries":3,"delayMs":1,"failure":{"message":"busy","code":"BUSY"}}`)
}

func (w *writer) compaction(ws *words) {
	switch phase := ws.need("start, summary or end"); phase {
	case "start":
		w.event(logformat.TypeCompactionStart, fmt.Sprintf(`{"compactionId":"c","turn":%d}`, w.turn))
	case "end":
		w.event(logformat.TypeCompactionEnd, fmt.Sprintf(`{"compactionId":"c","turn":%d}`, w.turn))
	case "summary":
		start, end := w.span(ws.need("a span"))
		called := ws.accept("called")
		w.event(logformat.TypeCompactionSummary, fmt.Sprintf(`{"compactionId":"c","summary":[],"llmStreamCall":%t,"shadowedRange":{"start":%d,"end":%d},`+
			`"shadowedSeqs":%s,"provider":"p","model":"small","maxTokens":100}`, called, start, end, list(w.between(start, end))))
	default:
		panic(faultf("a compaction has no %s", phase))
	}
}

func (w *writer) prune(ws *words) {
	start, end := w.span(ws.need("a span"))
	w.event(logformat.TypeCompactionPrune, fmt.Sprintf(`{"shadowedRange":{"start":%d,"end":%d},"shadowedSeqs":%s,"shadowedTokenCount":1}`,
		start, end, list(w.between(start, end))))
}

func (w *writer) title(*words) {
	w.event(logformat.TypeSessionTitleRequest, `{"titleProvider":"t","messageSeqs":[0],"route":{"provider":"p","model":"small"},`+
		`"system":"Name it.","messages":[{"id":"t","role":"user","source":{"kind":"user"},"content":[]}],"maxTokens":16}`)
}

func (w *writer) raw(ws *words) {
	w.text.WriteString(ws.need("a line"))
	w.text.WriteByte('\n')
	w.next++
}
