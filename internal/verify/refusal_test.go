package verify_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
)

const fixtures = "../../fixtures"

func logBytes(t *testing.T, dir string) []byte {
	t.Helper()
	for _, name := range []string{"session.jsonl", "session.jsonl.zstd"} {
		if data, err := os.ReadFile(filepath.Join(fixtures, dir, name)); err == nil {
			return data
		}
	}
	t.Fatalf("%s holds no log", dir)
	return nil
}

func run(data []byte, opts check.Options) *result.Log {
	return verify.Run("log", logformat.NewReader(bytes.NewReader(data), logformat.Options{}), opts.Checks()...)
}

// TestRefusals holds the first finding of every log that the harness refuses:
// the code fits the fault, and the place is where it is.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		dir  string
		code logformat.Code
		line int64
		seq  int64
	}{
		{"reject-adapter-defaults", logformat.CodeDefaults, 7, 5},
		{"reject-assistant-source", logformat.CodeMessageSource, 21, 19},
		{"reject-blank-line", logformat.CodeLineBlank, 6, -1},
		{"reject-bom", logformat.CodeHeaderBOM, 1, -1},
		{"reject-chunk-row-dt", logformat.CodeChunkRow, 10, -1},
		{"reject-chunk-row-empty", logformat.CodeChunkRow, 10, -1},
		{"reject-chunk-row-extra-key", logformat.CodeChunkRow, 10, -1},
		{"reject-config-no-model", logformat.CodeHeaderRoute, 7, 5},
		{"reject-empty-file", logformat.CodeEmpty, 0, -1},
		{"reject-envelope-extra-key", logformat.CodeEnvelope, 24, 22},
		{"reject-future-version", logformat.CodeVersionNewer, 1, -1},
		{"reject-future-version-strange-shape", logformat.CodeOtherProgram, 1, -1},
		{"reject-header-approvalPolicy", logformat.CodeHeaderRetired, 1, -1},
		{"reject-header-delta", logformat.CodeLegacyDelta, 7, 5},
		{"reject-header-no-delegationDepth", logformat.CodeHeaderShape, 1, -1},
		{"reject-header-only-no-newline", logformat.CodeHeaderUnterminated, 1, -1},
		{"reject-header-origin", logformat.CodeHeaderShape, 1, -1},
		{"reject-header-reason-fallback", logformat.CodeFallback, 7, 5},
		{"reject-header-relative-cwd", logformat.CodeHeaderCwd, 1, -1},
		{"reject-header-sandboxMode", logformat.CodeHeaderRetired, 1, -1},
		{"reject-header-version-string", logformat.CodeHeaderShape, 1, -1},
		{"reject-message-no-id", logformat.CodeMessageID, 6, 4},
		{"reject-message-role", logformat.CodeMessageRole, 6, 4},
		{"reject-missing-surfaceop", logformat.CodeSurfaceOpMissing, 6, 4},
		{"reject-no-data", logformat.CodeEnvelope, 24, 22},
		{"reject-replace-missing-source", logformat.CodeReplaceSources, 53, 51},
		{"reject-replace-not-on-surface", logformat.CodeReplaceMissing, 53, 51},
		{"reject-replace-reversed", logformat.CodeReplaceReversed, 53, 51},
		{"reject-seq-gap-committed", logformat.CodeSeqGap, 5, 3},
		{"reject-source-duplicate", logformat.CodeSourcesDuplicate, 23, 21},
		{"reject-source-forward", logformat.CodeSourcesForward, 21, 19},
		{"reject-source-self", logformat.CodeSourcesForward, 23, 21},
		{"reject-sources-on-log-only", logformat.CodeSourcesLogOnly, 35, 33},
		{"reject-surfaceop-on-log-only", logformat.CodeSurfaceOpLogOnly, 5, 3},
		{"reject-time-fraction", logformat.CodeEnvelope, 24, 22},
		{"reject-tool-replace-more-than-content", logformat.CodeReplaceToolEdit, 53, 51},
		{"reject-unknown-required-type", logformat.CodeTypeUnknown, 8, 6},
		{"reject-zstd-bitflip-last", logformat.CodeZstdFrame, 0, -1},
		{"reject-zstd-bitflip-middle", logformat.CodeZstdFrame, 0, -1},
		{"reject-zstd-header-with-events", logformat.CodeZstdHeaderFrame, 1, -1},
		{"reject-zstd-last-record-unterminated", logformat.CodeZstdTornRecord, 50, -1},
		{"reject-zstd-seq-gap-tail", logformat.CodeSeqGap, 39, 37},
		{"reject-zstd-trailing-garbage", logformat.CodeZstdMagic, 0, -1},
	} {
		t.Run(c.dir, func(t *testing.T) {
			log := run(logBytes(t, c.dir), check.Options{})
			if log.Verdict != finding.Refused {
				t.Fatalf("verdict %s, want refused", log.Verdict)
			}
			f := log.Findings[0]
			if f.Code != finding.Refusal(c.code) || f.Place.Line != c.line || f.Place.Seq != c.seq {
				t.Errorf("got %s at line %d, seq %d; want %s at line %d, seq %d", f.Code, f.Place.Line, f.Place.Seq, c.code, c.line, c.seq)
			}
			if f.Message() == "" || f.Action == "" || len(log.Requests) != 0 {
				t.Errorf("the finding lacks a sentence or an action, or requests of a refused log are passed on")
			}
		})
	}
}

