package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/policy"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
)

func load(t *testing.T, text string) (*policy.Policy, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), policy.FileName)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return policy.Load(path)
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"severites:\n  audit/nul: error\n", `:1: unknown key "severites"; did you mean severities?`},
		{"# first\n\nwhatever: 1\n", `:3: unknown key "whatever"; there are attachments, ignore, images, severities, vocabulary`},
		{"severities:\n  audit/null: error\n", `:2: no finding has the code "audit/null"; did you mean audit/nul?`},
		{"severities:\n  audit/nul: fatal\n", `:2: the severity of audit/nul must be note, warning or error`},
		{"severities:\n  seq/gap: note\n", `:2: the severity of seq/gap is fixed`},
		{"severities:\n  input/unreadable: note\n", `:2: the severity of input/unreadable is fixed`},
		{"severities:\n  audit/nul: note\n  audit/nul: error\n", `:3: the key "audit/nul" stands twice in severities`},
		{"severities: [audit/nul]\n", `:1: severities must be a mapping`},
		{"ignore:\n  - code: audit/nul\n", `:2: an entry of ignore needs a reason`},
		{"ignore:\n  - code: audit/nul\n    reason: ''\n", `:3: reason must be text, and not empty`},
		{"ignore:\n  - reason: why\n", `:2: an entry of ignore needs a code`},
		{"ignore:\n  - code: audits/*\n    reason: why\n", `:2: no finding has the code "audits/*"`},
		{"ignore:\n  - code: audit/nul\n    reason: why\n    file: x\n", `:4: unknown key "file" in an entry of ignore`},
		{"ignore:\n  - code: audit/nul\n    path: '[x'\n    reason: why\n", `:2: the path "[x" is no pattern`},
		{"ignore:\n  code: audit/nul\n", `ignore must be a list`},
		{"images:\n  pixel: 1\n", `:2: unknown key "pixel" in images; did you mean pixels?`},
		{"images:\n  mode:\n", `:2: images.mode must be text`},
		{"vocabulary:\n  - [a]\n", `:2: an entry of vocabulary must be text`},
		{"- a\n", `:1: a policy must be a mapping`},
		{"a: 1\n---\nb: 2\n", `more than one document`},
		{"a: 1\n---\n: : [\n", `more than one document`},
		{"a: [\n", `.yaml:1: did not find expected node content`},
	} {
		_, err := load(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %s", c.text, err, c.want)
		}
	}
}

func TestEmptyPoliciesSayNothing(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "severities: {}\nignore: []\n"} {
		if p, err := load(t, text); err != nil || len(p.Severities)+len(p.Ignores) != 0 {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
}

func TestFindTakesTheNearest(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b", "c")
	os.MkdirAll(deep, 0o755)
	outer, inner := filepath.Join(root, policy.FileName), filepath.Join(root, "a", "b", policy.FileName)
	os.WriteFile(outer, nil, 0o644)
	os.WriteFile(inner, nil, 0o644)
	for target, want := range map[string]string{
		deep: inner, filepath.Join(deep, "session.jsonl"): inner, filepath.Join(root, "a"): outer,
		filepath.Join(root, "not", "there"): outer,
	} {
		if p, err := policy.Find(target); err != nil || p.Path != want {
			t.Errorf("%s: %s, %v; want %s", target, p.Path, err, want)
		}
	}
}

// TestVerdicts holds what each change does to a log's verdict.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name   string
		before finding.Verdict
		code   finding.Code
		policy string
		after  finding.Verdict
	}{
		{"nothing said", finding.Drift, finding.AuditText, "severities:\n  audit/nul: error", finding.Drift},
		{"a warning raised", finding.Verified, finding.AuditNUL, "severities:\n  audit/nul: error", finding.Drift},
		{"a note raised", finding.Rebuilt, finding.TailTorn, "severities:\n  tail/torn: error", finding.Drift},
		{"a note raised to a warning", finding.Verified, finding.TailTorn, "severities:\n  tail/torn: warning", finding.Verified},
		{"an error lowered", finding.Drift, finding.AuditText, "severities:\n  audit/assembly-text: warning", finding.Rebuilt},
		{"an error ignored", finding.Drift, finding.AuditText, "ignore: [{code: audit/*, reason: why}]", finding.Rebuilt},
		{"a warning ignored", finding.Verified, finding.AuditNUL, "ignore: [{code: audit/*, reason: why}]", finding.Verified},
		{"an open question made a failure", finding.Unverifiable, finding.ObjectsNotChecked, "severities:\n  object/not-checked: error", finding.Drift},
		{"an open question set aside", finding.Unverifiable, finding.ObjectsNotChecked, "severities:\n  object/not-checked: note", finding.Rebuilt},
		{"a refusal ignored", finding.Refused, finding.Refusal(logformat.CodeSeqGap), "ignore: [{code: seq/gap, reason: why}]", finding.Unverifiable},
		{"an input ignored", finding.Unreadable, finding.InputUnreadable, "ignore: [{code: input/unreadable, reason: why}]", finding.Unverifiable},
		{"a verdict that no finding explains", finding.Refused, finding.AuditText, "ignore: [{code: audit/*, reason: why}]", finding.Refused},
	} {
		p, err := load(t, c.policy)
		if err != nil {
			t.Fatal(err)
		}
		log := &result.Log{File: "x.jsonl", Verdict: c.before}
		log.Counts.Verified = 1
		log.Findings = append(log.Findings, finding.New(c.code, nil, finding.Place{Seq: -1, File: log.File}))
		p.Apply(log)
		if log.Verdict != c.after {
			t.Errorf("%s: %s becomes %s, want %s", c.name, c.before, log.Verdict, c.after)
		}
	}
}

