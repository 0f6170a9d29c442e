package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/logtext"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// A diary is a check that writes down how it is called.
type diary struct {
	session *reconstruct.Session
	calls   []string
	says    finding.Verdict // of each request
}

func (d *diary) note(format string, args ...any) {
	d.calls = append(d.calls, fmt.Sprintf(format, args...))
}

func (d *diary) Begin(log *result.Log, session *reconstruct.Session) {
	d.session = session
	d.note("begin %s", log.Session.ID)
}
func (d *diary) Before(act *transcript.Act) { d.note("before %d", act.First()) }
func (d *diary) Request(q *reconstruct.Request) finding.Verdict {
	d.note("request %s", q.Key())
	return d.says
}

func (d *diary) After(rec *logformat.Record) {
	d.note("after %d %v", rec.First(), d.session.Act().First() == rec.First())
}
func (d *diary) Close() { d.note("close") }

const oneRequest = `
turn 1
step 1.1
user "hi"
header gpt
chunk "yo"
`

func runChecks(t *testing.T, text string, checks ...verify.Check) *result.Log {
	return verify.Run("log", logtext.New(t, text).Reader(), checks...)
}

// TestOrderOfCalls holds the order in which a check is called: a request before After of
// the record that completes it, and at the end of the log before Close.
func TestOrderOfCalls(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"dispatch shown", oneRequest, "begin s, before 0, after 0 true, before 1, after 1 true, before 2, after 2 true, before 3, after 3 true, before 4, request 1.1.1, after 4 true, close"},
		{"end of the log", strings.Replace(oneRequest, "chunk \"yo\"\n", "", 1), "begin s, before 0, after 0 true, before 1, after 1 true, before 2, after 2 true, before 3, after 3 true, request 1.1.1, close"},
		{"a refused record has no After, and the log no Close", "turn 1\nstep 1.1\nq: user \"hi\"\nuser \"once\" over q\nuser \"twice\" over q\n", "begin s, before 0, after 0 true, before 1, after 1 true, before 2, after 2 true, before 3, after 3 true, before 4"},
	} {
		var d diary
		log := runChecks(t, c.text, &d)
		if got := strings.Join(d.calls, ", "); got != c.want {
			t.Errorf("%s: %s, want %s; %v", c.name, got, c.want, log.Findings)
		}
	}
}

// TestWorstVerdict checks that a request's verdict is the worst that a check said,
// whatever their order, and "rebuilt" where none said anything.
func TestWorstVerdict(t *testing.T) {
	for _, c := range []struct {
		says []finding.Verdict
		want finding.Verdict
	}{
		{nil, finding.Rebuilt},
		{[]finding.Verdict{""}, finding.Rebuilt},
		{[]finding.Verdict{finding.Verified}, finding.Verified},
		{[]finding.Verdict{finding.Verified, ""}, finding.Verified},
		{[]finding.Verdict{finding.Verified, finding.Drift}, finding.Drift},
		{[]finding.Verdict{finding.Drift, finding.Verified, ""}, finding.Drift},
		{[]finding.Verdict{finding.Unverifiable, finding.Rebuilt}, finding.Unverifiable},
	} {
		var checks []verify.Check
		for _, v := range c.says {
			checks = append(checks, &diary{says: v})
		}
		log := runChecks(t, oneRequest, checks...)
		if len(log.Requests) != 1 || log.Requests[0].Verdict != c.want {
			t.Errorf("%q: %+v, want %s", c.says, log.Requests, c.want)
		}
	}
}

// TestNoHeaderNoBegin checks that no check is told of a log whose header line is refused.
func TestNoHeaderNoBegin(t *testing.T) {
	var d diary
	log := verify.Run("log", logformat.NewReader(strings.NewReader("{\"type\":\"session\",\"version\":99}\n"), logformat.Options{}), &d)
	if log.Verdict != finding.Refused || len(d.calls) > 0 {
		t.Errorf("%s, and the check was told %q", log.Verdict, d.calls)
	}
}
