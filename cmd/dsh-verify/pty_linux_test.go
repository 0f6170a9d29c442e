package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A terminal is a pseudo terminal's other side, which programs write to.
type terminal struct {
	*os.File
	master *os.File
	got    chan string
}

// openTerminal opens a pseudo terminal that passes on what is written as it is.
func openTerminal(t *testing.T) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminal: ", err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminal: ", err)
	}
	mode, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	mode.Oflag &^= unix.OPOST
	mode.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(int(slave.Fd()), unix.TCSETS, mode); err != nil {
		t.Fatal(err)
	}
	term := &terminal{slave, master, make(chan string)}
	go func() {
		var b bytes.Buffer
		io.Copy(&b, master) // ends with an error when the other side is closed
		term.got <- b.String()
	}()
	return term
}

// end closes the terminal and returns what it was given.
func (term *terminal) end() string {
	term.Close()
	text := <-term.got
	term.master.Close()
	return text
}

// runOnTerminal runs a command line with both outputs on terminals, without colour.
func runOnTerminal(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	stdout, stderr := openTerminal(t), openTerminal(t)
	env := func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] }
	a := &app{stdin: strings.NewReader(""), stdout: stdout.File, stderr: stderr.File, env: env}
	code = a.run(context.Background(), append([]string{"dsh-verify"}, args...))
	return code, stdout.end(), progressBar.ReplaceAllString(stderr.end(), "")
}

// progressBar is what a scan draws over and over.
var progressBar = regexp.MustCompile(`\r\[[#.]*\] \d+ of \d+ sessions|\r {70}\r`)
