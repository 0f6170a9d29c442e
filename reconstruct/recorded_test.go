package reconstruct_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

const fixtures = "../fixtures"

// openLog opens a case's log.
func openLog(t *testing.T, dir string) *logformat.Reader {
	t.Helper()
	for _, name := range []string{"session.jsonl", "session.jsonl.zstd"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			return logformat.NewReader(bytes.NewReader(data), logformat.Options{})
		}
	}
	t.Fatalf("%s holds no log", dir)
	return nil
}

func rebuild(t *testing.T, dir string) (sent, prepared map[string]string) {
	t.Helper()
	r := openLog(t, dir)
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	sent, prepared = map[string]string{}, map[string]string{}
	for q, err := range reconstruct.NewSession(header, reconstruct.Options{}).Requests(r) {
		if err != nil {
			t.Fatal(err)
		}
		check(t, q)
		line := fmt.Sprintf(`{"sessionId":%q,"turn":%d,"step":%d,"attempt":%d,"request":%s}`, q.SessionID, q.Turn, q.Step, q.Attempt, q.Bytes())
		if q.Prepared {
			prepared[q.Key()] = line
		} else {
			sent[q.Key()] = line
		}
	}
	return sent, prepared
}

// check compares what a request says of itself with its bytes.
func check(t *testing.T, q *reconstruct.Request) {
	t.Helper()
	b := q.Bytes()
	if int64(len(b)) != q.Len() {
		t.Errorf("request %s: Len is %d, it has %d bytes", q.Key(), q.Len(), len(b))
	}
	sum := sha256.Sum256(b)
	if got := q.Digest().String(); got != hex.EncodeToString(sum[:]) {
		t.Errorf("request %s: the extended digest is not that of its bytes", q.Key())
	}
	at := int64(0)
	for p := range q.Parts() {
		if p.Start < at || !bytes.Equal(b[p.Start:p.End], p.Value) {
			t.Errorf("request %s: part %s is not at bytes %d to %d", q.Key(), p.Pointer, p.Start, p.End)
		}
		at = p.End
	}
	if !bytes.Equal(q.Keep().Bytes(), b) {
		t.Errorf("request %s: kept, it has other bytes", q.Key())
	}
}

// TestRecordedRequests compares every rebuilt request with what the harness sent.
func TestRecordedRequests(t *testing.T) {
	for _, pattern := range []string{"*/requests.jsonl", "*/children/*/requests.jsonl", "*/rebuilt.jsonl"} {
		files, _ := filepath.Glob(filepath.Join(fixtures, pattern))
		if len(files) == 0 {
			t.Errorf("no fixtures match %s", pattern)
		}
		for _, file := range files {
			dir := filepath.Dir(file)
			if logs, _ := filepath.Glob(filepath.Join(dir, "session.jsonl*")); len(logs) == 0 {
				continue // the log is in a store
			}
			t.Run(file[len(fixtures)+1:], func(t *testing.T) { compareRecording(t, dir, file) })
		}
	}
}

func compareRecording(t *testing.T, dir, file string) {
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sent, prepared := rebuild(t, dir)
	lines := bytes.Split(bytes.TrimSpace(recorded), []byte("\n"))
	proved := 0
	for _, line := range lines {
		if len(line) == 0 {
			continue
		}
		key := keyOf(t, line)
		got, ok := sent[key]
		if !ok {
			got, ok = prepared[key]
			proved++
		}
		switch {
		case !ok:
			t.Errorf("request %s was recorded and not rebuilt", key)
		case got != string(line):
			t.Errorf("request %s differs:\n got %s\nwant %s", key, got, line)
		}
	}
	// A log that a later lifetime resumed holds earlier requests that were not recorded.
	if want := len(lines) - proved; len(sent) != want && filepath.Base(dir) != "resume-over-handwritten-json" && len(lines[0]) > 0 {
		t.Errorf("%d requests rebuilt, %d recorded", len(sent), want)
	}
}

func keyOf(t *testing.T, line []byte) string {
	t.Helper()
	var id string
	var turn, step, attempt int
	if _, err := fmt.Sscanf(string(line), `{"sessionId":%q,"turn":%d,"step":%d,"attempt":%d,`, &id, &turn, &step, &attempt); err != nil {
		t.Fatalf("%v in %.80s", err, line)
	}
	return fmt.Sprintf("%d.%d.%d", turn, step, attempt)
}
