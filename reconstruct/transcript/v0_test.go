package transcript_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/logtext"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// tell is an act on a line, with those of its parts that are filled in.
func tell(a *transcript.Act) string {
	words := []string{a.Kind.String()}
	add := func(said bool, format string, args ...any) {
		if said {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	turn, step := a.Place()
	add(turn > 0, "%d.%d", turn, step)
	add(a.OnSurface(), "%s %s", a.Entry.Role, [...]string{"", "appends", "replaces"}[a.Entry.Op.Op])
	add(a.JSON() != nil, "%s", a.JSON().Lookup("id").Text())
	h := a.Header
	add(h.Config != nil, "%s", h.Config.Lookup("model").Text())
	add(h.System != nil, "system %s", h.System)
	add(h.Tools != nil, "tools %s", h.Tools)
	add(h.AdapterDefaults != nil, "defaults %s", h.AdapterDefaults)
	add(h.Reason != nil, "reason %s", h.Reason)
	add(h.StartsSeries, "starts a series")
	add(a.Usage() != nil, "usage %s", a.Usage())
	add(a.End != nil, "end %s", a.End)
	add(a.Failed, "failed")
	add(a.Started, "started")
	add(a.Side.Kind != transcript.NoSide, "%s", [...]string{"", "summary", "title", "search"}[a.Side.Kind])
	add(a.Side.Begins, "begins")
	add(a.Side.Called, "called")
	add(a.Side.Model != nil, "of %s", a.Side.Model.Text())
	add(a.Side.Shadowed != nil, "over %s", a.Side.Shadowed)
	add(a.Announces != transcript.Nothing, "announces %s", [...]string{"", "compaction", "pruning"}[a.Announces])
	return strings.Join(words, " ")
}

// everything is a log in which each kind of event of format 0 happens that is more
// than Other, and some that are not.
const everything = `
	turn 1
	step 1.1
	a: user "hi" id="a"
	header one system="S" tools=[1] reason="initial"
	event request/header {"header":{"config":{"provider":"p","model":"two","maxTokens":1},"adapterDefaults":{"maxTokens":true},"system":"","tools":[]},"reason":"series","startsSeries":true}
	context
	chunk
	chunks 3
	event assistant/chunk {"turn":1,"step":1,"chunk":{"type":"block-start","index":0,"blockType":"text"}}
	event assistant/chunk {"turn":1,"step":1,"chunk":{"type":"usage","usage":{"inputTokens":1}}}
	finish stop
	finish error
	finish aborted
	event assistant/chunk {"turn":1,"step":1,"chunk":{"type":"finish"}}
	b: assistant "yo" id="b" meta=7
	c: result c1 "seen" id="c"
	retry
	retry started
	step end
	turn end
	end-seed
	compaction start
	compaction summary a..b
	user "sum" over a..b id="d"
	compaction end
	compaction summary c called
	prune c
	title
	event web/deepseek-search-llm-request {}
	event plan/mode null
	raw {"type":"x/y","seq":32,"time":1,"data":[],"ignorable":true}`

func TestFormat0(t *testing.T) {
	want := []string{
		`turn start 1.0`,
		`step start 1.1`,
		`message user appends a`,
		`snapshot one system "S" tools [1] reason "initial"`,
		`snapshot two defaults {"maxTokens":true} reason "series" starts a series`,
		`context`,
		`first byte 1.1`,
		`first byte 1.1`,
		`first byte 1.1`,
		`first byte 1.1 usage {"inputTokens":1}`,
		`stream end 1.1 end "stop"`,
		`stream end 1.1 end "error" failed`,
		`stream end 1.1 end "aborted" failed`,
		`stream end 1.1`,
		`message 1.1 assistant appends b`,
		`message 1.1 tool appends c`,
		`retry 1.1`,
		`retry 1.1 started`,
		`step end 1.1`,
		`turn end 1.0`,
		`seed end`,
		`side request 1.0 summary begins`,
		`side request summary of small over [2,16] announces compaction`,
		`message user replaces d`,
		`other 1.0`,
		`side request summary called of small over [17] announces compaction`,
		`other announces pruning`,
		`side request title called of small`,
		`side request search called`,
		`other`,
		`other`,
	}
	header, records := logtext.New(t, everything).Records(t)
	log := transcript.New(header)
	var got []string
	for _, rec := range records {
		act := log.Act(rec)
		if act.Record != rec {
			t.Errorf("%s does not keep its record", act.Kind)
		}
		got = append(got, tell(act))
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// TestActsCostNothing: projecting allocates nothing, whatever the record.
func TestActsCostNothing(t *testing.T) {
	header, records := logtext.New(t, everything).Records(t)
	log := transcript.New(header)
	for _, rec := range records {
		if n := testing.AllocsPerRun(10, func() { log.Act(rec) }); n > 0 {
			t.Errorf("%s: %.0f allocations", tell(log.Act(rec)), n)
		}
	}
}

// TestActsAreReused: nothing of an act is left over in the next one.
func TestActsAreReused(t *testing.T) {
	header, records := logtext.New(t, everything).Records(t)
	log := transcript.New(header)
	fresh := make(map[*logformat.Record]string)
	for _, rec := range records {
		fresh[rec] = tell(transcript.New(header).Act(rec))
	}
	for _, first := range records {
		for _, rec := range records {
			log.Act(first)
			if got := tell(log.Act(rec)); got != fresh[rec] {
				t.Fatalf("after %s it is %q, want %q", fresh[first], got, fresh[rec])
			}
		}
	}
}

// TestTimes are those of events, and of a packed run that of its first.
func TestTimes(t *testing.T) {
	header, records := logtext.New(t, "turn 1\nchunks 3\nchunk").Records(t)
	log := transcript.New(header)
	for i, want := range []int64{2000, 2001, 2004} {
		if got := log.Act(records[i]).Time(); got != want {
			t.Errorf("record %d is at %d, want %d", i, got, want)
		}
	}
}

// TestInherited is what the header line says of where a log began.
func TestInherited(t *testing.T) {
	for _, c := range []struct {
		header string
		seed   int64
		forked bool
	}{
		{`log`, 0, false},
		{`log parent="mum"`, 0, true},
		{`log seed=0`, 0, true},
		{`log seed=1 parent="mum"`, 1, true},
	} {
		header, _ := logtext.New(t, c.header+"\nturn 1\nstep 1.1").Records(t)
		log := transcript.New(header)
		if log.Seed() != c.seed || log.Forked() != c.forked || log.Inherited(0) != (c.seed > 0) || log.Inherited(c.seed) {
			t.Errorf("%s: seed %d, forked %t", c.header, log.Seed(), log.Forked())
		}
	}
}

// TestActs reads a log to its end, or to what ends it.
func TestActs(t *testing.T) {
	read := func(notation string) (kinds []transcript.Kind, err error) {
		r := logtext.New(t, notation).Reader()
		header, err := r.Header()
		if err != nil {
			t.Fatal(err)
		}
		for act, err := range transcript.New(header).Acts(r) {
			if err != nil {
				return kinds, err
			}
			kinds = append(kinds, act.Kind)
		}
		return kinds, nil
	}
	if kinds, err := read("turn 1\nturn end"); err != nil || !slices.Equal(kinds, []transcript.Kind{transcript.TurnStart, transcript.TurnEnd}) {
		t.Errorf("%v, error %v", kinds, err)
	}
	if kinds, err := read("turn 1\nevent x/y {}"); err == nil || len(kinds) != 1 {
		t.Errorf("%v, error %v", kinds, err)
	}
}

// TestEveryFormatHasOne: no log is read that has no projection.
func TestEveryFormatHasOne(t *testing.T) {
	_, records := logtext.New(t, "turn 1").Records(t)
	for _, v := range logformat.Versions() {
		transcript.New(&logformat.SessionHeader{Version: v}).Act(records[0])
	}
}
