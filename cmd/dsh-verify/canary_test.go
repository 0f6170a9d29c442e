package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
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
// of each kind of place at a time, and checks that no command prints it under --redact:
// not in a refusal, nor in a finding, nor in what it says on standard error. Without
// -thorough a place is tried with a fifth of the commands, each in its turn.
func TestNoTextLeaves(t *testing.T) {
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
					for _, args := range inTurn(len(seen), 4, redactedRuns(dir, log, plain, recorded)) {
						runs++
						if _, out, errs := runIn(context.Background(), args...); strings.Contains(out+errs, canary) {
							t.Errorf("%s of %s, %s: %v prints it:\n%s", place, event.Type, name, args, around(out+errs, canary))
						}
					}
				}
			}
		}
	}
	if least := map[bool]int{false: 500, true: 2000}[*thorough]; runs < least {
		t.Errorf("only %d runs were tried", runs)
	}
}

func redactedRuns(dir, log, plain, recorded string) (list [][]string) {
	os.Remove(filepath.Join(dir, "requests.sum"))
	for _, line := range []string{
		"replay --recorded RECORDED LOG", "replay --format json LOG", "audit LOG", "cache LOG",
		"show --pretty LOG 1", "show --pretty --wire deepseek LOG 1", "show --pretty --wire deepseek --images inline LOG last", "show --header LOG last", "show --messages LOG last",
		"explain LOG last", "requests --digests --wire deepseek LOG", "diff LOG last PLAIN last", "diff --wire deepseek LOG 1 PLAIN 1", "show --pretty LOG compaction:1", "show --pretty --wire deepseek LOG compaction:1", "diff LOG 2",
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

// TestNoDigestLeaves checks that under --redact no command prints the beginning of an
// unkeyed digest of a request, a body, a message or a part of a header: it would let a
// guess be tested.
func TestNoDigestLeaves(t *testing.T) {
	dir := t.TempDir()
	copyOf := filepath.Join(dir, "transcripts", "session.jsonl")
	os.Mkdir(filepath.Dir(copyOf), 0o755)
	for _, name := range []string{"header-changes", "tools-parallel", "retry-attempts", "compaction-pressure"} {
		log, err := filepath.Abs("../../fixtures/" + name + "/session.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		text := readFixture(t, name+"/session.jsonl")
		os.WriteFile(copyOf, text, 0o644)
		sum := filepath.Join(filepath.Dir(copyOf), "requests.sum")
		os.Remove(sum)
		if code, _, errs := runIn(context.Background(), "golden", "record", filepath.Dir(copyOf)); code != 0 {
			t.Fatal(errs)
		}
		digests := digestsOf(t, log, sum)
		os.WriteFile(copyOf, bytes.Replace(text, []byte(`"text":"`), []byte(`"text":"Changed. `), 1), 0o644)
		for _, line := range []string{
			"replay LOG", "replay --format json LOG", "replay --format ndjson LOG", "replay --format sarif LOG", "replay --format junit LOG", "replay --format markdown LOG",
			"replay --recorded WIRE LOG", "replay --recorded RECORDED COPY", "replay --recorded RECORDED --format json COPY",
			"audit LOG", "audit --format json LOG", "cache LOG", "cache --format json LOG", "cache --format csv LOG",
			"requests LOG", "requests --digests LOG", "requests --digests --wire deepseek LOG", "requests --oneshots LOG", "show --messages LOG",
			"show --pretty LOG last", "show --header LOG last", "show --messages LOG last", "explain LOG last", "explain --format json LOG last",
			"diff LOG 2", "diff COPY last LOG last", "report -o - LOG", "report -o - --recorded RECORDED COPY",
			"golden check DIR", "golden check --format json DIR", "golden check --against OLD DIR",
		} {
			args := strings.Fields(strings.NewReplacer("RECORDED", filepath.Join(filepath.Dir(log), "requests.jsonl"), "WIRE", "../../fixtures/compaction-pressure/wire",
				"DIR", filepath.Dir(copyOf), "OLD", filepath.Dir(log), "COPY", copyOf, "LOG", log).Replace(line))
			_, out, errs := runIn(context.Background(), append(args, "--redact-key", "2a")...)
			for _, digest := range digests {
				if strings.Contains(out+errs, digest[:8]) {
					t.Errorf("%s: %s prints %s:\n%s", name, line, digest, around(out+errs, digest[:8]))
					break
				}
			}
		}
	}
}

// digestsOf returns the digests that a log's requests, bodies and parts have.
func digestsOf(t *testing.T, log, sum string) []string {
	t.Helper()
	text, err := os.ReadFile(sum)
	if err != nil {
		t.Fatal(err)
	}
	_, requests, _ := runIn(context.Background(), "requests", "--digests", log)
	_, bodies, _ := runIn(context.Background(), "requests", "--digests", "--wire", "deepseek", log)
	digests := regexp.MustCompile(`\b[0-9a-f]{16,64}\b`).FindAllString(requests+bodies+string(text), -1)
	if len(digests) < 10 {
		t.Fatalf("only %d digests", len(digests))
	}
	return digests
}

// TestKeyedDigest checks that the keyed digest is what its documentation says, as openssl
// computes it:
//
//	printf %s 1c31e061dc9496ef... | openssl dgst -sha256 -mac HMAC -macopt hexkey:2a
func TestKeyedDigest(t *testing.T) {
	log := "../../fixtures/tools-sequential/session.jsonl"
	_, plain, _ := runIn(context.Background(), "requests", "--digests", log)
	_, keyed, _ := runIn(context.Background(), "requests", "--digests", "--redact-key", "2a", log)
	digest := regexp.MustCompile(`"sha256":"(\w+)"`).FindStringSubmatch(plain)[1]
	mac := hmac.New(sha256.New, []byte{0x2a})
	mac.Write([]byte(digest))
	want := strings.Replace(strings.SplitAfter(plain, "\n")[0], `"sha256":"`+digest, fmt.Sprintf(`"hmacSha256":"%x`, mac.Sum(nil)), 1)
	if got := strings.SplitAfter(keyed, "\n")[0]; got != want {
		t.Errorf("%swant %s", got, want)
	}
	if _, other, _ := runIn(context.Background(), "requests", "--digests", "--redact", log); other == keyed || strings.Contains(other, digest) {
		t.Errorf("without a key: %s", other)
	}
	if code, out, _ := runIn(context.Background(), "requests", "--jsonl", "--redact", log); code != exitUsage || out != "" {
		t.Errorf("exact bytes are redacted: %d %s", code, out)
	}
}
