package harnesstest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// An answer is what a loader says of a log, and what can be made of one that it loads.
type answer struct {
	refused    string // why, "" when it loads
	unfoldable string // why no request can be made of what was loaded
	events     int64  // taken from the file
	tail       string // of ours: why the rows after the events were dropped
	requests   []string
}

func (a answer) String() string {
	switch {
	case a.refused != "":
		return "refused: " + a.refused
	}
	text := fmt.Sprintf("loads with %d events, %d requests", a.events, len(a.requests))
	if a.unfoldable != "" {
		text = fmt.Sprintf("loads with %d events, unfoldable: %s", a.events, a.unfoldable)
	}
	if a.tail != "" {
		text += ", a tail from " + a.tail
	}
	return text
}

// differs returns in what two answers differ, "" when in nothing. Why a log is
// refused is not compared: one fault has many words.
func (a answer) differs(b answer) string {
	switch {
	case (a.refused == "") != (b.refused == ""):
		return "verdict"
	case a.refused != "":
		return ""
	case a.events != b.events:
		return "events"
	case (a.unfoldable == "") != (b.unfoldable == ""):
		return "fold"
	case a.unfoldable != "":
		return ""
	case len(a.requests) != len(b.requests):
		return "number of requests"
	}
	for i := range a.requests {
		if a.requests[i] != b.requests[i] {
			return "request"
		}
	}
	return ""
}

// ourAnswer reads a log as the commands do.
func ourAnswer(c trial) (a answer) {
	r := logformat.NewReader(bytes.NewReader(c.file), logformat.Options{StorePath: c.base.folder, FileName: "session." + c.base.encoding()})
	defer r.Close()
	h, err := r.Header()
	if err == nil {
		for q, qErr := range reconstruct.NewSession(h, reconstruct.Options{}).Requests(r) {
			if err = qErr; err == nil && !q.Prepared {
				a.requests = append(a.requests, fmt.Sprintf("%d.%d.%d %d %s", q.Turn, q.Step, q.Attempt, q.Len(), q.Digest()))
			}
		}
	}
	a.events = r.Stats().Events
	if tail := r.Tail(); tail != nil && tail.Cause != nil {
		a.tail = string(tail.Cause.Code)
	}
	refusal, refused := errors.AsType[*logformat.Refusal](err)
	switch {
	case refused && refusal.Phase == logformat.PhaseFold:
		a.unfoldable = string(refusal.Code)
	case refused:
		a.refused = string(refusal.Code)
	case err != nil:
		a.refused = err.Error()
	}
	return a
}

// A loader is a release's own. It judges many logs in one process.
type loader struct {
	name    string
	command func(ctx context.Context, jobs, answers, scratch string) *exec.Cmd
}

// published is the loader of the release that the packages are of.
func published(t *testing.T) *loader {
	t.Helper()
	h := needHarness(t)
	return &loader{"0.1.0-rc.8", func(ctx context.Context, jobs, answers, scratch string) *exec.Cmd {
		return h.command(ctx, "judge.mjs", jobs, answers, scratch)
	}}
}

// judge asks for the answers to some logs.
func (l *loader) judge(trials []trial, scratch string) ([]answer, error) {
	jobs, answers := filepath.Join(scratch, l.name+".jobs"), filepath.Join(scratch, l.name+".answers")
	if err := writeJobs(jobs, trials); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	if out, err := l.command(ctx, jobs, answers, filepath.Join(scratch, l.name)).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the loader of %s: %w: %s", l.name, err, lastLines(out))
	}
	return readAnswers(answers, len(trials))
}

func writeJobs(path string, trials []trial) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, c := range trials {
		job := map[string]any{"data": c.file, "encoding": c.base.encoding(), "session": c.base.session, "folder": c.base.folder}
		if err := enc.Encode(job); err != nil {
			return err
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func readAnswers(path string, n int) ([]answer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	answers := make([]answer, 0, n)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		a, err := parseAnswer(lines.Bytes())
		if err != nil {
			return nil, err
		}
		answers = append(answers, a)
	}
	if len(answers) != n {
		return nil, fmt.Errorf("%s has %d answers, want %d (%v)", filepath.Base(path), len(answers), n, lines.Err())
	}
	return answers, nil
}

func parseAnswer(line []byte) (answer, error) {
	var a struct {
		Refused, Unfoldable string
		Events              int64
		Requests            [][]json.RawMessage
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return answer{}, err
	}
	got := answer{refused: a.Refused, unfoldable: a.Unfoldable, events: a.Events}
	for _, q := range a.Requests {
		turn, _ := ecmajson.Value(q[0]).SafeInt()
		step, _ := ecmajson.Value(q[1]).SafeInt()
		got.requests = append(got.requests, fmt.Sprintf("%d.%d.%s %s %s", turn, step, q[2], q[3], strings.Trim(string(q[4]), `"`)))
	}
	return got, nil
}
