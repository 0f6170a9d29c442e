package audit_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-verify/dsh-verify/internal/check/audit"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// A text is a log's lines.
type text struct {
	t     testing.TB
	lines []string
}

func readText(t testing.TB, dir string) *text {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(fixtures, dir, "session.jsonl"))
	if err != nil {
		data, err = os.ReadFile(filepath.Join(fixtures, dir, "session.jsonl.zstd"))
		if err != nil {
			t.Fatal(err)
		}
		decoder, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer decoder.Close()
		if data, err = decoder.DecodeAll(data, nil); err != nil {
			t.Fatal(err)
		}
	}
	return &text{t, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")}
}

// line returns the index of the line of an event or a row; -1 is the header's.
func (x *text) line(seq int) int {
	if seq < 0 {
		return 0
	}
	for i, line := range x.lines {
		if strings.Contains(line, fmt.Sprintf(`"seq":%d,`, seq)) || strings.Contains(line, fmt.Sprintf(`"seq0":%d,`, seq)) {
			return i
		}
	}
	x.t.Fatalf("no line of seq %d", seq)
	return 0
}

// An edit changes a log in one place.
type edit func(*text)

// sub replaces the first occurrence of a text in an event's line.
func sub(seq int, from, to string) edit {
	return func(x *text) {
		i := x.line(seq)
		if !strings.Contains(x.lines[i], from) {
			x.t.Fatalf("seq %d does not hold %s: %s", seq, from, x.lines[i])
		}
		x.lines[i] = strings.Replace(x.lines[i], from, to, 1)
	}
}

// all replaces every occurrence in an event's line.
func all(seq int, from, to string) edit {
	return func(x *text) {
		i := x.line(seq)
		if !strings.Contains(x.lines[i], from) {
			x.t.Fatalf("seq %d does not hold %s: %s", seq, from, x.lines[i])
		}
		x.lines[i] = strings.ReplaceAll(x.lines[i], from, to)
	}
}

// put writes another event in the place of one: its type, data and what follows.
func put(seq int, eventType, rest string) edit {
	return func(x *text) {
		i := x.line(seq)
		_, after, _ := strings.Cut(x.lines[i], `"time":`)
		time, _, _ := strings.Cut(after, ",")
		x.lines[i] = fmt.Sprintf(`{"type":%q,"seq":%d,"time":%s,%s}`, eventType, seq, time, rest)
	}
}

// gone takes an event out and leaves its number to one that is skipped.
func gone(seq int) edit { return put(seq, "x/gone", `"data":null,"ignorable":true`) }

// copyEvent puts the type, data and envelope of one event in the place of another.
func copyEvent(from, to int) edit {
	return func(x *text) {
		line := x.lines[x.line(from)]
		x.lines[x.line(to)] = strings.Replace(line, fmt.Sprintf(`"seq":%d,`, from), fmt.Sprintf(`"seq":%d,`, to), 1)
	}
}

// swap exchanges two events.
func swap(a, b int) edit {
	return func(x *text) {
		i, j := x.line(a), x.line(b)
		x.lines[i], x.lines[j] = x.lines[j], x.lines[i]
		sub(b, fmt.Sprintf(`"seq":%d,`, b), `"seq":-1,`)(x)
		sub(a, fmt.Sprintf(`"seq":%d,`, a), fmt.Sprintf(`"seq":%d,`, b))(x)
		x.lines[i] = strings.Replace(x.lines[i], `"seq":-1,`, fmt.Sprintf(`"seq":%d,`, a), 1)
	}
}

func both(edits ...edit) edit {
	return func(x *text) {
		for _, e := range edits {
			e(x)
		}
	}
}

func auditText(x *text) ([]finding.Finding, error) {
	data := strings.Join(x.lines, "\n") + "\n"
	_, found, err := audit.Check(logformat.NewReader(bytes.NewReader([]byte(data)), logformat.Options{}))
	return found, err
}

