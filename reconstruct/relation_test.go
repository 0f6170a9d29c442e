package reconstruct_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// tellRelation is a relation on a line: its kind, how many messages it keeps, the
// parts of the header that differ, the reason of a new snapshot, and the replaces by
// their kinds.
//
//	header keeps 2 parts config,tools reason change
func tellRelation(q *reconstruct.Request) string {
	r := q.Relation
	line := fmt.Sprintf("%s keeps %d", r.Kind, r.KeptMessages)
	if len(r.Parts) > 0 {
		var parts []string
		for _, p := range r.Parts {
			parts = append(parts, string(p))
		}
		line += " parts " + strings.Join(parts, ",")
	}
	if r.HeaderSeq >= 0 {
		line += " reason " + r.HeaderReason
	}
	for _, m := range r.Replaces {
		line += " by " + string(m.By)
	}
	if r.Inherited {
		line += " inherited"
	}
	return line
}

// TestRelations compares each request with the one before it.
func TestRelations(t *testing.T) {
	const first = before + `
		chunk
		a: assistant "yo"
		step end
		step 1.2
	`
	for _, c := range []struct{ name, log, want string }{
		{"the first", before + `chunk`, `first keeps 0 reason change`},
		{"nothing happened", first + `chunk`, `
			first keeps 0 reason change
			extends keeps 1`},
		{"messages were added", first + `
			user "more"
			chunk`, `
			first keeps 0 reason change
			extends keeps 1`},
		{"the same header again", first + `
			header gpt reason="resume"
			chunk`, `
			first keeps 0 reason change
			extends keeps 1 reason resume`},
		{"another config", first + `
			header other
			chunk`, `
			first keeps 0 reason change
			header keeps 1 parts config reason change`},
		{"a system prompt", first + `
			header gpt system="S"
			chunk`, `
			first keeps 0 reason change
			header keeps 1 parts system reason change`},
		{"tools", first + `
			header gpt tools=[1]
			chunk`, `
			first keeps 0 reason change
			header keeps 1 parts tools reason change`},
		{"all three", first + `
			header other system="S" tools=[1]
			chunk`, `
			first keeps 0 reason change
			header keeps 1 parts config,system,tools reason change`},
		{"there and back is no change", first + `
			header other
			header gpt
			chunk`, `
			first keeps 0 reason change
			extends keeps 1 reason change`},
		{"a compaction of all", before + `
			chunk
			a: assistant "yo"
			step end
			compaction start
			compaction summary q..a
			user "sum" over q..a
			compaction end
			step 1.2
			chunk`, `
			first keeps 0 reason change
			replace keeps 0 by compaction`},
		{"a replace after what was sent", first + `
			user "x" over a
			chunk`, `
			first keeps 0 reason change
			extends keeps 1 by other`},
		{"a replace and another header", first + `
			user "x" over q
			header other
			chunk`, `
			first keeps 0 reason change
			reset keeps 0 parts config reason change by other`},
		{"two replaces, the later one in front", first + `
			user "x" over a
			user "y" over q
			chunk`, `
			first keeps 0 reason change
			replace keeps 0 by other by other`},
		{"a pruning in the middle", before + `
			chunk
			assistant "yo"
			call c look
			r: result c "long" id="r"
			step end
			step 1.2
			chunk
			assistant "done"
			step end
			prune r
			result c "short" over r id="r" at=1.1
			step 1.3
			chunk`, `
			first keeps 0 reason change
			extends keeps 1
			replace keeps 2 by pruning`},
		{"a retry keeps everything", before + `
			finish error
			chunk`, `
			first keeps 0 reason change
			extends keeps 1`},
		{"a replace that came after the messages were taken is the next one's", first + `
			header gpt
			user "x" over q
			chunk
			step end
			step 1.3
			chunk`, `
			first keeps 0 reason change
			extends keeps 1 reason change
			replace keeps 0 by other`},
		{"after the parent's requests", "log seed=7" + first + `chunk`, `extends keeps 1 inherited`},
		{"a prepared request is compared with nothing", first + `
			user "more"
			step end
			step 1.3
			chunk`, `
			first keeps 0 reason change
			extends keeps 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := foldText(t, c.log)
			if f.refusal != nil {
				t.Fatal(f.refusal)
			}
			var got []string
			var previous *reconstruct.Request
			for _, q := range f.requests {
				if q.Prepared {
					continue
				}
				got = append(got, tellRelation(q))
				if previous != nil {
					checkKept(t, previous, q)
				}
				previous = q
			}
			compareLines(t, got, c.want)
		})
	}
}

// checkKept compares what a relation says is kept with the bytes of the two requests.
func checkKept(t *testing.T, old, q *reconstruct.Request) {
	t.Helper()
	r, a, b := q.Relation, old.Bytes(), q.Bytes()
	if r.PreviousBytes != int64(len(a)) {
		t.Errorf("%s: the request before has %d bytes, not %d", q.Key(), len(a), r.PreviousBytes)
	}
	if r.KeptBytes > int64(min(len(a), len(b))) || !bytes.Equal(a[:r.KeptBytes], b[:r.KeptBytes]) {
		t.Errorf("%s: the first %d bytes are not those of the request before", q.Key(), r.KeptBytes)
	}
	mine, theirs := messages(q), messages(old)
	for i := range r.KeptMessages {
		if mine[i] != theirs[i] {
			t.Errorf("%s: message %d is not that of the request before", q.Key(), i)
		}
	}
}

func messages(q *reconstruct.Request) (list []string) {
	for v := range q.MessageValues() {
		list = append(list, string(v))
	}
	return list
}

// TestKeptBytes are those of the messages that stay, or of the config that does.
func TestKeptBytes(t *testing.T) {
	f := foldText(t, before+`
		chunk
		a: assistant "yo"
		step end
		step 1.2
		chunk
		step end
		step 1.3
		user "x" over a
		chunk
		step end
		step 1.4
		header gpu
		chunk`)
	prefix := int64(len(`{"provider":"p","model":"gpt","messages":[`))
	hi := int64(len(messages(f.requests[0])[0]))
	for i, want := range []int64{0, prefix + hi, prefix + hi, int64(len(`{"provider":"p","model":"gp`))} {
		if got := f.requests[i].Relation.KeptBytes; got != want {
			t.Errorf("request %d keeps %d bytes, want %d", i+1, got, want)
		}
	}
}

// TestParts: what a request says of its parts covers it, and names where each is from.
func TestParts(t *testing.T) {
	f := foldText(t, `
		turn 1
		step 1.1
		q: user "hi"
		h: header m config={"a/b~c":1,"provider":"p","model":"m"} system="S"
		finish error
		i: header m config={"a/b~c":2,"provider":"p","model":"m"} system="T"
		chunk`)
	var got []string
	for p := range f.requests[1].Parts() {
		from := "the log"
		switch {
		case p.Message != nil:
			from = f.named([]int64{p.Message.Seq})
		case p.Header != nil:
			from = f.named([]int64{p.Header.Seq})
		}
		got = append(got, fmt.Sprintf("%s %s of %s", p.Kind, p.Pointer, from))
	}
	compareLines(t, got, `
		config /a~1b~0c of i
		config /provider of i
		config /model of i
		message /messages/0 of q
		system /system of h
		sessionId /sessionId of the log`)
}

// TestPartAt finds a byte's part.
func TestPartAt(t *testing.T) {
	q := foldText(t, before+`chunk`).requests[0]
	text := string(q.Bytes())
	for _, c := range []struct{ at, want string }{
		{`"gpt"`, "/model"}, {`hi`, "/messages/0"}, {`"s"}`, "/sessionId"}, {`"messages"`, ""}, {`{`, ""}, {`]`, "/messages/0"},
	} {
		p, ok := q.PartAt(int64(strings.Index(text, c.at)))
		if p.Pointer != c.want || ok != (c.want != "") {
			t.Errorf("the byte at %s is in %q, want %q", c.at, p.Pointer, c.want)
		}
	}
	if _, ok := q.PartAt(q.Len()); ok {
		t.Error("there is a part after the end")
	}
}

// TestIncludes: a request holds the messages that were taken, and no later ones.
func TestIncludes(t *testing.T) {
	f := foldText(t, before+`
		late: user "late"
		chunk
		empty: assistant empty
		step end
		step 1.2
		chunk`)
	surface := f.session.Surface()
	for _, c := range []struct {
		request int
		name    string
		want    bool
	}{{0, "q", true}, {0, "late", false}, {1, "q", true}, {1, "late", true}, {1, "empty", false}} {
		if got := f.requests[c.request].Includes(surface.Node(f.log.Seq[c.name]), surface); got != c.want {
			t.Errorf("request %d includes %s: %t", c.request+1, c.name, got)
		}
	}
}
