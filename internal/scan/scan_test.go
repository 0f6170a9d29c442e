package scan_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/scan"
	"github.com/dsh-verify/dsh-verify/internal/source"
)

// store makes a folder of sessions, each of which is only its header.
func store(t *testing.T, ids ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, id := range ids {
		folder := filepath.Join(dir, "sessions", "_no-cwd", id)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		header := fmt.Sprintf(`{"type":"session","version":0,"id":%q,"createdAt":1,"delegationDepth":0}`+"\n", id)
		if err := os.WriteFile(filepath.Join(folder, "session.jsonl"), []byte(header), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// idOf is the folder of a session, which is called as its id.
func idOf(log string) string { return filepath.Base(filepath.Dir(log)) }

// root is a folder whose sessions have the verdict that is told of their id, or are
// rebuilt with two requests.
func root(dir string, verdicts map[string]finding.Verdict) scan.Root {
	return scan.Root{
		Name: dir,
		Find: func() (*source.Place, error) { return source.Find(dir, source.Spooled{}) },
		Check: func(log *source.Log) *result.Log {
			report := result.New(log.Name)
			report.Verdict = finding.Rebuilt
			if v := verdicts[idOf(log.Name)]; v != "" {
				report.Verdict = v
			}
			report.Counts.Requests = 2
			return report
		},
		Weigh: func(*result.Log) {},
	}
}

// A heard is what a scan told: the ids of sessions with their verdicts, and the codes of
// what was noted.
type heard struct {
	sessions []string
	notes    []string
}

func (h *heard) hear(e scan.Event) {
	switch e := e.(type) {
	case scan.Checked:
		h.sessions = append(h.sessions, fmt.Sprintf("%d/%d %s %s", e.Read, e.All, idOf(e.Log.File), e.Log.Verdict))
	case scan.Noted:
		for _, f := range e.Log.Findings {
			h.notes = append(h.notes, f.Code.String())
		}
	}
}

// TestCounts checks what is counted of sessions with every verdict.
func TestCounts(t *testing.T) {
	dir := store(t, "a", "b", "c", "d")
	h := new(heard)
	verdicts := map[string]finding.Verdict{"b": finding.Drift, "c": finding.Refused, "d": finding.Refused}
	out := scan.Run(context.Background(), []scan.Root{root(dir, verdicts)}, scan.Options{Jobs: 1}, h.hear)
	if want := []string{"1/4 a rebuilt", "2/4 b drift", "3/4 c refused", "4/4 d refused"}; !slices.Equal(h.sessions, want) {
		t.Errorf("told %q, want %q", h.sessions, want)
	}
	if len(h.notes) > 0 || out.Interrupted() != "" || out.Stopped || out.Nothing != "" {
		t.Errorf("notes %q, outcome %+v", h.notes, out)
	}
	want := map[finding.Verdict]int{finding.Rebuilt: 1, finding.Drift: 1, finding.Refused: 2}
	if diff := cmp.Diff(want, out.Verdicts); diff != "" {
		t.Error(diff)
	}
	if out.Sessions != 4 || out.Requests != 8 || out.Logs != 4 || out.Read != 4 || out.Places != 0 {
		t.Errorf("counts %+v", out)
	}
}

// TestEachOnce checks that a session below several roots is checked once, as the first
// of them says.
func TestEachOnce(t *testing.T) {
	dir := store(t, "a", "b")
	h := new(heard)
	inner := root(filepath.Join(dir, "sessions", "_no-cwd", "b"), map[string]finding.Verdict{"b": finding.Drift})
	out := scan.Run(context.Background(), []scan.Root{inner, root(dir, nil), root(dir+"/.", nil)}, scan.Options{Jobs: 1}, h.hear)
	if want := []string{"1/2 b drift", "2/2 a rebuilt"}; !slices.Equal(h.sessions, want) || out.Sessions != 2 {
		t.Errorf("told %q, want %q", h.sessions, want)
	}
}

// TestFailedRoot checks that a root that cannot be searched counts as a session, and
// does not stop the others.
func TestFailedRoot(t *testing.T) {
	h := new(heard)
	weighed := 0
	bad := scan.Root{
		Name:  "some/bad",
		Find:  func() (*source.Place, error) { return nil, errors.New("it is broken") },
		Weigh: func(*result.Log) { weighed++ },
	}
	out := scan.Run(context.Background(), []scan.Root{bad, root(store(t, "a"), nil)}, scan.Options{Jobs: 1}, h.hear)
	if want := []string{"0/0 some unreadable", "1/1 a rebuilt"}; !slices.Equal(h.sessions, want) || weighed != 1 {
		t.Errorf("told %q, want %q; weighed %d times", h.sessions, want, weighed)
	}
	if out.Sessions != 2 || out.Codes[finding.InputUnreadable] != 1 {
		t.Errorf("counts %+v", out.Counts)
	}
}

// TestRootOfNothing checks that a root without a session is noted, and that this counts as
// what is wrong with a place.
func TestRootOfNothing(t *testing.T) {
	h := new(heard)
	out := scan.Run(context.Background(), []scan.Root{root(t.TempDir(), nil)}, scan.Options{Jobs: 1}, h.hear)
	if want := []string{"input/no-session"}; !slices.Equal(h.notes, want) || out.Places != 1 || out.Sessions != 0 {
		t.Errorf("noted %q, want %q; %+v", h.notes, want, out)
	}
}

// TestChoice checks which sessions a choice leaves, and what is said when it leaves none.
func TestChoice(t *testing.T) {
	dir := store(t, "a", "b")
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "sessions", "_no-cwd", "b", "session.jsonl"), old, old); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		choice   scan.Choice
		sessions int
		nothing  string
	}{
		{"all", scan.Choice{}, 2, ""},
		{"written since", scan.Choice{Since: old.AddDate(1, 0, 0)}, 1, ""},
		{"written at that time", scan.Choice{Since: old}, 2, ""},
		{"of a project", scan.Choice{Project: "no-c"}, 2, ""},
		{"none", scan.Choice{Since: time.Now().AddDate(1, 0, 0), Project: "no-c", Words: []string{"--since X", "--project no-c"}}, 0, "nothing was left of 2 sessions by --since X and --project no-c"},
		{"of another project", scan.Choice{Project: "lamp", Words: []string{"--project lamp"}}, 0, "nothing was left of 2 sessions by --project lamp"},
	} {
		h := new(heard)
		out := scan.Run(context.Background(), []scan.Root{root(dir, nil)}, scan.Options{Choose: c.choice, Jobs: 2}, h.hear)
		if len(h.sessions) != c.sessions || out.Nothing != c.nothing {
			t.Errorf("%s: %d sessions, %q", c.name, len(h.sessions), out.Nothing)
		}
		if c.nothing != "" && !slices.Equal(h.notes, []string{"scan/nothing-left"}) {
			t.Errorf("%s: noted %q", c.name, h.notes)
		}
	}
}

