package recordingtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/check/capture"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

const fixtures = "../../fixtures"

// names are the fixtures whose recordings are mutated: one process and several,
// retries, one-shots, images, and JSON of every kind.
var names = []string{
	"tools-sequential", "retry-attempts", "compaction-pressure", "session-title-oneshot", "resume-same-and-drift",
	"crash-torn-line", "image-files-api", "text-one-turn", "overflow-recovery-in-step", "cancel-mid-stream", "late-zstd", "late-tools-parallel",
}

// extended are those whose bodies get a member that plugins append.
var extended = []string{"retry-attempts", "session-title-oneshot", "text-one-turn"}

const extension = `,"dsh_plugin_packages":{"version":1,"packages":[{"name":"a","version":"1.0.0"}]}}`

// A base is a log and what was recorded of it, before anything is mutated.
type base struct {
	Name     string            `json:"name"`
	Session  string            `json:"session"`
	Prepared map[string]bool   `json:"prepared"` // requests that the log cannot show as sent
	Requests []entry           `json:"requests"`
	Bodies   []body            `json:"bodies"`
	log      []byte            // of the session
	objects  string            // folder of the store, "" for none
	requests []byte            // requests.jsonl
	index    []byte            // of the bodies
	files    map[string][]byte // the bodies
	har      []byte
}

// An entry is a recorded request. Life is the lifetime of its number.
type entry struct {
	Key  string `json:"key"`
	Text string `json:"text"`
	Life int    `json:"life"`
}

// A body is one that was posted for the session. Of a one-shot, what stands between Head
// and Tail is not in the log.
type body struct {
	Key     string `json:"key"`
	Text    string `json:"text"`
	Oneshot bool   `json:"oneshot"`
	Head    string `json:"head"`
	Tail    string `json:"tail"`
	Untold  bool   `json:"untold"` // the log does not tell of it: a compaction that failed
	file    string
}

func loadBase(t testing.TB, name string) *base {
	dir := filepath.Join(fixtures, name)
	b := &base{Name: name, Prepared: make(map[string]bool), files: make(map[string][]byte)}
	for _, file := range []string{"session.jsonl", "session.jsonl.zstd"} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
			b.log = text
		}
	}
	if store := filepath.Join(dir, "attachments", "v1"); exists(store) {
		b.objects = store
	}
	b.requests = read(t, filepath.Join(dir, "requests.jsonl"))
	b.index = read(t, filepath.Join(dir, "wire", "index.jsonl"))
	reader := logformat.NewReader(bytes.NewReader(b.log), logformat.Options{})
	header, err := reader.Header()
	if err != nil {
		t.Fatal(err)
	}
	b.Session = header.ID
	b.loadRequests(t)
	b.loadBodies(t, dir)
	log := b.compare(t, &mutant{Kind: "folder", Path: filepath.Join(dir, "wire")})
	for _, row := range log.Requests {
		if row.Prepared {
			b.Prepared[row.Key()] = true
		}
	}
	for i := range b.Bodies {
		b.Bodies[i].Untold = slices.ContainsFunc(log.Findings, func(f finding.Finding) bool {
			return f.Code == finding.CaptureOneshotUnverified && strings.HasPrefix(f.Message(), b.Bodies[i].file)
		})
	}
	return b
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func read(t testing.TB, path string) []byte {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// loadRequests reads the recording. Lifetimes are counted by the session/end-seed rows
// in front of a turn.
func (b *base) loadRequests(t testing.TB) {
	lives := b.lifetimes(t)
	for line := range bytes.Lines(b.requests) {
		var e struct {
			SessionID           string          `json:"sessionId"`
			Turn, Step, Attempt int             // as the recorder prints them
			Request             json.RawMessage `json:"request"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.SessionID == b.Session {
			b.Requests = append(b.Requests, entry{keyOf(e.Turn, e.Step, e.Attempt), string(e.Request), lives[e.Turn]})
		}
	}
}

func keyOf(turn, step, attempt int) string { return fmt.Sprintf("%d.%d.%d", turn, step, attempt) }

func (b *base) lifetimes(t testing.TB) map[int]int {
	lives, life := make(map[int]int), 0
	reader := logformat.NewReader(bytes.NewReader(b.log), logformat.Options{})
	for rec, err := range reader.Records() {
		if err != nil {
			t.Fatal(err)
		}
		for e := range rec.Events() {
			switch e.Type {
			case logformat.TypeSessionEndSeed:
				life++
			case logformat.TypeTurnStart:
				turn, _ := e.Data.Lookup("turn").SafeInt()
				lives[int(turn)] = life
			}
		}
	}
	return lives
}

// loadBodies reads the posted bodies, and makes a HAR file of them.
func (b *base) loadBodies(t testing.TB, dir string) {
	var entries []any
	for line := range bytes.Lines(b.index) {
		var e struct {
			File      string            `json:"file"`
			SessionID string            `json:"sessionId"`
			Purpose   string            `json:"purpose"`
			Turn      int               `json:"turn"`
			Step      int               `json:"step"`
			Attempt   int               `json:"attempt"`
			Headers   map[string]string `json:"headers"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		text := read(t, filepath.Join(dir, "wire", e.File))
		posted := text
		if slices.Contains(extended, b.Name) {
			posted = append(bytes.TrimSuffix(bytes.Clone(text), []byte("}")), extension...)
		}
		b.files[e.File] = posted
		if e.SessionID == b.Session {
			one := bodyOf(text, e.Purpose)
			one.file = e.File
			one.Key = keyOf(e.Turn, e.Step, e.Attempt)
			b.Bodies = append(b.Bodies, one)
		}
		var headers []any
		e.Headers["content-length"] = strconv.Itoa(len(posted))
		for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
			value := e.Headers[name]
			if strings.HasPrefix(name, "content") || strings.HasPrefix(name, "x-") {
				headers = append(headers, map[string]string{"name": name, "value": value})
			}
		}
		entries = append(entries, map[string]any{"startedDateTime": "2026-01-01T00:00:00Z", "request": map[string]any{
			"method": "POST", "url": "http://example.test/v1/chat/completions", "headers": headers, "bodySize": len(posted),
			"postData": map[string]any{"mimeType": "application/json", "text": string(posted)},
		}, "response": map[string]any{"status": 200, "content": map[string]any{"text": "data: x"}}})
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"log": map[string]any{"version": "1.2", "creator": map[string]any{"name": "x"}, "entries": entries}}); err != nil {
		t.Fatal(err)
	}
	b.har = out.Bytes()
}

