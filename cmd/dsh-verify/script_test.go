package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what commands print into the scripts")

var thorough = flag.Bool("thorough", false, "try every command with every hostile place and text, which takes half a minute")

// inTurn returns as many of the runs for the place with a number, each run in its turn;
// all of them with -thorough.
func inTurn(number, most int, runs [][]string) (list [][]string) {
	if *thorough {
		return runs
	}
	for i := range most {
		list = append(list, runs[(number*most+i)%len(runs)])
	}
	return list
}

// built returns the program: this test's own executable, by the name of the command.
func built(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("dsh-verify")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dsh-verify": main})
}

// TestScripts runs the command as a process, one script per behaviour. Scripts
// find the recorded cases under $FIXTURES; `exits N cmd…` asserts a status.
func TestScripts(t *testing.T) {
	fixtures, err := filepath.Abs("../../fixtures")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("FIXTURES", fixtures)
			env.Setenv("NO_COLOR", "")
			return os.CopyFS(filepath.Join(env.WorkDir, "fixtures"), os.DirFS(fixtures))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits N command args… runs a command and asserts its exit status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N command args…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	if got := statusOf(err); got != want {
		ts.Fatalf("%v: exit status %d, want %d", args[1:], got, want)
	}
}

func statusOf(err error) int {
	if err == nil {
		return 0
	}
	type coder interface{ ExitCode() int }
	if c, ok := err.(coder); ok {
		return c.ExitCode()
	}
	return -1
}

// TestHelpHasExamples checks that every command shows how it is used.
func TestHelpHasExamples(t *testing.T) {
	a := &app{stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv}
	for _, cmd := range a.root().Commands {
		if cmd.Usage == "" || !strings.Contains(cmd.Description, "Example") {
			t.Errorf("%s: its help has no usage or no example", cmd.Name)
		}
	}
}
