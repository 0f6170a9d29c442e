package harnesstest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// A baseLog is an undamaged log.
type baseLog struct {
	name       string
	file, text []byte
	compressed bool
	session    string
	folder     string // below a store root
}

func (b *baseLog) encoding() string {
	if b.compressed {
		return "jsonl.zstd"
	}
	return "jsonl"
}

// biggestBase keeps a run fast: larger logs are damaged no better.
const biggestBase = 64 << 10

// baseLogs returns the fixtures that make good logs to damage.
func baseLogs(t *testing.T) (logs []*baseLog) {
	t.Helper()
	for _, pattern := range []string{"*/session.jsonl*", "*/children/*/session.jsonl*"} {
		files, err := filepath.Glob(filepath.Join(fixtures, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.Contains(path, "/late-") {
				continue // of a later release than the judge
			}
			if b := readBase(t, path); b != nil {
				logs = append(logs, b)
			}
		}
	}
	if len(logs) == 0 {
		t.Fatal("no fixtures to damage")
	}
	return logs
}

func readBase(t *testing.T, path string) *baseLog {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := &baseLog{name: strings.TrimPrefix(filepath.Dir(path), fixtures+"/"), file: file, text: file, compressed: strings.HasSuffix(path, ".zstd")}
	if b.compressed {
		d, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if b.text, err = d.DecodeAll(file, nil); err != nil {
			return nil // damaged already
		}
	}
	h, err := logformat.NewReader(bytes.NewReader(file), logformat.Options{}).Header()
	if err != nil || len(b.text) > biggestBase {
		return nil
	}
	b.session, b.folder = h.ID, h.StorePath()
	return b
}

// A verdict is what a loader says about a log.
type verdict struct {
	refused string // why, "" when accepted
	events  int64  // taken from the file
}

func (v verdict) String() string {
	if v.refused != "" {
		return "refused: " + v.refused
	}
	return fmt.Sprintf("accepted with %d events", v.events)
}

func ourVerdict(file []byte, b *baseLog) verdict {
	log := verify.Run("log", logformat.NewReader(bytes.NewReader(file), logformat.Options{StorePath: b.folder}), verify.Options{})
	if log.Verdict != finding.Refused && log.Verdict != finding.Unreadable {
		return verdict{events: log.Counts.Events}
	}
	for _, f := range log.Findings {
		if f.Severity == finding.Error {
			return verdict{refused: f.Code.String()}
		}
	}
	return verdict{refused: string(log.Verdict)}
}

// A judge is a process in which the harness's own loader opens logs.
type judge struct {
	in  *bufio.Writer
	out *bufio.Scanner
}

func newJudge(t *testing.T) *judge {
	t.Helper()
	h := needHarness(t)
	cmd := h.command(context.Background(), "judge.mjs", t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the judge: %v: %s", err, lastLines(stderr.Bytes()))
		}
	})
	j := &judge{in: bufio.NewWriterSize(in, 1<<20), out: bufio.NewScanner(out)}
	j.out.Buffer(nil, 16<<20)
	return j
}

// ask sends a log; answers come in the same order.
func (j *judge) ask(file []byte, b *baseLog) error {
	question, err := json.Marshal(map[string]any{"data": file, "encoding": b.encoding(), "session": b.session, "folder": b.folder})
	if err != nil {
		return err
	}
	_, err = j.in.Write(append(question, '\n'))
	return err
}

func (j *judge) answer() (verdict, error) {
	if !j.out.Scan() {
		return verdict{}, fmt.Errorf("no answer: %w", io.ErrUnexpectedEOF)
	}
	var a struct {
		Refused string
		Events  int64
	}
	err := json.Unmarshal(j.out.Bytes(), &a)
	return verdict{refused: a.Refused, events: a.Events}, err
}

// TestFixturesJudged holds our verdict on every fixture against that of the
// harness's loader.
func TestFixturesJudged(t *testing.T) {
	j := newJudge(t)
	tally := make(map[string]int)
	for _, b := range baseLogs(t) {
		compareVerdicts(t, j, []trial{{base: b, file: b.file, how: "undamaged"}}, tally)
	}
	logTally(t, tally)
}

// TestDamagedLogsJudged spoils logs and compares accept or refuse, and how many
// events were taken.
func TestDamagedLogsJudged(t *testing.T) {
	n := *mutations
	if n == 0 {
		n = 300
	}
	j := newJudge(t)
	bases := baseLogs(t)
	tally := make(map[string]int)
	var batch []trial
	for i := range n {
		seed := *firstSeed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 0))
		b := bases[r.IntN(len(bases))]
		file, how := mutate(r, b)
		batch = append(batch, trial{base: b, file: file, how: how, seed: seed})
		if len(batch) == 32 || i == n-1 {
			compareVerdicts(t, j, batch, tally)
			batch = batch[:0]
		}
		if t.Failed() && tally["disagreements"] > 40 {
			t.Fatalf("too many disagreements after %d logs", i+1)
		}
	}
	t.Logf("%d damaged logs judged, from seed %d on", n, *firstSeed)
	logTally(t, tally)
}

type trial struct {
	base *baseLog
	file []byte
	how  string
	seed uint64
}

func compareVerdicts(t *testing.T, j *judge, batch []trial, tally map[string]int) {
	t.Helper()
	for _, c := range batch {
		if err := j.ask(c.file, c.base); err != nil {
			t.Fatal(err)
		}
	}
	flushed := make(chan error, 1)
	go func() { flushed <- j.in.Flush() }()
	for _, c := range batch {
		theirs, err := j.answer()
		if err != nil {
			t.Fatal(err)
		}
		ours := ourVerdict(c.file, c.base)
		if theirs.refused == "" {
			tally["accepted by the harness"]++
		} else {
			tally["refused by the harness"]++
		}
		if (ours.refused == "") == (theirs.refused == "") && (ours.refused != "" || ours.events == theirs.events) {
			continue
		}
		if d, ok := explained(ours.refused, theirs.refused); ok {
			tally["explained: "+d.name+": "+d.reason]++
			continue
		}
		tally["disagreements"]++
		t.Errorf("%s, seed %d (%s), kept as %s:\n  we say      %v\n  the harness %v", c.base.name, c.seed, c.how, keep(t, c), ours, theirs)
	}
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
}

// keep stores a log that is disagreed on.
func keep(t *testing.T, c trial) string {
	dir := keptDir(t, fmt.Sprintf("mutation-%d", c.seed))
	path := filepath.Join(dir, "session."+c.base.encoding())
	if err := os.WriteFile(path, c.file, 0o644); err != nil {
		t.Error(err)
	}
	return path
}

// keptDir is where what failed is kept, outside of the repository.
func keptDir(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "dsh-verify-harness", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func logTally(t *testing.T, tally map[string]int) {
	t.Helper()
	for _, name := range sortedKeys(tally) {
		t.Logf("%6d %s", tally[name], name)
	}
}
