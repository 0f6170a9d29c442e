package promptcache_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check/promptcache"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// A world writes a small log, one request a turn.
type world struct {
	b         strings.Builder
	seq, turn int64
	time      int64
	model     string
	limit     int
	system    string
	tools     []string
	written   string // the header in force
	messages  []int64
}

func newWorld() *world {
	w := &world{time: 1_700_000_000_000, model: "lamp-1", limit: 1000, system: "You tend a lighthouse.", tools: []string{"a", "b"}}
	w.b.WriteString(`{"type":"session","version":0,"id":"ses-world","createdAt":1700000000000,"delegationDepth":0}` + "\n")
	return w
}

func (w *world) event(eventType, data, tail string) int64 {
	w.time += 10
	fmt.Fprintf(&w.b, `{"type":"%s","seq":%d,"time":%d,"data":%s%s}`+"\n", eventType, w.seq, w.time, data, tail)
	w.seq++
	return w.seq - 1
}

func (w *world) header(reason string) {
	var tools []string
	for _, name := range w.tools {
		tools = append(tools, fmt.Sprintf(`{"name":"%s","description":"Does it.","parameters":{"type":"object"}}`, name))
	}
	header := fmt.Sprintf(`{"config":{"provider":"gen","model":"%s","maxTokens":%d},"system":"%s","tools":[%s]}`, w.model, w.limit, w.system, strings.Join(tools, ","))
	if header == w.written && reason == "change" {
		return
	}
	if w.written == "" {
		reason = "initial"
	}
	w.written = header
	w.event("request/header", `{"header":`+header+`,"reason":"`+reason+`"}`, "")
}

// ask makes one request. usage is the provider's report: input, cache read, and
// output follow from it; -1 leaves the cache out.
func (w *world) ask(input, read int) { w.askAs("change", input, read) }

func (w *world) askAs(reason string, input, read int) {
	w.begin(reason)
	w.answer(input, read)
}

func (w *world) begin(reason string) {
	w.turn++
	w.event("turn/start", fmt.Sprintf(`{"turn":%d}`, w.turn), "")
	w.event("step/start", fmt.Sprintf(`{"turn":%d,"step":1}`, w.turn), "")
	w.messages = append(w.messages, w.event("user/message",
		fmt.Sprintf(`{"content":[{"type":"text","text":"Question %d"}],"source":{"kind":"user"},"role":"user","id":"u%d"}`, w.turn, w.seq), `,"surfaceOp":"append"`))
	w.header(reason)
}

// fail is an attempt that the provider rejects.
func (w *world) fail() {
	w.event("assistant/chunk", fmt.Sprintf(`{"turn":%d,"step":1,"chunk":{"type":"finish","reason":{"kind":"error"}}}`, w.turn), "")
}

func (w *world) answer(input, read int) {
	usage := fmt.Sprintf(`{"inputTokens":%d,"outputTokens":9`, input)
	if read >= 0 {
		usage += fmt.Sprintf(`,"cacheReadTokens":%d`, read)
	}
	usage += "}"
	w.event("assistant/chunk", fmt.Sprintf(`{"turn":%d,"step":1,"chunk":{"type":"usage","usage":%s}}`, w.turn, usage), "")
	w.messages = append(w.messages, w.event("assistant/message",
		fmt.Sprintf(`{"turn":%d,"step":1,"message":{"role":"assistant","content":[{"type":"text","text":"Answer %d"}],"source":{"kind":"model","provider":"gen","model":"%s"},"id":"a%d"},"usage":%s}`,
			w.turn, w.turn, w.model, w.seq, usage), `,"surfaceOp":"append"`))
	w.event("step/end", fmt.Sprintf(`{"turn":%d,"step":1}`, w.turn), "")
	w.event("turn/end", fmt.Sprintf(`{"turn":%d,"reason":{"kind":"completed"}}`, w.turn), "")
}

