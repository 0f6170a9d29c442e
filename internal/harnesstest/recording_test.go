package harnesstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// checkEdits edits one recorded request: it must drift, and no other.
func checkEdits(p *plan, dir string, log *source.Log, path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	r := rand.New(rand.NewPCG(p.Seed, 2))
	lines := bytes.SplitAfter(bytes.TrimSpace(text), []byte("\n"))
	i := r.IntN(len(lines))
	edited, what := editRequest(r, lines[i])
	key := entryKey(lines[i])
	lines[i] = edited
	copied := filepath.Join(dir, "edited.jsonl")
	if err := os.WriteFile(copied, bytes.Join(lines, nil), 0o644); err != nil {
		return 0, err
	}
	report, err := run(dir, log, copied)
	if err != nil {
		return 0, err
	}
	for _, row := range report.Requests {
		if row.Key() == key && row.Prepared && row.Verdict == finding.Rebuilt && namesSuperseded(report, key) {
			return 1, nil // nothing tells it from one that a crash made the log lose
		}
		if want := row.Key() == key; want != (row.Verdict == finding.Drift) {
			return 0, fmt.Errorf("the recorded request %s was edited (%s), and request %s is %s", key, what, row.Key(), row.Verdict)
		}
	}
	if report.Verdict != finding.Drift {
		return 0, fmt.Errorf("the recorded request %s was edited (%s), and the verdict is %s", key, what, report.Verdict)
	}
	return 1, nil
}

// editRequest changes one letter or digit of the request, or drops it.
func editRequest(r *rand.Rand, line []byte) (edited []byte, what string) {
	from := bytes.Index(line, []byte(`"request":{`)) + len(`"request":{`)
	for {
		at := from + r.IntN(len(line)-from)
		c := line[at]
		if !(c >= 'a' && c <= 'e' || c >= '1' && c <= '8') || line[at-1] == '\\' {
			continue
		}
		edited = append([]byte(nil), line...)
		edited[at]++
		return edited, fmt.Sprintf("byte %d", at-from)
	}
}

func entryKey(line []byte) string {
	var e struct{ Turn, Step, Attempt int }
	if err := json.Unmarshal(line, &e); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d.%d.%d", e.Turn, e.Step, e.Attempt)
}

// seesImages is a check that notes whether a log has images.
type seesImages struct {
	verify.Base
	any bool
}

// Before looks at an act.
func (s *seesImages) Before(act *transcript.Act) {
	s.any = s.any || act.Event != nil && bytes.Contains(act.Event.Data, []byte(`"type":"image"`))
}
