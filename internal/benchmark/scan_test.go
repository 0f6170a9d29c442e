package benchmark

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/dsh-verify/dsh-verify/golden"
	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/loggen"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// BenchmarkScan checks 64 sessions of 30 requests, one at a time and one per core.
func BenchmarkScan(b *testing.B) {
	var log bytes.Buffer
	if err := loggen.Write(&log, session(30)); err != nil {
		b.Fatal(err)
	}
	for _, jobs := range []int{1, runtime.NumCPU()} {
		b.Run(fmt.Sprintf("jobs-%d", jobs), func(b *testing.B) {
			b.SetBytes(int64(64 * log.Len()))
			for b.Loop() {
				scan(jobs, log.Bytes())
			}
		})
	}
}

func scan(jobs int, log []byte) {
	next := make(chan struct{})
	var wait sync.WaitGroup
	for range jobs {
		wait.Go(func() {
			for range next {
				verify.Run("log", logformat.NewReader(bytes.NewReader(log), logformat.Options{}), check.Options{}.Checks()...)
			}
		})
	}
	for range 64 {
		next <- struct{}{}
	}
	close(next)
	wait.Wait()
}

// BenchmarkGolden records the sum file of a session: a digest of each message and
// of each request.
func BenchmarkGolden(b *testing.B) {
	each(b, func(b *testing.B, log []byte) {
		if _, err := golden.Record(logformat.NewReader(bytes.NewReader(log), logformat.Options{})); err != nil {
			b.Fatal(err)
		}
	})
}