// edits change recorded logs that audit clean, each in one place, and name the
// code that catches it.
var edits = []struct {
	name string
	dir  string
	edit edit
	code finding.Code
	seq  int64
}{
	// Assembly.
	{"the text of a message", "tools-parallel", sub(54, "All five", "All nine"), finding.AuditText, 54},
	{"the text of a closed block", "tools-parallel", sub(51, "All five", "All nine"), finding.AuditText, 54},
	{"the reasoning of an interrupted message", "cancel-mid-stream", sub(16, "third verse", "first verse"), finding.AuditText, 16},
	{"a delta of an interrupted message", "cancel-mid-stream", sub(13, "O river", "O rival"), finding.AuditText, 16},
	{"a blank at the end of an interrupted message", "cancel-mid-stream", sub(68, "Ringing ", "Ringing"), finding.AuditText, 68},
	{"a delta of a block that was never closed", "scripted-replay-state", sub(43, "no frames", "new names"), finding.AuditText, 44},
	{"a delta of a closed block", "tools-sequential", sub(47, `"text":"`, `"text":"no `), finding.AuditDeltasDiffer, 52},
	{"the arguments of a call in a message", "tools-parallel", sub(34, `{\"n\":1,`, `{\"n\":7,`), finding.AuditToolBlock, 34},
	{"the name of a call in a closed block", "tools-parallel", sub(30, `"anchor"`, `"hoist"`), finding.AuditToolBlock, 34},
	{"a block out of a message", "tools-parallel", sub(34, `,{"type":"tool-call","id":"c5","name":"balloon","arguments":"{\"n\":4}"}`, ""), finding.AuditBlocks, 34},
	{"a truncated call kept in its message", "max-tokens-empty-content", sub(37, `"content":[]`, `"content":[{"type":"tool-call","id":"cut1","name":"tie_knot","arguments":"{\"kn"}]`), finding.AuditBlocks, 37},
	{"the end of a truncated answer", "max-tokens-empty-content", sub(36, "max-tokens", "stop"), finding.AuditBlocks, 37},
	{"an interrupted message made a whole one", "cancel-mid-stream", sub(68, `,"interrupted":true`, ""), finding.AuditBlocks, 68},
	{"the type of a block", "text-one-turn", sub(18, `{"type":"text"`, `{"type":"reasoning"`), finding.AuditBlocks, 18},
	{"the last chunk not cited", "tools-parallel", sub(54, ",53]", "]"), finding.AuditSources, 54},
	{"chunks not cited at all", "tools-parallel", sub(54, `"sourceEventSeqs":[47,48,49,50,51,52,53],`, ""), finding.AuditSources, 54},
	{"the chunks of a failed attempt cited too", "retry-attempts", sub(44, `[36,`, `[33,36,`), finding.AuditSources, 44},
	{"the usage of a message", "tools-parallel", sub(54, `"inputTokens":120`, `"inputTokens":12`), finding.AuditUsage, 54},
	{"the usage of a chunk", "tools-parallel", sub(52, `"outputTokens":17`, `"outputTokens":18`), finding.AuditUsage, 54},
	{"usage without a chunk", "scripted-replay-state", sub(44, `"time":1796098270442,"data":{`, `"time":1796098270442,"data":{"usage":{"inputTokens":1,"outputTokens":1},`), finding.AuditUsage, 44},
	{"the replay state of a message", "scripted-replay-state", sub(13, "QUJD", "QUJE"), finding.AuditReplayState, 13},
	{"the replay state of a finish", "scripted-replay-state", sub(12, `"id":"r1"`, `"id":"r2"`), finding.AuditReplayState, 13},
	{"a replay state of another number of blocks", "scripted-replay-state", sub(12, `"blocks":[{`, `"blocks":[{},{`), finding.AuditReplayState, 13},
	{"a message where the attempt failed", "retry-attempts", put(34, "assistant/message", `"data":{"turn":2,"step":1,"message":{"role":"assistant","content":[{"type":"text","text":"A whole"}],"source":{"kind":"model","provider":"deepseek-official","model":"deepseek-v4-flash"},"id":"m-1"}},"sourceEventSeqs":[30,31,32,33],"surfaceOp":"append"`), finding.AuditFinish, 34},
	{"an interrupted message taken out", "cancel-mid-stream", gone(16), finding.AuditMessageMissing, 17},
	{"an interrupted message in a completed turn", "cancel-mid-stream", sub(70, `{"kind":"aborted","reason":{"kind":"user"}}`, `{"kind":"error","error":{"message":"x","code":"UNKNOWN"}}`), finding.AuditInterrupted, 68},
	{"the model of a message", "tools-parallel", sub(54, `"model":"deepseek-v4-flash"`, `"model":"deepseek-v4-pro"`), finding.AuditRoute, 54},
	{"a chunk after the message", "tools-parallel", put(55, "assistant/chunk", `"data":{"turn":1,"step":2,"chunk":{"type":"usage","usage":{"inputTokens":1,"outputTokens":1}}}`), finding.AuditChunkLate, 55},

	// Turns and steps.
	{"the number of a turn", "tools-sequential", sub(59, `"turn":2`, `"turn":3`), finding.AuditTurnOrder, 59},
	{"the end of a turn taken out", "tools-sequential", gone(57), finding.AuditTurnOrder, 59},
	{"the start of a turn taken out, so that its claim is outside", "tools-sequential", gone(59), finding.AuditInbox, 60},
	{"the number at a turn's end", "tools-sequential", sub(57, `"turn":1`, `"turn":2`), finding.AuditTurnOrder, 57},
	{"the number of a step", "tools-sequential", sub(26, `"step":2`, `"step":3`), finding.AuditStepOrder, 26},
	{"the end of a step taken out", "tools-sequential", gone(25), finding.AuditStepOrder, 26},
	{"the end of a turn's last step taken out", "tools-sequential", gone(56), finding.AuditStepOrder, 57},
	{"the turn of a step", "tools-sequential", sub(61, `"turn":2`, `"turn":1`), finding.AuditStepOrder, 61},
	{"the step of a chunk", "tools-sequential", sub(54, `"step":3`, `"step":2`), finding.AuditOutsideStep, 54},
	{"the step of a row of chunks", "tools-parallel", sub(48, `"step":2`, `"step":1`), finding.AuditOutsideStep, 48},
	{"the turn of a tool call", "tools-sequential", sub(23, `"turn":1`, `"turn":2`), finding.AuditOutsideStep, 23},
	{"the step of a tool result", "tools-sequential", sub(42, `"step":2`, `"step":1`), finding.AuditOutsideStep, 42},
	{"the step of a message", "tools-sequential", sub(55, `"step":3`, `"step":1`), finding.AuditOutsideStep, 55},
	{"a truncated turn called completed", "max-tokens-empty-content", sub(11, "max-tokens", "completed"), finding.AuditTurnReason, 11},
	{"a completed turn called truncated", "max-tokens-empty-content", sub(72, "completed", "max-tokens"), finding.AuditTurnReason, 72},
	{"a cancelled turn called completed", "cancel-mid-stream", sub(41, `{"kind":"aborted","reason":{"kind":"user"}}`, `{"kind":"completed"}`), finding.AuditTurnReason, 41},
	{"the last answer of a turn taken out", "text-one-turn", gone(18), finding.AuditTurnReason, 20},
	{"a todo list between turns", "tools-sequential", put(58, "todo/write", `"data":{"items":[]}`), finding.AuditTodo, 58},

	// Tools.
	{"the arguments of a call", "tools-parallel", sub(35, `{\"n\":1,`, `{\"n\":9,`), finding.AuditToolCall, 35},
	{"the name of a call", "tools-parallel", sub(41, `"anchor"`, `"hoist"`), finding.AuditToolCall, 41},
	{"the id of a call", "tools-parallel", sub(41, `"c4"`, `"c9"`), finding.AuditToolCall, 41},
	{"a call taken out", "tools-sequential", gone(41), finding.AuditToolResult, 42},
	{"the call that a result answers", "tools-parallel", all(44, `"c5"`, `"c4"`), finding.AuditToolResult, 44},
	{"what a result cites", "tools-parallel", sub(39, `[36]`, `[35]`), finding.AuditResultSources, 39},
	{"a result that cites nothing", "tools-parallel", sub(39, `"sourceEventSeqs":[36],`, ``), finding.AuditResultSources, 39},
	{"a result taken out", "tools-sequential", gone(42), finding.AuditUnanswered, 43},
	{"calls in another order", "tools-parallel", both(all(35, "c1", "c7"), all(36, "c2", "c1"), sub(36, `{\"n\":2,\"wait\":1}`, `{\"n\":1,\"wait\":30}`), all(35, "c7", "c2"), sub(35, `{\"n\":1,\"wait\":30}`, `{\"n\":2,\"wait\":1}`), sub(38, "[35]", "[36]"), sub(39, "[36]", "[35]")), finding.AuditToolOrder, 35},
	{"two calls of one id", "tools-parallel", both(all(18, `"c3"`, `"c2"`), all(29, `"c3"`, `"c2"`), all(34, `"c3"`, `"c2"`), all(37, `"c3"`, `"c2"`), all(40, `"c3"`, `"c2"`)), finding.AuditRepeatedCall, 34},
	{"an answer with two messages", "tools-parallel", both(copyEvent(54, 55), sub(55, `"id":"f6624879`, `"id":"f6624870`)), finding.AuditSecondMessage, 55},

	// Headers and retries.
	{"a header between turns", "header-changes", both(copyEvent(21, 16), gone(21)), finding.AuditHeaderOutside, 16},
	{"the first header's reason", "header-changes", sub(5, `"reason":"initial"`, `"reason":"resume"`), finding.AuditHeaderReason, 5},
	{"a later header's reason", "header-changes", sub(21, `"reason":"change"`, `"reason":"resume"`), finding.AuditHeaderReason, 21},
	{"a second first header", "header-changes", sub(21, `"reason":"change"`, `"reason":"initial"`), finding.AuditHeaderReason, 21},
	{"a resumed header's reason", "crash-torn-line", sub(61, `"reason":"resume"`, `"reason":"change"`), finding.AuditHeaderReason, 61},
	{"a change that changes nothing", "header-changes", sub(37, `"reasoningEffort":"max","maxTokens":7777},"adapterDefaults":{"maxTokens":true}`, `"reasoningEffort":"high","maxTokens":7777},"adapterDefaults":{"reasoningEffort":true,"maxTokens":true}`), finding.AuditHeaderReason, 37},
	{"a reason of old logs", "header-changes", sub(21, `"reason":"change"`, `"reason":"continuation"`), finding.AuditHeaderOld, 21},
	{"a resumed header taken out", "crash-torn-line", gone(61), finding.AuditHeaderMissing, 62},
	{"the model of a request context", "header-changes", sub(22, "deepseek-v4-pro", "deepseek-v4-flash"), finding.AuditContext, 22},
	{"the context of a changed route taken out", "header-changes", gone(22), finding.AuditContext, 23},
	{"the failure of a retry", "retry-attempts", sub(34, `"code":"TRANSPORT"}}`, `"code":"SERVER"}}`), finding.AuditRetry, 34},
	{"the number of a started retry", "retry-attempts", sub(71, `"retry":2`, `"retry":1`), finding.AuditRetry, 71},
	{"the announcement of a retry taken out", "retry-attempts", gone(34), finding.AuditRetry, 35},
	{"the failure of an attempt taken out", "retry-attempts", sub(33, `"kind":"error"`, `"kind":"stop"`), finding.AuditRetry, 34},

	// Closers, lifetimes, forks.
	{"the id of a closing result", "crash-torn-line", sub(52, "q2-52", "q2-51"), finding.AuditCloser, 52},
	{"the code of a closing result", "crash-torn-line", sub(51, "TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN"), finding.AuditCloser, 51},
	{"the time of a closing result", "crash-torn-line", sub(51, `"time":1796098271153`, `"time":1796098271154`), finding.AuditCloser, 51},
	{"a closing result that is no error", "crash-torn-line", sub(51, `"isError":true`, `"isError":false`), finding.AuditCloser, 51},
	{"a closing result taken out", "crash-torn-line", gone(52), finding.AuditCloser, 52},
	{"the time of a closed turn's end", "crash-torn-line", sub(54, `"time":1796098271153`, `"time":1796098271159`), finding.AuditCloser, 54},
	{"the reason of a closed turn's end", "crash-torn-line", sub(54, "interrupted", "blocked"), finding.AuditCloser, 54},
	{"a closed turn's end taken out", "crash-torn-line", gone(54), finding.AuditCloser, 54},
	{"the start of a lifetime taken out", "crash-torn-line", gone(55), finding.AuditCloser, 55},
	{"the boundary of a fork", "fork-plain-and-override/children/1", sub(-1, `"seedLength":16`, `"seedLength":14`), finding.AuditForkBoundary, 14},

	// Compaction and pruning.
	{"what a summary shadows", "compaction-pressure", sub(103, `"shadowedSeqs":[4,14,`, `"shadowedSeqs":[4,`), finding.AuditCompaction, 104},
	{"the range of a summary", "compaction-pressure", sub(103, `{"start":4,"end":90}`, `{"start":4,"end":83}`), finding.AuditCompaction, 104},
	{"the text of a summary", "compaction-pressure", sub(103, `"summary":[{"type":"text","text":"## So far`, `"summary":[{"type":"text","text":"## So fat`), finding.AuditCompaction, 104},
	{"the text that a compaction leaves", "compaction-pressure", sub(104, `## So far`, `## So fat`), finding.AuditCompaction, 104},
	{"a summary's record taken out", "compaction-pressure", gone(103), finding.AuditCompaction, 104},
	{"what a compaction leaves taken out", "overflow-recovery-in-step", gone(134), finding.AuditCompaction, 133},
	{"the start of a compaction taken out", "compaction-pressure", gone(102), finding.AuditCompaction, 103},
	{"the turn of a compaction", "compaction-pressure", sub(102, `"turn":4`, `"turn":3`), finding.AuditCompaction, 102},
	{"the id at a compaction's end", "compaction-pressure", sub(105, "bf59801c", "bf59801d"), finding.AuditCompaction, 105},
	{"the end of a compaction taken out", "compaction-pressure", gone(105), finding.AuditCompaction, 117},
	{"what a pruning shadows", "overflow-recovery-in-step", sub(87, `"shadowedSeqs":[15]`, `"shadowedSeqs":[13]`), finding.AuditPrune, 88},
	{"a pruning's record an event too early", "overflow-recovery-in-step", swap(86, 87), finding.AuditPrune, 86},
	{"a pruning's record taken out", "overflow-recovery-in-step", gone(87), finding.AuditReplace, 88},

	// The inbox, ids, titles, time.
	{"how many messages a splice takes", "tools-parallel", sub(2, `"removedCount":1`, `"removedCount":2`), finding.AuditInbox, 2},
	{"where a splice begins", "tools-parallel", sub(0, `"start":0`, `"start":1`), finding.AuditInbox, 0},
	{"the inbox of a splice", "tools-parallel", sub(2, `next-turn`, `next-step`), finding.AuditInbox, 2},
	{"a claim of less than what waits", "inject-and-steer", sub(25, `"removedCount":3`, `"removedCount":2`), finding.AuditInbox, 25},
	{"a message that waits twice", "inject-and-steer", sub(21, "93ded99f-ed93-4886-ba70-e311aef1361e", "2668ff13-a080-4439-b7b0-0a8fbe64c628"), finding.AuditInbox, 21},
	{"an inherited message claimed by a fork", "fork-plain-and-override/children/1", sub(17, `"inserted":[{`, `"removedCount":1,"inserted":[{`), finding.AuditInbox, 17},
	{"the text of a message that entered", "tools-parallel", sub(4, "anchor in between", "anchor at the end"), finding.AuditEntered, 4},
	{"the text of a message in the inbox", "tools-parallel", sub(0, "anchor in between", "anchor at the end"), finding.AuditEntered, 4},
	{"a claim taken out", "tools-parallel", gone(2), finding.AuditInbox, 4},
	{"the id of a message that entered", "tools-parallel", sub(4, `"id":"d3b94a5a`, `"id":"d3b94a50`), finding.AuditNotEntered, 45},
	{"an id used twice", "tools-parallel", sub(39, "6361173e-0162-4fd3-9e71-397d128ae2d9", "65011d80-db66-4947-bdf1-b645c26128e3"), finding.AuditMessageID, 39},
	{"what a title is about", "session-title-oneshot", sub(5, `"messageSeqs":[4]`, `"messageSeqs":[3]`), finding.AuditTitle, 5},
	{"an event an hour back", "tools-parallel", sub(45, `"time":1796098055906`, `"time":1796094455906`), finding.AuditTimeBackwards, 45},

	// What providers reject.
	{"half of a surrogate pair", "tools-parallel", sub(38, "balloon 1 reads", `\ud83d reads`), finding.AuditLoneSurrogate, 38},
	{"half of a pair in a system prompt", "tools-parallel", sub(5, "You run", `\udc00 run`), finding.AuditLoneSurrogate, 5},
	{"a NUL", "tools-parallel", sub(38, "balloon 1 reads", `\u0000 reads`), finding.AuditNUL, 38},
	{"a byte that is not UTF-8", "tools-parallel", sub(38, "balloon 1 reads", "\xff reads"), finding.AuditInvalidUTF8, 38},
	{"a million bytes", "tools-parallel", sub(38, "balloon 1 reads", strings.Repeat("balloon ", 1<<17)), finding.AuditLarge, 38},
	{"a call without an id", "tools-parallel", both(all(23, `"c4"`, `""`), all(30, `"c4"`, `""`), all(34, `"c4"`, `""`), all(41, `"c4"`, `""`)), finding.AuditEmptyCallID, 34},
}

