package verify_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/check/capture"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// A harCase writes a HAR of a case's recorded bodies.
type harCase struct {
	t       *testing.T
	dir     string
	shuffle bool
	edit    func(file string, body []byte) []byte // nil body: the capture lost it
	post    func(body []byte) map[string]any      // the postData; nil: plain text
	headers map[string]string
}

func (h harCase) write() string {
	index, err := os.ReadFile(filepath.Join(h.dir, "wire", "index.jsonl"))
	if err != nil {
		h.t.Fatal(err)
	}
	var entries []any
	for _, line := range bytes.Split(bytes.TrimSpace(index), []byte("\n")) {
		var e struct {
			File    string
			Headers map[string]string
		}
		if err := json.Unmarshal(line, &e); err != nil {
			h.t.Fatal(err)
		}
		body, err := os.ReadFile(filepath.Join(h.dir, "wire", e.File))
		if err != nil {
			h.t.Fatal(err)
		}
		// Some fixtures are shorter than what was posted.
		e.Headers["content-length"] = strconv.Itoa(len(body))
		if h.edit != nil {
			body = h.edit(e.File, body)
		}
		post := map[string]any{"mimeType": "application/json", "text": string(body)}
		if h.post != nil {
			post = h.post(body)
		}
		headers := []any{}
		for name, value := range e.Headers {
			headers = append(headers, map[string]string{"name": name, "value": value})
		}
		for name, value := range h.headers {
			headers = append(headers, map[string]string{"name": name, "value": value})
		}
		entries = append(entries, map[string]any{"request": map[string]any{
			"method": "POST", "url": "http://example.test/v1/chat/completions", "headers": headers, "postData": post,
		}})
	}
	if h.shuffle {
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"log": map[string]any{"version": "1.2", "entries": entries}}); err != nil {
		h.t.Fatal(err)
	}
	path := filepath.Join(h.t.TempDir(), "traffic.har")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func againstCapture(t *testing.T, dir, path string) *result.Log {
	bodies, err := traffic.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return run(logBytes(t, filepath.Base(dir)), check.Options{Traffic: &capture.Traffic{File: bodies, Policy: wire.DefaultPolicy()}})
}

