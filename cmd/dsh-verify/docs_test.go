package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-verify/dsh-verify/internal/finding"
)

// TestDocs runs every command line of the documentation and compares what it
// prints. Commands stand in ```console blocks after "$ "; a line … stands for
// lines that are left out. With -update, outputs without such a line are
// rewritten.
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a Unix shell")
	}
	work := t.TempDir()
	bin := filepath.Dir(built(t))
	if err := os.CopyFS(filepath.Join(work, "fixtures"), os.DirFS("../../fixtures")); err != nil {
		t.Fatal(err)
	}
	pages, _ := filepath.Glob("../../docs/*.md")
	pages = append(pages, "../../README.md", "../../contrib/record-requests/README.md")
	ran := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		updated := docBlock.ReplaceAllStringFunc(string(text), func(block string) string {
			ran++
			return runBlock(t, filepath.Base(page), work, bin, block)
		})
		if *update && updated != string(text) {
			if err := os.WriteFile(page, []byte(updated), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if ran < 10 {
		t.Errorf("only %d blocks were found", ran)
	}
}

var docBlock = regexp.MustCompile("(?ms)^```console\n.*?^```$")

// runBlock runs the commands of a block and returns it with what they print.
func runBlock(t *testing.T, page, work, bin, block string) string {
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(block, "```console\n"), "```"), "\n")
	lines = lines[:len(lines)-1]
	out := []string{"```console"}
	for i := 0; i < len(lines); {
		command, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			t.Errorf("%s: a block must start with a command, not %q", page, lines[i])
			return block
		}
		out = append(out, lines[i])
		i++
		var want []string
		for i < len(lines) && !strings.HasPrefix(lines[i], "$ ") {
			want = append(want, lines[i])
			i++
		}
		got := runCommand(work, bin, command)
		switch pattern := strings.Join(want, "\n"); {
		case matchesDoc(pattern, got):
			out = append(out, want...)
		case *update && !strings.Contains("\n"+pattern+"\n", "\n…\n"):
			if got != "" {
				out = append(out, strings.Split(got, "\n")...)
			}
		default:
			t.Errorf("%s: $ %s\n%s", page, command, cmp.Diff(pattern, got))
			out = append(out, want...)
		}
	}
	return strings.Join(append(out, "```"), "\n")
}

func runCommand(work, bin, command string) string {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "NO_COLOR=1", "DSH_HOME=")
	text, _ := cmd.CombinedOutput() // some commands are shown for how they fail
	var lines []string
	here := strings.ReplaceAll(string(text), work+"/", "")
	for _, line := range strings.Split(strings.TrimRight(here, "\n"), "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// matchesDoc compares an output with what a page shows of it.
func matchesDoc(pattern, got string) bool {
	parts := strings.Split("\n"+pattern+"\n", "\n…\n")
	got = "\n" + got + "\n"
	if len(parts) == 1 {
		return parts[0] == got
	}
	if !strings.HasPrefix(got, parts[0]) || !strings.HasSuffix(got, parts[len(parts)-1]) {
		return false
	}
	for _, part := range parts {
		_, rest, ok := strings.Cut(got, part)
		if !ok {
			return false
		}
		got = rest
	}
	return true
}

// TestFindingsPage checks that docs/findings.md lists every code as the code does;
// -update writes it.
func TestFindingsPage(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("# Findings\n\nEvery refusal and finding by its code, as `dsh-verify formats` lists them. Codes are stable. An\n*error* changes the verdict, a *warning* says what may bite, a *note* is worth knowing.\n\nThis page is generated: `go test ./cmd/dsh-verify -run TestFindingsPage -update` writes it.\n")
	group := ""
	for _, e := range finding.Catalogue() {
		if e.Group != group {
			group = e.Group
			fmt.Fprintf(&b, "\n## %s\n\n| code | severity | meaning | what to do |\n|---|---|---|---|\n", strings.ToUpper(group[:1])+group[1:])
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", e.Code, e.Severity, e.Meaning, e.Action)
	}
	const page = "../../docs/findings.md"
	if *update {
		if err := os.WriteFile(page, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(text)); diff != "" {
		t.Errorf("docs/findings.md is not current, run with -update: %s", diff)
	}
}