// TestEdits checks that each edit is caught by its code, alone or before all
// others: first in the log, notes aside that come before an error.
func TestEdits(t *testing.T) {
	for _, c := range edits {
		t.Run(c.name, func(t *testing.T) {
			x := readText(t, c.dir)
			c.edit(x)
			found, err := auditText(x)
			if err != nil {
				t.Fatal(err)
			}
			entry := c.code.Entry()
			for _, f := range found {
				if f.Severity < entry.Severity {
					continue
				}
				if f.Code != c.code || f.Place.Seq != c.seq {
					t.Errorf("got %s at seq %d (%s), want %s at seq %d", f.Code, f.Place.Seq, f.Message(), c.code, c.seq)
				}
				return
			}
			t.Errorf("found nothing, want %s", c.code)
		})
	}
}

// TestEveryCodeIsCaught checks that each code of the audit is earned by an edit or
// by a recorded log.
func TestEveryCodeIsCaught(t *testing.T) {
	earned := make(map[finding.Code]bool)
	for _, c := range edits {
		earned[c.code] = true
	}
	for _, list := range notes {
		for _, code := range list {
			earned[code] = true
		}
	}
	for _, e := range finding.Catalogue() {
		if code, _ := finding.Parse(e.Code); code.Is("audit") && !earned[code] {
			t.Errorf("no edit earns %s", e.Code)
		}
	}
}

// TestRequests checks that a hazard names the requests that it stands in.
func TestRequests(t *testing.T) {
	x := readText(t, "tools-sequential")
	sub(24, "pier gull", `\ud83d gull`)(x)
	found, err := auditText(x)
	if err != nil || len(found) != 1 {
		t.Fatal(err, found)
	}
	want := "1.2.1 1.3.1 2.1.1 2.2.1 2.3.1"
	if got := strings.Join(found[0].Requests, " "); got != want {
		t.Errorf("got requests %s, want %s", got, want)
	}
	x = readText(t, "tools-sequential")
	gone(42)(x)
	found, err = auditText(x)
	if err != nil || len(found) == 0 {
		t.Fatal(err, found)
	}
	want = "1.3.1 2.1.1 2.2.1 2.3.1"
	if got := strings.Join(found[0].Requests, " "); got != want {
		t.Errorf("got requests %s, want %s", got, want)
	}
}
