// Package action_test holds the CI integrations to what they say.
package action_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

type action struct {
	Inputs map[string]struct {
		Description string
		Default     *string
	}
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, Uses, Shell, Run string
			Env                  map[string]string
		}
	}
}

func read(t *testing.T, path string, v any) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if v != nil {
		if err := yaml.Unmarshal(text, v); err != nil {
			t.Fatal(err)
		}
	}
	return text
}

// TestInputs checks that each input is described, documented and used, and that
// none is used that does not exist.
func TestInputs(t *testing.T) {
	var a action
	text := string(read(t, "action.yml", &a))
	page := string(read(t, "../docs/ci.md", nil))
	for name, input := range a.Inputs {
		if input.Description == "" || input.Default == nil {
			t.Errorf("%s: it needs a description and a default", name)
		}
		if !strings.Contains(text, "inputs."+name) {
			t.Errorf("%s: nothing uses it", name)
		}
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("%s: docs/ci.md does not describe it", name)
		}
	}
	for _, use := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
		if _, ok := a.Inputs[use[1]]; !ok {
			t.Errorf("inputs.%s does not exist", use[1])
		}
	}
	if a.Runs.Using != "composite" {
		t.Errorf("it runs using %q", a.Runs.Using)
	}
	for i, step := range a.Runs.Steps {
		if step.Run != "" && step.Shell != "bash" {
			t.Errorf("step %d: a composite step needs its shell", i+1)
		}
	}
}

// TestGitLab checks that the page shows the job as it is.
func TestGitLab(t *testing.T) {
	var jobs map[string]struct {
		Script    []string
		Artifacts struct{ Reports map[string]string }
	}
	text := read(t, "gitlab-ci.yml", &jobs)
	job := jobs["dsh-verify"]
	if len(job.Script) == 0 || !strings.Contains(job.Script[0], "junit="+job.Artifacts.Reports["junit"]) {
		t.Errorf("the report that is written is not the one that is taken: %+v", job)
	}
	if !bytes.Contains(read(t, "../docs/ci.md", nil), text) {
		t.Error("docs/ci.md shows another job")
	}
}

func TestPreCommitHooks(t *testing.T) {
	var hooks []struct{ ID, Name, Entry, Language, Files string }
	read(t, "../.pre-commit-hooks.yaml", &hooks)
	takes := map[string]map[string]bool{
		"dsh-verify":        {"session.jsonl": true, "a/b/session.jsonl.zstd": true, "a/requests.jsonl": false, "mysession.jsonl": false},
		"dsh-verify-golden": {"a/session.1.jsonl": true, "a/requests.sum": true, "system-prompt.expected.md": true, "README.md": false},
	}
	for _, hook := range hooks {
		if hook.Name == "" || hook.Language != "golang" || !strings.HasPrefix(hook.Entry, "dsh-verify ") {
			t.Errorf("%+v", hook)
		}
		files := regexp.MustCompile(hook.Files)
		for path, want := range takes[hook.ID] {
			if files.MatchString(path) != want {
				t.Errorf("%s takes %s: %v", hook.ID, path, !want)
			}
		}
	}
}

// A runner is what a CI machine offers a step.
type runner struct {
	t    *testing.T
	work string // the checkout
	temp string
	env  []string
}

func newRunner(t *testing.T) *runner {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash here")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{t: t, work: t.TempDir(), temp: t.TempDir()}
	if err := os.CopyFS(filepath.Join(r.work, "fixtures"), os.DirFS("../fixtures")); err != nil {
		t.Fatal(err)
	}
	r.env = append(os.Environ(), "RUNNER_TEMP="+r.temp, "GITHUB_ACTION_PATH="+here, "DSH_HOME=",
		"GITHUB_STEP_SUMMARY="+r.file("summary"), "GITHUB_OUTPUT="+r.file("output"), "GITHUB_PATH="+r.file("path"))
	return r
}

func (r *runner) file(name string) string { return filepath.Join(r.temp, name) }

