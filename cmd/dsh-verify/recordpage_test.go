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
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRecordPage runs the two commands of docs/record.md that TestDocs cannot, as
// the first ends with Ctrl-C, with another provider and port: what is posted in
// between must be the recording that the second verifies, and hold what the page
// says and no secret.
func TestRecordPage(t *testing.T) {
	page, lines := recordPage(t)
	fixture, _ := filepath.Abs("../../fixtures/compaction-pressure")
	log := readFixture(t, "compaction-pressure/session.jsonl")
	t.Chdir(t.TempDir())
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
	postAgain(t, strings.TrimSpace(address), filepath.Join(fixture, "wire"))
	cancel()
	if got := <-code; got != exitOK {
		t.Errorf("record: exit %d: %s", got, errs)
	}
	checkStored(t, page)
	got, out, said := runIn(context.Background(), strings.Fields(lines[1])[1:]...)
	if got != exitOK || !strings.Contains(out, "verified: 1 log, 14 requests, 14 verified") {
		t.Errorf("replay: exit %d: %s%s", got, out, said)
	}
}

// recordPage returns the page and its two commands.
func recordPage(t *testing.T) (page string, lines []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/record.md")
	if err != nil {
		t.Fatal(err)
	}
	lines = regexp.MustCompile(`(?m)^    (dsh-verify .*)$`).FindAllString(string(text), -1)
	if len(lines) != 2 {
		t.Fatalf("the page has the commands %q", lines)
	}
	return string(text), lines
}

// postAgain posts recorded bodies with their headers, and secrets besides.
func postAgain(t *testing.T, address, wire string) {
	t.Helper()
	for _, line := range readIndex(t, wire) {
		body, err := os.ReadFile(filepath.Join(wire, line["file"].(string)))
		if err != nil {
			t.Fatal(err)
		}
		request, _ := http.NewRequest("POST", address+"/chat/completions?key=secret", bytes.NewReader(body))
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
}

// checkStored checks that the page names all that is stored, and that no secret is.
func checkStored(t *testing.T, page string) {
	t.Helper()
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
