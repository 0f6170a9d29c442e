package capture_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check/capture"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/logtext"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// twoTurns is a log with a request in each of two turns, at effort off.
const twoTurns = `
	turn 1
	step 1.1
	user "one"
	header gpt config={"provider":"p","model":"gpt","reasoningEffort":"off"} reason="initial"
	chunk "yes"
	assistant "yes"
	step end
	turn end
	turn 2
	step 2.1
	user "two"
	chunk "no"
	assistant "no"
	step end
	turn end`

// The bodies of twoTurns, as the specification of the adapter makes them.
const (
	one    = `{"role":"user","content":"one"}`
	ends   = `],"stream":true,"stream_options":{"include_usage":true},"thinking":{"type":"disabled"}}`
	first  = `{"model":"gpt","messages":[` + one + ends
	second = `{"model":"gpt","messages":[` + one + `,{"role":"assistant","content":"yes"},{"role":"user","content":"two"}` + ends
)

// A posted body and whose it says that it is; an empty session says nothing.
type posted struct{ session, body string }

// compareWith compares a log with a folder of bodies.
func compareWith(t *testing.T, notation string, policy wire.Policy, bodies ...posted) *result.Log {
	t.Helper()
	dir := t.TempDir()
	index := ""
	for i, p := range bodies {
		name := fmt.Sprintf("%04d.json", i+1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(p.body), 0o600); err != nil {
			t.Fatal(err)
		}
		session := ""
		if p.session != "" {
			session = fmt.Sprintf(`,"sessionId":%q`, p.session)
		}
		index += fmt.Sprintf(`{"file":%q%s}`+"\n", name, session)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.jsonl"), []byte(index), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := traffic.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return verify.Run("log", logtext.New(t, notation).Reader(), capture.New(&capture.Traffic{File: file, Policy: policy}, nil))
}

func codes(log *result.Log) (list []string) {
	for _, f := range log.Findings {
		list = append(list, f.Code.String())
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestRules holds what captured bodies and a log say of each other.
func TestRules(t *testing.T) {
	own := func(bodies ...string) (list []posted) {
		for _, b := range bodies {
			list = append(list, posted{"s", b})
		}
		return list
	}
	extended := strings.TrimSuffix(second, "}") + `,"dsh_plugin_packages":{"version":1,"packages":[]}}`
	for _, c := range []struct {
		name    string
		bodies  []posted
		verdict finding.Verdict
		codes   []string
	}{
		{"as posted", own(first, second), finding.Verified, nil},
		{"in another order", own(second, first), finding.Verified, nil},
		{"one is missing", own(first), finding.Drift, []string{"capture/missing"}},
		{"posted again", own(first, second, second), finding.Verified, []string{"capture/posted-again"}},
		{"one too many", own(first, second, strings.Replace(second, "two", "three", 1)), finding.Drift, []string{"capture/extra"}},
		{"another text", own(first, strings.Replace(second, "yes", "yet", 1)), finding.Drift, []string{"capture/drift"}},
		{"a system prompt", own(first, strings.Replace(second, `[{"role"`, `[{"role":"system","content":"x"},{"role"`, 1)), finding.Drift, []string{"capture/drift"}},
		{"another effort", own(first, strings.Replace(second, `{"type":"disabled"}`, `{"type":"enabled"},"reasoning_effort":"low"`, 1)), finding.Drift, []string{"capture/drift"}},
		{"a member of a plugin", own(first, extended), finding.Verified, []string{"capture/extension-members"}},
		{"a member of nobody", own(first, strings.Replace(extended, "dsh_plugin_packages", "x_trace", 1)), finding.Verified, []string{"capture/unknown-members"}},
		{"a member of a plugin, printed otherwise", own(first, strings.Replace(extended, `"version":1`, `"version": 1`, 1)), finding.Verified, []string{"capture/extension-members", "capture/members-spelled-otherwise"}},
		{"without sessions", []posted{{"", first}, {"", second}}, finding.Verified, nil},
		{"of another session", []posted{{"x", first}, {"x", second}}, finding.Unverifiable, []string{"capture/other-traffic", "recording/nothing-matched"}},
		{"of another session too", []posted{{"s", first}, {"x", first}, {"s", second}}, finding.Verified, []string{"capture/other-traffic"}},
	} {
		log := compareWith(t, twoTurns, wire.DefaultPolicy(), c.bodies...)
		if got := codes(log); log.Verdict != c.verdict || !slices.Equal(got, c.codes) {
			t.Errorf("%s: %s with %v, want %s with %v", c.name, log.Verdict, got, c.verdict, c.codes)
		}
	}
}

// TestDefaultEffort: what no log holds of a deployment is taken from the bodies, is the
// same for all of a process, and is said.
func TestDefaultEffort(t *testing.T) {
	notation := strings.Replace(twoTurns, `config={"provider":"p","model":"gpt","reasoningEffort":"off"} `, "", 1)
	at := func(body, thinking string) posted {
		return posted{"s", strings.Replace(body, `,"thinking":{"type":"disabled"}`, thinking, 1)}
	}
	const high, low = `,"thinking":{"type":"enabled"},"reasoning_effort":"high"`, `,"thinking":{"type":"enabled"},"reasoning_effort":"low"`
	for _, c := range []struct {
		name         string
		first, again string
		verdict      finding.Verdict
		codes        []string
	}{
		{"the default", high, high, finding.Verified, []string{"capture/assumed"}},
		{"another one", low, low, finding.Verified, []string{"capture/assumed"}},
		{"none", "", "", finding.Verified, []string{"capture/assumed"}},
		{"two of them in one process", high, low, finding.Unverifiable, []string{"capture/assumed", "capture/settings-disagree"}},
	} {
		log := compareWith(t, notation, wire.DefaultPolicy(), at(first, c.first), at(second, c.again))
		if got := codes(log); log.Verdict != c.verdict || !slices.Equal(got, c.codes) {
			t.Errorf("%s: %s with %v, want %s with %v", c.name, log.Verdict, got, c.verdict, c.codes)
		}
	}
}
