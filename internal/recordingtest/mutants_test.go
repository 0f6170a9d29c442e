package recordingtest

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

var (
	mutants = flag.Int("mutants", 250, "compare with `N` mutated recordings")
	keep    = flag.String("keep", "", "leave the last mutant of each kind in a `FOLDER`")
	first   = flag.Uint64("first", 1, "the `SEED` of the first")
)

// A mutant is a recording that was changed.
type mutant struct {
	Base string `json:"base"`
	Kind string `json:"kind"` // requests, folder or har
	Path string `json:"path"`
	what string
}

// TestMutants compares logs with mutated recordings. No mutant is called verified that
// the judges do not call equal, and nothing fails.
func TestMutants(t *testing.T) {
	var bases []*base
	for _, name := range names {
		bases = append(bases, loadBase(t, name))
	}
	script := startScript(t, bases)
	sum := &summary{equal: make(map[string]int), stricter: make(map[string]int), example: make(map[string]string)}
	dir := *keep
	if dir == "" {
		dir = t.TempDir()
	}
	for i := range *mutants {
		seed := *first + uint64(i)
		r := rand.New(rand.NewPCG(seed, 1))
		b := bases[r.IntN(len(bases))]
		m := b.mutate(t, r, filepath.Join(dir, "mutant"))
		log := b.tryCompare(t, m, seed)
		why := b.judge(m)
		second := script.judge(t, m)
		name := fmt.Sprintf("seed %d, %s %s (%s)", seed, b.Name, m.Kind, m.what)
		if log.Verdict == finding.Verified {
			sum.verified++
			for judge, why := range map[string]string{"Go": why, "JavaScript": second} {
				if why != "" {
					t.Errorf("%s: verified, and the judge in %s says: %s", name, judge, why)
				}
			}
			sum.equal[codes(log)]++
		} else if why == "" && second == "" {
			sum.stricter[string(log.Verdict)+": "+codes(log)]++
			sum.example[string(log.Verdict)+": "+codes(log)] = name
			argue(t, name, log)
		}
		if *keep == "" {
			os.RemoveAll(m.Path)
		}
	}
	sum.print(t, script != nil)
}

// tryCompare compares, and names the mutant where that fails.
func (b *base) tryCompare(t *testing.T, m *mutant, seed uint64) *result.Log {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("seed %d, %s %s (%s): %v", seed, b.Name, m.Kind, m.what, r)
		}
	}()
	return b.compare(t, m)
}

// mutate writes a mutant with one or two changes to path.
func (b *base) mutate(t *testing.T, r *rand.Rand, path string) *mutant {
	m := &mutant{Base: b.Name, Kind: []string{"requests", "folder", "har"}[r.IntN(3)], Path: path}
	write := func(path string, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, f := b.requests, &folder{b.index, maps.Clone(b.files)}
	if m.Kind == "har" {
		text = b.har
	}
	for range 1 + r.IntN(2) {
		var what string
		switch m.Kind {
		case "requests":
			text, what = mutateText(r, text)
		case "har":
			op := harOps[r.IntN(len(harOps))]
			text, what = op.do(r, text)
			what = op.name + ": " + what
		case "folder":
			op := folderOps[r.IntN(len(folderOps))]
			what = op.name + ": " + op.do(r, f)
		}
		m.what += "; " + what
	}
	switch m.Kind {
	case "requests":
		m.Path += ".jsonl"
	case "har":
		m.Path += ".har"
	case "folder":
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range f.files {
			write(filepath.Join(path, name), text)
		}
		if f.index != nil {
			write(filepath.Join(path, "index.jsonl"), f.index)
		}
		return m
	}
	write(m.Path, text)
	return m
}

// argued are the findings for which a mutant that the judges call equal is not verified,
// and why that is right. Warnings and notes may stand beside them.
var argued = map[finding.Code]string{
	finding.RecordingOrder:      "a recorder writes in the order of dispatch; JavaScript's reading has no order",
	finding.RecordingMalformed:  "a line that is JSON and no request record, as {}",
	finding.RecordingUnread:     "a HAR file whose method, URL or headers are of another kind than HAR 1.2 has there, or an index that names no file",
	finding.CaptureExtra:        "a second post with other file ids that does not follow the first",
	finding.CaptureMissing:      "of two requests with equal bodies one was posted, or a body names another session; the judges look for its bytes alone",
	finding.RecordingNotMatched: "the only body names another session; the judges look for its bytes alone",
	finding.CaptureAlike:        "a body of no session that is three quarters of one of its bodies; the judges ask for nine tenths",
	finding.CaptureIncomparable: "a body that cannot be read and names no session, or bytes that are not UTF-8 in another part of its entry",
	finding.CaptureDrift:        "of two requests with equal bodies one was changed; the judges look for one",
	finding.CaptureChanged:      "a file is not the one that the index gives the length and digest of",
	finding.CaptureOneshotDrift: "a compaction is paired with the body of another",
}

// argue checks that a mutant that is equal is not verified for a reason.
func argue(t *testing.T, name string, log *result.Log) {
	for _, f := range log.Findings {
		if argued[f.Code] != "" {
			return
		}
	}
	t.Errorf("%s: equal, and %s without a reason: %s", name, log.Verdict, codes(log))
}

// A summary counts the mutants by what was said of them.
type summary struct {
	verified int
	equal    map[string]int    // verified, by the warnings
	stricter map[string]int    // equal and not verified, by the findings
	example  map[string]string // of the latter
}

func (s *summary) print(t *testing.T, javaScript bool) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%d mutants, %d verified; JavaScript judged: %v\n", *mutants, s.verified, javaScript)
	for _, c := range []struct {
		title  string
		counts map[string]int
	}{{"verified, with", s.equal}, {"equal, and not verified:", s.stricter}} {
		for _, key := range slices.Sorted(maps.Keys(c.counts)) {
			fmt.Fprintf(&out, "%6d %s %s", c.counts[key], c.title, key)
			if name := s.example[key]; name != "" {
				fmt.Fprintf(&out, " (as %s)", name)
			}
			out.WriteByte('\n')
		}
	}
	t.Log(out.String())
}
