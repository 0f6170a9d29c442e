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
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

// TestTerminal checks that no command passes anything on to a terminal, or as text for
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
	lines := append(evilLines(log, recorded, changed, sealed), evilContainers(t, log)...)
	for _, args := range lines {
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

// evilLines are command lines of every command.
func evilLines(log, recorded, changed, sealed string) [][]string {
	dir := filepath.Dir(log)
	return [][]string{
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
		{"show", log, "9"},
		{"show", log, evil},
		{"show", log, "title:" + evil},
		{"explain", log, "2"},
		{"explain", log, "last", evil},
		{"explain", "--at", "/messages/0/content/0/text", log, "1"},
		{"explain", "--at", "/messages/" + evil, log, "1"},
		{"explain", "--format", "json", log, "2"},
		{"diff", log, "2"},
		{"diff", log, "1", changed, "1"},
		{"diff", "--recorded", recorded, log, "1"},
		{"diff", "--wire", "deepseek", log, "1", changed, "1"},
		{"attachments", log},
		{"attachments", dir},
		{"scan", dir},
		{"scan", "--format", "ndjson", dir},
		{"scan", filepath.Join(dir, evil)},
		{"audit", log},
		{"audit", "--format", "json", log},
		{"cache", log},
		{"cache", "--format", "json", log},
		{"cache", "--format", "csv", log},
		{"golden", "check", dir},
		{"golden", "check", evil},
		{"report", "-o", "-", log},
		{"report", "-o", filepath.Join(dir, evil, "x"), log},
		{"seal", "-o", "-", log},
		{"check-seal", sealed, changed},
		{"check-seal", log, log},
		{"check-seal", "../../internal/seal/testdata/other.seal.json", log},
		{"config", "check", log},
		{"config", "check", "--format", "json", log},
		{"config", evil},
		{"formats"},
		{"formats", evil},
		{evil},
		{"completion", evil},
		{"man", evil},
		{"help", evil},
		{"replay", "--help"},
		{"record", evil},
		{"record", "--to", "http://127.0.0.1:9/" + evil, "--listen", "127.0.0.1:0", "--out", log},
	}
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

// TestExactBytes checks that a pipe gets exact bytes, that a terminal gets the same value
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

// TestPretty checks that a request printed for people is JSON of the same value.
func TestPretty(t *testing.T) {
	log := evilSession(t)
	for _, wire := range [][]string{nil, {"--wire", "deepseek"}} {
		_, exact, _ := runIn(context.Background(), slices.Concat([]string{"show"}, wire, []string{log, "2"})...)
		_, pretty, _ := runIn(context.Background(), slices.Concat([]string{"show", "--pretty"}, wire, []string{log, "2"})...)
		if compactJSON(t, pretty) != compactJSON(t, exact) {
			t.Errorf("%v: another value: %s", wire, pretty)
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

// TestEvilPlaces puts a hostile text in the place of each text and name of recorded logs,
// one of each kind of place at a time, and checks that no command passes it on. Without
// -thorough a place is tried with a third of the commands, each in its turn.
func TestEvilPlaces(t *testing.T) {
	dir := t.TempDir()
	log, plain := filepath.Join(dir, "session.jsonl"), filepath.Join(dir, "plain", "session.jsonl")
	os.Mkdir(filepath.Dir(plain), 0o755)
	seen := map[string]bool{}
	for _, name := range []string{"header-changes", "tools-parallel", "image-inline-small"} {
		text := readFixture(t, name+"/session.jsonl")
		os.WriteFile(plain, text, 0o644)
		lines := bytes.SplitAfter(text, []byte("\n"))
		for i, line := range lines {
			var event struct{ Type string }
			if json.Unmarshal(line, &event) != nil {
				continue
			}
			for place, edits := range places(line) {
				if key := event.Type + " " + place; !seen[key] {
					seen[key] = true
					at := edits[0]
					edited := slices.Concat(bytes.Join(lines[:i], nil), line[:at.start], []byte(jsonString(evil)), line[at.end:], bytes.Join(lines[i+1:], nil))
					os.WriteFile(log, edited, 0o644)
					evilPlace(t, len(seen), place+" of "+event.Type, log, plain)
				}
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d places were tried", len(seen))
	}
}

func evilPlace(t *testing.T, number int, place, log, plain string) {
	t.Helper()
	for i, args := range inTurn(number, 3, [][]string{
		{"replay", log},
		{"show", "--header", log, "last"},
		{"audit", log},
		{"show", "--messages", log, "last"},
		{"explain", log, "last"},
		{"diff", log, "last", plain, "last"},
		{"cache", log},
		{"requests", "--digests", "--wire", "deepseek", log},
		{"report", "-o", "-", log},
	}) {
		code, out, errs := runIn(context.Background(), args...)
		if bad := unsafe(out + "\n" + errs); bad != "" {
			t.Errorf("%s: %s prints %s", place, args[0], bad)
		}
		if code == exitRefused && i > 0 {
			break // the others say the same
		}
	}
}
