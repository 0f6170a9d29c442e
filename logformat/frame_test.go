package logformat

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestSalvage cuts frames of every block type at every byte: what is salvaged
// is a prefix of the frame's text, whole blocks at least.
func TestSalvage(t *testing.T) {
	text := []byte(strings.Repeat("The lamp is lit and the sea is calm tonight. ", 20) + strings.Repeat("z", 300_000) + "\x01\x8f\x02\xfe end")
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		t.Fatal(err)
	}
	random := make([]byte, 3000) // does not compress: a raw block
	for i := range random {
		random[i] = byte(i * i >> 3)
	}
	source := newZstdSource(nil)
	for _, plain := range [][]byte{text, random, append(random, text...)} {
		frame := enc.EncodeAll(plain, nil)
		best := 0
		for cut := 1; cut < len(frame); cut++ {
			w := frameWalker{in: bufio.NewReader(bytes.NewReader(frame[:cut]))}
			f, err := w.next()
			if err != nil || f.complete {
				t.Fatalf("cut at %d: %v, complete %v", cut, err, f.complete)
			}
			if f.header == 0 {
				continue
			}
			got, err := source.decode(f)
			if err != nil || !bytes.HasPrefix(plain, got) {
				t.Fatalf("cut at %d of %d: %v, %d bytes salvaged", cut, len(frame), err, len(got))
			}
			best = max(best, len(got))
		}
		if best == 0 {
			t.Errorf("nothing was ever salvaged of %d bytes", len(plain))
		}
	}
}

// TestSalvageOversized checks that nothing is salvaged of a frame whose cut block
// claims more than a block may hold: the harness's decoder fails at its header,
// before it gives out what the blocks in front of it hold.
func TestSalvageOversized(t *testing.T) {
	const head = "\x28\xb5\x2f\xfd\x04\x58" // a window of 2 MiB
	for size, want := range map[int]string{maxBlock: "abcdef", maxBlock + 1: ""} {
		h := size << 3 // raw, not the last
		cut := head + "\x18\x00\x00abc" + string([]byte{byte(h), byte(h >> 8), byte(h >> 16)}) + "def"
		s := newZstdSource(bufio.NewReader(strings.NewReader(cut)))
		p, err := s.next()
		if err != nil || !p.torn || string(p.text) != want {
			t.Errorf("a cut block of %d bytes: %q is salvaged, want %q (%v)", size, p.text, want, err)
		}
	}
}

// TestRecordedTornFrame holds what is kept of a log whose last frame was cut
// against what the harness kept.
func TestRecordedTornFrame(t *testing.T) {
	data, err := os.ReadFile("../fixtures/text-multi-turn-packed-zstd/session.jsonl.zstd")
	if err != nil {
		t.Fatal(err)
	}
	whole := countEvents(t, data)
	// A cut inside the checksum of the last frame loses no event; one right
	// after its header loses all of the frame's.
	if got := countEvents(t, data[:len(data)-2]); got != whole {
		t.Errorf("%d events, want %d", got, whole)
	}
}

func countEvents(t *testing.T, data []byte) int64 {
	r := NewReader(bytes.NewReader(data), Options{})
	for _, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r.Stats().Events
}

// TestBomb checks that a small file cannot ask for gigabytes: a frame of RLE
// blocks is streamed, and a line without end stops at the limit.
func TestBomb(t *testing.T) {
	frame := []byte{0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58} // window of 2 MiB
	for range 20_000 {
		frame = append(frame, byte(1<<1|(maxBlock<<3)&0xFF), byte(maxBlock>>5&0xFF), byte(maxBlock>>13), ' ')
	}
	frame[len(frame)-4] |= 1
	log := append(headerFrame(t), frame...)
	r := NewReader(bytes.NewReader(log), Options{MaxSize: 64 << 20})
	for _, err := range r.Records() {
		if refusal, ok := err.(*Refusal); !ok || refusal.Code != CodeSizeLimit {
			t.Fatalf("%v", err)
		}
	}
}

func headerFrame(t *testing.T) []byte {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true))
	if err != nil {
		t.Fatal(err)
	}
	return enc.EncodeAll([]byte(`{"type":"session","version":0,"id":"s","createdAt":0,"delegationDepth":0}`+"\n"), nil)
}
