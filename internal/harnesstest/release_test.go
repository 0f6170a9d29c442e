package harnesstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// A release is an executable that was published: it holds node and all packages of
// its version. What it does is listed in a profile, a list of rows to mount; here all
// are off but the judge.
type release struct {
	command, home string
	patch         string
}

// released is the loader of a published executable, which is downloaded once into the
// user's cache folder; without it the test is skipped.
func released(t *testing.T, version string) *loader {
	t.Helper()
	r := &release{command: fetch(t, version), home: t.TempDir()}
	if err := r.mountJudge(); err != nil {
		t.Fatal(err)
	}
	return &loader{version, func(ctx context.Context, jobs, answers, scratch string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, r.command, "--profile", profile, "--patch", r.patch)
		cmd.Env, cmd.Dir = append(r.environment(), "JUDGE_JOBS="+jobs, "JUDGE_ANSWERS="+answers, "JUDGE_SCRATCH="+scratch), r.home
		return cmd
	}}
}

func fetch(t *testing.T, version string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil || runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the released executables run on linux/amd64 only")
	}
	out, err := exec.Command("release/get", version, filepath.Join(cache, "dsh-verify-harness", "releases")).Output()
	exit, failed := errors.AsType[*exec.ExitError](err)
	if failed && exit.ExitCode() == 3 {
		t.Skipf("the released executable %s is not available: %s", version, lastLines(exit.Stderr))
	}
	if failed {
		t.Fatalf("release/get %s: %v: %s", version, err, lastLines(exit.Stderr))
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// profile is the one that a release makes when it is first asked for.
const profile = "headless"

// environment keeps all that a release writes in the test's folder, and off the network.
func (r *release) environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.home, "DSH_HOME=" + filepath.Join(r.home, "dsh"), "TMPDIR=" + r.home, "LANG=C.UTF-8", "TZ=UTC",
		"DEEPSEEK_BASE_URL=http://127.0.0.1:9", "DEEPSEEK_API_KEY=none", "DSH_TELEMETRY_DISABLED=1", "DSH_TELEMETRY_MODE=DISABLED", "NO_COLOR=1",
	}
}

func (r *release) output(args ...string) ([]byte, error) {
	cmd := exec.Command(r.command, append([]string{"--profile", profile}, args...)...)
	cmd.Env, cmd.Dir = r.environment(), r.home
	return cmd.Output()
}

var rowID = regexp.MustCompile(`(?m)^- id: (\S+)`)

// mountJudge turns every row of the profile off and adds the judge, by a patch.
func (r *release) mountJudge() error {
	if _, err := r.output("--dump-config"); err != nil { // makes the profile's folder
		return fmt.Errorf("%s --dump-config: %w", r.command, err)
	}
	rows, err := r.output("--dump-default-config")
	if err != nil {
		return fmt.Errorf("%s --dump-default-config: %w", r.command, err)
	}
	var patch strings.Builder
	for _, row := range rowID.FindAllSubmatch(rows, -1) {
		fmt.Fprintf(&patch, "- {\"id\": %q, \"disabled\": true}\n", row[1])
	}
	insert, err := json.Marshal(map[string]any{"insert": []map[string]string{{"id": "log-judge", "name": "./log-judge.mjs"}}})
	if err != nil {
		return err
	}
	fmt.Fprintf(&patch, "- %s\n", insert)
	dir := filepath.Join(r.home, "dsh", "profiles", profile)
	r.patch = filepath.Join(dir, "log-judge.patch.yml")
	if err := os.WriteFile(r.patch, []byte(patch.String()), 0o644); err != nil {
		return err
	}
	return copyFile("driver/judge.mjs", filepath.Join(dir, "log-judge.mjs"))
}
