package verify_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
)

// TestSuperseded compares a resumed session with recordings with two lines for a
// number: an earlier one with other bytes is what a crash made the log lose; any
// other is one too many.
func TestSuperseded(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(fixtures, "resume-same-and-drift", "requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(bytes.TrimSpace(text), []byte("\n"))
	lines[len(lines)-1] = append(slices.Clone(lines[len(lines)-1]), '\n')
	last := lines[len(lines)-1]
	other := bytes.Replace(last, []byte(`"content":[`), []byte(`"content":[{"type":"text","text":"lost"},`), 1)
	for _, c := range []struct {
		name    string
		lines   [][]byte
		verdict finding.Verdict
		code    finding.Code
	}{
		{"as recorded", lines, finding.Verified, finding.Code{}},
		{"an earlier request of the number", append(slices.Clone(lines[:len(lines)-1]), other, last), finding.Verified, finding.RecordingSuperseded},
		{"a later request of the number", append(slices.Clone(lines), other), finding.Drift, finding.RecordingDuplicate},
		{"the same request twice", append(slices.Clone(lines), last), finding.Drift, finding.RecordingDuplicate},
		{"the same request twice, spelled otherwise", append(slices.Clone(lines[:len(lines)-1]), bytes.Replace(last, []byte(`"role"`), []byte(`"r\u006fle"`), 1), last), finding.Drift, finding.RecordingDuplicate},
		{"one of a process of which nothing was stored", append([][]byte{bytes.Replace(lines[0], []byte(`"content":[`), []byte(`"content":[{"type":"text","text":"x"},`), 1)}, lines...), finding.Drift, finding.RecordingDuplicate},
		{"an earlier request of the number in front of a process's last", append(append(slices.Clone(lines[:len(lines)-2]), other), lines[len(lines)-2:]...), finding.Drift, finding.RecordingDuplicate},
		{"another request instead", append(slices.Clone(lines[:len(lines)-1]), other), finding.Drift, finding.RecordingDrift},
	} {
		path := filepath.Join(t.TempDir(), "requests.jsonl")
		if err := os.WriteFile(path, bytes.Join(c.lines, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := requestlog.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		log := run(logBytes(t, "resume-same-and-drift"), check.Options{Recording: file})
		file.Close()
		if log.Verdict != c.verdict || c.code != (finding.Code{}) && !slices.Contains(codesOf(log), c.code) {
			t.Errorf("%s: verdict %s, findings %v", c.name, log.Verdict, codesOf(log))
		}
	}
}
