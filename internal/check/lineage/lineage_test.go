package lineage_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/dsh-verify/dsh-verify/internal/check/lineage"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
)

func read(t *testing.T, path ...string) []byte {
	text, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "..", "fixtures"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path[len(path)-1], ".zstd") {
		d, err := zstd.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if text, err = io.ReadAll(d); err != nil {
			t.Fatal(err)
		}
	}
	return text
}

func TestCheck(t *testing.T) {
	parent := read(t, "fork-plain-and-override", "session.jsonl")
	child := read(t, "fork-plain-and-override", "children", "1", "session.jsonl")
	agentParent := read(t, "subagent-linked", "session.jsonl.zstd")
	agent := read(t, "subagent-linked", "children", "1", "session.jsonl.zstd")
	replace := func(text []byte, old, new string) []byte {
		if !bytes.Contains(text, []byte(old)) {
			t.Fatalf("the log does not hold %q", old)
		}
		return bytes.Replace(text, []byte(old), []byte(new), 1)
	}
	parentLines := strings.SplitAfter(string(parent), "\n")
	for _, c := range []struct {
		name          string
		child, parent []byte
		code          finding.Code
		seq           int64
	}{
		{"a fork as it was made", child, parent, finding.Code{}, 0},
		{"a subagent as it was made", agent, agentParent, finding.Code{}, 0},
		{"a text of the fork differs", replace(child, `"seq":4,`, `"seq":4 ,`), replace(parent, `"text":"`, `"text":"X`), finding.LineageEvents, 0},
		{"the parent's log ends early", child, []byte(strings.Join(parentLines[:5], "")), finding.LineageEvents, -1},
		{"a parent of another format", child, replace(parent, `"version":0`, `"version":9`), finding.LineageRefused, -1},
		{"a parent that is refused further on", child, replace(parent, `"seq":3,`, `"seq":33,`), finding.LineageRefused, -1},
		{"an empty parent", child, nil, finding.LineageRefused, -1},
		{"a child that is refused", replace(child, `"version":0`, `"version":9`), parent, finding.Code{}, 0},
		{"a depth that skips a level", replace(agent, `"delegationDepth":1`, `"delegationDepth":2`), agentParent, finding.LineageDepth, -1},
	} {
		found, err := lineage.Check(logformat.NewReader(bytes.NewReader(c.child), logformat.Options{}), logformat.NewReader(bytes.NewReader(c.parent), logformat.Options{}))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var codes, want []string
		for _, f := range found {
			codes = append(codes, f.Code.String())
			if f.Place.Seq != c.seq {
				t.Errorf("%s: placed at seq %d, want %d", c.name, f.Place.Seq, c.seq)
			}
		}
		if c.code != (finding.Code{}) {
			want = []string{c.code.String()}
		}
		if diff := cmp.Diff(want, codes); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
