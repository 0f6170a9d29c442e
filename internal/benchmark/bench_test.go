package benchmark

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-verify/dsh-verify/internal/loggen"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

// logs are the generated logs, by name.
var logs = []struct {
	name string
	opts loggen.Options
}{
	{"long-lines", loggen.Options{Requests: 300, Deltas: 40, ResultBytes: 100_000, CompactEvery: 40, Zstandard: true}},
	{"short-lines", loggen.Options{Requests: 400, Deltas: 400, ResultBytes: 200, Zstandard: true}},
	{"chinese", loggen.Options{Requests: 300, Deltas: 400, Delta: "灯塔亮着，海面平静。", ResultBytes: 2000, CompactEvery: 100, Packed: true, Zstandard: true}},
	{"session-100", session(100)},
	{"session-1000", session(1000)},
	{"session-2000", session(2000)},
	{"session-10000", session(10_000)},
}

// session has the proportions of a long working session: about 490 events and
// 19 kB of text to a request, packed, a frame for each step, and a compaction
// every 140 steps.
func session(requests int) loggen.Options {
	return loggen.Options{Requests: requests, Deltas: 480, ResultBytes: 4000, Tools: 8, CompactEvery: 140, Packed: true, Zstandard: true}
}

var generated = map[string][]byte{}

func generate(b *testing.B, name string, opts loggen.Options) []byte {
	if data, ok := generated[name]; ok {
		return data
	}
	var buf bytes.Buffer
	if err := loggen.Write(&buf, opts); err != nil {
		b.Fatal(err)
	}
	generated[name] = buf.Bytes()
	return buf.Bytes()
}

// each runs a job over every log, reporting bytes of decoded text per second
// and nanoseconds per event.
func each(b *testing.B, job func(b *testing.B, log []byte)) {
	for _, l := range logs {
		b.Run(l.name, func(b *testing.B) {
			log := generate(b, l.name, l.opts)
			text, events := measure(b, log)
			b.SetBytes(text)
			b.ReportAllocs()
			for b.Loop() {
				job(b, log)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(events), "ns/event")
		})
	}
}

func measure(b *testing.B, log []byte) (text, events int64) {
	r := logformat.NewReader(bytes.NewReader(log), logformat.Options{})
	for _, err := range r.Records() {
		if err != nil {
			b.Fatal(err)
		}
	}
	return r.Stats().Bytes, r.Stats().Events
}

// BenchmarkFloor decodes, looks for line feeds, and hashes the text once.
func BenchmarkFloor(b *testing.B) {
	each(b, func(b *testing.B, log []byte) {
		dec, err := zstd.NewReader(bytes.NewReader(log), zstd.WithDecoderConcurrency(1))
		if err != nil {
			b.Fatal(err)
		}
		defer dec.Close()
		h := sha256.New()
		buf := make([]byte, 256<<10)
		lines := 0
		for {
			n, err := dec.Read(buf)
			lines += bytes.Count(buf[:n], []byte{'\n'})
			h.Write(buf[:n])
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		h.Sum(nil)
	})
}

// BenchmarkRead reads and validates every record.
func BenchmarkRead(b *testing.B) {
	each(b, func(b *testing.B, log []byte) {
		r := logformat.NewReader(bytes.NewReader(log), logformat.Options{})
		for _, err := range r.Records() {
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDigests rebuilds every request and its digest.
func BenchmarkDigests(b *testing.B) {
	each(b, func(b *testing.B, log []byte) {
		if n := digests(b, log); n == 0 {
			b.Fatal("no requests")
		}
	})
}

func digests(tb testing.TB, log []byte) int {
	r := logformat.NewReader(bytes.NewReader(log), logformat.Options{})
	header, err := r.Header()
	if err != nil {
		tb.Fatal(err)
	}
	n := 0
	for q, err := range reconstruct.NewSession(header, reconstruct.Options{}).Requests(r) {
		if err != nil {
			tb.Fatal(err)
		}
		if q.Digest() != (reconstruct.Digest{}) {
			n++
		}
	}
	return n
}

// BenchmarkWireDigests computes the digest of the HTTP body of every request.
func BenchmarkWireDigests(b *testing.B) {
	each(b, func(b *testing.B, log []byte) { wireDigests(b, log) })
}

func wireDigests(b *testing.B, log []byte) {
	r := logformat.NewReader(bytes.NewReader(log), logformat.Options{})
	header, err := r.Header()
	if err != nil {
		b.Fatal(err)
	}
	builder := wire.NewBuilder(chat.Protocol, wire.DefaultPolicy(), nil)
	for q, err := range reconstruct.NewSession(header, reconstruct.Options{}).Requests(r) {
		if err != nil {
			b.Fatal(err)
		}
		if _, _, ok, err := builder.Digest(q); err != nil || !ok {
			b.Fatal(err)
		}
	}
}
