package reconstruct

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// newLater is a world of format 4.
func newLater(t *testing.T) *world {
	header := &logformat.SessionHeader{ID: "s", Version: logformat.Version4}
	return &world{t: t, session: newSession(header, dialects[logformat.Version4], Options{})}
}

// snapshot folds a header with these tools, a JSON list, and its reason.
func (w *world) snapshot(tools, reason string, startsSeries bool) int64 {
	w.does(transcript.Snapshot, "{}", func(a *transcript.Act) {
		a.Header = transcript.Header{Config: ecmajson.Value(`{"model":"m"}`), Reason: ecmajson.AppendString(nil, reason), StartsSeries: startsSeries}
		if tools != "[]" {
			a.Header.Tools = ecmajson.Value(tools)
		}
	})
	return w.seq
}

// announces folds a developer message: +NAME adds a tool of the header, -NAME removes one.
func (w *world) announces(header int64, changes ...string) {
	var blocks []string
	for _, change := range changes {
		kind := map[byte]string{'+': "tool-addition", '-': "tool-removal"}[change[0]]
		blocks = append(blocks, fmt.Sprintf(`{"type":%q,"toolName":%q}`, kind, change[1:]))
	}
	text := fmt.Sprintf(`{"id":"d%d","content":[%s]}`, w.seq, strings.Join(blocks, ","))
	data := fmt.Sprintf(`{"headerSeq":%d,"message":%s}`, header, text)
	w.does(transcript.ToolUpdate, data, func(a *transcript.Act) {
		at := strings.Index(data, text)
		a.Entry = transcript.Entry{Role: transcript.Developer, Start: at, End: at + len(text), Op: logformat.SurfaceOp{Op: logformat.OpAppend}}
	})
}

