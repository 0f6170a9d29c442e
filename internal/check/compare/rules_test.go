package compare_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check/compare"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/logtext"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/verify"
)

// twoTurns is a log with a request in each of two turns.
const twoTurns = `
	turn 1
	step 1.1
	user "one" id="a"
	header gpt reason="initial"
	chunk "yes"
	assistant "yes" id="b"
	step end
	turn end
	turn 2
	step 2.1
	user "two" id="c"
	chunk "no"
	assistant "no" id="d"
	step end
	turn end`

// The requests of twoTurns, as the specification makes them of the log.
const (
	one    = `{"id":"a","role":"user","source":{"kind":"user"},"content":[{"type":"text","text":"one"}]}`
	yes    = `{"id":"b","role":"assistant","source":{"kind":"model","provider":"p","model":"m"},"content":[{"type":"text","text":"yes"}]}`
	two    = `{"id":"c","role":"user","source":{"kind":"user"},"content":[{"type":"text","text":"two"}]}`
	first  = `{"provider":"p","model":"gpt","messages":[` + one + `],"sessionId":"s"}`
	second = `{"provider":"p","model":"gpt","messages":[` + one + `,` + yes + `,` + two + `],"sessionId":"s"}`
)

func line(session string, turn, attempt int, request string) string {
	return fmt.Sprintf(`{"sessionId":%q,"turn":%d,"step":1,"attempt":%d,"request":%s}`, session, turn, attempt, request)
}

// compareWith compares a log with the lines of a recording.
func compareWith(t *testing.T, notation string, lines ...string) *result.Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), "requests.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := requestlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return verify.Run("log", logtext.New(t, notation).Reader(), compare.New(file))
}

// codes lists what a report says that bears on its verdict, and the notes named.
func codes(log *result.Log) (list []string) {
	for _, f := range log.Findings {
		list = append(list, f.Code.String())
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestRules holds what a recording and a log say of each other.
func TestRules(t *testing.T) {
	l1, l2 := line("s", 1, 1, first), line("s", 2, 1, second)
	for _, c := range []struct {
		name    string
		lines   []string
		verdict finding.Verdict
		codes   []string
	}{
		{"as sent", []string{l1, l2}, finding.Verified, nil},
		{"another number of an attempt", []string{l1, line("s", 2, 2, second)}, finding.Drift, []string{"recording/extra", "recording/missing"}},
		{"one is missing", []string{l1}, finding.Drift, []string{"recording/missing"}},
		{"one too many", []string{l1, l2, line("s", 3, 1, second)}, finding.Drift, []string{"recording/extra"}},
		{"twice", []string{l1, l2, l2}, finding.Drift, []string{"recording/duplicate"}},
		{"in another order", []string{l2, l1}, finding.Drift, []string{"recording/order"}},
		{"another text", []string{l1, strings.Replace(l2, `"yes"`, `"yet"`, 1)}, finding.Drift, []string{"recording/drift"}},
		{"a byte at the end", []string{l1, strings.Replace(l2, `"sessionId":"s"}}`, `"sessionId":"s","x":1}}`, 1)}, finding.Drift, []string{"recording/drift"}},
		{"each the other's", []string{line("s", 1, 1, second), line("s", 2, 1, first)}, finding.Drift, []string{"recording/drift"}},
		{"printed with white space", []string{l1, strings.Replace(l2, `"messages":[`, `"messages": [`, 1)}, finding.Drift, []string{"recording/drift"}},
		{"of another session", []string{line("x", 1, 1, first), line("x", 2, 1, second)}, finding.Unverifiable, []string{"recording/nothing-matched", "recording/other-session"}},
		{"of another session too", []string{l1, line("x", 1, 1, first), l2}, finding.Verified, []string{"recording/other-session"}},
		{"a line that is none", []string{l1, "{}", l2}, finding.Drift, []string{"recording/malformed"}},
		{"a line that is cut", []string{l1, l2, l2[:40]}, finding.Drift, []string{"recording/malformed"}},
		{"an empty line", []string{l1, "", l2}, finding.Verified, nil},
		{"a member twice, which makes it another's", []string{l1, strings.Replace(l2, `"turn":2,`, `"turn":1,"turn":2,`, 1)}, finding.Verified, []string{"recording/repeated-member"}},
	} {
		log := compareWith(t, twoTurns, c.lines...)
		if got := codes(log); log.Verdict != c.verdict || !slices.Equal(got, c.codes) {
			t.Errorf("%s: %s with %v, want %s with %v", c.name, log.Verdict, got, c.verdict, c.codes)
		}
	}
}

// TestPrepared holds what a recording says of a request that the log cannot show as sent.
func TestPrepared(t *testing.T) {
	waiting, _, _ := strings.Cut(twoTurns, "	chunk \"no\"")
	l1, l2 := line("s", 1, 1, first), line("s", 2, 1, second)
	for _, c := range []struct {
		name    string
		lines   []string
		verdict finding.Verdict
		codes   []string
	}{
		{"it was sent", []string{l1, l2}, finding.Verified, []string{"recording/proves-dispatch"}},
		{"it was not recorded", []string{l1}, finding.Verified, []string{"request/prepared"}},
		{"another was sent", []string{l1, strings.Replace(l2, `"two"`, `"too"`, 1)}, finding.Drift, []string{"recording/drift"}},
	} {
		log := compareWith(t, waiting, c.lines...)
		if got := codes(log); log.Verdict != c.verdict || !slices.Equal(got, c.codes) {
			t.Errorf("%s: %s with %v, want %s with %v", c.name, log.Verdict, got, c.verdict, c.codes)
		}
	}
}

// TestDriftIsPlaced: a drift names the part that differs, its byte and the event that the
// part comes from.
func TestDriftIsPlaced(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		seq            int64
		pointer        string
	}{
		{"a message of the user", `"text":"two"`, `"text":"tow"`, 10, "/messages/2/content/0/text"},
		{"an answer", `"text":"yes"`, `"text":"yeah"`, 5, "/messages/1/content/0/text"},
		{"the model", `"model":"gpt"`, `"model":"gpu"`, 3, "/model"},
		{"the session", `"sessionId":"s"}}`, `"sessionId":"t"}}`, -1, "/sessionId"},
	} {
		log := compareWith(t, twoTurns, line("s", 1, 1, first), strings.Replace(line("s", 2, 1, second), c.from, c.to, 1))
		found := false
		for _, f := range log.Findings {
			if f.Code != finding.RecordingDrift {
				continue
			}
			found = true
			at := int64(strings.Index(second, strings.TrimSuffix(c.from, "}")))
			if f.Place.Pointer != c.pointer || f.Place.Seq != c.seq || f.Place.Request != "2.1.1" || f.Place.Offset < at || f.Place.Offset > at+int64(len(c.from)) {
				t.Errorf("%s: placed at %+v, want seq %d, %s, near byte %d", c.name, f.Place, c.seq, c.pointer, at)
			}
		}
		if !found {
			t.Errorf("%s: no drift is found: %v", c.name, codes(log))
		}
	}
}
