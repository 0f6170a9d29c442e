package reconstruct_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/logtext"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// A rule is one row of a table of rules: a log, and the requests that it must give.
// Their notation is that of tell.
type rule struct {
	name string
	log  string
	want string // a line for each request; spaces around it do not count
}

// holds folds each log and compares what it gives with the rule.
func holds(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			t.Helper()
			f := foldText(t, r.log)
			if f.refusal != nil {
				t.Fatal(f.refusal)
			}
			var got []string
			for _, q := range f.requests {
				check(t, q)
				got = append(got, tell(q))
			}
			compareLines(t, got, r.want)
		})
	}
}

func compareLines(t *testing.T, got []string, want string) {
	t.Helper()
	var lines []string
	for line := range strings.SplitSeq(want, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if g, w := strings.Join(got, "\n"), strings.Join(lines, "\n"); g != w {
		t.Errorf("\ngot\n%s\nwant\n%s", g, w)
	}
}

// A folded is what the fold of a small log gave.
type folded struct {
	log      *logtext.Log
	session  *reconstruct.Session
	requests []*reconstruct.Request // kept
	refusal  *logformat.Refusal
}

func foldText(t *testing.T, notation string) *folded {
	t.Helper()
	f := &folded{log: logtext.New(t, notation)}
	r := f.log.Reader()
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	f.session = reconstruct.NewSession(header, reconstruct.Options{})
	for q, err := range f.session.Requests(r) {
		if err != nil {
			if !errors.As(err, &f.refusal) {
				t.Fatal(err)
			}
			break
		}
		f.requests = append(f.requests, q.Keep())
	}
	return f
}

// tell is a request on a line: its key, "?" when it is prepared, its model, its
// system prompt and tools where it has them, and its messages' texts.
//
//	1.1.1 gpt: hi | yo
//	2.1.1? gpt system="Be brief." tools=[]: hi
func tell(q *reconstruct.Request) string {
	var b strings.Builder
	b.WriteString(q.Key())
	if q.Prepared {
		b.WriteString("?")
	}
	fmt.Fprintf(&b, " %s", q.Model())
	for _, member := range []string{"system", "tools"} {
		if v := q.Member(member); v != nil {
			fmt.Fprintf(&b, " %s=%s", member, v)
		}
	}
	b.WriteString(": " + texts(q))
	return strings.TrimRight(b.String(), " ")
}

// texts are a request's messages' texts, in order.
func texts(q *reconstruct.Request) string {
	var list []string
	for m := range q.Messages() {
		list = append(list, textOf(m.Bytes))
	}
	return strings.Join(list, " | ")
}

// textOf is the text of a message, or of the result in it.
func textOf(v ecmajson.Value) string {
	for block := range v.Lookup("content").Elements() {
		if inner := block.Lookup("content"); inner != nil {
			return textOf(block)
		}
		return block.Lookup("text").Text()
	}
	return ""
}

// TestApply folds a record whether or not anybody looks at what it returns.
func TestApply(t *testing.T) {
	log := logtext.New(t, before+`
		chunk
		a: assistant "yo"
		step end
		user "x" over q..a cites q`)
	header, records := log.Records(t)
	session := reconstruct.NewSession(header, reconstruct.Options{})
	last := len(records) - 1
	for _, rec := range records[:last] {
		session.Apply(rec)
	}
	if s := session.Stats(); s.Requests != 1 || session.Surface().Len() != 2 {
		t.Errorf("%+v, %d messages", s, session.Surface().Len())
	}
	if q, err := session.Apply(records[last]); q != nil || err == nil {
		t.Errorf("request %v, error %v", q, err)
	}
}
