package benchmark

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/loggen"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// BenchmarkReplay compares every request with a recording on disk. Its bytes per
// second are those of the recording.
func BenchmarkReplay(b *testing.B) {
	for _, requests := range []int{100, 1000} {
		b.Run(fmt.Sprintf("session-%d", requests), func(b *testing.B) {
			log := generate(b, fmt.Sprintf("session-%d", requests), session(requests))
			path := record(b, log)
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				file, err := requestlog.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				got := verify.Run("log", logformat.NewReader(bytes.NewReader(log), logformat.Options{}), check.Options{Recording: file}.Checks()...)
				if got.Verdict != finding.Verified || got.Counts.Verified != requests {
					b.Fatal(got.Verdict, got.Counts)
				}
				file.Close()
			}
		})
	}
}

// record writes the log's own requests as a recording.
func record(tb testing.TB, log []byte) string {
	path := filepath.Join(tb.TempDir(), "requests.jsonl")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	r := logformat.NewReader(bytes.NewReader(log), logformat.Options{})
	header, err := r.Header()
	if err != nil {
		tb.Fatal(err)
	}
	for q, err := range reconstruct.NewSession(header, reconstruct.Options{}).Requests(r) {
		if err != nil {
			tb.Fatal(err)
		}
		fmt.Fprintf(f, `{"sessionId":"%s","turn":%d,"step":%d,"attempt":%d,"request":`, q.SessionID, q.Turn, q.Step, q.Attempt)
		q.WriteTo(f)
		fmt.Fprintln(f, "}")
	}
	return path
}

// TestGeneratedLogs checks that the logs that are measured are sound, and that
// their digests are those of the requests' bytes, whichever way they were read.
func TestGeneratedLogs(t *testing.T) {
	for _, opts := range []loggen.Options{
		{Requests: 60, CompactEvery: 20},
		{Requests: 60, CompactEvery: 20, Packed: true, Zstandard: true, Deltas: 50},
		{Requests: 300, CompactEvery: 50, Packed: true, Zstandard: true, ResultBytes: 5000}, // long enough to be decoded ahead
	} {
		var buf bytes.Buffer
		if err := loggen.Write(&buf, opts); err != nil {
			t.Fatal(err)
		}
		file, err := requestlog.Open(record(t, buf.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		log := verify.Run("log", logformat.NewReader(&buf, logformat.Options{}), check.Options{Recording: file}.Checks()...)
		file.Close()
		if log.Verdict != finding.Verified || log.Counts.Requests != opts.Requests || log.Counts.Replaces == 0 {
			t.Errorf("%+v: %s, %+v, %+v", opts, log.Verdict, log.Counts, log.Findings)
		}
	}
}
