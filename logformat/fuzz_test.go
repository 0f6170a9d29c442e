package logformat

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func seedLogs(f *testing.F) {
	files, _ := filepath.Glob("../fixtures/*/session.jsonl*")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && len(data) < 20_000 {
			f.Add(data)
		}
	}
	for _, log := range []string{laterRows, format3(), format2()} {
		f.Add([]byte(log))
	}
}

// FuzzReader reads any bytes: it ends, in an accepted log or a refusal, and the
// events that it gave are numbered from 0.
func FuzzReader(f *testing.F) {
	seedLogs(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data), Options{MaxSize: 1 << 26})
		next := int64(0)
		for e, err := range r.Events() {
			if err != nil {
				var refusal *Refusal
				if !errors.As(err, &refusal) || refusal.Message() == "" {
					t.Fatalf("no refusal: %v", err)
				}
				return
			}
			if e.Seq != next {
				t.Fatalf("seq %d after %d", e.Seq, next-1)
			}
			next++
		}
		if later := r.Later(); later != nil && (later.Message() == "" || later.Pos.Line == 0) {
			t.Fatalf("what a later release refuses has no place: %v", later)
		}
		if r.Stats().Events != next {
			t.Fatalf("%d events counted, %d yielded", r.Stats().Events, next)
		}
	})
}

// FuzzFrameWalker walks any bytes: the frames cover the input, complete frames
// decode or fail without a panic, and what is salvaged of a torn frame is the
// start of what the whole frame would have been.
func FuzzFrameWalker(f *testing.F) {
	seedLogs(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		w := frameWalker{in: bufio.NewReader(bytes.NewReader(data))}
		at := int64(0)
		for {
			frame, err := w.next()
			if err != nil {
				var refusal *Refusal
				if !errors.Is(err, io.EOF) && !errors.As(err, &refusal) {
					t.Fatal(err)
				}
				if errors.Is(err, io.EOF) && at != int64(len(data)) {
					t.Fatalf("the frames end at %d of %d bytes", at, len(data))
				}
				return
			}
			if frame.offset != at {
				t.Fatalf("a frame at %d, expected at %d", frame.offset, at)
			}
			at += int64(len(frame.bytes))
			if !frame.complete {
				salvageDecodes(t, frame)
			}
		}
	})
}

func salvageDecodes(t *testing.T, f *frame) {
	if f.header == 0 {
		return
	}
	if f.fault() != nil {
		return
	}
	whole, err := f.rewrite()
	if err != nil || f.blocks > 100 {
		return
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	w := frameWalker{in: bufio.NewReader(bytes.NewReader(whole))}
	again, err := w.next()
	if err != nil || !again.complete || len(again.bytes) != len(whole) {
		t.Fatalf("what was salvaged is no whole frame: %v", err)
	}
	dec.DecodeAll(whole, nil)
}