// TestLateRefusals holds the codes of what only the last release of format 0
// refuses, or refuses for another reason.
func TestLateRefusals(t *testing.T) {
	base := string(logBytes(t, "late-tools-parallel"))
	for _, c := range []struct {
		name, old, new string
		code           logformat.Code
		line           int64
	}{
		{"a range past its row", `"sourceEventSeqs":[[7,23]]`, `"sourceEventSeqs":[[7,24]]`, logformat.CodeSourcesForward, 20},
		{"a range of more than precede its row", `"sourceEventSeqs":[[7,23]]`, `"sourceEventSeqs":[[0,24]]`, logformat.CodeSourcesShape, 20},
		{"a range that decreases", `"sourceEventSeqs":[[7,23]]`, `"sourceEventSeqs":[[23,7]]`, logformat.CodeSourcesShape, 20},
		{"a range twice", `"sourceEventSeqs":[[7,23]]`, `"sourceEventSeqs":[[7,9],[7,9]]`, logformat.CodeSourcesShape, 20},
		{"a number twice", `"sourceEventSeqs":[[7,23]]`, `"sourceEventSeqs":[7,7]`, logformat.CodeSourcesDuplicate, 20},
		{"a number of its own", `"sourceEventSeqs":[[7,23]]`, `"sourceEventSeqs":[24]`, logformat.CodeSourcesForward, 20},
		{"no list", `"sourceEventSeqs":[[7,23]]`, `"sourceEventSeqs":null`, logformat.CodeSourcesShape, 20},
		{"a number below zero", `"seq":5,`, `"seq":-5,`, logformat.CodeSeqShape, 7},
		{"a line of null", "\n{\"type\":\"step/start\"", "\nnull\n{\"type\":\"step/start\"", logformat.CodeLineNull, 5},
		{"a line of a string", "\n{\"type\":\"step/start\"", "\n\"x\"\n{\"type\":\"step/start\"", logformat.CodeLineNoRecord, 5},
		{"more inherited events than there are", `"delegationDepth":0`, `"seedLength":1000,"delegationDepth":0`, logformat.CodeSeedLength, 1},
	} {
		edited := strings.Replace(base, c.old, c.new, 1)
		if edited == base {
			t.Errorf("%s: nothing to replace", c.name)
			continue
		}
		f := run([]byte(edited), check.Options{}).Findings[0]
		if f.Code != finding.Refusal(c.code) || f.Place.Line != c.line {
			t.Errorf("%s: %s at line %d, want %s at line %d", c.name, f.Code, f.Place.Line, c.code, c.line)
		}
	}
}

// TestAccepted checks that what the harness opens is not refused.
func TestAccepted(t *testing.T) {
	dirs, _ := filepath.Glob(fixtures + "/accept-*")
	if len(dirs) < 15 {
		t.Fatalf("only %d accepted fixtures", len(dirs))
	}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		if log := run(logBytes(t, name), check.Options{}); log.Verdict != finding.Rebuilt {
			t.Errorf("%s: verdict %s: %+v", name, log.Verdict, log.Findings)
		}
	}
}

// TestRank holds which of two faults decides: the one that the harness looks
// for first, wherever it is in the log.
func TestRank(t *testing.T) {
	base := string(logBytes(t, "reject-surfaceop-on-log-only")) // a surface fault at seq 3
	insert := func(line string) string {
		return strings.Replace(base, `{"type":"request/context"`, line+`,"x":{"type":"request/context"`, 1)
	}
	for _, c := range []struct {
		name, log string
		want      logformat.Code
	}{
		{"legacy after surface", strings.Replace(base, `"type":"request/context"`, `"type":"request/header-delta"`, 1), logformat.CodeLegacyDelta},
		{"mode/set after surface", strings.Replace(base, `"type":"request/context"`, `"type":"mode/set"`, 1), logformat.CodeLegacyMode},
		{"unknown type after surface", strings.Replace(base, `"type":"request/context"`, `"type":"lab/novelty"`, 1), logformat.CodeTypeUnknown},
		{"damaged line after surface", insert(`{"type":`), logformat.CodeLineNotJSON},
		{"version before all", strings.Replace(base, `"version":0`, `"version":9`, 1), logformat.CodeVersionNewer},
		{"older version", strings.Replace(base, `"version":0`, `"version":-1`, 1), logformat.CodeVersionOlder},
	} {
		log := run([]byte(c.log), check.Options{})
		if got := log.Findings[0].Code; got != finding.Refusal(c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