// compact replaces the messages from the n-th to the last.
func (w *world) compact(n int) {
	from, to := w.messages[n], w.messages[len(w.messages)-1]
	var list []string
	for _, seq := range w.messages[n:] {
		list = append(list, fmt.Sprint(seq))
	}
	shadowed := strings.Join(list, ",")
	start := w.event("compaction/start", `{"compactionId":"c"}`, "")
	summary := w.event("compaction/summary", fmt.Sprintf(`{"compactionId":"c","shadowedSeqs":[%s]}`, shadowed), "")
	seq := w.event("user/message", fmt.Sprintf(`{"content":[{"type":"text","text":"So far"}],"source":{"kind":"user"},"role":"user","id":"s%d"}`, w.seq),
		fmt.Sprintf(`,"sourceEventSeqs":[%d,%d,%s],"surfaceOp":{"op":"replace","start":%d,"end":%d}`, start, summary, shadowed, from, to))
	w.event("compaction/end", `{"compactionId":"c"}`, "")
	w.messages = append(w.messages[:n], seq)
}

func (w *world) resume() { w.event("session/end-seed", `{}`, "") }

func (w *world) report(t *testing.T) *promptcache.Report {
	t.Helper()
	r, err := promptcache.Read("world", logformat.NewReader(strings.NewReader(w.b.String()), logformat.Options{}), promptcache.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, w.b.String())
	}
	return r
}

