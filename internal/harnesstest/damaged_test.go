package harnesstest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// A trial is a log that is judged.
type trial struct {
	base *baseLog
	file []byte
	how  string
	seed uint64
}

// loaders are the releases that judge: the published packages, and with -releases
// the executable of the last release of the format, too.
func loaders(t *testing.T) []*loader {
	t.Helper()
	all := []*loader{published(t)}
	if *releases {
		all = append(all, released(t, "0.1.2rc1"))
	}
	return all
}

// TestFixturesJudged compares our answer to every fixture with that of the loaders.
func TestFixturesJudged(t *testing.T) {
	var batch []trial
	for _, b := range baseLogs(t) {
		batch = append(batch, trial{base: b, file: b.file, how: "undamaged"})
	}
	c := newComparison(loaders(t))
	c.compare(t, batch)
	c.report(t)
}

// TestDamagedLogsJudged spoils logs and compares verdict, number of events, and the
// digest of every request.
func TestDamagedLogsJudged(t *testing.T) {
	n := *mutations
	if n == 0 {
		n = 300
	}
	c := newComparison(loaders(t))
	bases := soundLogs(t)
	start := time.Now()
	for done := 0; done < n; {
		var batch []trial
		for ; len(batch) < 1000 && done < n; done++ {
			batch = append(batch, mutant(bases, *firstSeed+uint64(done)))
		}
		c.compare(t, batch)
		t.Logf("%d of %d logs judged in %v, %d disagreements of %d kinds", done, n, time.Since(start).Round(time.Second), c.disagreements, len(c.kinds))
	}
	c.report(t)
}

// soundLogs are the fixtures that load: one that does not can hardly be spoiled.
func soundLogs(t *testing.T) (sound []*baseLog) {
	t.Helper()
	for _, b := range baseLogs(t) {
		if a := ourAnswer(trial{base: b, file: b.file}); a.refused == "" {
			sound = append(sound, b)
		}
	}
	return sound
}

// mutant is the damaged log of a seed.
func mutant(bases []*baseLog, seed uint64) trial {
	r := rand.New(rand.NewPCG(seed, 0))
	b := bases[r.IntN(len(bases))]
	if !b.compressed && r.IntN(3) == 0 { // the same log, stored otherwise
		other := *b
		other.compressed, other.file = true, compress(r, b.text)
		b = &other
	}
	file, how := mutate(r, b)
	switch other := *b; r.IntN(160) {
	case 0:
		other.compressed = !b.compressed
		b, how = &other, how+", under the name of the other encoding"
	case 1:
		other.folder = "--elsewhere--/" + logformat.EncodeID(b.session)
		b, how = &other, how+", in another project's folder"
	}
	return trial{base: b, file: file, how: how, seed: seed}
}

// A comparison sums up what loaders and we say of many logs.
type comparison struct {
	loaders       []*loader
	tally         map[string]int
	kinds         map[string][]string // of disagreements, with the first examples
	reasons       map[string]int      // of refusals, in our words
	disagreements int
}

func newComparison(l []*loader) *comparison {
	return &comparison{loaders: l, tally: make(map[string]int), reasons: make(map[string]int), kinds: make(map[string][]string)}
}

// compare asks the loaders, side by side, and compares.
func (c *comparison) compare(t *testing.T, batch []trial) {
	t.Helper()
	theirs, failed := make([][]answer, len(c.loaders)), make([]error, len(c.loaders))
	scratch := t.TempDir()
	var wg sync.WaitGroup
	for i, l := range c.loaders {
		wg.Go(func() { theirs[i], failed[i] = l.judge(batch, scratch) })
	}
	wg.Wait()
	for i, l := range c.loaders {
		if failed[i] != nil {
			t.Fatal(failed[i])
		}
		for k, one := range batch {
			c.one(t, l, one, theirs[i][k])
		}
	}
	os.RemoveAll(scratch)
}

func (c *comparison) one(t *testing.T, l *loader, one trial, theirs answer) {
	t.Helper()
	ours := ourAnswer(one)
	switch {
	case theirs.refused != "":
		c.tally[l.name+": refused"]++
		if ours.refused != "" {
			c.reasons[ours.refused]++
		}
	case theirs.unfoldable != "":
		c.tally[l.name+": loaded and not folded"]++
	default:
		c.tally[l.name+": loaded"]++
		c.tally[l.name+": requests compared"] += len(theirs.requests)
	}
	what := ours.differs(theirs)
	if what == "" {
		return
	}
	if d, ok := explained(l.name, what, ours, theirs); ok {
		c.tally[l.name+": explained: "+d.name]++
		return
	}
	c.disagreements++
	kind := fmt.Sprintf("%s, %s: we say %s, it says %s", l.name, what, general(ours), general(theirs))
	examples := c.kinds[kind]
	if len(examples) < 3 {
		examples = append(examples, fmt.Sprintf("%s, seed %d (%s), kept as %s:\n  we say  %v\n  it says %v", one.base.name, one.seed, one.how, keep(t, one), ours, theirs))
	}
	c.kinds[kind] = examples
	c.tally["disagreement: "+kind]++
}

var particular = regexp.MustCompile(`"[^"]*"|'[^']*'|\d+|/\S*`)

// general is an answer without what is particular to one log.
func general(a answer) string { return particular.ReplaceAllString(a.String(), "…") }

// report logs the sums, and fails the test when something is not explained.
func (c *comparison) report(t *testing.T) {
	t.Helper()
	for _, name := range sortedKeys(c.tally) {
		t.Logf("%7d %s", c.tally[name], name)
	}
	for _, code := range sortedKeys(c.reasons) {
		t.Logf("%7d refused: %s", c.reasons[code], code)
	}
	for _, kind := range sortedKeys(c.kinds) {
		for _, example := range c.kinds[kind] {
			t.Error(example)
		}
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
