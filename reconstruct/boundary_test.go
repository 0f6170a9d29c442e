package reconstruct_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// before begins a session: a turn, its first step, a message and a header.
const before = `
	turn 1
	step 1.1
	q: user "hi"
	header gpt
`

// TestWhatShowsThatARequestWasSent is section 7 of the format: a step is dispatched
// when a chunk, or an assistant message without any, says so.
func TestWhatShowsThatARequestWasSent(t *testing.T) {
	holds(t, []rule{
		{"a chunk", before + `chunk`, `1.1.1 gpt: hi`},
		{"a packed row of chunks", before + `chunks 3`, `1.1.1 gpt: hi`},
		{"a finish chunk alone", before + `finish stop`, `1.1.1 gpt: hi`},
		{"a failure before any text", before + `finish error`, `1.1.1 gpt: hi`},
		{"an empty stream: a message without content and without chunks", before + `assistant empty cites none`, `1.1.1 gpt: hi`},
		{"a message that cites no chunk", before + `assistant "yo"`, `1.1.1 gpt: hi`},
		{"many chunks and a message are one request", before + `
			chunk
			chunks 4
			chunk
			finish stop
			assistant "yo"`, `1.1.1 gpt: hi`},
		{"chunks after a finish that is no failure", before + `
			chunk
			finish stop
			chunk`, `1.1.1 gpt: hi`},
		{"a second message in the step is no request", before + `
			chunk
			assistant "yo"
			assistant "more"`, `1.1.1 gpt: hi`},
		{"a message that replaces another shows nothing", before + `
			chunk
			a: assistant "yo"
			step end
			step 1.2
			assistant "better" over a
			step end`, `
			1.1.1 gpt: hi
			1.2.1? gpt: hi | better`},
		{"a chunk outside any step names its own", `
			turn 1
			q: user "hi"
			header gpt
			chunk`, `1.0.1 gpt: hi`},
		{"a chunk after the step's end makes a step of its own", before + `
			chunk
			assistant "yo"
			step end
			chunk`, `
			1.1.1 gpt: hi
			1.1.1 gpt: hi | yo`},
	})
}

// TestPrepared is a step with no chunk and no assistant message: the log cannot tell
// whether it was dispatched.
func TestPrepared(t *testing.T) {
	holds(t, []rule{
		{"the step ends", before + `step end`, `1.1.1? gpt: hi`},
		{"the turn ends", before + `turn end interrupted`, `1.1.1? gpt: hi`},
		{"another step starts", before + `
			step 1.2
			chunk`, `
			1.1.1? gpt: hi
			1.2.1 gpt: hi`},
		{"another turn starts", before + `
			turn 2
			step 2.1
			chunk`, `
			1.1.1? gpt: hi
			2.1.1 gpt: hi`},
		{"the log ends", before, `1.1.1? gpt: hi`},
		{"the log ends in the batch", `
			turn 1
			header gpt
			step 1.1
			user "hi"`, `1.1.1? gpt: hi`},
		{"the log ends right after step/start", `
			turn 1
			header gpt
			step 1.1`, `1.1.1? gpt:`},
		{"without any header there is nothing to prepare", `
			turn 1
			step 1.1
			user "hi"
			step end`, ``},
		{"an earlier step's header will do", before + `
			chunk
			assistant "yo"
			step end
			step 1.2
			user "more"
			step end`, `
			1.1.1 gpt: hi
			1.2.1? gpt: hi | yo | more`},
		{"a turn without steps is nothing", `
			turn 1
			turn end blocked
			turn 2
			turn end blocked`, ``},
		{"a step that was sent is not prepared as well", before + `
			chunk
			step end
			turn end`, `1.1.1 gpt: hi`},
	})
}

// TestMessagesOfAFirstAttempt are the surface right after the run of appended user
// messages that directly follows step/start.
func TestMessagesOfAFirstAttempt(t *testing.T) {
	holds(t, []rule{
		{"all of the batch", `
			turn 1
			step 1.1
			user "a"
			user "b"
			user "c"
			header gpt
			chunk`, `1.1.1 gpt: a | b | c`},
		{"none", `
			turn 1
			step 1.1
			header gpt
			chunk`, `1.1.1 gpt:`},
		{"a message after the header is not in it, and in the next", before + `
			user "late"
			chunk
			assistant "yo"
			step end
			step 1.2
			chunk`, `
			1.1.1 gpt: hi
			1.2.1 gpt: hi | late | yo`},
		{"a message after request/context is not in it", `
			turn 1
			header gpt
			step 1.1
			user "hi"
			context
			user "late"
			chunk`, `1.1.1 gpt: hi`},
		{"a message after a log-only event is not in it", `
			turn 1
			header gpt
			step 1.1
			user "hi"
			event plan/mode {"active":true}
			user "late"
			chunk`, `1.1.1 gpt: hi`},
		{"a message after a retry of before is not in it", `
			turn 1
			header gpt
			step 1.1
			user "hi"
			retry
			user "late"
			chunk`, `1.1.1 gpt: hi`},
		{"a result that comes into the batch ends it", `
			turn 1
			header gpt
			step 1.1
			user "hi"
			call c look
			result c "seen"
			chunk`, `1.1.1 gpt: hi`},
		{"a message after the end of a seed is not in it", `
			turn 1
			header gpt
			step 1.1
			user "hi"
			end-seed
			user "late"
			chunk`, `1.1.1 gpt: hi`},
		{"a message after what the retry policy says is not in it", `
			turn 1
			header gpt
			step 1.1
			user "hi"
			retry started
			user "late"
			chunk`, `1.1.1 gpt: hi`},
		{"without a header in between, the chunk takes them", `
			turn 1
			header gpt
			step 1.1
			user "hi"
			chunk`, `1.1.1 gpt: hi`},
		{"a replace that no record announces counts as one of the batch", `
			turn 1
			header gpt
			old: user "old"
			step 1.1
			user "new" over old
			user "hi"
			chunk`, `1.1.1 gpt: new | hi`},
		{"a replace after the header leaves what was taken", `
			turn 1
			old: user "old"
			step 1.1
			user "hi"
			header gpt
			user "new" over old
			chunk
			assistant "yo"
			step end
			step 1.2
			chunk`, `
			1.1.1 gpt: old | hi
			1.2.1 gpt: new | hi | yo`},
		{"a compaction before the step", `
			turn 1
			header gpt
			a: user "a"
			b: user "b"
			compaction start
			compaction summary a..b
			user "sum" over a..b
			compaction end
			step 1.1
			user "c"
			chunk`, `1.1.1 gpt: sum | c`},
		{"an assistant message without content is no message", before + `
			chunk
			assistant empty
			step end
			step 1.2
			chunk`, `
			1.1.1 gpt: hi
			1.2.1 gpt: hi`},
	})
}

