package harnesstest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

var (
	seeds     = flag.Int("seeds", 0, "run `N` random sessions in the real harness")
	firstSeed = flag.Uint64("first-seed", 1, "the first `SEED` of -seeds and -mutations")
	mutations = flag.Int("mutations", 0, "have the harness's loader judge `N` damaged logs")
	releases  = flag.Bool("releases", false, "have the released executable of 0.1.2-rc.1 judge the damaged logs, too")
)

const fixtures = "../../fixtures"

// A harness is an installation of the packages, with the drivers beside them.
type harness struct {
	node    string // the interpreter that came with the packages
	drivers string // folder of the driver scripts
}

var install = sync.OnceValues(installOnce)

// needHarness returns the installed harness, or skips the test and says why.
func needHarness(t *testing.T) *harness {
	t.Helper()
	if os.Getenv("DSH_HARNESS") != "1" && *seeds == 0 && *mutations == 0 && !*releases {
		t.Skip("the real harness is not asked for: set DSH_HARNESS=1, or give -seeds, -mutations or -releases")
	}
	h, err := install()
	if err != nil {
		t.Skipf("the real harness is not available: %v", err)
	}
	return h
}

// installOnce installs the pinned packages below the user's cache folder, once
// for each state of the lock file, and copies the scripts to where they find them.
func installOnce() (*harness, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "dsh-verify-harness", shortHash(lock))
	h := &harness{node: filepath.Join(dir, "node_modules", "node", "bin", "node")}
	if runtime.GOOS == "windows" {
		h.node += ".exe"
	}
	if err := h.installPackages(dir); err != nil {
		return nil, err
	}
	return h, h.copyDrivers(dir)
}

func (h *harness) installPackages(dir string) error {
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("npm: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		if err := copyFile(name, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "ci", "--fetch-retries=0", "--fetch-timeout=15000")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w: %s", err, lastLines(out))
	}
	if _, err := os.Stat(h.node); err != nil {
		return fmt.Errorf("npm ci gave no Node: %w", err)
	}
	return os.WriteFile(done, nil, 0o644)
}

// copyDrivers puts the scripts where they resolve the packages, in a folder of
// their own for each state that they are in.
func (h *harness) copyDrivers(dir string) error {
	files, err := filepath.Glob("driver/*.mjs")
	if err != nil {
		return err
	}
	files = append(files, "../../contrib/record-requests/index.mjs")
	sum := sha256.New()
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		sum.Write(text)
	}
	h.drivers = filepath.Join(dir, "drivers", hex.EncodeToString(sum.Sum(nil)[:8]))
	if err := os.MkdirAll(filepath.Join(h.drivers, "record-requests"), 0o755); err != nil {
		return err
	}
	for _, name := range files {
		to := filepath.Join(h.drivers, filepath.Base(name))
		if filepath.Base(name) == "index.mjs" {
			to = filepath.Join(h.drivers, "record-requests", "index.mjs")
		}
		if err := copyFile(name, to); err != nil {
			return err
		}
	}
	return nil
}

// command returns a run of a driver script in the harness's Node.
func (h *harness) command(ctx context.Context, script string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.node, append([]string{filepath.Join(h.drivers, script)}, args...)...)
	cmd.Dir = h.drivers
	cmd.WaitDelay = time.Second
	return cmd
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

func shortHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

func lastLines(out []byte) string {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-3):], []byte("; ")))
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
