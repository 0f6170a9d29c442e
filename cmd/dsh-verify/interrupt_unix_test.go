//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-verify/dsh-verify/internal/loggen"
)

// TestInterruptedWhileSearching checks that a scan ends when it is asked to, though what
// it searches never ends.
func TestInterruptedWhileSearching(t *testing.T) {
	stalled, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	var out, errs bytes.Buffer
	a := &app{stdin: stalled, stdout: &out, stderr: &errs, env: func(string) string { return "" }}
	started := time.Now()
	code := a.run(ctx, []string{"dsh-verify", "scan", "-"})
	if code != exitUnreadable || !strings.Contains(out.String(), "scan/interrupted") ||
		!strings.Contains(errs.String(), "was not searched to the end") {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestInterruptedWhileReading checks that a scan which is interrupted says how much of
// its work is done.
func TestInterruptedWhileReading(t *testing.T) {
	const sessions = 30 // a tenth of a second each, or more
	var log bytes.Buffer
	if err := loggen.Write(&log, loggen.Options{Requests: 1000}); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for i := range sessions {
		folder := filepath.Join(root, fmt.Sprint("session-", i))
		os.Mkdir(folder, 0o755)
		if err := os.WriteFile(filepath.Join(folder, "session.jsonl"), log.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	code, out, errs := runIn(ctx, "scan", "--jobs", "1", root)
	if code != exitUnreadable || !regexp.MustCompile(`interrupted: [12]?[0-9] of 30 sessions checked`).MatchString(errs) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestSignals checks that each signal ends each kind of command that waits.
func TestSignals(t *testing.T) {
	program := built(t)
	for _, c := range []struct {
		command string
		signal  syscall.Signal
		code    int
	}{
		{"replay", syscall.SIGINT, 130},
		{"replay", syscall.SIGTERM, 143},
		{"requests", syscall.SIGTERM, 143},
		{"scan", syscall.SIGINT, exitUnreadable},
		{"scan", syscall.SIGTERM, exitUnreadable},
	} {
		t.Run(fmt.Sprintf("%s %v", c.command, c.signal), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(program, c.command, "-")
			stdin, err := cmd.StdinPipe() // nothing ever comes through it
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(500 * time.Millisecond) // it waits for its input
			cmd.Process.Signal(c.signal)
			kill := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
			cmd.Wait()
			kill.Stop()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit code %d, want %d\n%s", code, c.code, &out)
			}
		})
	}
}
