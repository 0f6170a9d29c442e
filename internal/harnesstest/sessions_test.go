package harnesstest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/check/capture"
	"github.com/dsh-verify/dsh-verify/internal/check/objects"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// TestRandomSessions plays random sessions in the real harness and demands
// that every recorded request is rebuilt byte for byte.
func TestRandomSessions(t *testing.T) {
	h := needHarness(t)
	n := *seeds
	if n == 0 {
		n = 3
	}
	total := totals{events: make(map[string]int)}
	t.Run("seeds", func(t *testing.T) {
		for i := range n {
			seed := *firstSeed + uint64(i)
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				checkSeed(t, h, seed, &total)
			})
		}
	})
	t.Logf("%d random sessions, from seed %d on: %d processes, %d logs, %d requests verified, %d posted bodies equal, %d differ by what no log can tell, %d edits found, %d logs damaged and judged",
		n, *firstSeed, total.lifetimes, total.logs, total.requests, total.bodies, total.unlogged, total.edits, total.judged)
	for _, name := range []string{
		"llm/retry", "compaction/summary", "compaction/prune", "tool/call", "tool/result", "session/end-seed", "request/header", "agent/inbox/spliced", "replace", "interrupted", "image",
	} {
		t.Logf("%6d %s", total.events[name], name)
	}
}

type totals struct {
	sync.Mutex
	lifetimes, logs, requests, unlogged, edits, judged, bodies int
	events                                                     map[string]int // by type
}

func checkSeed(t *testing.T, h *harness, seed uint64, total *totals) {
	p := newPlan(seed)
	dir := t.TempDir()
	err := h.play(p, dir, total)
	if err == nil {
		judgeSessions(t, seed, dir, total)
		return
	}
	small, why := h.shrink(p, err)
	kept := keptDir(t, fmt.Sprintf("seed-%d", seed))
	os.RemoveAll(kept)
	if again := h.play(small, kept, nil); again != nil {
		why = again
	}
	t.Errorf("seed %d: %v\nshrunk to %d lifetimes, kept in %s: %v", seed, err, len(small.Lifetimes), kept, why)
}

// play runs a plan in a folder and checks what came of it.
func (h *harness) play(p *plan, dir string, total *totals) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "plan.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	for i := range p.Lifetimes {
		if err := h.live(path, i, dir); err != nil {
			return err
		}
	}
	return checkStore(p, dir, total)
}

// live runs one lifetime in a process of its own.
func (h *harness) live(plan string, i int, dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := h.command(ctx, "run.mjs", plan, strconv.Itoa(i), dir)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("lifetime %d does not end: %s", i, lastLines(out))
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == -1 {
		return nil // it was to kill itself
	}
	if err != nil {
		return fmt.Errorf("lifetime %d: %w: %s", i, err, lastLines(out))
	}
	return nil
}

// checkStore verifies every log of a played plan.
func checkStore(p *plan, dir string, total *totals) error {
	root := filepath.Join(dir, "sessions")
	if _, err := os.Stat(root); err != nil {
		return nil // it died before anything was stored
	}
	place, err := source.Find(root, source.Spooled{})
	if err != nil {
		return nil // no log was stored
	}
	defer place.Close()
	for _, found := range place.Findings {
		switch found.Code {
		case finding.InputNoSession:
			return nil // every process died before anything was stored
		case finding.StoreLeftover:
			continue // one died while it created a log
		}
		return fmt.Errorf("the store: %s %s", found.Code, found.Message())
	}
	for _, log := range place.Logs {
		if err := checkLog(p, dir, log, total); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimPrefix(log.Name, dir), err)
		}
	}
	if total != nil {
		total.Lock()
		total.lifetimes += len(p.Lifetimes)
		total.logs += len(place.Logs)
		total.Unlock()
	}
	return nil
}

