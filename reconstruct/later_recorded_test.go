package reconstruct_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// A laterCase is a recorded log of format 2 to 4.
type laterCase struct {
	log       string
	recording string
	shape     string // of the recorded requests; "" where the format has one
}

func laterCases(t *testing.T) (cases []laterCase) {
	for format := 2; format <= 4; format++ {
		for _, below := range []string{"*", "*/children/*"} {
			logs, _ := filepath.Glob(filepath.Join(fixtures, fmt.Sprintf("format%d", format), below, fmt.Sprintf("session.v%d.jsonl*", format)))
			for _, log := range logs {
				c := laterCase{log: log}
				for _, name := range []string{"requests.jsonl", "rebuilt.jsonl"} {
					if path := filepath.Join(filepath.Dir(log), name); c.recording == "" && fileExists(path) {
						c.recording = path
					}
				}
				switch {
				case strings.Contains(log, "v017-"):
					c.shape = "0.1.7"
				case format == 4:
					c.shape = "0.2"
				}
				cases = append(cases, c)
			}
		}
	}
	const known = 40
	if len(cases) < known {
		t.Errorf("only %d logs of later formats were found", len(cases))
	}
	return cases
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// requestLines lists what a log gives, each request in every shape that it may have had:
// a line of the recording, and how the shape is known.
func requestLines(t *testing.T, log, chosen string) (lines map[string]*reconstruct.Request, sent []string) {
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	r := logformat.NewReader(bytes.NewReader(data), logformat.Options{Shape: chosen})
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	lines = make(map[string]*reconstruct.Request)
	for q, err := range reconstruct.NewSession(header, reconstruct.Options{}).Requests(r) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range q.Variants() {
			check(t, v)
			lines[fmt.Sprintf(`{"sessionId":%q,"turn":%d,"step":%d,"attempt":%d,"request":%s}`, v.SessionID, v.Turn, v.Step, v.Attempt, v.Bytes())] = v.Keep()
		}
		if !q.Prepared {
			sent = append(sent, q.Key())
		}
	}
	return lines, sent
}

// TestRecordedLaterRequests compares every rebuilt request of formats 2 to 4 with what was
// sent.
func TestRecordedLaterRequests(t *testing.T) {
	for _, c := range laterCases(t) {
		t.Run(strings.TrimPrefix(c.log, fixtures+"/"), func(t *testing.T) {
			if c.recording == "" {
				t.Skip("nothing was recorded")
			}
			recorded, err := os.ReadFile(c.recording)
			if err != nil {
				t.Fatal(err)
			}
			got, sent := requestLines(t, c.log, "")
			var keys []string
			for line := range bytes.Lines(recorded) {
				key := keyOf(t, line)
				q := got[string(bytes.TrimSpace(line))]
				switch {
				case q == nil && lost[filepath.Base(filepath.Dir(c.log))] != key:
					t.Errorf("request %s is not rebuilt as it was recorded", key)
				case q != nil && q.Shape() != c.shape && !strings.Contains(c.log, "mixed"):
					t.Errorf("request %s has shape %s, want %s", key, q.Shape(), c.shape)
				}
				if q == nil || !q.Prepared {
					keys = append(keys, key)
				}
			}
			if overMigrated := strings.Contains(c.log, "resume-over-migrated"); !overMigrated && !slices.Equal(keys, sent) {
				t.Errorf("requests %v were recorded, and %v rebuilt", keys, sent)
			}
		})
	}
}

// lost names requests that a migration could not carry over, by case: a row that a plugin
// appended while the first byte was awaited stands before the settlement now.
var lost = map[string]string{"append-while-waiting": "1.1.1"}

// TestChosenShape: what the log does not tell is as the options say, and a sign of the log
// goes before them.
func TestChosenShape(t *testing.T) {
	for _, c := range laterCases(t) {
		for _, chosen := range []string{"0.2", "0.1.7"} {
			lines, _ := requestLines(t, c.log, chosen)
			for _, q := range lines {
				if len(q.Variants()) != 1 {
					t.Errorf("%s: request %s has variants, though %s was chosen", c.log, q.Key(), chosen)
				}
				if q.ShapeSource() == reconstruct.ShapeChosen && q.Shape() != chosen {
					t.Errorf("%s: request %s has shape %s, %s was chosen", c.log, q.Key(), q.Shape(), chosen)
				}
			}
		}
	}
}
