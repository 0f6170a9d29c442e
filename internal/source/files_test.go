package source

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// TestChoice holds, over many folders, that what is read is of one generation and that
// nothing newer lies beside it, and that no name is in two places.
func TestChoice(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pool := []string{"requests.jsonl", "session.lock", "notes.txt", "session.1.jsonl"}
	for _, version := range []string{"", ".v1", ".v2", ".v4", ".v10", ".v0", ".V4", ".v04", "-copy", ".v9007199254740992"} {
		for _, end := range []string{".jsonl", ".jsonl.zstd", ".jsonl.bak", ".jsonl.0123456789ab.tmp"} {
			pool = append(pool, "session"+version+end, ".session"+version+end+".icloud")
		}
	}
	for range 5000 {
		var names []string
		for _, i := range random.Perm(len(pool))[:random.IntN(12)] {
			names = append(names, pool[i])
		}
		f := Choose(names)
		newest := f.Logs
		if f.Absent != "" {
			newest = append(newest, f.Absent)
		}
		oneGeneration(t, newest, f.Older)
		seen := sortedOut(t, names, &f)
		for _, name := range names {
			if _, _, ok := logformat.ParseFileName(name); ok && !seen[name] || len(newest) == 0 && ok {
				t.Fatalf("%q: %s is passed over: %+v", names, name, f)
			}
		}
	}
}

// sortedOut returns the names that a choice has somewhere; none stands twice or is new.
func sortedOut(t *testing.T, names []string, f *Files) map[string]bool {
	seen := make(map[string]bool)
	for _, list := range [][]string{f.Logs, f.Older, f.Copies, f.Leftovers, {f.Absent}} {
		for _, name := range list {
			if name != "" && (seen[name] || !slices.Contains(names, name)) {
				t.Fatalf("%q: %s stands twice or is new: %+v", names, name, f)
			}
			seen[name] = true
		}
	}
	return seen
}

// oneGeneration holds the newest files to be of one generation, and the older of others.
func oneGeneration(t *testing.T, newest, older []string) {
	version := func(name string) int64 {
		n, _, ok := logformat.ParseFileName(strings.TrimPrefix(strings.TrimSuffix(name, ".icloud"), "."))
		if !ok {
			t.Errorf("%s is taken for a generation", name)
		}
		return n
	}
	for _, name := range newest {
		if version(name) != version(newest[0]) {
			t.Fatalf("of two generations: %q", newest)
		}
		for _, before := range older {
			if version(before) >= version(name) {
				t.Fatalf("%s is not older than %s", before, name)
			}
		}
	}
}

// TestBeside holds what is said of other generations, and when.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		log      Log
		unusable bool
		want     []string
	}{
		{Log{}, true, nil},
		{Log{Older: []string{"session.jsonl"}}, false, []string{"store/older-generation note"}},
		{Log{Older: []string{"session.jsonl"}}, true, []string{"store/no-fallback warning"}},
		{Log{Name: "d/session.v4.jsonl", Older: []string{"session.v3.jsonl", "session.jsonl"}}, false, []string{"store/older-generation note"}},
		{Log{Name: "d/session.v4.jsonl", Older: []string{"session.v3.jsonl", "session.jsonl.zstd"}}, false, []string{"store/older-generation note", "store/two-encodings warning"}},
		{Log{Name: "d/session.v4.jsonl.zstd", Older: []string{"session.v3.jsonl.zstd"}}, false, []string{"store/older-generation note"}},
		{Log{Newer: "session.v4.jsonl"}, false, []string{"store/newer-generation warning"}},
		{Log{Newer: "session.v4.jsonl"}, true, []string{"store/newer-generation warning"}},
	} {
		var got []string
		for _, f := range c.log.Beside(c.unusable) {
			got = append(got, f.Code.String()+" "+f.Severity.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: %s", c.log, diff)
		}
	}
}
