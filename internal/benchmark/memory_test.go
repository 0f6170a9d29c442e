package benchmark

import (
	"io"
	"runtime"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/loggen"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// TestMemoryFollowsTheSurface reads a log that is generated as it is read, most
// of it chunks, and compares the heap with what the model sees at its end.
func TestMemoryFollowsTheSurface(t *testing.T) {
	requests := 2000 // about 240 MB of text
	if testing.Short() {
		requests = 200
	}
	pr, pw := io.Pipe()
	go func() {
		pw.CloseWithError(loggen.Write(pw, loggen.Options{Requests: requests, Deltas: 700, ResultBytes: 500, CompactEvery: 100}))
	}()
	r := logformat.NewReader(pr, logformat.Options{})
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	session := reconstruct.NewSession(header, reconstruct.Options{})
	var peak uint64
	for q, err := range session.Requests(r) {
		if err != nil {
			t.Fatal(err)
		}
		if q.Ordinal%50 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}
	surface := uint64(0)
	for m := session.Surface().First(); m != nil; m = m.Next() {
		surface += uint64(len(m.Logged))
	}
	t.Logf("%d MB of text, peak heap %d kB, surface at the end %d kB", r.Stats().Bytes>>20, peak>>10, surface>>10)
	// The surface is at its largest right before a compaction: 100 steps of 6 kB.
	if limit := uint64(100*6000*2 + 8<<20); peak > limit {
		t.Errorf("the heap reached %d bytes, more than %d", peak, limit)
	}
}
