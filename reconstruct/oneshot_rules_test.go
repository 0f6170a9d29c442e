package reconstruct_test

import (
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/logtext"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// TestOneshots are the requests outside the loop that a log tells of.
func TestOneshots(t *testing.T) {
	const hi = `{"id":"q","role":"user","source":{"kind":"user"},"content":[{"type":"text","text":"hi"}]}`
	const yo = `{"id":"a","role":"assistant","source":{"kind":"model","provider":"p","model":"m"},"content":[{"type":"text","text":"yo"}]}`
	const told = `
		turn 1
		step 1.1
		q: user "hi" id="q"
		header gpt system="S" tools=[1]
		chunk
		a: assistant "yo" id="a"
		e: assistant empty
		step end
	`
	const compacted = `{"provider":"p","model":"small","messages":[` + hi + `,` + yo +
		`,"…"],"system":"S","tools":[1],"maxTokens":100,"sessionId":"s","purpose":"compaction"}`
	for _, c := range []struct{ name, log, want string }{
		{"none", told, ``},
		{"a compaction that called the model: the shadowed messages in surface order", told + `
			compaction start
			compaction summary q..e called
			user "sum" over q..e
			compaction end`, "compaction:1 " + compacted},
		{"one that did not call it", told + `
			compaction start
			compaction summary q..e
			user "sum" over q..e`, ``},
		{"system and tools are those of its start", told + `
			compaction start
			header other system="X"
			compaction summary q..e called`, "compaction:1 " + compacted},
		{"without a start, those in force", told + `compaction summary q..e called`, "compaction:1 " + compacted},
		{
			"without any header there are none", `
			q: user "hi" id="q"
			compaction start
			compaction summary q called`,
			`compaction:1 {"provider":"p","model":"small","messages":[` + hi + `,"…"],"maxTokens":100,"sessionId":"s","purpose":"compaction"}`,
		},
		{
			"a title is told whole", `title`,
			`title:1 {"provider":"p","model":"small","messages":[{"id":"t","role":"user","source":{"kind":"user"},"content":[]}],` +
				`"system":"Name it.","maxTokens":16,"sessionId":"s","purpose":"session-title"}`,
		},
		{"they are counted by kind", told + `
			event session/title-llm-request {}
			compaction summary q..e called
			event session/title-llm-request {}
			compaction summary q..e called`, `
			title:1 {"provider":null,"model":null,"messages":[],"sessionId":"s","purpose":"session-title"}
			compaction:1 ` + compacted + `
			title:2 {"provider":null,"model":null,"messages":[],"sessionId":"s","purpose":"session-title"}
			compaction:2 ` + compacted},
		{"of a search nothing is known", `event web/deepseek-search-llm-request {"body":{}}`, `search:1 ?`},
		{
			"the parent's are not told", `
			log seed=2
			title
			event web/deepseek-search-llm-request {}
			title`,
			`title:1 {"provider":"p","model":"small","messages":[{"id":"t","role":"user","source":{"kind":"user"},"content":[]}],` +
				`"system":"Name it.","maxTokens":16,"sessionId":"s","purpose":"session-title"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, o := range tellOneshots(t, c.log) {
				got = append(got, o.line)
			}
			compareLines(t, got, c.want)
		})
	}
}

type told struct {
	line, hole, pointer string
	missing, count      int
}

func tellOneshots(t *testing.T, notation string) (list []told) {
	t.Helper()
	r := logtext.New(t, notation).Reader()
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	session := reconstruct.NewSession(header, reconstruct.Options{Oneshot: func(o *reconstruct.Oneshot) {
		line := o.Key() + " ?"
		if o.Known() {
			line = o.Key() + " " + string(o.Append(nil, ecmajson.Value(`"…"`)))
		}
		list = append(list, told{line, o.Hole(), o.HolePointer(), o.Missing, o.Count()})
	}})
	for _, err := range session.Requests(r) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestHoles name what the log does not hold of a one-shot.
func TestHoles(t *testing.T) {
	list := tellOneshots(t, `
		q: user "hi"
		x: user "gone" over q
		event compaction/summary {"llmStreamCall":true,"shadowedSeqs":[0,1]}
		title
		event web/deepseek-search-llm-request {}`)
	if o := list[0]; o.pointer != "/messages/1" || o.hole == "" || o.missing != 1 || o.count != 1 {
		t.Errorf("compaction: %+v", o)
	}
	if o := list[1]; o.pointer != "" || o.hole != "" || o.count != 1 {
		t.Errorf("title: %+v", o)
	}
	if o := list[2]; o.pointer != "" || o.hole != "the whole request" || o.count != 0 {
		t.Errorf("search: %+v", o)
	}
}

// TestObserve sees every record before it is applied.
func TestObserve(t *testing.T) {
	log := logtext.New(t, before+`
		a: assistant "yo"
		chunks 3
		step end`)
	r := log.Reader()
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	var session *reconstruct.Session
	next := int64(0)
	session = reconstruct.NewSession(header, reconstruct.Options{Observe: func(rec *transcript.Act) {
		if rec.First() != next {
			t.Errorf("it sees seq %d, want %d", rec.First(), next)
		}
		next = rec.Last() + 1
		if session.Surface().Node(rec.First()) != nil {
			t.Errorf("seq %d was applied before it was seen", rec.First())
		}
	}})
	for _, err := range session.Requests(r) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if next != log.Seq["a"]+5 {
		t.Errorf("it saw %d events", next)
	}
}
