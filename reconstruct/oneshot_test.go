package reconstruct_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

// TestOneshotsOnTheWire compares the rebuilt one-shots with the bodies that were
// posted for them: a title as a whole, a compaction with its instruction taken
// from the body.
func TestOneshotsOnTheWire(t *testing.T) {
	for _, c := range []struct {
		name string
		want map[string]string // one-shot to body
	}{
		{"compaction-pressure", map[string]string{"compaction:1": "0008", "compaction:2": "0013", "compaction:3": "0016"}},
		{"session-title-oneshot", map[string]string{"title:1": "0002"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := 0
			for _, o := range oneshots(t, c.name) {
				posted, err := os.ReadFile("../fixtures/" + c.name + "/wire/" + c.want[o.key] + ".json")
				if err != nil {
					t.Fatalf("%s: %v", o.key, err)
				}
				seen++
				instruction := lastMessage(t, posted)
				body, err := wire.NewBuilder(chat.Protocol, wire.Policy{Effort: "high"}, nil).Body(wire.JSON(o.build(instruction)))
				if err != nil {
					t.Fatal(err)
				}
				if got := body.Bytes(); string(got) != string(posted) {
					t.Errorf("%s:\n got %s\nwant %s", o.key, got, posted)
				}
			}
			if seen != len(c.want) {
				t.Errorf("%d one-shots, want %d", seen, len(c.want))
			}
		})
	}
}

// lastMessage returns the last message of a posted body as a loop's message.
func lastMessage(t *testing.T, posted []byte) ecmajson.Value {
	t.Helper()
	var body struct {
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(posted, &body); err != nil {
		t.Fatal(err)
	}
	text := ecmajson.AppendString(nil, body.Messages[len(body.Messages)-1].Content)
	return ecmajson.Value(`{"role":"user","content":[{"type":"text","text":` + string(text) + `}]}`)
}

type built struct {
	key   string
	build func(instruction ecmajson.Value) []byte
}

// oneshots reads a fixture's one-shots, copied so that they outlive the reading.
func oneshots(t *testing.T, name string) (list []built) {
	t.Helper()
	f, err := os.Open("../fixtures/" + name + "/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := logformat.NewReader(f, logformat.Options{})
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	const mark = `"the instruction"`
	s := reconstruct.NewSession(header, reconstruct.Options{Oneshot: func(o *reconstruct.Oneshot) {
		text := string(o.Append(nil, ecmajson.Value(mark)))
		list = append(list, built{o.Key(), func(instruction ecmajson.Value) []byte {
			return []byte(strings.Replace(text, mark, string(instruction), 1))
		}})
	}})
	for _, err := range s.Requests(r) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}