// TestVerdicts holds the verdict of a story's last request, what it lost, and to
// what.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name    string
		tell    func(*world)
		verdict promptcache.Verdict
		lost    int64
		costs   string // cause=tokens, the most expensive first
	}{
		{"a first request is never blamed", func(w *world) { w.ask(1000, 0) }, promptcache.ColdStart, 0, ""},
		{"one that finds something is a hit", func(w *world) { w.ask(200, 800) }, promptcache.Hit, 0, ""},
		{"an extension that finds the whole prompt before", func(w *world) { w.ask(1000, 0); w.ask(240, 960) }, promptcache.Hit, 0, ""},
		{"an extension that finds nothing", func(w *world) { w.ask(1000, 0); w.ask(1200, 0) }, promptcache.UnexplainedDrop, 1000, "unexplained=1000"},
		{"an extension that finds half", func(w *world) { w.ask(1000, 0); w.ask(700, 500) }, promptcache.UnexplainedDrop, 500, "unexplained=500"},
		{"a new system prompt", func(w *world) { w.ask(1000, 0); w.system = "Other."; w.ask(1200, 0) }, promptcache.ExplainedDrop, 1000, "system prompt=1000"},
		{"a new system prompt whose start is found", func(w *world) { w.ask(1000, 0); w.system += " At night."; w.ask(900, 300) }, promptcache.ExplainedDrop, 700, "system prompt=700"},
		{"another model", func(w *world) { w.ask(1000, 0); w.model = "lamp-2"; w.ask(1200, 0) }, promptcache.ExplainedDrop, 1000, "model switch=1000"},
		{"back to a model that should remember", func(w *world) {
			w.ask(1000, 0)
			w.model = "lamp-2"
			w.ask(1200, 0)
			w.model = "lamp-1"
			w.ask(1400, 0)
		}, promptcache.UnexplainedDrop, 1200, "model switch=1200 unexplained=1000"},
		{"back to a model that remembers", func(w *world) {
			w.ask(1000, 0)
			w.model = "lamp-2"
			w.ask(1200, 0)
			w.model = "lamp-1"
			w.ask(440, 960)
		}, promptcache.ExplainedDrop, 240, "model switch=1240"},
		{"a limit is not part of the prompt", func(w *world) { w.ask(1000, 0); w.limit = 7; w.ask(1200, 0) }, promptcache.UnexplainedDrop, 1000, "unexplained=1000"},
		{"a tool more", func(w *world) { w.ask(1000, 0); w.tools = []string{"a", "b", "c"}; w.ask(1200, 0) }, promptcache.ExplainedDrop, 1000, "tools added=1000"},
		{"tools in another order", func(w *world) { w.ask(1000, 0); w.tools = []string{"b", "a"}; w.ask(1200, 0) }, promptcache.ExplainedDrop, 1000, "tools reordered=1000"},
		{"a compaction costs at most the prompt that follows it", func(w *world) { w.ask(9000, 0); w.compact(0); w.ask(800, 0) }, promptcache.ExplainedDrop, 800, "compaction=800"},
		{"a compaction after a prompt that is found", func(w *world) {
			w.ask(1000, 0)
			w.ask(9000, 960)
			w.compact(1)
			w.ask(600, 960)
		}, promptcache.ExplainedDrop, 600, "compaction=600"},
		{"a compaction after a prompt that is not found", func(w *world) {
			w.ask(1000, 0)
			w.ask(9000, 960)
			w.compact(1)
			w.ask(1600, 0)
		}, promptcache.UnexplainedDrop, 1600, "unexplained=1000 compaction=600"},
		{"a resume without drift explains nothing", func(w *world) {
			w.ask(1000, 0)
			w.resume()
			w.askAs("resume", 1200, 0)
		}, promptcache.UnexplainedDrop, 1000, "unexplained=1000"},
		{"a resume with drift", func(w *world) {
			w.ask(1000, 0)
			w.resume()
			w.system = "Other."
			w.askAs("resume", 1200, 0)
		}, promptcache.ExplainedDrop, 1000, "system prompt at resume=1000"},
		{"a change that a failed attempt already had", func(w *world) {
			w.ask(1000, 0)
			w.system = "Other."
			w.begin("change")
			w.fail()
			w.answer(1200, 0)
		}, promptcache.ExplainedDrop, 1000, "system prompt=1000"},
		{"numbers below two blocks", func(w *world) { w.ask(100, 0); w.ask(150, 0) }, promptcache.TooFew, 0, ""},
		{"no number before it", func(w *world) { w.begin("change"); w.fail(); w.answer(1200, 0) }, promptcache.TooFew, 0, ""},
		{"no number of the cache", func(w *world) { w.ask(1000, 0); w.ask(1200, -1) }, promptcache.NotReported, -1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			c.tell(w)
			r := w.report(t)
			last := r.Requests[len(r.Requests)-1]
			if last.Verdict != c.verdict || last.Lost != promptcache.Tokens(c.lost) {
				t.Errorf("verdict %q, lost %d; want %q, %d", last.Verdict, last.Lost, c.verdict, c.lost)
			}
			var costs []string
			for _, cost := range r.Costs {
				costs = append(costs, fmt.Sprintf("%s=%d", cost.Cause, cost.Tokens))
			}
			if got := strings.Join(costs, " "); got != c.costs {
				t.Errorf("costs %q, want %q", got, c.costs)
			}
		})
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		name string
		tell func(*world)
		want []string
	}{
		{"nothing", func(w *world) { w.ask(1000, 0); w.ask(200, 1000) }, nil},
		{"growth", func(w *world) {
			for range 3 {
				w.ask(1000, 0)
				w.system += " And more."
			}
		}, []string{"a system prompt that only grows"}},
		{"a timestamp", func(w *world) {
			for i := range 2 {
				w.system = fmt.Sprintf("It is 2025-01-0%d 12:30.", i+1)
				w.ask(1000, 0)
			}
		}, []string{"a timestamp in the system prompt"}},
		{"a counter", func(w *world) {
			for i := range 3 {
				w.system = fmt.Sprintf("Visit %d of the lamp.", i)
				w.ask(1000, 0)
			}
		}, []string{"one number that changes in every snapshot in the system prompt"}},
		{"an order", func(w *world) {
			w.ask(1000, 0)
			w.tools = []string{"b", "a"}
			w.ask(1000, 0)
			w.tools = []string{"a", "b"}
			w.ask(1000, 0)
		}, []string{"tools flip order"}},
		{"a tool", func(w *world) {
			w.ask(1000, 0)
			w.tools = []string{"a"}
			w.ask(1000, 0)
			w.tools = []string{"a", "b"}
			w.ask(1000, 0)
		}, []string{"tools come and go"}},
		{"a model", func(w *world) {
			w.ask(1000, 0)
			w.model = "lamp-2"
			w.ask(1000, 0)
			w.model = "lamp-1"
			w.ask(40, 960)
		}, []string{"models alternate"}},
		{"a pause", func(w *world) {
			w.ask(1000, 0)
			w.time += 3_600_000
			w.ask(1100, 0)
		}, []string{"drops after pauses"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			c.tell(w)
			var got []string
			for _, p := range w.report(t).Patterns {
				got = append(got, p.Name)
			}
			if strings.Join(got, "; ") != strings.Join(c.want, "; ") {
				t.Errorf("patterns %q, want %q", got, c.want)
			}
		})
	}
}
