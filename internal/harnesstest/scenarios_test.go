package harnesstest

import (
	"encoding/json"
	"os"
	"testing"
)

// scenarios are fixed histories, one for each thing that the random ones meet
// by chance. Each names an event type, or another mark, that its logs must show.
var scenarios = []struct{ name, shows, plan string }{
	{"a kill inside a tool, and a resume", "session/end-seed", `{"compression":"none","packChunks":true,"batchMs":5,"lifetimes":[
		{"op":"create","session":"ses-mill-1","cwd":"/srv/mill","provider":"scripted","model":"mill","system":"You keep a mill.",
		 "tools":[{"name":"grind","description":"Grinds.","parameters":{"type":"object","properties":{}},"result":"flour","acts":[{"do":"kill","flush":true}]}],
		 "turns":[{"message":{"text":"Grind the rye."},"replies":[[{"type":"tool-call-delta","index":0,"id":"c1","name":"grind","argumentsDelta":"{}"},{"type":"finish","reason":{"kind":"tool-calls"}}]]}]},
		{"op":"resume","session":"ses-mill-1","provider":"scripted","model":"mill","turns":[{"message":{"text":"Did it grind?"}}]}]}`},
	{"a kill inside a stream, and a resume", "interrupted", `{"compression":"zstd","packChunks":true,"batchMs":5,"lifetimes":[
		{"op":"create","session":"ses-mill-2","provider":"scripted","model":"mill",
		 "turns":[{"message":{"text":"Tell me of the wind."},"replies":[[{"type":"text-delta","index":0,"text":"It "},{"type":"text-delta","index":0,"text":"blows"},{"do":"kill","flush":true}]]}]},
		{"op":"resume","session":"ses-mill-2","provider":"other","model":"mill","turns":[{"message":{"text":"Go on."}}]}]}`},
	{"a fork, and a fork of it", "session/end-seed", `{"compression":"zstd","packChunks":false,"batchMs":5,"lifetimes":[
		{"op":"create","session":"ses-mill-3","provider":"scripted","model":"mill","turns":[{"message":{"text":"One."}},{"message":{"text":"Two."}}]},
		{"op":"fork","parent":"ses-mill-3","at":0.1,"session":"ses-mill-3a","provider":"scripted","model":"mill","system":"You are a miller.","turns":[{"message":{"text":"Otherwise two."}}]},
		{"op":"fork","parent":"ses-mill-3a","at":0.9,"session":"ses-mill-3b","provider":"other","model":"mill","turns":[{"message":{"text":"Three."}}]}]}`},
	{"compaction under pressure", "compaction/summary", `{"compression":"none","packChunks":true,"batchMs":5,"lifetimes":[
		{"op":"create","session":"ses-mill-4","provider":"scripted","model":"mill","window":500,"compact":{"thresholdRatio":0.6,"retainRatio":0.2},"summary":"Sacks were counted.",
		 "turns":[{"message":{"text":"` + sacks + `"}},{"message":{"text":"` + sacks + `"}},{"message":{"text":"` + sacks + `"}},{"message":{"text":"How many?"}}]}]}`},
	{"recovery from an overflow in a step", "compaction/summary", `{"compression":"none","packChunks":true,"batchMs":5,"lifetimes":[
		{"op":"create","session":"ses-mill-5","provider":"scripted","model":"mill","compact":{"thresholdRatio":0.9},"summary":"Sacks.",
		 "turns":[{"message":{"text":"` + sacks + `"}},{"message":{"text":"Again."},"replies":[[{"do":"throw","code":"CONTEXT_WINDOW_EXCEEDED","message":"too much grain"}],[{"type":"text-delta","index":0,"text":"Now it fits."},{"type":"finish","reason":{"kind":"stop"}}]]}]}]}`},
	{"pruned tool results", "compaction/prune", `{"compression":"zstd","packChunks":true,"batchMs":5,"lifetimes":[
		{"op":"create","session":"ses-mill-6","provider":"scripted","model":"mill","prune":{"thresholdChars":200,"headChars":40,"tailChars":20},
		 "tools":[{"name":"count","description":"Counts.","parameters":{"type":"object","properties":{}},"result":"a sack, ","repeat":80}],
		 "turns":[{"message":{"text":"Count."},"replies":[[{"type":"tool-call-delta","index":0,"id":"c1","name":"count","argumentsDelta":"{}"},{"type":"finish","reason":{"kind":"tool-calls"}}]]},{"before":[{"do":"prune"}],"message":{"text":"And?"}}]}]}`},
	{"retries by the real policy over the real adapter", "llm/retry", `{"compression":"zstd","packChunks":true,"batchMs":5,"lifetimes":[
		{"op":"create","session":"ses-mill-7","provider":"deepseek-official","model":"mill","retry":true,
		 "turns":[{"message":{"text":"Is the wheel turning?"},"replies":[[{"do":"throw","code":"SERVER"}],[{"do":"throw","code":"RATE_LIMIT"}],[{"type":"reasoning-delta","index":0,"text":"Listen."},{"type":"text-delta","index":1,"text":"It is."},{"type":"finish","reason":{"kind":"stop"}}]]}]}]}`},
	{"images from a person and from a tool", "image", `{"compression":"zstd","packChunks":true,"batchMs":5,"lifetimes":[
		{"op":"create","session":"ses-mill-8","provider":"deepseek-official","model":"mill",
		 "tools":[{"name":"look","description":"Looks.","parameters":{"type":"object","properties":{}},"result":"a stone","image":5}],
		 "turns":[{"message":{"text":"What is this?","image":9},"replies":[[{"type":"tool-call-delta","index":0,"id":"c1","name":"look","argumentsDelta":"{}"},{"type":"finish","reason":{"kind":"tool-calls"}}]]}]}]}`},
	{"parallel tools, a steer and a cancel", "agent/inbox/spliced", `{"compression":"none","packChunks":true,"batchMs":5,"lifetimes":[
		{"op":"create","session":"ses-mill-9","provider":"scripted","model":"mill",
		 "tools":[{"name":"a","description":"A.","parameters":{"type":"object","properties":{}},"result":"a","parallel":true,"slow":8},{"name":"b","description":"B.","parameters":{"type":"object","properties":{}},"result":"b","parallel":true,"fails":"no wind"}],
		 "turns":[{"message":{"text":"Both."},"replies":[[{"type":"tool-call-delta","index":0,"id":"c1","name":"a","argumentsDelta":"{}"},{"type":"tool-call-delta","index":1,"id":"c2","name":"b","argumentsDelta":"{}"},{"type":"finish","reason":{"kind":"tool-calls"}}],
		  [{"do":"steer","text":"Faster."},{"type":"text-delta","index":0,"text":"Yes."},{"type":"finish","reason":{"kind":"stop"}}],[{"type":"text-delta","index":0,"text":"Turning"},{"do":"cancel"}]]}]}]}`},
}

const sacks = "Count the sacks of rye, the sacks of oats, the sacks of barley, the sacks of wheat, and then the sacks that nobody has opened since the flood. " +
	"Then count the mice, the cats, the owls, the bats and the beams of the roof, from the ridge down to the eaves, and write it all on the door in chalk. " +
	"When that is done, oil the axle, sweep the floor, mend the sails, and see whether the brook still runs below the stones as it did in the dry year."

// TestScenarios plays the fixed histories.
func TestScenarios(t *testing.T) {
	h := needHarness(t)
	for _, c := range scenarios {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var p plan
			if err := json.Unmarshal([]byte(c.plan), &p); err != nil {
				t.Fatal(err)
			}
			total := totals{events: make(map[string]int)}
			dir := t.TempDir()
			if err := h.play(&p, dir, &total); err != nil {
				kept := keptDir(t, "scenario")
				os.RemoveAll(kept)
				_ = os.CopyFS(kept, os.DirFS(dir))
				t.Fatalf("%v\nkept in %s", err, kept)
			}
			if total.requests == 0 || total.events[c.shows] == 0 {
				t.Errorf("it shows no %s in %d requests: %v", c.shows, total.requests, total.events)
			}
			judgeSessions(t, 0, dir, &total)
		})
	}
}