func tools(names ...string) string {
	var list []string
	for _, name := range names {
		name, text, _ := strings.Cut(name, ":")
		list = append(list, fmt.Sprintf(`{"name":%q,"description":%q}`, name, text))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// TestToolHistoryRules holds section 9 of the specification of later formats.
func TestToolHistoryRules(t *testing.T) {
	history := func(baseline string, updates ...string) string {
		return `{"tools":` + baseline + `,"updates":[` + strings.Join(updates, ",") + `]}`
	}
	update := func(id int, additions string) string {
		return fmt.Sprintf(`{"messageId":"d%d","additions":%s}`, id, additions)
	}
	for _, c := range []struct {
		name string
		log  func(w *world)
		want string
	}{
		{"no tools", func(w *world) { w.snapshot("[]", "initial", false) }, history("[]")},
		{"tools from the start", func(w *world) { w.snapshot(tools("a", "b"), "initial", false) }, history(tools("a", "b"))},
		{"one is announced", func(w *world) {
			w.snapshot(tools("a"), "initial", false)
			w.announces(w.snapshot(tools("a", "b"), "change", false), "+b")
		}, history(tools("a"), update(2, tools("b")))},
		{"one is removed", func(w *world) {
			w.snapshot(tools("a", "b"), "initial", false)
			w.announces(w.snapshot(tools("a"), "change", false), "-b")
		}, history(tools("a", "b"), update(2, "[]"))},
		{"a change that nothing announces", func(w *world) {
			w.snapshot(tools("a"), "initial", false)
			w.snapshot(tools("a", "b"), "change", false)
		}, history(tools("a", "b"))},
		{"it comes back when they agree again", func(w *world) {
			w.snapshot(tools("a"), "initial", false)
			w.announces(w.snapshot(tools("a", "b"), "change", false), "+b")
			w.snapshot(tools("c"), "change", false)
			w.snapshot(tools("b", "a"), "change", false)
		}, history(tools("a"), update(2, tools("b")))},
		{"another text begins a series", func(w *world) {
			w.snapshot(tools("a:old"), "initial", false)
			w.announces(w.snapshot(tools("a:old", "b"), "change", false), "+b")
			w.snapshot(tools("a:new", "b"), "change", false)
		}, history(tools("a:new", "b"))},
		{"of one that was removed, too", func(w *world) {
			w.snapshot(tools("a", "b:old"), "initial", false)
			w.announces(w.snapshot(tools("a"), "change", false), "-b")
			w.announces(w.snapshot(tools("a", "b:new"), "change", false), "+b")
		}, history(tools("a", "b:new"), update(4, tools("b:new")))},
		{"reason series begins one", func(w *world) {
			w.snapshot(tools("a"), "initial", false)
			w.announces(w.snapshot(tools("a", "b"), "change", false), "+b")
			w.snapshot(tools("a", "b"), "series", false)
		}, history(tools("a", "b"))},
		{"so does its mark", func(w *world) {
			w.snapshot(tools("a"), "initial", false)
			w.announces(w.snapshot(tools("a", "b"), "change", false), "+b")
			w.snapshot(tools("a", "b"), "resume", true)
		}, history(tools("a", "b"))},
		{"a resume alone does not", func(w *world) {
			w.snapshot(tools("a"), "initial", false)
			w.announces(w.snapshot(tools("a", "b"), "change", false), "+b")
			w.snapshot(tools("a", "b"), "resume", false)
		}, history(tools("a"), update(2, tools("b")))},
		{"an announcement of nothing counts", func(w *world) {
			w.snapshot(tools("a"), "initial", false)
			w.announces(1)
		}, history(tools("a"), update(1, "[]"))},
	} {
		w := newLater(t)
		w.does(transcript.StepStart, `{"turn":1,"step":1}`, nil)
		w.seq = 0
		c.log(w)
		if got := string(w.session.tools.value()); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestSettlementRules holds section 10: what is sent, what is only prepared, and how
// attempts are counted. A word stands for an act; what is wanted is each request's key, in
// brackets where it is prepared.
func TestSettlementRules(t *testing.T) {
	for _, c := range []struct{ log, want string }{
		{"step header user settle end", "1.1.1"},
		{"step header user fails retry started settle end", "1.1.1 1.1.2"},
		{"step header user fails fails settle end", "1.1.1 1.1.2 1.1.3"},
		{"step header user settle end step settle end", "1.1.1 1.2.1"},
		{"step end", ""},
		{"step user header end", "(1.1.1)"},
		{"step user header", "(1.1.1)"},
		{"step header user fails retry started", "1.1.1 (1.1.2)"},
		{"step header user fails retry end", "1.1.1"},
		{"step header user settle tool user end", "1.1.1"},
		{"step header user settle end user step end", "1.1.1"},
		{"step user settle end", ""}, // no header came before it: nothing can be rebuilt
		{"step header user settle settle end", "1.1.1 1.1.2"},
	} {
		w, step := newLater(t), 0
		var got []string
		see := func(q *Request) {
			switch {
			case q == nil:
			case q.Prepared:
				got = append(got, "("+q.Key()+")")
			default:
				got = append(got, q.Key())
			}
		}
		for word := range strings.FieldsSeq(c.log) {
			place := fmt.Sprintf(`{"turn":1,"step":%d}`, step)
			var q *Request
			switch word {
			case "step":
				step++
				q, _ = w.does(transcript.StepStart, fmt.Sprintf(`{"turn":1,"step":%d}`, step), nil)
			case "end":
				q, _ = w.does(transcript.StepEnd, place, nil)
			case "header":
				w.snapshot("[]", "change", false)
			case "user":
				w.says(transcript.User, `"hi"`)
			case "tool":
				w.says(transcript.Tool, `"seen"`)
			case "fails":
				q, _ = w.does(transcript.Settlement, place, nil)
			case "settle":
				data := fmt.Sprintf(`{"turn":1,"step":%d,"content":["x"]}`, step)
				q, _ = w.does(transcript.Settlement, data, appends(transcript.Assistant))
			case "retry":
				w.does(transcript.Retry, place, nil)
			case "started":
				w.does(transcript.Retry, place, func(a *transcript.Act) { a.Started = true })
			}
			see(q)
		}
		see(w.session.Finish())
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.log, got, c.want)
		}
	}
}

// TestOffloadRules holds section 7.4: images are counted over all of a message, and each
// that is named gets its mark as the last member.
func TestOffloadRules(t *testing.T) {
	image := func(id string) string { return `{"type":"image","attachment":{"id":"` + id + `"}}` }
	gone := func(id string) string { return `{"type":"image","attachment":{"id":"` + id + `"},"offloaded":true}` }
	text := `{"type":"text","text":"t"}`
	wrapped := func(blocks string) string {
		return `{"type":"tool-result","toolCallId":"c","content":[` + blocks + `],"isError":false}`
	}
	for _, c := range []struct{ name, content, indexes, want string }{
		{"the only one", image("a"), "0", gone("a")},
		{"the second", image("a") + "," + text + "," + image("b"), "1", image("a") + "," + text + "," + gone("b")},
		{"both", image("a") + "," + image("b"), "0,1", gone("a") + "," + gone("b")},
		{"one that is offloaded counts", gone("a") + "," + image("b"), "1", gone("a") + "," + gone("b")},
		{"in the wrapper of a result", image("a") + "," + wrapped(text+","+image("b")), "1", image("a") + "," + wrapped(text+","+gone("b"))},
	} {
		w := newLater(t)
		seq := w.says(transcript.User, c.content)
		if _, err := w.does(transcript.Offload, fmt.Sprintf(`{"targets":[{"seq":%d,"imageIndexes":[%s]}]}`, seq, c.indexes), nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := string(w.session.Surface().First().Bytes); got != message(c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, message(c.want))
		}
	}
}
