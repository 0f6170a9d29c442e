package verify_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/check/capture"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// compacted is what a compaction of all that late-images-paths shows leaves in a log.
const compacted = `{"type":"compaction/start","seq":52,"time":1796285542940,"data":{"compactionId":"c","turn":null}}
{"type":"compaction/summary","seq":53,"time":1796285542940,"data":{"compactionId":"c","summary":[{"type":"text","text":"s"}],"rawOutput":[{"type":"text","text":"s"}],"llmStreamCall":true,"shadowedRange":{"start":4,"end":49},"shadowedSeqs":[4,12,19,26,28,36,43,49],"shadowedTokenCount":1,"provider":"deepseek-official","model":"glass-house","maxTokens":700}}
{"type":"user/message","seq":54,"time":1796285542940,"data":{"content":[{"type":"text","text":"s"}],"source":{"kind":"user"},"role":"user","id":"checkpoint"},"sourceEventSeqs":[4,12,19,26,28,36,43,49,[52,53]],"surfaceOp":{"op":"replace","start":4,"end":49}}
{"type":"compaction/end","seq":55,"time":1796285542940,"data":{"compactionId":"c","turn":null}}
`

// TestOneshotWithImages compares the body of a compaction that has images with what the
// serialiser of release 0.1.2-rc.1 made of it, and with changed ones.
func TestOneshotWithImages(t *testing.T) {
	body, err := os.ReadFile("testdata/compaction-with-images.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, old, new string
		code           finding.Code
	}{
		{"as it was posted", "", "", finding.CaptureOneshot},
		{"another instruction", "Write down", "Draw", finding.CaptureOneshot},
		{"no instruction", `Write down \"what\" was seen,\nin one line.`, "", finding.CaptureOneshotDrift},
		{"an instruction that ends its string", `Write down \"what\"`, `Write down","role":"system`, finding.CaptureOneshotDrift},
		{"another question", "What is this?", "What was this?", finding.CaptureOneshotDrift},
		{"an image of another size", "(10x10px", "(10x11px", finding.CaptureOneshotDrift},
		{"another effort", `"reasoning_effort":"high"`, `"reasoning_effort":"low"`, finding.CaptureOneshot}, // which the deployment sets
		{"another maximum", `"max_tokens":700`, `"max_tokens":701`, finding.CaptureOneshotDrift},
	} {
		changed := bytes.Replace(body, []byte(c.old), []byte(c.new), 1)
		if c.old != "" && bytes.Equal(changed, body) {
			t.Fatalf("%s: %q is not there", c.name, c.old)
		}
		log := withCompaction(t, changed)
		if !slices.ContainsFunc(log.Findings, func(f finding.Finding) bool { return f.Code == c.code && strings.Contains(f.Message(), "0005.json") }) {
			t.Errorf("%s: findings are %+v", c.name, log.Findings)
		}
		if drift := log.Verdict == finding.Drift; drift != (c.code == finding.CaptureOneshotDrift) {
			t.Errorf("%s: %s", c.name, log.Verdict)
		}
	}
}

// withCompaction verifies the log with a compaction after it against its bodies and
// that of the compaction.
func withCompaction(t *testing.T, body []byte) *result.Log {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(fixtures, "late-images-paths", "wire"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "0005.json"), body, 0o600); err != nil {
		t.Fatal(err)
	}
	index, err := os.OpenFile(filepath.Join(dir, "index.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	index.WriteString(`{"n":5,"file":"0005.json","sessionId":"ses-images-paths-01","purpose":"compaction","headers":{"x-deepseek-harness-session-id":"ses-images-paths-01","x-deepseek-harness-compact":"1"}}` + "\n")
	index.Close()
	bodies, err := traffic.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	log := append(bytes.Clone(logBytes(t, "late-images-paths")), compacted...)
	return run(log, check.Options{Traffic: &capture.Traffic{File: bodies, Policy: wire.DefaultPolicy()}})
}