// TestFailFast checks that the first session that fails ends the scan, and that it is
// said how many are left.
func TestFailFast(t *testing.T) {
	for verdict, stops := range map[finding.Verdict]bool{finding.Verified: false, finding.Unverifiable: false, finding.Drift: true, finding.Refused: true, finding.Unreadable: true} {
		h := new(heard)
		dir := store(t, "a", "b", "c", "d", "e", "f")
		out := scan.Run(context.Background(), []scan.Root{root(dir, map[string]finding.Verdict{"b": verdict})}, scan.Options{Jobs: 1, FailFast: true}, h.hear)
		if out.Stopped != stops || out.Interrupted() != "" {
			t.Errorf("%s: stopped %v, %q", verdict, out.Stopped, out.Interrupted())
		}
		// One more may have been handed on when the second was done.
		if stops && (out.Read > 3 || !slices.Equal(h.notes, []string{"scan/stopped"})) || !stops && out.Read != 6 {
			t.Errorf("%s: %d read, noted %q", verdict, out.Read, h.notes)
		}
	}
}

// TestFailFastOnRoot checks that a root that cannot be searched ends the scan before any
// session is read.
func TestFailFastOnRoot(t *testing.T) {
	bad := root("no-such-root", nil)
	out := scan.Run(context.Background(), []scan.Root{bad, root(store(t, "a"), nil)}, scan.Options{Jobs: 1, FailFast: true}, func(scan.Event) {})
	if !out.Stopped || out.Read != 0 || out.Logs != 1 {
		t.Errorf("%+v", out)
	}
}

