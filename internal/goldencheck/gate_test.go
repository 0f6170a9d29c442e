package goldencheck_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/goldencheck"
	"github.com/dsh-verify/dsh-verify/internal/loggen"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

const fixtures = "../../fixtures"

func run(t *testing.T, dir string, opts goldencheck.Options) *result.Report {
	t.Helper()
	opts.Authored = true
	report := &result.Report{}
	if _, err := goldencheck.Run(dir, opts, report.Add); err != nil {
		t.Fatal(err)
	}
	return report
}

// statuses lists what the gate says, a line per transcript below dir.
func statuses(dir string, report *result.Report) string {
	var b strings.Builder
	for _, log := range report.Logs {
		fmt.Fprintf(&b, "%s %s\n", log.Golden, strings.TrimPrefix(log.File, filepath.ToSlash(dir)+"/"))
	}
	return b.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWalk holds which files are transcripts, and in which order.
func TestWalk(t *testing.T) {
	dir := t.TempDir()
	log := read(t, fixtures, "text-one-turn", "session.jsonl")
	packed := read(t, fixtures, "text-multi-turn-packed-zstd", "session.jsonl.zstd")
	for path, text := range map[string]string{
		"b/session.jsonl": log, "b/session.10.jsonl": log, "b/session.2.jsonl": log, "b/session.02.jsonl": log, "b/session.x.jsonl": log,
		"b/workspace/session.jsonl": log, "b/input.json": "{}", "b/requests.jsonl": "", "b/stdout.expected.jsonl": "{}",
		"a/session.jsonl.zstd": packed, "a/requests.7.sum": "x",
		"c/workspace/session.jsonl": log,
		".git/session.jsonl":        log, "node_modules/session.jsonl": log,
	} {
		write(t, filepath.Join(dir, path), text)
	}
	want := "new a/session.jsonl.zstd\nmissing a/requests.7.sum\nnew b/session.jsonl\nnew b/session.2.jsonl\nnew b/session.10.jsonl\nnew c/workspace/session.jsonl\n"
	if got := statuses(dir, run(t, dir, goldencheck.Options{})); got != want {
		t.Errorf("found\n%swant\n%s", got, want)
	}
	run(t, dir, goldencheck.Options{Write: true, Update: true})
	if got := statuses(dir, run(t, dir, goldencheck.Options{})); strings.Count(got, "unchanged ") != 5 || strings.Count(got, "\n") != 5 {
		t.Errorf("recorded:\n%s", got)
	}
	for _, leftover := range []string{"a/requests.7.sum", "b/workspace/requests.sum"} {
		if _, err := os.Stat(filepath.Join(dir, leftover)); err == nil {
			t.Errorf("%s is there", leftover)
		}
	}
	write(t, filepath.Join(dir, "a/session.jsonl"), log)
	if report := run(t, filepath.Join(dir, "a"), goldencheck.Options{}); len(report.Logs) != 1 || report.Logs[0].Golden != goldencheck.Changed || !has(report.Logs[0], finding.StoreTwoEncodings) {
		t.Errorf("two encodings: %s", statuses(dir, report))
	}
}

func has(log *result.Log, code finding.Code) bool {
	for _, f := range log.Findings {
		if f.Code == code {
			return true
		}
	}
	return false
}

// TestStable checks that many transcripts give the same report twice, byte for
// byte, and one that is short although everything changed.
func TestStable(t *testing.T) {
	dir := t.TempDir()
	logs := []string{"tools-sequential", "header-changes", "compaction-pressure", "retry-attempts"}
	for i := range 100 {
		write(t, filepath.Join(dir, fmt.Sprint(i), "session.jsonl"), read(t, fixtures, logs[i%len(logs)], "session.jsonl"))
	}
	run(t, dir, goldencheck.Options{Write: true})
	for i := range 100 {
		path := filepath.Join(dir, fmt.Sprint(i), "session.jsonl")
		write(t, path, strings.ReplaceAll(read(t, path), `"text":"`, `"text":"Well, `))
	}
	var first, second bytes.Buffer
	report := run(t, dir, goldencheck.Options{})
	if err := output.JSON(&first, report); err != nil {
		t.Fatal(err)
	}
	if err := output.JSON(&second, run(t, dir, goldencheck.Options{})); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two runs give two reports")
	}
	for _, log := range report.Logs {
		if log.Golden != goldencheck.Changed || len(log.Findings) > 25 {
			t.Errorf("%s: %s, %d findings", log.File, log.Golden, len(log.Findings))
		}
	}
}