func checkLog(p *plan, dir string, log *source.Log, total *totals) error {
	path := log.Recording
	if p.RecordDir != "" {
		path = filepath.Join(dir, p.RecordDir, filepath.Base(log.Dir), "requests.jsonl")
	}
	report, err := run(dir, log, path)
	if err != nil {
		return err
	}
	if report.Verdict == finding.Refused || report.Verdict == finding.Unreadable {
		return fmt.Errorf("%s: %s", report.Verdict, firstError(report))
	}
	if path == "" || !exists(path) {
		if report.Counts.Requests > 0 {
			return fmt.Errorf("%d requests were rebuilt and none recorded", report.Counts.Requests)
		}
		return nil
	}
	if err := total.count(log); err != nil {
		return err
	}
	cannotTell, err := unexplained(p, log, path, report)
	if err != nil {
		return err
	}
	total.add(func() {
		total.requests += report.Counts.Verified
		total.unlogged += cannotTell
	})
	if p.lossy() || cannotTell > 0 {
		return checkTolerant(p, report)
	}
	if want := finding.Verified; report.Verdict != want {
		return fmt.Errorf("%s: %s", report.Verdict, firstError(report))
	}
	bodies, err := checkBodies(dir, log)
	if err != nil {
		return err
	}
	edits, err := checkEdits(p, dir, log, path)
	total.add(func() {
		total.bodies += bodies
		total.edits += edits
	})
	return err
}

// add counts, where anybody counts.
func (t *totals) add(count func()) {
	if t == nil {
		return
	}
	t.Lock()
	defer t.Unlock()
	count()
}

// checkBodies compares the posted bodies of a log without images: the published
// adapter sends images in an older form. A request that was cancelled may never
// have been posted; one that was must be as it is rebuilt.
func checkBodies(dir string, log *source.Log) (int, error) {
	wirePath := filepath.Join(dir, "wire")
	if !exists(filepath.Join(wirePath, "index.jsonl")) {
		return 0, nil
	}
	bodies, err := traffic.Open(wirePath)
	if err != nil {
		return 0, err
	}
	reader, closer, err := log.Open(logformat.Options{})
	if err != nil {
		return 0, err
	}
	defer closer.Close()
	images := new(seesImages)
	traffic := capture.New(&capture.Traffic{File: bodies, Policy: wire.DefaultPolicy()}, nil)
	report := verify.Run(log.Name, reader, traffic, objects.New(nil), images)
	if images.any {
		return 0, nil
	}
	for _, f := range report.Findings {
		switch f.Code {
		case finding.CaptureDrift, finding.CaptureOneshotDrift, finding.CaptureExtra:
			return 0, fmt.Errorf("the posted bodies: %s (%s)", f.Message(), strings.Join(f.Lines(), " | "))
		}
	}
	return report.Counts.Verified, nil
}

// unexplained returns an error on the first request that drifts for a reason
// that the log could tell, and how many do for one that it cannot.
func unexplained(p *plan, log *source.Log, path string, report *result.Log) (int, error) {
	recorded, twice, err := recordedRequests(path)
	if err != nil {
		return 0, err
	}
	var drifted []string
	for _, row := range report.Requests {
		if row.Prepared && p.lossy() {
			continue // what was recorded under its number may have been lost
		}
		if row.Verdict == finding.Drift && recorded[row.Key()] != nil && !twice[row.Key()] {
			drifted = append(drifted, row.Key())
		}
	}
	if len(drifted) == 0 {
		return 0, nil
	}
	rebuilt, err := rebuild(log)
	if err != nil {
		return 0, err
	}
	for _, key := range drifted {
		if !isUnlogged(recorded[key], rebuilt[key]) {
			return 0, fmt.Errorf("%s", firstError(report))
		}
	}
	return len(drifted), nil
}

// isUnlogged reports whether two requests differ only in what the harness does not log.
func isUnlogged(recorded, rebuilt []byte) bool {
	for _, u := range unloggedThings {
		if u.explains(recorded, rebuilt) {
			return true
		}
	}
	return false
}

