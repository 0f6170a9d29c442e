package audit_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check/audit"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/logformat"
)

const fixtures = "../../../fixtures"

// known is what the recorded sessions hold besides notes: content that was put
// there to be hard. Nothing else may be found in what the harness wrote.
var known = map[string][]finding.Code{
	"resume-over-handwritten-json": {finding.AuditLoneSurrogate, finding.AuditNUL},
}

// notes are the notes that the recorded sessions earn.
var notes = map[string][]finding.Code{
	"resume-over-handwritten-json": {finding.AuditNotEntered}, // the id was edited
	"crash-outcome-unknown":        {finding.AuditOpenTurn},   // its log before the repair
	"crash-torn-line":              {finding.AuditOpenTurn},
}

// TestRecorded checks that no rule speaks up about what the harness wrote:
// sessions, forks, subagents, logs before their repair, and all containers.
func TestRecorded(t *testing.T) {
	logs := 0
	err := filepath.WalkDir(fixtures, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(fixtures, path)
		name, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		if err != nil || d.IsDir() || strings.HasPrefix(name, "accept-") || strings.HasPrefix(name, "reject-") || name == "authored" {
			return err
		}
		switch base := d.Name(); {
		case strings.HasPrefix(base, "session.jsonl"), base == "store.db", base == "export.zip":
		default:
			return nil
		}
		place, err := source.Find(path, source.Spooled{})
		if err != nil {
			return err
		}
		defer place.Close()
		for _, log := range place.Logs {
			logs++
			reader, closer, err := log.Open(logformat.Options{})
			if err != nil {
				return err
			}
			_, found, err := audit.Check(reader)
			closer.Close()
			if err != nil {
				t.Errorf("%s: %v", log.Name, err)
			}
			allowed := append(append([]finding.Code{}, known[name]...), notes[name]...)
			for _, f := range found {
				if !slices.Contains(allowed, f.Code) {
					t.Errorf("%s: %s %s at seq %d: %s", log.Name, f.Severity, f.Code, f.Place.Seq, f.Message())
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if logs < 40 {
		t.Errorf("audited %d logs, there are more", logs)
	}
}

// TestRefused checks that a log which cannot be trusted has no findings.
func TestRefused(t *testing.T) {
	cases, err := filepath.Glob(fixtures + "/reject-*/session.jsonl*")
	if err != nil || len(cases) == 0 {
		t.Fatal("no refused logs", err)
	}
	for _, path := range cases {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, found, err := audit.Check(logformat.NewReader(bytes.NewReader(data), logformat.Options{}))
		if err == nil && !strings.Contains(path, "header-other-id") || len(found) > 0 && err != nil {
			t.Errorf("%s: error %v, %d findings", path, err, len(found))
		}
	}
}
