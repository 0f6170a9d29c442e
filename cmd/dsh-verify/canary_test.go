package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
)

// kept are the places of a log whose texts --redact leaves, as docs/incident.md lists
// them: ids of sessions, providers, models, types of events.
var kept = regexp.MustCompile(`^session /(id|parentSession)$|^[^ ]* /type$|/(provider|model)$`)

// TestNoTextLeaves puts a text in the place of each text and name of recorded logs, one
// of each kind of place at a time, and holds that no command prints it under --redact:
// not in a refusal, nor in a finding, nor in what it says on standard error.
func TestNoTextLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the tool some thousand times")
	}
	const canary = "zq11canary"
	dir := t.TempDir()
	log, plain := filepath.Join(dir, "session.jsonl"), filepath.Join(dir, "plain", "session.jsonl")
	os.Mkdir(filepath.Dir(plain), 0o755)
	seen, runs := map[string]bool{}, 0
	for _, name := range []string{"header-changes", "tools-parallel", "image-inline-small", "compaction-pressure", "retry-attempts", "accept-config-extra-and-order"} {
		text := readFixture(t, name+"/session.jsonl")
		os.WriteFile(plain, text, 0o644)
		recorded, err := filepath.Abs(filepath.Join("../../fixtures", name, "requests.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		for i, line := range lines {
			var event struct{ Type string }
			if json.Unmarshal(line, &event) != nil {
				continue
			}
			for place, edits := range places(line) {
				if key := event.Type + " " + place; seen[key] || kept.MatchString(key) {
					continue
				}
				seen[event.Type+" "+place] = true
				for _, at := range edits[:1] {
					edited := append([]byte{}, bytes.Join(lines[:i], nil)...)
					edited = append(append(append(edited, line[:at.start]...), `"`+canary+`"`...), line[at.end:]...)
					edited = append(edited, bytes.Join(lines[i+1:], nil)...)
					os.WriteFile(log, edited, 0o644)
					for _, args := range redactedRuns(dir, log, plain, recorded) {
						runs++
						if _, out, errs := runIn(context.Background(), args...); strings.Contains(out+errs, canary) {
							t.Errorf("%s of %s, %s: %v prints it:\n%s", place, event.Type, name, args, around(out+errs, canary))
						}
					}
				}
			}
		}
	}
	if runs < 1000 {
		t.Errorf("only %d runs were tried", runs)
	}
}

func redactedRuns(dir, log, plain, recorded string) (list [][]string) {
	os.Remove(filepath.Join(dir, "requests.sum"))
	for _, line := range []string{
		"replay --recorded RECORDED LOG", "replay --format json LOG", "audit LOG", "cache LOG",
		"show --pretty LOG 1", "show --pretty --wire deepseek LOG 1", "show --pretty --wire deepseek --images inline LOG last", "show --header LOG last", "show --messages LOG last",
		"explain LOG last", "diff LOG last PLAIN last", "diff --wire deepseek LOG 1 PLAIN 1", "show --pretty LOG compaction:1", "show --pretty --wire deepseek LOG compaction:1", "diff LOG 2",
		"report -o - --recorded RECORDED LOG", "golden check --against PLAINDIR LOG",
	} {
		args := strings.Fields(strings.NewReplacer("RECORDED", recorded, "PLAINDIR", filepath.Dir(plain), "PLAIN", plain, "LOG", log).Replace(line))
		list = append(list, append(args, "--redact-key", "2a"))
	}
	return list
}

// around cuts out what is printed about a text.
func around(out, text string) string {
	at := strings.Index(out, text)
	return out[max(0, at-150):min(len(out), at+150)]
}

type span struct{ start, end int }

// places returns where the texts and names of a line stand, by the path to them
// without numbers.
func places(line []byte) map[string][]span {
	found := map[string][]span{}
	dec := json.NewDecoder(bytes.NewReader(line))
	var walk func(path string)
	walk = func(path string) {
		token, err := dec.Token()
		if err != nil {
			return
		}
		end := int(dec.InputOffset())
		switch token := token.(type) {
		case string:
			found[path] = append(found[path], span{stringStart(line, end), end})
		case json.Delim:
			for dec.More() {
				below := path
				if token == '{' {
					key, err := dec.Token()
					if err != nil {
						return
					}
					below += "/" + fmt.Sprint(key)
					end := int(dec.InputOffset())
					found[below+" (name)"] = append(found[below+" (name)"], span{stringStart(line, end), end})
				}
				walk(below)
			}
			dec.Token()
		}
	}
	walk("")
	return found
}

// stringStart returns where the JSON string that ends there starts.
func stringStart(line []byte, end int) int {
	var starts []int
	for i, quoted := 0, false; i < end; i++ {
		switch {
		case line[i] == '\\' && quoted:
			i++
		case line[i] == '"':
			if quoted = !quoted; quoted {
				starts = append(starts, i)
			}
		}
	}
	sort.Ints(starts)
	return starts[len(starts)-1]
}
