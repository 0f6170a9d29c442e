//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptedAtWork holds that a scan ends when it is asked to, whatever it waits
// for.
func TestInterruptedAtWork(t *testing.T) {
	log := readFixture(t, "tools-sequential/session.jsonl")
	for _, c := range []struct {
		name, want, says string
		start            []byte // what comes through the pipe before it stalls
	}{
		{"searching", "scan/interrupted", "was not searched to the end", nil},
		{"reading", "scan/interrupted", "interrupted: 0 of 1 session checked", log[:1000]},
	} {
		pipe := filepath.Join(t.TempDir(), "log")
		if err := syscall.Mkfifo(pipe, 0o644); err != nil {
			t.Fatal(err)
		}
		if c.start != nil {
			f, err := os.OpenFile(pipe, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			f.Write(c.start)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		started := time.Now()
		code, out, errs := runIn(ctx, "scan", pipe)
		if code != exitUnreadable || !strings.Contains(out, c.want) || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit code %d\n%s%s", c.name, code, out, errs)
		}
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("%s: it took %v", c.name, took)
		}
	}
}

// TestSignals holds that each signal ends each kind of command that waits.
func TestSignals(t *testing.T) {
	program := filepath.Join(t.TempDir(), "dsh-verify")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pipe := filepath.Join(t.TempDir(), "log")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command string
		signal  syscall.Signal
		code    int
	}{
		{"replay", syscall.SIGINT, 130},
		{"replay", syscall.SIGTERM, 143},
		{"golden check", syscall.SIGTERM, 143},
		{"scan", syscall.SIGINT, exitUnreadable},
		{"scan", syscall.SIGTERM, exitUnreadable},
	} {
		cmd := exec.Command(program, append(strings.Fields(c.command), pipe)...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond) // it waits for the pipe's other end
		cmd.Process.Signal(c.signal)
		kill := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		kill.Stop()
		if code := cmd.ProcessState.ExitCode(); code != c.code {
			t.Errorf("%s, %v: exit code %d, want %d\n%s", c.command, c.signal, code, c.code, &out)
		}
	}
}