// TestHeaderOfAFirstAttempt is the latest snapshot before the first chunk.
func TestHeaderOfAFirstAttempt(t *testing.T) {
	holds(t, []rule{
		{"the latest of two", `
			turn 1
			step 1.1
			user "hi"
			header one
			header two
			chunk`, `1.1.1 two: hi`},
		{"one that comes after the batch and before the chunk", `
			turn 1
			header one
			step 1.1
			user "hi"
			event plan/mode {"active":true}
			header two
			chunk`, `1.1.1 two: hi`},
		{"one after the chunk is the next step's", before + `
			chunk
			header two
			chunk
			assistant "yo"
			step end
			step 1.2
			chunk`, `
			1.1.1 gpt: hi
			1.2.1 two: hi | yo`},
		{"it stays in force over steps and turns", before + `
			chunk
			assistant "yo"
			step end
			turn end
			turn 2
			step 2.1
			user "more"
			chunk`, `
			1.1.1 gpt: hi
			2.1.1 gpt: hi | yo | more`},
	})
}

// TestInherited are the steps below seedLength: the parent's, and history here.
func TestInherited(t *testing.T) {
	const parent = `
		turn 1
		step 1.1
		user "hi"
		header gpt
		chunk
		assistant "yo"
		step end
		turn end
		end-seed
	`
	const own = `
		turn 2
		step 2.1
		user "more"
		chunk
		step end
		turn end`
	holds(t, []rule{
		{"a fork", "log seed=8 parent=\"mum\"\n" + parent + own, `2.1.1 gpt: hi | yo | more`},
		{"the same log without a seed", parent + own, `
			1.1.1 gpt: hi
			2.1.1 gpt: hi | yo | more`},
		{"a cut inside a step: it is the parent's", "log seed=4 parent=\"mum\"\n" + parent + own, `2.1.1 gpt: hi | yo | more`},
		{"a prepared step of the parent's", "log seed=4\n" + before + "step end\n" + own, `2.1.1 gpt: hi | more`},
	})
}

// TestCounts are the counts of what was folded.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name, log string
		want      reconstruct.Stats
	}{
		{
			"a retry and a prepared step", before + `
			chunk
			finish error
			chunk
			a: assistant "yo"
			step end
			step 1.2
			user "sum" over q..a
			step end
			turn end`,
			reconstruct.Stats{Requests: 2, Prepared: 1, Turns: 1, Steps: 2, Attempts: 1, Headers: 1, Replaces: 1},
		},
		{
			"requests before any header", `
			turn 1
			step 1.1
			user "hi"
			chunk
			finish error
			chunk
			step end`,
			reconstruct.Stats{Headless: 2, Turns: 1, Steps: 1, Attempts: 1},
		},
		{
			"a parent's turn is not counted, its requests are", "log seed=6" + before + `
			chunk
			step end
			turn end
			turn 2
			step 2.1
			chunk`,
			reconstruct.Stats{Requests: 1, Inherited: 1, Turns: 1, Steps: 1, Headers: 1},
		},
		{
			"a parent's request before any header is the parent's", `
			log seed=4
			turn 1
			step 1.1
			user "hi"
			chunk`,
			reconstruct.Stats{},
		},
	} {
		if diff := cmp.Diff(c.want, foldText(t, c.log).session.Stats()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestWhereARequestWasMade are the event numbers of a request's boundary.
func TestWhereARequestWasMade(t *testing.T) {
	f := foldText(t, `
		turn 1
		s: step 1.1
		user "hi"
		h: header gpt
		context
		c: chunk
		f: finish error
		retry
		retry started
		x: event plan/mode {"active":true}
		d: chunks 2
		step end
		t: step 1.2
		user "more"
		e: step end`)
	at := f.log.Seq
	want := []reconstruct.Boundary{
		{StepStart: at["s"], Messages: at["h"], Dispatch: at["c"]},
		{StepStart: at["s"], Messages: at["x"], Dispatch: at["d"]},
		{StepStart: at["t"], Messages: at["e"], Dispatch: -1},
	}
	var got []reconstruct.Boundary
	for _, q := range f.requests {
		got = append(got, q.Boundary)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if o := f.requests; o[0].Ordinal != 1 || o[1].Ordinal != 2 || o[2].Ordinal != 0 {
		t.Error("only what was sent has an ordinal, and they count from 1")
	}
}
