package logformat_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// TestManySmallLogs bounds what a reader costs whose log is short: an archive of a few
// megabytes may hold tens of thousands of them.
func TestManySmallLogs(t *testing.T) {
	const logs = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range logs {
		logformat.NewReader(strings.NewReader("{}\n"), logformat.Options{}).Drain()
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / logs; each > 32<<10 {
		t.Errorf("each took %d bytes", each)
	}
}
