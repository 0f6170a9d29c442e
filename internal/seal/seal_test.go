package seal

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/loggen"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// text prints a log whose events say what is given, numbered again.
func text(words []string) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":0,"id":"ses-seal","createdAt":1,"delegationDepth":0}` + "\n")
	for i, word := range words {
		fmt.Fprintf(&b, `{"type":"feedback/record","seq":%d,"time":5,"data":"%s"}`+"\n", i, word)
	}
	return b.String()
}

func words(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("word %d", i))
	}
	return list
}

func read(t *testing.T, log string) *Log {
	t.Helper()
	l, err := Read(logformat.NewReader(strings.NewReader(log), logformat.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// sealed seals a log and takes the statement through its text.
func sealed(t *testing.T, log string) *Statement {
	t.Helper()
	l := read(t, log)
	if l.Refusal != nil {
		t.Fatal(l.Refusal)
	}
	printed, err := l.Seal("test", nil).Format()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(printed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func codes(found []finding.Finding) string {
	var list []string
	for _, f := range found {
		list = append(list, fmt.Sprintf("%s@%d", strings.TrimPrefix(f.Code.String(), "seal/"), f.Place.Seq))
	}
	return strings.Join(list, " ")
}

// TestGrowth holds, for all small sizes and some around a block's, that a log which
// only grew is the one that was sealed, and that one which was cut is not.
func TestGrowth(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 5, 8, 13, 255, 256, 257, 511, 512, 513, 700}
	for _, n := range sizes {
		s := sealed(t, text(words(n)))
		for _, m := range sizes {
			got := codes(s.Check(read(t, text(words(m)))))
			want := ""
			if m < n {
				want = fmt.Sprintf("truncated@%d", m)
			}
			if got != want {
				t.Errorf("sealed at %d, now %d: %q, want %q", n, m, got, want)
			}
			if appended := s.Appended(read(t, text(words(m)))); appended != int64(max(0, m-n)) {
				t.Errorf("sealed at %d, now %d: %d appended", n, m, appended)
			}
		}
	}
}

// TestEdits checks that every event which is changed, removed, inserted or moved is
// named, in a log of the same length and in one that grew, although the later ones
// are numbered again.
func TestEdits(t *testing.T) {
	const n = 12
	s := sealed(t, text(words(n)))
	for _, more := range []int{0, 1, 7} {
		for i := range n {
			check := func(what, want string, edit func([]string) []string) {
				t.Helper()
				if got := codes(s.Check(read(t, text(edit(words(n+more)))))); got != want {
					t.Errorf("%s event %d, %d more: %q, want %q", what, i, more, got, want)
				}
			}
			check("change", fmt.Sprintf("event-changed@%d", i), func(w []string) []string { w[i] = "other"; return w })
			if i < n-1 || more > 0 {
				check("insert before", fmt.Sprintf("event-inserted@%d", i), func(w []string) []string { return slices.Insert(w, i, "other") })
			}
			if i < n-1 {
				check("remove", fmt.Sprintf("event-removed@%d", i), func(w []string) []string { return slices.Delete(w, i, i+1) })
				check("swap", fmt.Sprintf("event-moved@%d", i), func(w []string) []string { w[i], w[i+1] = w[i+1], w[i]; return w })
			}
		}
	}
}

// TestLastEvents holds what edits at the end of what was sealed are called, where
// what follows cannot tell one from another.
func TestLastEvents(t *testing.T) {
	s := sealed(t, text(words(6)))
	for _, c := range []struct {
		name string
		now  []string
		want string
	}{
		{"cut", words(5), "truncated@5"},
		{"cut and changed", append(words(4), "other"), "event-changed@4 truncated@5"},
		{"another last one", append(words(5), "other"), "event-changed@5"},
		{"two changed", append(words(4), "other", "another"), "event-changed@4"},
	} {
		if got := codes(s.Check(read(t, text(c.now)))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestEveryByte checks that no byte of a sealed log can be changed unnoticed, except for
// the ways in which JSON spells the same event.
func TestEveryByte(t *testing.T) {
	log := text([]string{"a lamp", "a boat"})
	s := sealed(t, log)
	for i := range len(log) {
		edited := []byte(log)
		edited[i] ^= 1
		l := read(t, string(edited))
		found := s.Check(l)
		if len(found) == 0 {
			t.Errorf("byte %d: %q for %q is not noticed", i, edited[i], log[i])
		}
	}
}

// TestSeal of a recorded session: what is sealed, and that a request which another
// version of this tool rebuilds otherwise is named.
func TestRecorded(t *testing.T) {
	log, err := os.ReadFile("../../fixtures/tools-sequential/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s := sealed(t, string(log))
	if s.Tree.Events != 98 || len(s.Requests) != 6 || s.Requests[0].SHA256[:12] != "1c31e061dc94" {
		t.Errorf("%d events, requests %v", s.Tree.Events, s.Requests)
	}
	s.Requests[2].SHA256 = strings.Repeat("0", 64)
	if got := codes(s.Check(read(t, string(log)))); got != "request@45" {
		t.Errorf("got %q", got)
	}
}

// TestContainers checks that packing and compression leave the events as they are.
func TestContainers(t *testing.T) {
	var roots []string
	for _, opts := range []loggen.Options{{Requests: 3}, {Requests: 3, Zstandard: true}} {
		var b strings.Builder
		if err := loggen.Write(&b, opts); err != nil {
			t.Fatal(err)
		}
		roots = append(roots, sealed(t, b.String()).Tree.Root.String())
	}
	if roots[0] != roots[1] {
		t.Errorf("roots differ: %v", roots)
	}
}

func TestParse(t *testing.T) {
	good, err := sealed(t, text(words(300))).Format()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, now, want string }{
		{"no JSON", "{", "[", "not a seal"},
		{"other JSON", "dsh-verify seal", "a letter", "its kind"},
		{"a later schema", `"schemaVersion": 1`, `"schemaVersion": 2`, "schema version 2"},
		{"a block less", `"events": 300`, `"events": 30`, "contradicts itself"},
		{"a negative size", `"events": 300`, `"events": -1`, "contradicts itself"},
		{"another root", `"root": "`, `"root": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "x": "`, `not a seal: tree has "x"`},
	} {
		_, err := Parse([]byte(strings.Replace(string(good), c.old, c.now, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestMembers checks that every member of a seal must be there, once, and of its type,
// in every object of it; and that of each recorded log the seal is one.
func TestMembers(t *testing.T) {
	logs, err := filepath.Glob("../../fixtures/*/session.jsonl")
	if err != nil || len(logs) < 50 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	edits, stored := 0, &Stored{Bytes: 1, SHA256: strings.Repeat("0", 64)}
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		l := read(t, string(text))
		if l.Refusal != nil || l.Header == nil {
			continue
		}
		good, err := l.Seal("test", stored).Format()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(good); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if len(l.objects) == 0 {
			continue
		}
		withoutMembers(t, path, good)
		edits += editedLines(t, path, good)
	}
	if edits < 100 {
		t.Errorf("%d edits were tried", edits)
	}
}

// withoutMembers takes each member of a good seal away, or gives it a value of another kind.
func withoutMembers(t *testing.T, path string, good []byte) {
	for _, m := range statementShape {
		for _, now := range []json.RawMessage{nil, json.RawMessage("null"), json.RawMessage("[7]"), json.RawMessage("{}")} {
			var members map[string]json.RawMessage
			if err := json.Unmarshal(good, &members); err != nil {
				t.Fatal(err)
			}
			if members[m.name] = now; now == nil {
				delete(members, m.name)
			}
			edited, err := json.Marshal(members)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Parse(edited); err == nil && !(m.null && string(now) == "null") {
				t.Errorf("%s: taken for a seal with %s for %s", path, now, m.name)
			}
		}
	}
}

// editedLines changes each line of a good seal with a member in it, and returns how many
// changes it tried.
func editedLines(t *testing.T, path string, good []byte) (edits int) {
	lines := strings.SplitAfter(string(good), "\n")
	member := regexp.MustCompile(`^ +("[a-zA-Z0-9]+"): (.*?)(,?)\n$`)
	for i, line := range lines {
		m := member.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name, value := m[1], m[2]
		for _, now := range []string{
			strings.Replace(line, name, `"other"`, 1),
			strings.Replace(line, name, strings.ToUpper(name), 1),
			name + ": null, " + line,
			`"other": 1, ` + line,
			strings.Replace(line, value, map[bool]string{true: `{"x":`, false: "["}[value == "["]+value, 1),
			strings.Replace(line, value, "-7.5"+m[3], 1),
			strings.Replace(line, value, "null"+m[3], 1),
		} {
			edited := slices.Clone(lines)
			edited[i] = now
			if value == "{" || value == "[" { // its end is elsewhere: only what leaves it whole
				if !strings.HasSuffix(now, value+"\n") || strings.HasSuffix(now, ": "+value+value+"\n") {
					continue
				}
			}
			if strings.HasSuffix(now, ": null,\n") && name == `"stored"` {
				continue
			}
			edits++
			if _, err := Parse([]byte(strings.Join(edited, ""))); err == nil {
				t.Errorf("%s: taken for a seal with %s", path, strings.TrimSpace(now))
			}
		}
	}
	return edits
}

// TestCutOut checks that requests and objects which are taken out of a seal are
// missed, in a log that grew too, and that those of later events are not.
func TestCutOut(t *testing.T) {
	text, err := os.ReadFile("../../fixtures/image-inline-small/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	whole := read(t, string(text))
	for n := 1; n <= len(lines); n++ {
		s := sealed(t, strings.Join(lines[:n], ""))
		if got := codes(s.Check(whole)); got != "" {
			t.Fatalf("sealed after %d lines: %s", n, got)
		}
		if all := len(s.Requests); all > 0 {
			s.Requests = s.Requests[:all-1]
			// The last one may be known only by what follows.
			if got := codes(s.Check(whole)); got == "" && (n == len(lines) || all > 1 && whole.requestsAt[all-1] <= s.Tree.Events) {
				t.Errorf("sealed after %d lines: a request less is not missed", n)
			}
			s.Requests = s.Requests[:0]
			if got := codes(s.Check(whole)); all > 1 && got == "" {
				t.Errorf("sealed after %d lines: no requests are not missed", n)
			}
		}
		if s := sealed(t, strings.Join(lines[:n], "")); len(s.Objects) > 0 {
			s.Objects = nil
			if got := codes(s.Check(whole)); got == "" {
				t.Errorf("sealed after %d lines: an object is not missed", n)
			}
		}
	}
}

// TestAlignStops checks that logs which have nothing in common are compared in bounded
// time.
func TestAlignStops(t *testing.T) {
	s := sealed(t, text(words(3000)))
	other := words(3000)
	for i := range other {
		other[i] = "other " + other[i]
	}
	if got := codes(s.Check(read(t, text(other)))); got != "event-changed@0" {
		t.Errorf("got %q", got)
	}
}
