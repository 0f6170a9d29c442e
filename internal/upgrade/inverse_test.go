package upgrade_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/upgrade"
	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// rebuilt returns the requests that an upgraded log gives, in order.
func rebuilt(t *testing.T, log *upgrade.Transcript) (all [][]byte) {
	t.Helper()
	text := log.AppendText(nil)
	reader := logformat.NewReader(bytes.NewReader(text), logformat.Options{
		FileName: logformat.FileName(log.Header.Version, false),
		Again:    func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	})
	header, err := reader.Header()
	if err != nil {
		t.Fatal(err)
	}
	session := reconstruct.NewSession(header, reconstruct.Options{})
	for q, err := range session.Requests(reader) {
		if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
			t.Fatal(refusal)
		}
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := q.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Bytes())
	}
	return all
}

// recorded returns the requests that were sent, as a recorder wrote them.
func recorded(t *testing.T, path string) (all [][]byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var record struct{ Request json.RawMessage }
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		all = append(all, record.Request)
	}
	return all
}

// TestEarlier: what is rebuilt from an upgraded log is, in the earlier shape, what was sent
// when the log was written, byte for byte.
func TestEarlier(t *testing.T) {
	logs := []struct {
		name   string
		format int64
	}{
		{"text-one-turn/session.jsonl", 0},
		{"tools-parallel/session.jsonl", 0},
		{"header-changes/session.jsonl", 0},
		{"retry-attempts/session.jsonl", 0},
		{"runtime-context/session.jsonl", 0},
		{"inject-and-steer/session.jsonl.zstd", 0},
		{"late-tools-parallel/session.jsonl", 0},
		{"late-extensions/session.jsonl", 0},
		{"format2/header-changes/session.v2.jsonl", 2},
		{"format3/tools-parallel/session.v3.jsonl", 3},
		{"format3/retries-with-tools/session.v3.jsonl", 3},
		{"format3/prompt-changed-in-turn/session.v3.jsonl", 3},
	}
	compared := 0
	for _, log := range logs {
		path := filepath.Join(fixtures, log.name)
		want := recorded(t, filepath.Join(filepath.Dir(path), "requests.jsonl"))
		for _, release := range upgrade.Releases() {
			if release.Writes <= log.format {
				continue
			}
			v := check(t, release, file(path))
			if v.Result == nil {
				t.Errorf("%s: %s does not read it: %v", log.name, release.Name, v.Refusal)
				continue
			}
			got := rebuilt(t, v.Result)
			if len(got) != len(want) {
				t.Errorf("%s: the log that %s makes gives %d requests, %d were sent", log.name, release.Name, len(got), len(want))
				continue
			}
			for i := range want {
				request, err := jsvalue.Parse(got[i])
				if err != nil {
					t.Fatal(err)
				}
				if earlier := upgrade.Earlier(request, release.Writes, log.format).Append(nil); !bytes.Equal(earlier, want[i]) {
					t.Errorf("%s: request %d from the log that %s makes is\n%s, sent was\n%s", log.name, i+1, release.Name, earlier, want[i])
				}
				compared++
			}
		}
	}
	if compared < 60 {
		t.Errorf("only %d requests", compared)
	}
}