// TestJobs checks that no more sessions are checked at a time than are asked for, and
// that they are where they can be.
func TestJobs(t *testing.T) {
	ids := strings.Split("abcdefghijklmnop", "")
	for _, jobs := range []int{1, 3, 99} {
		r := root(store(t, ids...), nil)
		check := r.Check
		var now, most atomic.Int64
		together := sync.WaitGroup{} // the first ones wait for each other
		together.Add(min(jobs, len(ids)))
		var once atomic.Int64
		r.Check = func(log *source.Log) *result.Log {
			n := now.Add(1)
			defer now.Add(-1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			if once.Add(1) <= int64(min(jobs, len(ids))) {
				together.Done()
				together.Wait()
			}
			return check(log)
		}
		out := scan.Run(context.Background(), []scan.Root{r}, scan.Options{Jobs: jobs}, func(scan.Event) {})
		if want := int64(min(jobs, len(ids))); most.Load() != want || out.Read != len(ids) {
			t.Errorf("%d jobs: %d at a time, %d read", jobs, most.Load(), out.Read)
		}
	}
}

// TestInterruptedSearch checks that a search that hangs does not keep an interrupted scan,
// and that sessions found before are not read.
func TestInterruptedSearch(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	hangs, end := root(store(t, "b"), nil), make(chan struct{})
	defer close(end)
	hangs.Find = func() (*source.Place, error) { cancel(); <-end; return nil, errors.New("too late") }
	hangs.Name = "hangs"
	h := new(heard)
	begin := time.Now()
	out := scan.Run(ctx, []scan.Root{root(store(t, "a"), nil), hangs}, scan.Options{Jobs: 1}, h.hear)
	if out.Cut != "hangs" || out.Interrupted() != "interrupted: hangs was not searched to the end" {
		t.Errorf("%q: %+v", out.Interrupted(), out)
	}
	if want := []string{"scan/interrupted", "scan/interrupted"}; !slices.Equal(h.notes, want) || out.Read > 0 {
		t.Errorf("noted %q, %d read", h.notes, out.Read)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestInterruptedReading checks that a session that hangs does not keep an interrupted
// scan, and that what it says afterwards counts no more.
func TestInterruptedReading(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := root(store(t, "a", "b", "c"), nil)
	check, late, end := r.Check, make(chan struct{}), make(chan struct{})
	r.Check = func(log *source.Log) *result.Log {
		if idOf(log.Name) == "b" {
			cancel()
			<-end
			defer close(late)
		}
		return check(log)
	}
	h := new(heard)
	out := scan.Run(ctx, []scan.Root{r}, scan.Options{Jobs: 1}, h.hear)
	close(end)
	<-late
	time.Sleep(10 * time.Millisecond)
	if want := []string{"1/3 a rebuilt"}; !slices.Equal(h.sessions, want) || out.Read != 1 {
		t.Errorf("told %q, want %q", h.sessions, want)
	}
	if got, want := out.Interrupted(), "interrupted: 1 of 3 sessions checked"; got != want || !slices.Equal(h.notes, []string{"scan/interrupted"}) {
		t.Errorf("%q, want %q; noted %q", got, want, h.notes)
	}
}

// TestRanked checks the order of codes, and that a code counts once for a session.
func TestRanked(t *testing.T) {
	r := root(store(t, "a", "b"), nil)
	r.Check = func(log *source.Log) *result.Log {
		report := result.New(log.Name)
		at := finding.Place{Seq: -1}
		report.Note(finding.StoreMoved, nil, at)
		report.Note(finding.StoreMoved, nil, at)
		report.Note(finding.InputUnreadable, nil, at)
		if idOf(log.Name) == "b" {
			report.Note(finding.RecordingUnread, nil, at)
			report.Note(finding.ScanStopped, nil, at) // a note, which is not counted
		}
		return report
	}
	out := scan.Run(context.Background(), []scan.Root{r}, scan.Options{Jobs: 1}, func(scan.Event) {})
	var got []string
	for _, code := range out.Ranked() {
		got = append(got, fmt.Sprint(out.Codes[code], " ", code))
	}
	want := []string{"2 input/unreadable", "2 " + finding.StoreMoved.String(), "1 " + finding.RecordingUnread.String()}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