// TestMany checks that what goes on for long is folded: messages that came in a
// row are one finding, and changes beyond a screen are counted.
func TestMany(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "session.jsonl")
	var log bytes.Buffer
	if err := loggen.Write(&log, loggen.Options{Requests: 60}); err != nil {
		t.Fatal(err)
	}
	whole := log.String()
	write(t, path, whole)
	run(t, dir, goldencheck.Options{Write: true})

	write(t, path, strings.ReplaceAll(whole, `"content":[{"type":"text"`, `"content":[{"note":1,"type":"text"`))
	found := run(t, dir, goldencheck.Options{}).Logs[0].Findings
	if last := found[len(found)-1]; last.Code != finding.GoldenMore || last.Count < 30 {
		t.Errorf("many edits: the last of %d findings is %s, of %d", len(found), last.Code, last.Count)
	}
	for i, f := range found[:len(found)-1] {
		if f.Code != finding.GoldenMessage || len(f.Requests) == 0 && i < 10 {
			t.Errorf("finding %d is %s in %d requests", i, f.Code, len(f.Requests))
		}
	}

	cut := strings.Index(whole, `{"type":"turn/start"`)
	cut += strings.Index(whole[cut+1:], `{"type":"turn/start"`) + 1
	write(t, path, whole[:cut])
	found = run(t, dir, goldencheck.Options{}).Logs[0].Findings
	if len(found) != 2 || found[0].Code != finding.GoldenMessageRemoved || found[1].Code != finding.GoldenRequestRemoved {
		t.Errorf("a cut log: %v", found)
	}
}

// TestAgainst holds where the text of a change comes from.
func TestAgainst(t *testing.T) {
	old, dir := t.TempDir(), t.TempDir()
	text := read(t, fixtures, "tools-sequential", "session.jsonl")
	write(t, filepath.Join(old, "x", "session.jsonl"), text)
	write(t, filepath.Join(dir, "x", "session.jsonl"), text)
	run(t, dir, goldencheck.Options{Write: true})
	write(t, filepath.Join(dir, "x", "session.jsonl"), strings.Replace(text, "harbour clerk", "pier clerk", 1))
	detail := func(against string) string {
		log := run(t, dir, goldencheck.Options{Against: against}).Logs[0]
		return strings.Join(log.Findings[0].Lines(), "\n") + fmt.Sprint(has(log, finding.GoldenNoOldLog))
	}
	if got := detail(old); !strings.Contains(got, "[-harbou-]{+pie+}r clerk") || !strings.HasSuffix(got, "false") {
		t.Errorf("against the old log: %s", got)
	}
	if got := detail(t.TempDir()); !strings.Contains(got, "was 69 bytes") || !strings.Contains(got, "pier clerk") || !strings.HasSuffix(got, "true") {
		t.Errorf("against a folder without it: %s", got)
	}
	if err := os.Remove(filepath.Join(dir, "x", "requests.sum")); err != nil {
		t.Fatal(err)
	}
	if log := run(t, dir, goldencheck.Options{Against: old}).Logs[0]; log.Golden != goldencheck.Changed || log.Findings[0].Code != finding.GoldenSystem {
		t.Errorf("without a sum file: %s", log.Golden)
	}
}

// TestGenerations checks that the newest generation is the transcript, and that an
// older one is never checked in its place.
func TestGenerations(t *testing.T) {
	dir := t.TempDir()
	log := read(t, fixtures, "text-one-turn", "session.jsonl")
	newer := strings.Replace(log, `"version":0`, `"version":9`, 1)
	for path, text := range map[string]string{
		"a/session.jsonl": log, "a/session.v9.jsonl": newer,
		"b/session.jsonl": log, "b/.session.v9.jsonl.icloud": "x",
		"c/session.jsonl": log, "c/session.v09.jsonl": newer, "c/workspace/session.jsonl": log,
		"d/session.V9.jsonl": newer,
		"e/session.v9.jsonl": newer, "e/session.1.jsonl": log, "e/workspace/session.jsonl": log,
	} {
		write(t, filepath.Join(dir, path), text)
	}
	report := run(t, dir, goldencheck.Options{Write: true})
	want := `refused a/session.v9.jsonl: version/newer store/no-fallback
unreadable b/.session.v9.jsonl.icloud: store/placeholder store/no-fallback
written c/session.jsonl: store/no-generation
refused e/session.v9.jsonl: version/newer
written e/session.1.jsonl:
`
	var got strings.Builder
	for _, log := range report.Logs {
		if log.Place {
			if len(log.Findings) != 1 || log.Findings[0].Code != finding.StoreNoGeneration || !strings.HasSuffix(log.Findings[0].Place.File, "/d") {
				t.Errorf("of the folder: %+v", log.Findings)
			}
			continue
		}
		fmt.Fprintf(&got, "%s %s:", log.Golden, strings.TrimPrefix(log.File, filepath.ToSlash(dir)+"/"))
		for _, f := range log.Findings {
			got.WriteString(" " + f.Code.String())
		}
		got.WriteString("\n")
	}
	if got.String() != want {
		t.Errorf("found\n%swant\n%s", got.String(), want)
	}
	for _, sum := range []string{"a/requests.sum", "b/requests.sum", "e/requests.sum"} {
		if _, err := os.Stat(filepath.Join(dir, sum)); err == nil {
			t.Errorf("%s was written", sum)
		}
	}
}
