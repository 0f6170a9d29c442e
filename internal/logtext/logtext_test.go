package logtext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/logtext"
)

// TestEveryKind writes a line of each kind, and reads the log as the harness would.
func TestEveryKind(t *testing.T) {
	log := logtext.New(t, `
		log id="child" seed=1 parent="mum" cwd="/w"
		turn 1                      # a comment
		step 1.1
		q: user "hi # there" id="q" meta={"a": [1, 2]}
		header gpt system="S" tools=[{"name": "t"}] reason="initial" defaults={}
		context
		chunk
		chunk "x"
		chunks 3
		finish tool-calls
		a: assistant "yo"
		call c1 look
		r: result c1 "seen"
		retry
		retry started
		title
		step end
		turn end aborted
		end-seed
		compaction start
		compaction summary q..a called
		s: user "sum" over q..a
		compaction end
		prune r
		result c1 "" over r
		assistant empty cites none
		event plan/mode {"active": true}
		raw {"type":"x/y","seq":28,"time":1,"data":null,"ignorable":true}`)
	header, records := log.Records(t)
	if header.ID != "child" || header.SeedLength != 1 || header.ParentSession != "mum" || header.Cwd != "/w" {
		t.Errorf("header %+v", header)
	}
	var got []string
	for _, rec := range records {
		if rec.Row != nil {
			got = append(got, fmt.Sprintf("%d×%s", rec.Row.Count, rec.Row.Kind))
			continue
		}
		got = append(got, rec.Event.Type)
	}
	want := "turn/start step/start user/message request/header request/context assistant/chunk assistant/chunk 3×text-chunks " +
		"assistant/chunk assistant/message tool/call tool/result llm/retry llm/retry-started session/title-llm-request step/end turn/end " +
		"session/end-seed compaction/start compaction/summary user/message compaction/end compaction/prune tool/result assistant/message plan/mode x/y"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("\n got %s\nwant %s", text, want)
	}
	if log.Seq["q"] != 2 || log.Seq["a"] != 11 || log.Seq["s"] != 22 {
		t.Errorf("names %v", log.Seq)
	}
	if !strings.Contains(string(log.Text), `"surfaceOp":{"op":"replace","start":2,"end":11},"sourceEventSeqs":[2,11]`) {
		t.Errorf("the replace is not as it is told: %s", log.Text)
	}
}