func codesOf(log *result.Log) (codes []finding.Code) {
	for _, f := range log.Findings {
		codes = append(codes, f.Code)
	}
	slices.SortFunc(codes, func(a, b finding.Code) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(codes)
}

func TestHAR(t *testing.T) {
	for _, c := range []struct {
		name  string
		dir   string
		make  harCase
		codes []finding.Code
	}{
		{"plain", "tools-parallel", harCase{}, nil},
		{"shuffled", "retry-attempts", harCase{shuffle: true}, nil},
		{"base64", "json-torture", harCase{post: func(body []byte) map[string]any {
			return map[string]any{"text": base64.StdEncoding.EncodeToString(body), "encoding": "base64"}
		}}, nil},
		{"gzip", "tools-sequential", harCase{headers: map[string]string{"content-encoding": "gzip"}, post: func(body []byte) map[string]any {
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			w.Write(body)
			w.Close()
			return map[string]any{"text": base64.StdEncoding.EncodeToString(z.Bytes()), "encoding": "base64"}
		}}, nil},
		{"one-shots", "compaction-pressure", harCase{shuffle: true}, []finding.Code{finding.CaptureAssumed, finding.CaptureOneshot}},
		{"a title", "session-title-oneshot", harCase{}, []finding.Code{finding.CaptureOneshot}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.make.t, c.make.dir = t, filepath.Join(fixtures, c.dir)
			log := againstCapture(t, c.dir, c.make.write())
			if log.Verdict != finding.Verified || log.Counts.Verified != log.Counts.Requests {
				t.Errorf("verdict %s, %d of %d verified: %+v", log.Verdict, log.Counts.Verified, log.Counts.Requests, log.Findings)
			}
			var notes []finding.Code
			for _, code := range codesOf(log) {
				if code.Is("capture") {
					notes = append(notes, code)
				}
			}
			if diff := cmp.Diff(c.codes, notes, cmp.Comparer(func(a, b finding.Code) bool { return a == b })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestHARDrift changes one byte of one body: the report names request, path, byte
// and event, and folds what follows from nothing else.
func TestHARDrift(t *testing.T) {
	har := harCase{t: t, dir: filepath.Join(fixtures, "tools-sequential"), shuffle: true, edit: func(file string, body []byte) []byte {
		if file == "0002.json" {
			return bytes.Replace(body, []byte("high water"), []byte("high Water"), 1)
		}
		return body
	}}
	log := againstCapture(t, "tools-sequential", har.write())
	if log.Verdict != finding.Drift || log.Counts.Drifted != 1 || log.Counts.Verified != log.Counts.Requests-1 {
		t.Fatalf("verdict %s, %d drifted, %d of %d verified: %+v", log.Verdict, log.Counts.Drifted, log.Counts.Verified, log.Counts.Requests, log.Findings)
	}
	for _, f := range log.Findings {
		if f.Code != finding.CaptureDrift {
			continue
		}
		// The system prompt is the wire's first message, so the user's is its second.
		if f.Place.Request != "1.2.1" || f.Place.Pointer != "/messages/1/content" || f.Place.Seq != 4 || !strings.Contains(f.Message(), "messages[1].content differs at byte 13 of") {
			t.Errorf("drift is placed at %+v: %s", f.Place, f.Message())
		}
		return
	}
	t.Error("no drift is reported")
}

func TestHARIncomparable(t *testing.T) {
	truncated := harCase{t: t, dir: filepath.Join(fixtures, "text-one-turn"), post: func(body []byte) map[string]any {
		return map[string]any{"text": string(body[:20])}
	}}
	log := againstCapture(t, "text-one-turn", truncated.write())
	if log.Verdict != finding.Unverifiable || log.Counts.Drifted != 0 {
		t.Errorf("a truncated body gives %s with %d drifted", log.Verdict, log.Counts.Drifted)
	}
	if codes := codesOf(log); !slices.Contains(codes, finding.CaptureIncomparable) {
		t.Errorf("findings are %v", codes)
	}
}

func TestCaptureMissingAndExtra(t *testing.T) {
	dir := filepath.Join(fixtures, "tools-parallel")
	file, err := traffic.Open(filepath.Join(dir, "wire"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, bodies []*traffic.Body, code finding.Code, request string) {
		log := run(logBytes(t, "tools-parallel"), check.Options{Traffic: &capture.Traffic{File: &traffic.File{Path: "wire", Bodies: bodies}, Policy: wire.DefaultPolicy()}})
		for _, f := range log.Findings {
			if f.Code == code && f.Place.Request == request && log.Verdict == finding.Drift {
				return
			}
		}
		t.Errorf("%s: verdict %s, findings %+v", name, log.Verdict, log.Findings)
	}
	check("a body is missing", file.Bodies[1:], finding.CaptureMissing, "1.1.1")
}

// edited returns the captured bodies of a case with one of them changed.
func edited(t *testing.T, dir, file, old, new string, headers bool) []*traffic.Body {
	work := filepath.Join(t.TempDir(), "wire")
	if err := os.CopyFS(work, os.DirFS(filepath.Join(fixtures, dir, "wire"))); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(work, file))
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(text, []byte(old), []byte(new), 1)
	if bytes.Equal(changed, text) {
		t.Fatalf("%s does not hold %q", file, old)
	}
	if err := os.WriteFile(filepath.Join(work, file), changed, 0o600); err != nil {
		t.Fatal(err)
	}
	if !headers {
		os.Remove(filepath.Join(work, "index.jsonl"))
	}
	captured, err := traffic.Open(work)
	if err != nil {
		t.Fatal(err)
	}
	return captured.Bodies
}

func TestCaptureEdits(t *testing.T) {
	for _, c := range []struct {
		name           string
		dir, file      string
		old, new       string
		headers        bool
		verdict        finding.Verdict
		code           finding.Code
		request, place string
	}{
		{"a compaction's message", "compaction-pressure", "0008.json", "Cut batch 1", "Cut botch 1", true, finding.Drift, finding.CaptureOneshotDrift, "", "/messages/1/content"},
		{"a compaction without headers", "compaction-pressure", "0008.json", "Cut batch 1", "Cut botch 1", false, finding.Unverifiable, finding.CaptureAlike, "", ""},
		{"a compaction's effort", "overflow-recovery-in-step", "0004.json", `,"reasoning_effort":"high"`, "", true, finding.Unverifiable, finding.CaptureTwoSettings, "", ""},
		{"a title", "session-title-oneshot", "0002.json", "green", "gruen", true, finding.Drift, finding.CaptureExtra, "", ""},
		{"a request", "tools-sequential", "0004.json", "silly", "sally", true, finding.Drift, finding.CaptureDrift, "2.1.1", "/messages/7/content"},
		{"a request without headers", "tools-sequential", "0004.json", "silly", "sally", false, finding.Drift, finding.CaptureDrift, "2.1.1", "/messages/7/content"},
	} {
		bodies := edited(t, c.dir, c.file, c.old, c.new, c.headers)
		log := run(logBytes(t, c.dir), check.Options{Traffic: &capture.Traffic{File: &traffic.File{Path: "wire", Bodies: bodies}, Policy: wire.DefaultPolicy()}})
		found := false
		for _, f := range log.Findings {
			found = found || f.Code == c.code && f.Place.Request == c.request && f.Place.Pointer == c.place
		}
		if log.Verdict != c.verdict || !found {
			t.Errorf("%s: verdict %s, findings %+v", c.name, log.Verdict, log.Findings)
		}
	}
}

// TestForeignCapture checks that a capture of other sessions is no drift: nothing
// was compared.
func TestForeignCapture(t *testing.T) {
	file, err := traffic.Open(filepath.Join(fixtures, "text-one-turn", "wire"))
	if err != nil {
		t.Fatal(err)
	}
	bodies := file.Bodies
	for _, named := range []bool{true, false} {
		if !named {
			for _, b := range bodies {
				b.SessionID = ""
			}
		}
		log := run(logBytes(t, "tools-sequential"), check.Options{Traffic: &capture.Traffic{File: &traffic.File{Path: "wire", Bodies: bodies}, Policy: wire.DefaultPolicy()}})
		if log.Verdict != finding.Unverifiable || log.Counts.Drifted != 0 || !slices.Contains(codesOf(log), finding.RecordingNotMatched) {
			t.Errorf("verdict %s, %d drifted, findings %v", log.Verdict, log.Counts.Drifted, codesOf(log))
		}
	}
}

// TestPostedTwice checks that a body that was posted twice is named and no drift:
// how often a dispatch posts is not in the log.
func TestPostedTwice(t *testing.T) {
	file, err := traffic.Open(filepath.Join(fixtures, "tools-parallel", "wire"))
	if err != nil {
		t.Fatal(err)
	}
	bodies := file.Bodies
	again := *bodies[0]
	log := run(logBytes(t, "tools-parallel"), check.Options{Traffic: &capture.Traffic{File: &traffic.File{Path: "wire", Bodies: append(bodies, &again)}, Policy: wire.DefaultPolicy()}})
	if log.Verdict != finding.Verified || !slices.Contains(codesOf(log), finding.CaptureRepost) {
		t.Errorf("verdict %s, findings %v", log.Verdict, codesOf(log))
	}
}
