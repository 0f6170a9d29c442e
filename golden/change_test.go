package golden_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-verify/dsh-verify/golden"
)

// plain returns a fixture's log as text.
func plain(t testing.TB, dir string) string {
	t.Helper()
	if text, err := os.ReadFile(filepath.Join(fixtures, dir, "session.jsonl")); err == nil {
		return string(text)
	}
	packed, err := os.ReadFile(filepath.Join(fixtures, dir, "session.jsonl.zstd"))
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	text, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An edit changes a log's text.
type edit func(t *testing.T, text string) string

// sub replaces the only place where from stands in the line of an event.
func sub(seq int, from, to string) edit {
	return func(t *testing.T, text string) string {
		lines := strings.SplitAfter(text, "\n")
		at := lineOf(t, lines, seq)
		if strings.Count(lines[at], from) != 1 {
			t.Fatalf("seq %d holds %q %d times", seq, from, strings.Count(lines[at], from))
		}
		lines[at] = strings.Replace(lines[at], from, to, 1)
		return strings.Join(lines, "")
	}
}

func lineOf(t *testing.T, lines []string, seq int) int {
	for i, line := range lines {
		if strings.Contains(line, fmt.Sprintf(`"seq":%d,`, seq)) {
			return i
		}
	}
	t.Fatalf("no seq %d", seq)
	return 0
}

// drop removes events and renumbers everything after them.
func drop(seqs ...int) edit {
	return func(t *testing.T, text string) string {
		lines := strings.SplitAfter(text, "\n")
		for i := len(seqs) - 1; i >= 0; i-- {
			at := lineOf(t, lines, seqs[i])
			lines = append(lines[:at], lines[at+1:]...)
			for k := at; k < len(lines); k++ {
				lines[k] = renumber(lines[k], seqs[i])
			}
		}
		return strings.Join(lines, "")
	}
}

var (
	number  = regexp.MustCompile(`"(seq|seq0)":([0-9]+)`)
	sources = regexp.MustCompile(`"sourceEventSeqs":\[[0-9,]*\]`)
	digits  = regexp.MustCompile(`[0-9]+`)
)

func renumber(line string, gone int) string {
	less := func(s string) string {
		n, _ := strconv.Atoi(s)
		if n > gone {
			n--
		}
		return strconv.Itoa(n)
	}
	line = sources.ReplaceAllStringFunc(line, func(list string) string {
		list = strings.ReplaceAll(list, fmt.Sprintf("[%d,", gone), "[")
		list = strings.ReplaceAll(list, fmt.Sprintf(",%d,", gone), ",")
		return digits.ReplaceAllStringFunc(list, less)
	})
	at := number.FindStringSubmatchIndex(line)
	if at == nil { // after the last line
		return line
	}
	return line[:at[4]] + less(line[at[4]:at[5]]) + line[at[5]:]
}

func both(edits ...edit) edit {
	return func(t *testing.T, text string) string {
		for _, e := range edits {
			text = e(t, text)
		}
		return text
	}
}

// everywhere replaces a text in the whole log.
func everywhere(from, to string) edit {
	return func(_ *testing.T, text string) string { return strings.ReplaceAll(text, from, to) }
}

func swapTools(t *testing.T, text string) string {
	const second = `{"name":"tie_knot",`
	lines := strings.SplitAfter(text, "\n")
	at := lineOf(t, lines, 5)
	start, end := strings.Index(lines[at], `"tools":[`)+len(`"tools":[`), strings.Index(lines[at], `]},"reason"`)
	middle := strings.Index(lines[at], second)
	lines[at] = lines[at][:start] + lines[at][middle:end] + "," + lines[at][start:middle-1] + lines[at][end:]
	return strings.Join(lines, "")
}

// line prints a change as the tables below spell it: kind, name, number, seq,
// values that are no digests, requests.
func line(c golden.Change) string {
	parts := []string{string(c.Kind)}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if c.Name != "" {
		add("%s", c.Name)
	}
	if c.Number > 0 {
		add("#%d", c.Number)
	}
	if len(c.Headers) > 0 {
		add("and %v", c.Headers)
	}
	if c.Place.Seq >= 0 {
		add("seq %d", c.Place.Seq)
	}
	if len(c.Old) != 64 && len(c.New) != 64 && c.Old+c.New != "" {
		add("%s→%s", c.Old, c.New)
	}
	if len(c.Requests) > 0 {
		add("in %s", strings.Join(c.Requests, " "))
	}
	return strings.Join(parts, " ")
}

const toolsSequential = "tools-sequential"

// TestChanges edits recorded logs: the changes are exactly what was edited, and
// the requests exactly those that hold it.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		name, log string
		edit      edit
		want      []string
	}{
		{"nothing", toolsSequential, both(), nil},
		{"another time", toolsSequential, sub(24, `"time":1796098055662`, `"time":1796098055663`), nil},
		{"a chunk is gone", toolsSequential, drop(90), nil},
		{"text of a tool result", toolsSequential, sub(24, "09:40", "09:41"), []string{
			"changed-message #3 seq 24 in 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1",
		}},
		{"text of the last answer, which no request holds", toolsSequential, sub(95, `"text":"Those two`, `"text":"These two`), []string{
			"changed-message #12 seq 95",
		}},
		{"two messages", toolsSequential, both(sub(24, "09:40", "09:41"), sub(62, "silly", "sillier")), []string{
			"changed-message #3 seq 24 in 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1",
			"changed-message #7 seq 62 in 2.1.1 2.2.1 2.3.1",
		}},
		{"description of a tool", toolsSequential, sub(5, "recorded at one named pier", "recorded at a pier"), []string{
			"changed-tool tide_table #1 seq 5 in 1.1.1 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1",
		}},
		{"order of tools", toolsSequential, swapTools, []string{
			`tools-reordered #1 seq 5 "tide_table", "tie_knot"→"tie_knot", "tide_table" in 1.1.1 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1`,
		}},
		{"name of a tool", toolsSequential, sub(5, `"name":"tie_knot"`, `"name":"make_knot"`), []string{
			"tool-added make_knot #1 seq 5 in 1.1.1 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1",
			"tool-removed tie_knot #1 seq 5 in 1.1.1 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1",
		}},
		{"system prompt", toolsSequential, sub(5, "harbour clerk", "pier clerk"), []string{
			"changed-system #1 seq 5 in 1.1.1 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1",
		}},
		{"config field", toolsSequential, sub(5, "256000", "128000"), []string{
			"changed-config maxTokens #1 seq 5 256000→128000 in 1.1.1 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1",
		}},
		{"config field that is new", toolsSequential, sub(5, `"maxTokens":256000`, `"maxTokens":256000,"temperature":0.5`), []string{
			"changed-config temperature #1 seq 5 →0.5 in 1.1.1 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1",
		}},
		{"order of the config", toolsSequential, sub(5, `"maxTokens":256000,"reasoningEffort":"high"`, `"reasoningEffort":"high","maxTokens":256000`), []string{
			`config-reordered #1 seq 5 provider, model, maxTokens, reasoningEffort→provider, model, reasoningEffort, maxTokens in 1.1.1 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1`,
		}},
		{"reason of a header", toolsSequential, sub(5, `"reason":"initial"`, `"reason":"change"`), []string{
			"changed-header #1 seq 5 initial→change",
		}},
		{"a tool result is gone, and everything renumbered", toolsSequential, drop(24), []string{
			"message-removed #3 in 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1",
		}},
		{"a user message is gone", toolsSequential, drop(62), []string{
			"message-removed #7 in 2.1.1 2.2.1 2.3.1",
		}},
		{"the session id", toolsSequential, everywhere("ses-harbour-01", "ses-harbour-02"), []string{
			"changed-session id ses-harbour-01→ses-harbour-02 in 1.1.1 1.2.1 1.3.1 2.1.1 2.2.1 2.3.1",
		}},
		{"the last turn is gone", toolsSequential, func(_ *testing.T, text string) string {
			return text[:strings.Index(text, `{"type":"turn/start","seq":59,`)]
		}, []string{
			"message-removed #7", "message-removed #8", "message-removed #9", "message-removed #10", "message-removed #11", "message-removed #12",
			"request-removed in 2.1.1 2.2.1 2.3.1",
		}},
		{"a header and what it changed are gone", "header-changes", drop(98), []string{
			"header-removed #7 in 7.1.1",
		}},
		{"a tool in all snapshots", "header-changes", everywhere("would tie the requested", "ties the requested"), []string{
			"changed-tool tie_knot #1 and [2 3 4 5 6 7 8 9] seq 5 in 1.1.1 2.1.1 3.1.1 4.1.1 5.1.1 6.1.1 7.1.1 8.1.1 9.1.1 10.1.1",
		}},
		{"a resume with other tools", "resume-same-and-drift", sub(24, `"system":"You mind a ferry."`, `"system":"You mind a ferry.","tools":[{"name":"whistle"}]`), []string{
			"tool-added whistle #2 seq 24 in 2.1.1",
		}},
	} {
		text := plain(t, c.log)
		want := record(t, []byte(text))
		parsed, err := golden.Parse(bytes.NewReader(golden.Format(want)))
		if err != nil {
			t.Fatal(err)
		}
		sum, changes, err := golden.Check(parsed, reader([]byte(c.edit(t, text))))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, change := range changes {
			got = append(got, line(change))
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if back := golden.Compare(sum, want); (len(back) == 0) != (len(changes) == 0) {
			t.Errorf("%s: changed one way only", c.name)
		}
	}
}

// TestEveryLineCounts checks that a sum file with a line less, or with two lines
// exchanged, is malformed or reported as changed.
func TestEveryLineCounts(t *testing.T) {
	for _, dir := range []string{"header-changes", "tool-result-pruning", "retry-attempts", "compaction-pressure"} {
		text := []byte(plain(t, dir))
		file := golden.Format(record(t, text))
		lines := bytes.SplitAfter(file, []byte("\n"))
		lines = lines[:len(lines)-1]
		for i := range lines {
			less := append(append([][]byte{}, lines[:i]...), lines[i+1:]...)
			swapped := append([][]byte{}, lines...)
			if i+1 < len(lines) {
				swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			}
			for _, other := range [][][]byte{less, swapped} {
				other := bytes.Join(other, nil)
				if bytes.Equal(other, file) {
					continue
				}
				sum, err := golden.Parse(bytes.NewReader(other))
				if err != nil {
					continue
				}
				if _, changes, err := golden.Check(sum, reader(text)); err != nil || len(changes) == 0 {
					t.Errorf("%s: line %d (%s): %v, no change", dir, i+1, lines[i], err)
				}
			}
		}
	}
}
