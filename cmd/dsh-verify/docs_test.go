package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
	bin := filepath.Join(work, "bin")
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "dsh-verify"), ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
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

// TestRecordPage runs the two commands of docs/record.md that TestDocs cannot, as
// the first ends with Ctrl-C, with another provider and port: what is posted in
// between must be the recording that the second verifies, and hold what the page
// says and no secret.
func TestRecordPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/record.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	lines := regexp.MustCompile(`(?m)^    (dsh-verify .*)$`).FindAllString(page, -1)
	if len(lines) != 2 {
		t.Fatalf("the page has the commands %q", lines)
	}
	fixture, _ := filepath.Abs("../../fixtures/compaction-pressure")
	t.Chdir(t.TempDir())
	log, err := os.ReadFile(filepath.Join(fixture, "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("session.jsonl", log, 0o644); err != nil {
		t.Fatal(err)
	}
	upstream := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer upstream.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, w := io.Pipe()
	errs, code := new(notes), make(chan int, 1)
	command := strings.NewReplacer("https://api.deepseek.com", upstream.URL, "127.0.0.1:4010", "127.0.0.1:0").Replace(lines[0])
	a := &app{stdin: strings.NewReader(""), stdout: w, stderr: errs, env: func(string) string { return "" }}
	go func() {
		code <- a.run(ctx, strings.Fields(command))
		w.Close()
	}()
	address, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err, errs)
	}
	for _, line := range readIndex(t, filepath.Join(fixture, "wire")) {
		body, err := os.ReadFile(filepath.Join(fixture, "wire", line["file"].(string)))
		if err != nil {
			t.Fatal(err)
		}
		request, _ := http.NewRequest("POST", strings.TrimSpace(address)+"/chat/completions?key=secret", bytes.NewReader(body))
		for name, value := range line["headers"].(map[string]any) {
			request.Header.Set(name, value.(string))
		}
		for _, name := range []string{"authorization", "cookie", "x-api-key"} {
			request.Header.Set(name, "secret")
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	cancel()
	if got := <-code; got != exitOK {
		t.Errorf("record: exit %d: %s", got, errs)
	}

	for _, line := range readIndex(t, "wire") {
		for _, names := range []map[string]any{line, line["headers"].(map[string]any)} {
			for name := range names {
				if !strings.Contains(page, "`"+name+"`") {
					t.Errorf("the page does not say that %s is stored", name)
				}
			}
		}
		if strings.Contains(fmt.Sprint(line), "secret") {
			t.Errorf("the index holds a secret: %v", line)
		}
	}
	var out bytes.Buffer
	a = &app{stdin: strings.NewReader(""), stdout: &out, stderr: &out, env: func(string) string { return "" }}
	if got := a.run(context.Background(), strings.Fields(lines[1])); got != exitOK || !strings.Contains(out.String(), "verified: 1 log, 14 requests, 14 verified") {
		t.Errorf("replay: exit %d: %s", got, &out)
	}
}

// readIndex reads the index of a folder of captured bodies.
func readIndex(t *testing.T, dir string) (lines []map[string]any) {
	text, err := os.ReadFile(filepath.Join(dir, "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		entry := make(map[string]any)
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, entry)
	}
	return lines
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