func bodyOf(text []byte, purpose string) body {
	one := body{Text: string(text), Oneshot: purpose != "loop"}
	if purpose != "compaction" {
		return one
	}
	var posted struct {
		Messages []struct{ Content json.RawMessage }
	}
	if json.Unmarshal(text, &posted) == nil && len(posted.Messages) > 0 {
		instruction := string(posted.Messages[len(posted.Messages)-1].Content)
		at := strings.LastIndex(one.Text, instruction)
		one.Head, one.Tail = one.Text[:at+1], one.Text[at+len(instruction)-1:]
	}
	return one
}

// verify checks the log against nothing, or a mutant.
func (b *base) verify(t testing.TB, opts check.Options) *result.Log {
	if b.objects != "" {
		store, err := objectstore.OpenFolder(b.objects)
		if err != nil {
			t.Fatal(err)
		}
		opts.Objects = objectstore.NewVerifier(store)
	}
	return verify.Run("log", logformat.NewReader(bytes.NewReader(b.log), logformat.Options{}), opts.Checks()...)
}

// compare checks the log against a mutant as the command does. A mutant that cannot be
// read gives an unreadable log.
func (b *base) compare(t testing.TB, m *mutant) *result.Log {
	if m.Kind == "requests" {
		file, err := requestlog.Open(m.Path)
		if err != nil {
			return result.UnreadableRecording("log", m.Path, err.Error())
		}
		defer file.Close()
		return b.verify(t, check.Options{Recording: file})
	}
	file, err := traffic.Open(m.Path)
	if err != nil {
		return result.UnreadableRecording("log", m.Path, err.Error())
	}
	return b.verify(t, check.Options{Traffic: &capture.Traffic{File: file, Policy: wire.DefaultPolicy()}})
}

// codes are the findings of a report that are no notes.
func codes(log *result.Log) string {
	var list []string
	seen := make(map[finding.Code]bool)
	for _, f := range log.Findings {
		if f.Severity != finding.Note && !seen[f.Code] {
			seen[f.Code] = true
			list = append(list, f.Code.String())
		}
	}
	return strings.Join(list, " ")
}
