package upgrade_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-verify/dsh-verify/internal/upgrade"
)

const fixtures = "../../fixtures"

// file is the log in a file.
func file(path string) upgrade.Log {
	return upgrade.File(filepath.Base(path), func() (io.ReadCloser, error) { return os.Open(path) })
}

// text is a log of this text, as if it lay in a file of the name.
func text(name, log string) upgrade.Log {
	return upgrade.File(name, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil })
}

func check(t *testing.T, release *upgrade.Release, log upgrade.Log) *upgrade.Verdict {
	t.Helper()
	v, err := upgrade.Check(release, log)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func byName(t *testing.T, name string) *upgrade.Release {
	t.Helper()
	for _, r := range upgrade.Releases() {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no release %s", name)
	return nil
}

// TestVerdicts: testdata/verdicts.jsonl has what the loaders of two releases said of each
// fixture: whether they read it, whether they would publish it, how many events came out, and
// the digest of the log that they made.
func TestVerdicts(t *testing.T) {
	list, err := os.Open("testdata/verdicts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	seen := 0
	for lines := bufio.NewScanner(list); lines.Scan(); seen++ {
		var want struct {
			Log, Release, SHA256 string
			Reads, Publishes     bool
			Events               int
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		v := check(t, byName(t, want.Release), file(filepath.Join(fixtures, want.Log)))
		if v.Reads != want.Reads || v.Publishes != want.Publishes {
			t.Errorf("%s: %s reads it %v and publishes it %v; here it does so %v and %v: %v", want.Log, want.Release, want.Reads, want.Publishes, v.Reads, v.Publishes, v.Refusal)
			continue
		}
		if v.Result == nil {
			continue
		}
		sum := sha256.Sum256(v.Result.AppendText(nil))
		if got := hex.EncodeToString(sum[:]); got != want.SHA256 || len(v.Result.Events) != want.Events {
			t.Errorf("%s: the log that %s makes has another digest, or not %d events but %d", want.Log, want.Release, want.Events, len(v.Result.Events))
		}
	}
	if seen < 200 {
		t.Errorf("only %d verdicts", seen)
	}
}

// TestSteps: the logs of formats 3 and 4 in testdata are what the harness's migrations made of
// the fixtures of the same name, byte for byte.
func TestSteps(t *testing.T) {
	for _, name := range []string{"text-one-turn", "append-while-waiting", "empty-system-no-tools"} {
		for _, release := range upgrade.Releases() {
			v := check(t, release, file(filepath.Join(fixtures, name, "session.jsonl")))
			if !v.Publishes {
				t.Errorf("%s: %s does not publish it: %v", name, release.Name, v.Refusal)
				continue
			}
			want, err := os.ReadFile(filepath.Join("testdata", name, map[int64]string{3: "session.v3.jsonl", 4: "session.v4.jsonl"}[release.Writes]))
			if err != nil {
				t.Fatal(err)
			}
			got := v.Result.AppendText(nil)
			gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
			for i, line := range wantLines {
				if i >= len(gotLines) || gotLines[i] != line {
					t.Errorf("%s: line %d of what %s makes is\n%s, want\n%s", name, i+1, release.Name, gotLines[min(i, len(gotLines)-1)], line)
					break
				}
			}
		}
	}
}

// codesOf are the codes with which a rule of the specification is refused, by its number
// there; "L 12.1" and "L 12.2" are its lists of what only an upgrade refuses.
var codesOf = map[string][]string{
	"V2-01": {"header/"}, "V2-02": {"header/generation"}, "V2-03": {"header/retired-field"}, "V2-04": {"header/unknown-member"},
	"V2-05": {"header/field", "header/shape", "header/cwd"}, "V2-06": {"line/not-json"}, "V2-09": {"seq/gap"}, "V2-12": {"zstd/"},
	"V2-10": {"line/", "event/envelope", "sources/", "seq/", "surface/op-on-log-only", "tool-result/error-on-success"},
	"V2-13": {"event/unknown-type", "upgrade/event-type"}, "V2-14": {"legacy/reason-fallback"},
	"V2-15": {"surface/op", "sources/on-log-only"}, "V2-16": {"surface/op-malformed"}, "V2-17": {"sources/"},
	"V2-18": {"replace/not-on-surface", "replace/reversed", "replace/source-missing"}, "V2-19": {"replace/tool"}, "V2-20": {"header/seed-marker"},
	"V2-21": {"message/", "event/data", "tool-call/empty-id"}, "V2-22": {"turn/unexpected-start"}, "V2-23": {"turn/unexpected-end"},
	"V2-24": {"tool-call/unanswered"}, "V2-25": {"step/unexpected"}, "V2-26": {"step/not-open"}, "V2-27": {"tool-call/advertised"},
	"V2-28": {"tool-call/unannounced"}, "V2-29": {"tool-result/unannounced"}, "V2-30": {"turn/outside"}, "V2-31": {"turn/outside"},
	"V2-32": {"dispatch/unpaired"}, "V2-33": {"retry/chain"}, "V2-34": {"retry/unpaired"}, "V2-35": {"compaction/unpaired"},
	"V2-36": {"compaction/span"}, "V2-37": {"compaction/no-summary"}, "V2-38": {"compaction/crosses-turn"}, "V2-40": {"command/unpaired"},
	"V2-41": {"title/citations"}, "V2-42": {"delivery/other-session"}, "V2-43": {"request-header/"}, "V2-44": {"settlement/malformed"},
	"V3-01": {"request-header/system"}, "V3-02": {"system-message/malformed"}, "V3-03": {"event/code-dispatch"}, "V3-04": {"step/not-open"},
	"V3-05": {"system-message/no-head"}, "V3-06": {"replace/protected-head"}, "V3-07": {"compaction/protected-head"},
	"V4-10": {"subagent/catalog-row"}, "L 12.1": {"upgrade/"}, "L 12.2": {"upgrade/"}, "publish": {"publish/"},
}

// TestVectors: testdata/vectors.jsonl.zst has logs of formats 0, 2 and 3 with one thing changed
// in each, and by which rule the loaders of the releases refuse it: 0.2.1-rc.2, which upgrades
// it, and 0.1.5-rc.1 where format 3 is its own.
func TestVectors(t *testing.T) {
	for _, vector := range vectors(t) {
		compare(t, vector.Name, check(t, upgrade.Release021, text(vector.File, string(vector.Log))), vector.Upgrade)
		if strings.Contains(vector.File, ".v3.") {
			compare(t, vector.Name+" in its own release", check(t, upgrade.Release015, text(vector.File, string(vector.Log))), vector.Rule)
		}
	}
}

type vector struct {
	Name, File    string
	Rule, Upgrade *string
	Log           []byte
}

func vectors(t *testing.T) (all []vector) {
	t.Helper()
	packed, err := os.ReadFile("testdata/vectors.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	lines, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(lines) {
		var v vector
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if len(all) < 180 {
		t.Fatalf("only %d vectors", len(all))
	}
	return all
}

func compare(t *testing.T, name string, v *upgrade.Verdict, rule *string) {
	t.Helper()
	if rule == nil {
		if v.Refusal != nil {
			t.Errorf("%s: the release accepts it; here: %v", name, v.Refusal)
		}
		return
	}
	if v.Refusal == nil {
		t.Errorf("%s: the release refuses it by %s; here it is accepted", name, *rule)
		return
	}
	if v.Reads != (*rule == "publish") {
		t.Errorf("%s: it is read %v, refused by %s", name, v.Reads, *rule)
	}
	for _, prefix := range codesOf[*rule] {
		if strings.HasPrefix(string(v.Refusal.Code), prefix) {
			return
		}
	}
	t.Errorf("%s: the release refuses it by %s; here: %v", name, *rule, v.Refusal)
}

// TestFormat: a name that the harness does not give says nothing, so the header line does.
func TestFormat(t *testing.T) {
	v := check(t, upgrade.Release015, text("session.v4.jsonl", ""))
	if v.Reads || v.Refusal.Code != upgrade.CodeNewer {
		t.Errorf("a newer format: %v", v.Refusal)
	}
	log, err := os.ReadFile(filepath.Join(fixtures, "format2/text-one-turn/session.v2.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if v := check(t, upgrade.Release021, text("a copy.jsonl", string(log))); v.From != 2 || !v.Publishes {
		t.Errorf("a copy of format 2 is of format %d: %v", v.From, v.Refusal)
	}
	if v := check(t, upgrade.Release021, text("a copy.jsonl", "nothing\n")); v.Reads || v.Refusal == nil {
		t.Error("what is no log is read")
	}
}

// TestCodes: each code that a refusal can have says what it means.
func TestCodes(t *testing.T) {
	seen := make(map[string]bool)
	for _, info := range upgrade.Codes() {
		if info.Meaning == "" || info.Action == "" || seen[string(info.Code)] || upgrade.Info(info.Code) != info {
			t.Errorf("%s has no meaning or action, or stands twice", info.Code)
		}
		seen[string(info.Code)] = true
	}
	if upgrade.Info("turn/outside").Meaning == "" {
		t.Error("a code of the readers has no meaning")
	}
}
