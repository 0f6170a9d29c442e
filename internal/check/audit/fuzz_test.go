package audit_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check/audit"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// FuzzAudit checks that any log gets an audit, whose findings are in the order of
// the log and of the catalogue.
func FuzzAudit(f *testing.F) {
	for _, dir := range []string{"tools-parallel", "crash-torn-line", "scripted-replay-state", "retry-attempts", "max-tokens-empty-content", "compaction-pressure"} {
		x := readText(f, dir)
		f.Add([]byte(strings.Join(x.lines, "\n") + "\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, found, err := audit.Check(logformat.NewReader(bytes.NewReader(data), logformat.Options{MaxSize: 1 << 24}))
		if err != nil {
			return
		}
		last := int64(-1)
		for _, f := range found {
			if f.Place.Seq < last {
				t.Errorf("%s at seq %d comes after seq %d", f.Code, f.Place.Seq, last)
			}
			last = f.Place.Seq
		}
	})
}