// recordedRequests reads the requests of a recording by their keys, and which keys it has
// more than once: those were dispatched again after the first was lost.
func recordedRequests(path string) (recorded map[string][]byte, twice map[string]bool, err error) {
	text, err := os.ReadFile(path)
	recorded, twice = make(map[string][]byte), make(map[string]bool)
	for line := range bytes.Lines(text) {
		key := entryKey(line)
		if recorded[key] != nil {
			twice[key] = true
			continue
		}
		at := bytes.Index(line, []byte(`"request":`)) + len(`"request":`)
		recorded[key] = bytes.TrimSuffix(bytes.TrimSpace(line[at:]), []byte("}"))
	}
	return recorded, twice, err
}

// count counts what a log holds, to show what the sessions went through.
func (t *totals) count(log *source.Log) error {
	if t == nil {
		return nil
	}
	reader, closer, err := log.Open(logformat.Options{})
	if err != nil {
		return err
	}
	defer closer.Close()
	t.Lock()
	defer t.Unlock()
	for e, err := range reader.Events() {
		if err != nil {
			return err
		}
		t.events[e.Type]++
		if e.Surface.Op == logformat.OpReplace {
			t.events["replace"]++
		}
		if bytes.Contains(e.Data, []byte(`"interrupted"`)) {
			t.events["interrupted"]++
		}
		if bytes.Contains(e.Data, []byte(`"type":"image"`)) {
			t.events["image"]++
		}
	}
	return nil
}

func rebuild(log *source.Log) (map[string][]byte, error) {
	reader, closer, err := log.Open(logformat.Options{})
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	header, err := reader.Header()
	if err != nil {
		return nil, err
	}
	rebuilt := make(map[string][]byte)
	for q, err := range reconstruct.NewSession(header, reconstruct.Options{}).Requests(reader) {
		if err != nil {
			return nil, err
		}
		rebuilt[q.Key()] = q.Bytes()
	}
	return rebuilt, nil
}

// checkTolerant checks what is left to check of a log with a drift that it
// cannot explain, or that lost its tail once: then a recorded request may be
// missing in it, or have been dispatched again under the same number.
func checkTolerant(p *plan, report *result.Log) error {
	for _, f := range report.Findings {
		lost := f.Code == finding.RecordingExtra || f.Code == finding.RecordingDuplicate
		if f.Severity != finding.Error || f.Code == finding.RecordingDrift || lost && p.lossy() {
			continue
		}
		return fmt.Errorf("%s (%s)", firstError(report), f.Code)
	}
	return nil
}

// namesSuperseded reports whether a report says that a recorded request was
// overtaken.
func namesSuperseded(report *result.Log, key string) bool {
	return slices.ContainsFunc(report.Findings, func(f finding.Finding) bool {
		return f.Code == finding.RecordingSuperseded && f.Place.Request == key
	})
}

func run(dir string, log *source.Log, path string) (*result.Log, error) {
	reader, closer, err := log.Open(logformat.Options{})
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	var opts check.Options
	if path != "" && exists(path) {
		file, err := requestlog.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		opts.Recording = file
	}
	if objects := filepath.Join(dir, "home", "attachments", "v1"); exists(objects) {
		store, err := objectstore.OpenFolder(objects)
		if err != nil {
			return nil, err
		}
		opts.Objects = objectstore.NewVerifier(store)
	}
	return verify.Run(log.Name, reader, opts.Checks()...), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func firstError(report *result.Log) string {
	for _, f := range report.Findings {
		if f.Severity == finding.Error {
			return fmt.Sprintf("%s %s %v\n  %s", f.Code, f.Message(), f.Place, strings.Join(f.Lines(), "\n  "))
		}
	}
	for _, f := range report.Findings {
		if f.Severity != finding.Note {
			return fmt.Sprintf("%s %s %v", f.Code, f.Message(), f.Place)
		}
	}
	return "no finding says why"
}
