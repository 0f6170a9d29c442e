package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
	"golang.org/x/sys/unix"
)

// evil is a text with everything that a terminal, a CI service or an eye obeys.
const evil = "::error::\x1b]0;owned\x07\x1b[2J\u202e\u2066\u0085\u007f\u009b2J\u061c\u00ad\u034f\u180e\u2028\u2800\u3164\uffa0\ufe0f\U000e0041" +
	"##[error]x ##vso[task.x]y section_start:1:n\r\x1b[0Kz"

// evilName is one that a file can have.
var evilName = evil + "\n \u3000::warning::w"

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

// evilSession is a log with two requests, an edit of it, a recording of it and a store
// with it, all in folders and under names that are as evil as its texts.
func evilSession(t *testing.T) (log string) {
	t.Helper()
	t.Chdir(t.TempDir())
	line := jsonString(evil)
	several := jsonString(evil + "\n" + evil + "\n \u3000" + evil)
	var b strings.Builder
	seq := 0
	event := func(kind, data, rest string) {
		fmt.Fprintf(&b, `{"type":%q,"seq":%d,"time":%d,"data":%s%s}`+"\n", kind, seq, seq, data, rest)
		seq++
	}
	fmt.Fprintf(&b, `{"type":"session","version":0,"id":%s,"createdAt":1,"cwd":%s,"delegationDepth":0}`+"\n", line, jsonString("/"+evil))
	for turn := 1; turn <= 2; turn++ {
		event("turn/start", fmt.Sprintf(`{"turn":%d}`, turn), "")
		event("step/start", fmt.Sprintf(`{"turn":%d,"step":1}`, turn), "")
		event("user/message", fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"source":{"kind":%s},"role":"user","id":%s}`, several, line, jsonString(evil+fmt.Sprint(turn))), `,"surfaceOp":"append"`)
		event("request/header", fmt.Sprintf(`{"header":{"config":{"provider":%s,"model":%s,%s:%d},"system":%s,"tools":[{"name":%s,"description":%s,"parameters":{%s:1}}]},"reason":"change"}`,
			line, jsonString(evil+fmt.Sprint(turn)), line, turn, jsonString(evil+"\n"+evil+fmt.Sprint(turn)), line, several, line), "")
		event("assistant/chunk", fmt.Sprintf(`{"turn":%d,"step":1,"chunk":{"type":"finish","reason":{"kind":"stop"}}}`, turn), "")
		event("assistant/message", fmt.Sprintf(`{"turn":%d,"step":1,"message":{"role":"assistant","content":[{"type":"tool-call","id":%s,"name":%s,"arguments":%s}],"source":{"kind":"model","provider":%s,"model":"m"},"id":"a%d"}}`,
			turn, line, line, line, line, turn), fmt.Sprintf(`,"surfaceOp":"append","sourceEventSeqs":[%d]`, seq-1))
		event("step/end", fmt.Sprintf(`{"turn":%d,"step":1}`, turn), "")
		event("turn/end", fmt.Sprintf(`{"turn":%d,"reason":{"kind":"completed"}}`, turn), "")
	}
	log = filepath.Join(evilName, "session.jsonl")
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	write(log, b.String())
	write(filepath.Join(evilName, "edited", "session.jsonl"), strings.Replace(b.String(), "step/end", "step/ende", 1))
	write(filepath.Join(evilName, "changed", "session.jsonl"), strings.Replace(b.String(), `ufe0f\`, `ufe0fa\`, 1))
	write(filepath.Join(evilName, "short", "session.jsonl"), b.String()[:900])
	return log
}

// jsonString is a string in JSON whose every character that is not a plain one is an
// escape, as a program that is careful writes it; the log's reader has to undo it.
func jsonString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case r < ' ' || r > '~' || r == '"' || r == '\\':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// TestTerminal holds that no command passes anything on to a terminal, or as text for
// people to a pipe, that a terminal, a CI service or an eye obeys: not of a log, nor of
// a path.
func TestTerminal(t *testing.T) {
	log := evilSession(t)
	dir := filepath.Dir(log)
	if code, out, errs := runIn(context.Background(), "requests", "--jsonl", log); code != 0 || strings.Count(out, "\n") != 2 {
		t.Fatalf("the log is not what it is meant to be: %d %q %q", code, out, errs)
	} else if err := os.WriteFile(filepath.Join(dir, "rec"+evilName), []byte(strings.Replace(out, "##[", "##(", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	recorded, changed, sealed := filepath.Join(dir, "rec"+evilName), filepath.Join(dir, "changed", "session.jsonl"), filepath.Join(dir, "s"+evilName)
	if code, _, errs := runIn(context.Background(), "seal", "-o", sealed, log); code != 0 {
		t.Fatal(errs)
	}
	for _, args := range [][]string{
		{"replay", log},
		{"replay", log, changed, filepath.Join(dir, "edited"), filepath.Join(dir, "short"), filepath.Join(dir, "none"+evil)},
		{"replay", "--recorded", recorded, log},
		{"replay", "--recorded", log, log},
		{"replay", "--recorded", dir, log},
		{"replay", "--color", "never", "--quiet", "--recorded", recorded, log},
		{"requests", log},
		{"requests", "--digests", log},
		{"requests", "--jsonl", log},
		{"requests", "--jsonl", "--wire", "deepseek", log},
		{"requests", "--oneshots", log},
		{"show", log},
		{"show", log, "1"},
		{"show", "--wire", "deepseek", log, "2"},
		{"show", "--pretty", log, "2"},
		{"show", "--pretty", "--wire", "deepseek", log, "2"},
		{"show", "--messages", log, "2"},
		{"show", "--header", log, "2"},
		{"show", "--curl", log, "2"},
		{"show", log, "9"}, {"show", log, evil}, {"show", log, "title:" + evil},
		{"explain", log, "2"}, {"explain", log, "last", evil},
		{"explain", "--at", "/messages/0/content/0/text", log, "1"},
		{"explain", "--at", "/messages/" + evil, log, "1"},
		{"explain", "--format", "json", log, "2"},
		{"diff", log, "2"}, {"diff", log, "1", changed, "1"}, {"diff", "--recorded", recorded, log, "1"},
		{"diff", "--wire", "deepseek", log, "1", changed, "1"},
		{"attachments", log}, {"attachments", dir},
		{"scan", dir}, {"scan", "--format", "ndjson", dir}, {"scan", filepath.Join(dir, evil)},
		{"audit", log}, {"audit", "--format", "json", log},
		{"cache", log}, {"cache", "--format", "json", log}, {"cache", "--format", "csv", log},
		{"golden", "check", dir}, {"golden", "check", evil},
		{"report", "-o", "-", log}, {"report", "-o", filepath.Join(dir, evil, "x"), log},
		{"seal", "-o", "-", log}, {"check-seal", sealed, changed}, {"check-seal", log, log}, {"check-seal", "../../internal/seal/testdata/other.seal.json", log},
		{"config", "check", log}, {"config", "check", "--format", "json", log}, {"config", evil},
		{"formats"}, {"formats", evil}, {evil}, {"completion", evil}, {"man", evil}, {"help", evil}, {"replay", "--help"},
		{"record", evil}, {"record", "--to", "http://127.0.0.1:9/" + evil, "--listen", "127.0.0.1:0", "--out", log},
	} {
		checkSafe(t, args)
	}
	for _, format := range []string{"text", "json", "ndjson", "junit", "sarif", "markdown"} {
		checkSafe(t, []string{"replay", "--format", format, "--recorded", recorded, log, changed, filepath.Join(dir, "edited")})
		file := filepath.Join(dir, format)
		checkSafe(t, []string{"replay", "--output", format + "=" + file, "--recorded", recorded, log})
		if text, err := os.ReadFile(file); err != nil || unsafe(string(text)) != "" {
			t.Errorf("--output %s: %v %s", format, err, unsafe(string(text)))
		}
	}
	for _, args := range [][]string{{"replay", "--recorded", recorded, log}, {"diff", log, "1", changed, "1"}, {"diff", log, "2"}, {"cache", log}, {"scan", dir}} {
		_, out, errs := runIn(context.Background(), append(args, "--color", "always")...)
		if bad := unsafe(regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(out+errs, "")); bad != "" {
			t.Errorf("%s in colour prints %s", args[0], bad)
		}
	}
	checkSafe(t, []string{"golden", "record", dir})
	for _, path := range []string{log, changed} {
		text, _ := os.ReadFile(path)
		os.WriteFile(path, bytes.Replace(text, []byte(`ufe0f\`), []byte(`ufe0fb\`), 2), 0o644)
	}
	checkSafe(t, []string{"golden", "check", dir})
	checkSafe(t, []string{"golden", "check", "--against", filepath.Join(dir, "changed"), dir})
	checkSafe(t, []string{"golden", "check", "--redact", "--update", dir})
}

// checkSafe runs a command on a terminal, and, where it prints no exact bytes, into a
// pipe.
func checkSafe(t *testing.T, args []string) {
	t.Helper()
	name := strings.NewReplacer(evilName, "NAME", evil, "EVIL").Replace(strings.Join(args, " "))
	_, out, errs := runOnTerminal(t, args...)
	if bad := unsafe(strings.ReplaceAll(out, "⚠️", "")); bad != "" { // that one is Markdown's mark of a verdict
		t.Errorf("%s gives the terminal %s", name, bad)
	}
	if bad := unsafe(errs); bad != "" {
		t.Errorf("%s gives the terminal on standard error %s", name, bad)
	}
	_, out, errs = runIn(context.Background(), args...)
	if bad := unsafe(strings.ReplaceAll(out, "⚠️", "")); bad != "" && !printsExact(args) {
		t.Errorf("%s prints %s", name, bad)
	}
	if bad := unsafe(errs); bad != "" {
		t.Errorf("%s prints on standard error %s", name, bad)
	}
}

// printsExact tells the command lines that print exact bytes.
func printsExact(args []string) bool {
	line := strings.Join(args, " ")
	view := regexp.MustCompile(` --(pretty|messages|header|curl) `).MatchString(line)
	return strings.Contains(line, " --jsonl ") || args[0] == "show" && !view && args[len(args)-1] != args[1]
}

// TestExactBytes holds that a pipe gets exact bytes, that a terminal gets the same value
// in JSON's escapes, and that --raw gives it the bytes.
func TestExactBytes(t *testing.T) {
	log := evilSession(t)
	for _, args := range [][]string{
		{"show", log, "1"},
		{"show", "--wire", "deepseek", log, "1"},
		{"requests", "--jsonl", log},
		{"requests", "--jsonl", "--wire", "deepseek", log},
	} {
		_, exact, _ := runIn(context.Background(), args...)
		_, shown, _ := runOnTerminal(t, args...)
		_, raw, _ := runOnTerminal(t, append(args, "--raw")...)
		if raw != exact {
			t.Errorf("%q --raw differs from what a pipe gets", args)
		}
		if !strings.Contains(exact, "\u202e\u2066\u0085\u007f\u009b2J\u061c\u00ad\u034f\u180e\u2028\u2800\u3164\uffa0\ufe0f\U000e0041##[error]x") {
			t.Errorf("%q: a pipe does not get the bytes that JSON.stringify prints: %q", args, exact)
		}
		if compactJSON(t, shown) != compactJSON(t, exact) {
			t.Errorf("%q: a terminal gets another value", args)
		}
	}
}

// TestHostileFlags gives each flag of each command a hostile value.
func TestHostileFlags(t *testing.T) {
	log := evilSession(t)
	root := (&app{env: func(string) string { return "" }}).root()
	var walk func(cmd *cli.Command, path []string)
	walk = func(cmd *cli.Command, path []string) {
		for _, sub := range cmd.Commands {
			walk(sub, append(path[:len(path):len(path)], sub.Name))
		}
		for _, flag := range cmd.Flags {
			if _, ok := flag.(*cli.BoolFlag); ok {
				checkSafe(t, append(path, "--"+flag.Names()[0]+"="+evil, log))
				continue
			}
			checkSafe(t, append(path, "--"+flag.Names()[0], evil, log))
		}
		checkSafe(t, append(path, "--"+evil, log))
	}
	walk(root, nil)
}

// compactJSON reads lines of JSON and prints their values.
func compactJSON(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		var v any
		if err := dec.Decode(&v); err == io.EOF {
			return b.String()
		} else if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%q\n", v)
	}
}
