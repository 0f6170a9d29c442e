package finding_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

func TestImposes(t *testing.T) {
	for _, c := range []struct {
		name       string
		code       finding.Code
		severity   finding.Severity
		suppressed string
		want       finding.Verdict
	}{
		{"a difference", finding.RecordingDrift, finding.Error, "", finding.Drift},
		{"a difference that a policy ignores", finding.RecordingDrift, finding.Error, "known", ""},
		{"a difference that a policy makes a warning", finding.RecordingDrift, finding.Warning, "", ""},
		{"a refusal", finding.Refusal(logformat.CodeVersionNewer), finding.Error, "", finding.Refused},
		{"a refusal that a policy makes a note", finding.Refusal(logformat.CodeVersionNewer), finding.Note, "", ""},
		{"an object that fails", finding.Object(objectstore.CodeMissing), finding.Error, "", finding.Drift},
		{"an input that cannot be read", finding.InputUnreadable, finding.Error, "", finding.Unreadable},
		{"nothing left to check", finding.ScanNothing, finding.Error, "", finding.Nothing},
		{"something that was not checked", finding.ObjectsNotChecked, finding.Warning, "", finding.Unverifiable},
		{"the same, ignored", finding.ObjectsNotChecked, finding.Warning, "we have no store in CI", ""},
		{"the same, raised", finding.ObjectsNotChecked, finding.Error, "", finding.Drift},
		{"the same, made a note", finding.ObjectsNotChecked, finding.Note, "", ""},
		{"a warning", finding.LogForeignJSON, finding.Warning, "", ""},
		{"a warning that a policy raises", finding.LogForeignJSON, finding.Error, "", finding.Drift},
		{"a note", finding.CaptureAssumed, finding.Note, "", ""},
		{"a note that a policy raises to a warning", finding.CaptureAssumed, finding.Warning, "", ""},
	} {
		f := finding.New(c.code, nil, finding.Place{Seq: -1})
		f.Severity, f.Suppressed = c.severity, c.suppressed
		if got := f.Imposes(); got != c.want {
			t.Errorf("%s imposes %q, want %q", c.name, got, c.want)
		}
		if fails := c.severity == finding.Error && c.suppressed == ""; f.Fails() != fails {
			t.Errorf("%s: fails is %v", c.name, !fails)
		}
	}
}

// TestWorse holds the order of verdicts: what was not checked is worse than what is
// sound, what differs is worse than that, and no verdict is better than any.
func TestWorse(t *testing.T) {
	order := []finding.Verdict{
		"", finding.Verified, finding.Sealed, finding.Rebuilt, finding.Unverifiable, finding.Nothing,
		finding.Drift, finding.Refused, finding.Unreadable,
	}
	for i, better := range order {
		for _, worse := range order[i:] {
			if finding.Worse(better, worse) != worse || finding.Worse(worse, better) != worse {
				t.Errorf("%q is not worse than %q", worse, better)
			}
		}
	}
}

// TestCatalogue checks that every code stands once, in a known group, with a meaning, and
// with a verdict that its severity can impose.
func TestCatalogue(t *testing.T) {
	seen := make(map[string]bool)
	for _, e := range finding.Catalogue() {
		code, ok := finding.Parse(e.Code)
		if seen[e.Code] || !ok || code.String() != e.Code || !code.Is(e.Group) {
			t.Errorf("%s stands twice, or is not found by its name", e.Code)
		}
		seen[e.Code] = true
		group, _, ok := strings.Cut(e.Code, "/")
		if e.Meaning == "" || !ok || e.Group != "refusal" && e.Group != group {
			t.Errorf("%s is of group %q and means %q", e.Code, e.Group, e.Meaning)
		}
		allowed := map[finding.Severity][]finding.Verdict{
			finding.Note: {""}, finding.Warning: {"", finding.Unverifiable},
			finding.Error: {finding.Drift, finding.Refused, finding.Unreadable, finding.Nothing},
		}[e.Severity]
		if got := finding.New(code, nil, finding.Place{}).Imposes(); got != e.Imposes || !slices.Contains(allowed, got) {
			t.Errorf("%s is a %s and imposes %q, declared as %q", e.Code, e.Severity, got, e.Imposes)
		}
	}
	if _, ok := finding.Parse("recording/dirft"); ok {
		t.Error("a name that no code has is found")
	}
}

func TestCodeAsText(t *testing.T) {
	var f struct {
		Code     finding.Code
		Severity finding.Severity
	}
	if err := json.Unmarshal([]byte(`{"Code":"capture/drift","Severity":"warning"}`), &f); err != nil || f.Code != finding.CaptureDrift || f.Severity != finding.Warning {
		t.Errorf("read as %v, %v: %v", f.Code, f.Severity, err)
	}
	for _, bad := range []string{`{"Code":"capture/dirft"}`, `{"Severity":"fatal"}`} {
		if json.Unmarshal([]byte(bad), &f) == nil {
			t.Errorf("%s is read", bad)
		}
	}
	if (finding.Code{}).String() != "" {
		t.Error("no code has a name")
	}
}

func TestWhere(t *testing.T) {
	for want, place := range map[string]finding.Place{
		"request 1.2.1 (seq 9)": {Request: "1.2.1", Seq: 9, Line: 4},
		"request 1.2.1":         {Request: "1.2.1", Seq: -1, Line: 4},
		"line 4 (seq 0)":        {Line: 4},
		"line 4":                {Line: 4, Seq: -1, Object: "sha256:00"},
		"sha256:00":             {Object: "sha256:00", Seq: -1},
		"":                      {Seq: 7, File: "session.jsonl"},
	} {
		if got := place.Where(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	place := finding.Place{Line: 3, Seq: 2}
	f := finding.FromRefusal(&logformat.Refusal{Code: logformat.CodeVersionNewer, Detail: "the header says version 9", Seq: 2, Pos: logformat.Position{Line: 3}})
	meaning := logformat.CodeVersionNewer.Info().Meaning
	if f.Message() != "the header says version 9: "+meaning || cmp.Diff(f.Place, place) != "" {
		t.Errorf("%q at %+v", f.Message(), f.Place)
	}
	if f := finding.New(finding.CaptureHole, nil, place); f.Message() != finding.CaptureHole.Entry().Meaning {
		t.Errorf("without a detail: %q", f.Message())
	}
}