// TestOneOfTwo checks that what is not ignored still counts.
func TestOneOfTwo(t *testing.T) {
	p, err := load(t, "ignore: [{code: audit/nul, path: old/**, reason: why}, {code: audit/assembly-text, path: old/**, reason: why}]")
	if err != nil {
		t.Fatal(err)
	}
	log := &result.Log{File: filepath.Join(p.Dir, "old", "x.jsonl"), Verdict: finding.Drift}
	for _, code := range []finding.Code{finding.AuditText, finding.AuditUsage, finding.AuditNUL} {
		log.Add(finding.New(code, nil, finding.Place{Seq: 1}))
	}
	p.Apply(log)
	if log.Verdict != finding.Drift || log.Findings[0].Suppressed == "" || log.Findings[1].Suppressed != "" || log.Findings[2].Suppressed == "" {
		t.Errorf("%s: %+v", log.Verdict, log.Findings)
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		pattern, file string
		want          bool
	}{
		{"old/**", "old/a/session.jsonl", true},
		{"old/**", "older/session.jsonl", false},
		{"old", "old/a/session.jsonl", true},
		{"old/", "old/a/session.jsonl", true},
		{"./old/*", "old/a/session.jsonl", true},
		{"old/*.jsonl", "old/a/session.jsonl", false},
		{"old/*.jsonl", "old/session.jsonl", true},
		{"**/session.jsonl", "session.jsonl", true},
		{"**/session.jsonl", "a/b/session.jsonl", true},
		{"**/b", "a/b/session.jsonl", true},
		{"a/**/c", "a/c", true},
		{"a/**/c", "a/x/y/c", true},
		{"**", "anything", true},
		{"*.zip", "export.zip/subagents/1/session.jsonl", true},
		{"store.db#*", "store.db#ses-1", true},
		{"old", "", false},
		{"", "", true},
	} {
		p, err := load(t, "ignore: [{code: audit/nul, path: '"+c.pattern+"', reason: why}]")
		if c.pattern == "" {
			p, err = load(t, "ignore: [{code: audit/nul, reason: why}]")
		}
		if err != nil {
			t.Fatal(err)
		}
		file := c.file
		if file != "" {
			file = filepath.Join(p.Dir, file)
		}
		log := &result.Log{File: file, Findings: []finding.Finding{finding.New(finding.AuditNUL, nil, finding.Place{Seq: -1})}}
		p.Apply(log)
		if got := log.Findings[0].Suppressed != ""; got != c.want {
			t.Errorf("%q on %q: %v, want %v", c.pattern, c.file, got, c.want)
		}
	}
}

// TestFindingsExplainVerdicts checks that the verdict of every recorded log is what
// its findings impose, so that a policy can settle it again.
func TestFindingsExplainVerdicts(t *testing.T) {
	logs, _ := filepath.Glob("../../fixtures/*/session.jsonl*")
	if len(logs) == 0 {
		t.Fatal("no fixtures")
	}
	for _, path := range logs {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		log := verify.Run(path, logformat.NewReader(f, logformat.Options{}), check.Options{}.Checks()...)
		f.Close()
		imposed := finding.Rebuilt
		for _, found := range log.Findings {
			imposed = finding.Worse(imposed, found.Imposes())
		}
		if log.Verdict != imposed {
			t.Errorf("%s: %s, and its findings impose %s", path, log.Verdict, imposed)
		}
	}
}
