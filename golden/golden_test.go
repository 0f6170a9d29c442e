package golden_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/golden"
	"github.com/dsh-verify/dsh-verify/internal/loggen"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

const fixtures = "../fixtures"

func reader(text []byte) *logformat.Reader {
	return logformat.NewReader(bytes.NewReader(text), logformat.Options{})
}

func record(t testing.TB, text []byte) *golden.Sum {
	t.Helper()
	sum, err := golden.Record(reader(text))
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// sound returns the fixtures' logs that the harness opens, by path.
func sound(t testing.TB) map[string][]byte {
	t.Helper()
	logs := make(map[string][]byte)
	for _, pattern := range []string{"*/session.jsonl", "*/session.jsonl.zstd", "*/children/*/session.jsonl", "*/children/*/session.jsonl.zstd"} {
		paths, _ := filepath.Glob(filepath.Join(fixtures, pattern))
		for _, path := range paths {
			if strings.Contains(path, "/reject-") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			logs[path] = text
		}
	}
	if len(logs) < 50 {
		t.Fatalf("only %d logs", len(logs))
	}
	return logs
}

// TestRoundTrip checks that a sum file is read as it was written, and that a log is
// unchanged against its own.
func TestRoundTrip(t *testing.T) {
	for path, text := range sound(t) {
		sum := record(t, text)
		file := golden.Format(sum)
		parsed, err := golden.Parse(bytes.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if again := golden.Format(parsed); !bytes.Equal(again, file) {
			t.Errorf("%s: parsed and formatted, the sum file is another", path)
		}
		crlf := bytes.ReplaceAll(file, []byte("\n"), []byte("\r\n"))
		if windows, err := golden.Parse(bytes.NewReader(crlf)); err != nil || !bytes.Equal(golden.Format(windows), file) {
			t.Errorf("%s: with carriage returns: %v", path, err)
		}
		_, changes, err := golden.Check(parsed, reader(text))
		if err != nil || len(changes) > 0 {
			t.Errorf("%s: changed against its own sum file: %v %v", path, changes, err)
		}
		lines := bytes.Split(file, []byte("\n"))
		for i, m := range parsed.Messages {
			if !bytes.HasPrefix(lines[m.Line-1], []byte("message ")) || m.Line != sum.Messages[i].Line {
				t.Errorf("%s: message %d is not at line %d", path, i+1, m.Line)
			}
		}
	}
}

// TestRecordedDigests compares the request lines with what the harness sent.
func TestRecordedDigests(t *testing.T) {
	requests := 0
	for path, text := range sound(t) {
		recorded, err := os.ReadFile(filepath.Join(filepath.Dir(path), "requests.jsonl"))
		if err != nil {
			continue
		}
		sent := make(map[string]string)
		for line := range bytes.Lines(recorded) {
			var entry struct {
				Turn, Step, Attempt int
				Request             json.RawMessage
			}
			if err := json.Unmarshal(line, &entry); err != nil {
				t.Fatal(err)
			}
			digest := sha256.Sum256(entry.Request)
			sent[fmt.Sprintf("%d.%d.%d", entry.Turn, entry.Step, entry.Attempt)] = fmt.Sprintf("%d %s", len(entry.Request), hex.EncodeToString(digest[:]))
		}
		for _, q := range record(t, text).Requests {
			got := fmt.Sprintf("%d %s", q.Bytes, q.Digest)
			if want := sent[q.Key()]; want != got && !(q.Prepared && want == "") && want != "" {
				t.Errorf("%s: request %s is %s, the harness sent %s", path, q.Key(), got, want)
			}
			requests++
		}
	}
	if requests < 100 {
		t.Errorf("only %d requests were compared", requests)
	}
}

// TestMessagesOfRequests holds the messages that a sum file says a request holds,
// by appends, replaces and counts, against those that it holds.
func TestMessagesOfRequests(t *testing.T) {
	for path, text := range sound(t) {
		r := reader(text)
		header, err := r.Header()
		if err != nil {
			t.Fatal(err)
		}
		held := make(map[string][]int64)
		session := reconstruct.NewSession(header, reconstruct.Options{})
		for q, err := range session.Requests(r) {
			if err != nil {
				t.Fatal(err)
			}
			for m := range q.Messages() {
				held[q.Key()] = append(held[q.Key()], m.Seq)
			}
		}
		sum := record(t, text)
		for key, got := range golden.Holds(sum) {
			slices.Sort(held[key])
			if want := held[key]; !slices.Equal(got, want) {
				t.Errorf("%s: request %s holds the messages %v, the sum says %v", path, key, want, got)
			}
		}
	}
}

// TestSmallAndLinear checks that a long session has a small sum file.
func TestSmallAndLinear(t *testing.T) {
	var log bytes.Buffer
	if err := loggen.Write(&log, loggen.Options{Requests: 2000, Packed: true}); err != nil {
		t.Fatal(err)
	}
	sum := record(t, log.Bytes())
	file := golden.Format(sum)
	if len(sum.Requests) != 2000 {
		t.Fatalf("%d requests", len(sum.Requests))
	}
	if lines := bytes.Count(file, []byte("\n")); len(file) > 120*lines {
		t.Errorf("%d bytes in %d lines", len(file), lines)
	}
	if last := sum.Requests[1999]; last.Bytes < 10*sum.Requests[0].Bytes {
		t.Errorf("the requests do not grow: the last has %d bytes", last.Bytes)
	}
}

// TestParseRefuses checks that only what Format prints is a sum file.
func TestParseRefuses(t *testing.T) {
	digest := strings.Repeat("ab", 32)
	const head = "dsh-verify requests.sum v1\nsession \"a\" format 0\n"
	header := head + "header 1 \"initial\"\n"
	for _, c := range []struct{ file, want string }{
		{"", "ends before"},
		{"dsh-verify requests.sum v1\n", "ends before"},
		{"dsh-verify requests.sum v2\n", "does not know"},
		{"<<<<<<< HEAD\n", "does not start"},
		{head + "<<<<<<< HEAD\n", "line 3"},
		{head + "message user/message 3 " + digest, "was cut"},
		{head + "message user/message 3 abc\n", "line 3"},
		{head + "message user/message 03 " + digest + "\n", "line 3"},
		{head + "message user/message  3 " + digest + "\n", "line 3"},
		{head + "message user/message 3 -\n", "line 3"},
		{head + "message user/message 3 " + digest + " replaces 1-1\n", "line 3"},
		{head + "message user/message 3 " + digest + " \n", "line 3"},
		{head + "\n", "line 3"},
		{head + "  system 3 " + digest + "\n", "after no header"},
		{head + "header 2 \"initial\"\n", "line 3"},
		{head + "header 1 \"initial\" as 1\n", "line 3"},
		{header + "  system 3 " + digest + "\n  config \"a\" 1\n", "not in order"},
		{header + "  system 3 " + digest + "\n  system 3 " + digest + "\n", "not in order"},
		{header + "  config \"a\" 1.0\n", "line 4"},
		{header + "  config \"a\" 3:" + digest + "\n", "line 4"},
		{header + "  config \"\\u0061\" 1\n", "line 4"},
		{header + "request 1.1.1 header 2 messages 0 bytes 3 " + digest + "\n", "line 4"},
		{header + "request 1.1.1 header 1 config 1 messages 0 bytes 3 " + digest + "\n", "line 4"},
		{header + "request 1.1.1 header 1 messages 1 bytes 3 " + digest + "\n", "line 4"},
		{header + "request 1.1 header 1 messages 0 bytes 3 " + digest + "\n", "line 4"},
	} {
		if _, err := golden.Parse(strings.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.file, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, dir := range []string{"header-changes", "tool-result-pruning", "retry-attempts", "fork-plain-and-override/children/1"} {
		text, err := os.ReadFile(filepath.Join(fixtures, dir, "session.jsonl"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(golden.Format(record(f, text)))
	}
	base := record(f, mustRead(f, "tool-result-pruning"))
	f.Fuzz(func(t *testing.T, file []byte) {
		sum, err := golden.Parse(bytes.NewReader(file))
		if err != nil {
			return
		}
		want := bytes.ReplaceAll(file, []byte("\r\n"), []byte("\n"))
		if got := golden.Format(sum); !bytes.Equal(got, want) {
			t.Errorf("%q is formatted as %q", want, got)
		}
		if changes := golden.Compare(sum, sum); changes != nil {
			t.Errorf("changed against itself: %v", changes)
		}
		if !bytes.Equal(golden.Format(base), golden.Format(sum)) && len(golden.Compare(base, sum)) == 0 {
			t.Errorf("%q: no change against another sum", file)
		}
	})
}

func mustRead(t testing.TB, dir string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(fixtures, dir, "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