func (r *runner) read(name string) string {
	text, _ := os.ReadFile(r.file(name))
	return string(text)
}

func (r *runner) script(name string, want int, env ...string) string {
	r.t.Helper()
	here, _ := os.Getwd()
	cmd := exec.Command("bash", filepath.Join(here, name))
	cmd.Dir, cmd.Env = r.work, append(r.env, env...)
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != want {
		r.t.Errorf("%s: exit code %d, want %d (%v)\n%s", name, got, want, err, out)
	}
	return string(out)
}

// TestStep plays the action's steps on a checkout with a drift.
func TestStep(t *testing.T) {
	r := newRunner(t)
	r.script("install.sh", 0)
	r.env = append(r.env, "PATH="+strings.TrimSpace(r.read("path"))+string(os.PathListSeparator)+os.Getenv("PATH"))
	out := r.script("run.sh", 1, "COMMAND=replay", "PATHS=fixtures/tools-sequential/session.jsonl",
		"ARGS=--recorded\nfixtures/drift/edited-message.jsonl", "JUNIT=junit.xml", "SARIF=report.sarif", "SUMMARY=true")
	if !strings.Contains(out, "drift: 1 log, 6 requests, 1 verified, 5 drifted, 1 error") {
		t.Errorf("the step's log:\n%s", out)
	}
	if s := r.read("summary"); !strings.HasPrefix(s, "## dsh-verify: ❌ drift\n") {
		t.Errorf("the summary:\n%s", s)
	}
	if s := r.read("output"); s != "exit-code=1\n" {
		t.Errorf("the outputs: %q", s)
	}
	for _, name := range []string{"junit.xml", "report.sarif"} {
		if _, err := os.Stat(filepath.Join(r.work, name)); err != nil {
			t.Error(err)
		}
	}

	// Several paths, one with a space, no reports.
	spaced := filepath.Join(r.work, "my logs")
	if err := os.CopyFS(spaced, os.DirFS("../fixtures/tools-parallel")); err != nil {
		t.Fatal(err)
	}
	out = r.script("run.sh", 0, "COMMAND=replay", "PATHS=my logs\nfixtures/retry-attempts\n", "ARGS=", "SUMMARY=false")
	if !strings.Contains(out, "verified: 2 logs") {
		t.Errorf("the step's log:\n%s", out)
	}
}

// TestRelease plays the installation of a release, and of one whose file is not
// the one that its checksum names.
func TestRelease(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl here")
	}
	r := newRunner(t)
	release := filepath.Join(r.temp, "team/tool/releases/download/v1.2.3")
	if err := os.MkdirAll(release, 0o755); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(release, "dsh-verify_1.2.3_linux_amd64")
	if err := os.WriteFile(name, []byte("#!/bin/sh\necho released\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	sums := "40d5cf3b4a5d5d5bd6be4bd2aeb33f5d0d2f2b5d0bcb8a2e47c9f0f4a7f5f1d0  dsh-verify_1.2.3_linux_amd64\n"
	if err := os.WriteFile(filepath.Join(release, "SHA256SUMS"), []byte(sums), 0o644); err != nil {
		t.Fatal(err)
	}
	env := []string{"VERSION=v1.2.3", "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "REPOSITORY=team/tool", "GITHUB_SERVER_URL=file://" + r.temp}
	r.script("install.sh", 1, env...)

	sum, err := exec.Command("sh", "-c", "cd '"+release+"' && { sha256sum dsh-verify_* || shasum -a 256 dsh-verify_*; } > SHA256SUMS").CombinedOutput()
	if err != nil {
		t.Skipf("no checksums here: %s", sum)
	}
	r.script("install.sh", 0, env...)
	if out, err := exec.Command(filepath.Join(r.temp, "dsh-verify-bin", "dsh-verify")).Output(); err != nil || string(out) != "released\n" {
		t.Errorf("%q, %v", out, err)
	}
}
