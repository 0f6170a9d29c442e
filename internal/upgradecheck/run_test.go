package upgradecheck_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/upgrade"
	"github.com/dsh-verify/dsh-verify/internal/upgradecheck"
)

func logs(names ...string) (found []*source.Log) {
	for _, name := range names {
		found = append(found, source.File(filepath.Join("../../fixtures", name)))
	}
	return found
}

// TestRun: the outcomes of recorded sessions are those of the releases' own loaders
// (internal/upgrade/testdata/verdicts.jsonl).
func TestRun(t *testing.T) {
	report := upgradecheck.Run(logs(
		"text-one-turn/session.jsonl", "accept-legacy-pre-identity/session.jsonl", "accept-config-extra-and-order/session.jsonl",
		"format3/text-one-turn/session.v3.jsonl", "format4/text-one-turn/session.v4.jsonl", "no-such-log/session.jsonl",
	), upgradecheck.Options{})
	want := [][2]upgradecheck.Outcome{
		{upgradecheck.Upgrades, upgradecheck.Upgrades},
		{upgradecheck.ReadsOnly, upgradecheck.ReadsOnly},
		{upgradecheck.Refuses, upgradecheck.Refuses},
		{upgradecheck.Native, upgradecheck.Upgrades},
		{upgradecheck.TooNew, upgradecheck.Native},
	}
	for i, outcomes := range want {
		for k, o := range outcomes {
			if got := report.Sessions[i].Releases[k]; got.Outcome != o {
				t.Errorf("%s: %s %s, want %s: %+v", report.Sessions[i].File, got.Release, got.Outcome, o, got.Refusal)
			}
		}
	}
	last := report.Counts[1]
	if last.Sessions != 6 || last.Upgrades != 2 || last.Native != 1 || last.Failed != 1 || last.Blocked() != 3 {
		t.Errorf("counts of the last release are %+v", last)
	}
	if r := last.Reasons; len(r) != 2 || r[0].Sessions != 1 || r[0].Code != "publish/content" || r[1].Code != "upgrade/event-data" {
		t.Errorf("reasons are %v", r)
	}
	if report.Sessions[5].Failure == "" {
		t.Error("a log that is not there has no failure")
	}
}

// TestRedaction: what a refusal quotes of the log is not printed under redaction.
func TestRedaction(t *testing.T) {
	name := filepath.Join(t.TempDir(), "session.jsonl")
	log, err := os.ReadFile("../../fixtures/text-one-turn/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(log), `"reason":"initial"`, `"reason":"a secret"`, 1)
	if err := os.WriteFile(name, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	message := func(r *redact.Redactor) string {
		report := upgradecheck.Run([]*source.Log{source.File(name)}, upgradecheck.Options{Releases: upgrade.Releases()[:1], Redactor: r})
		return report.Sessions[0].Releases[0].Refusal.Message
	}
	if plain := message(nil); !strings.Contains(plain, "a secret") {
		t.Errorf("the message does not quote the log: %s", plain)
	}
	if redacted := message(redact.New([]byte("key"))); strings.Contains(redacted, "secret") {
		t.Errorf("the redacted message quotes the log: %s", redacted)
	}
}
