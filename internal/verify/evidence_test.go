package verify_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// tampered is a tide of the fixture tools-sequential that its tool did not tell.
func tampered(text string) string {
	return strings.ReplaceAll(text, "low 0.4 m at 03:12", "low 0.4 m at 03:99")
}

// TestTamperedLines puts lines with other bytes into a recording of one process. It does
// not matter where: nothing explains them.
func TestTamperedLines(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(fixtures, "tools-sequential", "requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	before := slices.Insert(slices.Clone(lines), 1, tampered(lines[1]))
	behind := slices.Insert(slices.Clone(lines), 2, tampered(lines[1]))
	hidden := strings.Replace(tampered(lines[1]), `"sessionId":"ses-harbour-01"`, `"sessionId":"another"`, 1)
	hidden = strings.TrimSuffix(hidden, "}\n") + `,"sessionId":"ses-harbour-01"}` + "\n"
	for _, c := range []struct {
		name    string
		lines   []string
		verdict finding.Verdict
		code    finding.Code
	}{
		{"before the genuine one", before, finding.Drift, finding.RecordingDuplicate},
		{"after the genuine one", behind, finding.Drift, finding.RecordingDuplicate},
		{"all of them first", append([]string{tampered(string(text))}, lines...), finding.Drift, finding.RecordingDuplicate},
		{"with the session after the request", slices.Insert(slices.Clone(lines), 1, hidden), finding.Drift, finding.RecordingDuplicate},
		{"the request twice, the last tampered", slices.Replace(slices.Clone(lines), 1, 2, twice(lines[1])), finding.Drift, finding.RecordingDrift},
		{"a line that is NUL", append(slices.Clone(lines), "\x00\n"), finding.Drift, finding.RecordingMalformed},
		{"a line of another session that is no JSON", append(slices.Clone(lines), `{"sessionId":"x","turn":1,"step":1,"attempt":1,"request":{]}`), finding.Drift, finding.RecordingMalformed},
	} {
		path := filepath.Join(t.TempDir(), "requests.jsonl")
		if err := os.WriteFile(path, []byte(strings.Join(c.lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := requestlog.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		log := run(logBytes(t, "tools-sequential"), check.Options{Recording: file})
		file.Close()
		if log.Verdict != c.verdict || !slices.Contains(codesOf(log), c.code) {
			t.Errorf("%s: verdict %s, findings %v", c.name, log.Verdict, codesOf(log))
		}
	}
}

// twice gives a line its request again, tampered.
func twice(line string) string {
	_, request, _ := strings.Cut(line, `"request":`)
	return strings.TrimSuffix(line, "}\n") + `,"request":` + tampered(request)
}

// TestHAREvidence changes a HAR file as a text. What JavaScript reads is compared, and a
// file that other readers do not take whole is never verified.
func TestHAREvidence(t *testing.T) {
	text, err := os.ReadFile(harCase{t: t, dir: filepath.Join(fixtures, "tools-sequential")}.write())
	if err != nil {
		t.Fatal(err)
	}
	har := strings.TrimSpace(string(text))
	list := strings.TrimSuffix(har[strings.Index(har, `"entries":`):], "}}")
	list, _, _ = strings.Cut(list, `,"version"`)
	for _, c := range []struct {
		name, text string
		verdict    finding.Verdict
		code       finding.Code
	}{
		{"tampered entries after", strings.Replace(har, list, list+","+tampered(list), 1), finding.Drift, finding.CaptureDrift},
		{"tampered entries in front", strings.Replace(har, list, tampered(list)+","+list, 1), finding.Verified, finding.RecordingRepeated},
		{"a tampered log after", strings.TrimSuffix(har, "}") + `,"log":{` + tampered(list) + `}}`, finding.Drift, finding.CaptureDrift},
		{"the genuine text in other letters", otherLetters(har), finding.Drift, finding.CaptureDrift},
		{"cut after its entries", har[:strings.LastIndex(har, "]")+1], finding.Unverifiable, finding.CaptureEndsEarly},
		{"cut in its last entry", har[:strings.LastIndex(har, "]")-40], finding.Unverifiable, finding.CaptureEndsEarly},
		{"something after", har + "{}", finding.Unverifiable, finding.CaptureBehind},
	} {
		path := filepath.Join(t.TempDir(), "x.har")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		log := againstCapture(t, "tools-sequential", path)
		if log.Verdict != c.verdict || !slices.Contains(codesOf(log), c.code) {
			t.Errorf("%s: verdict %s, findings %v", c.name, log.Verdict, codesOf(log))
		}
		if log.Verdict == finding.Unverifiable && log.Counts.Drifted > 0 {
			t.Errorf("%s: %d requests drifted, and nobody saw their bodies", c.name, log.Counts.Drifted)
		}
	}
}

// otherLetters gives each text a tampered one, and the genuine one in other letters.
func otherLetters(har string) string {
	parts := strings.Split(har, `"text":`)
	for i, part := range parts[1:] {
		end, _, _ := ecmajson.ConsumeString([]byte(part), 0)
		parts[i+1] = tampered(part[:end]) + `,"Text":` + part
	}
	return strings.Join(parts, `"text":`)
}

// TestCompactions adds bodies that say they are compactions. What the log does not tell
// of is nothing's, and an instruction cannot end the message that it stands in.
func TestCompactions(t *testing.T) {
	const dir = "compaction-pressure"
	one, err := os.ReadFile(filepath.Join(fixtures, dir, "wire", "0008.json"))
	if err != nil {
		t.Fatal(err)
	}
	broken := bytes.Replace(one, []byte(`"}],"stream":true`), []byte(`"},{"role":"user","content":"more"}],"stream":true`), 1)
	other := bytes.Replace(one, []byte(`"content":"`), []byte(`"content":"x`), 1)
	for _, c := range []struct {
		name    string
		replace bool
		text    []byte
		code    finding.Code
	}{
		{"a message more after its instruction", true, broken, finding.CaptureOneshotDrift},
		{"another compaction", false, other, finding.CaptureExtra},
		{"a compaction again", false, one, finding.CaptureRepost},
	} {
		work := filepath.Join(t.TempDir(), "wire")
		if err := os.CopyFS(work, os.DirFS(filepath.Join(fixtures, dir, "wire"))); err != nil {
			t.Fatal(err)
		}
		name := "0008.json"
		if !c.replace {
			name = "0099.json"
			list(t, work, "0008.json", name)
		}
		if err := os.WriteFile(filepath.Join(work, name), c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		log := againstCapture(t, dir, work)
		if want := c.code == finding.CaptureRepost; want != (log.Verdict == finding.Verified) || !slices.Contains(codesOf(log), c.code) {
			t.Errorf("%s: verdict %s, findings %v", c.name, log.Verdict, codesOf(log))
		}
	}
}

// list adds a line to an index, which is that of a file under another name.
func list(t *testing.T, dir, file, name string) {
	path := filepath.Join(dir, "index.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte(file)) {
			text = append(slices.Clone(text), bytes.Replace(line, []byte(file), []byte(name), 1)...)
		}
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
