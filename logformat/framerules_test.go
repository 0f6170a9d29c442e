package logformat

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A frameSpec is a frame written by hand, so that it can say what no encoder says.
type frameSpec struct {
	window  int   // descriptor; -1: a single segment
	size    int64 // that it states; -1: none
	wide    int   // bytes of the stated size: 1 (a single segment only), 2, 4 or 8
	dictID  []byte
	blocks  []specBlock
	tornOff int // bytes missing at the end
}

type specBlock struct {
	kind blockKind
	size int
	data string
}

func raw(data string) specBlock { return specBlock{blockRaw, len(data), data} }

func (f frameSpec) bytes() []byte {
	out := binary.LittleEndian.AppendUint32(nil, frameMagic)
	descriptor := map[int]byte{0: 0, 1: 1, 2: 2, 4: 3}[len(f.dictID)]
	if f.window < 0 {
		descriptor |= 0x20
	}
	descriptor |= map[int]byte{0: 0, 1: 0, 2: 1 << 6, 4: 2 << 6, 8: 3 << 6}[f.wide]
	out = append(out, descriptor)
	if f.window >= 0 {
		out = append(out, byte(f.window))
	}
	out = append(out, f.dictID...)
	size := f.size
	if f.wide == 2 {
		size -= 256
	}
	out = append(out, binary.LittleEndian.AppendUint64(nil, uint64(size))[:f.wide]...)
	for i, b := range f.blocks {
		out = appendBlock(out, b.kind, b.size, i == len(f.blocks)-1, []byte(b.data))
	}
	return out[:len(out)-f.tornOff]
}

const (
	window1K   = 0
	window128K = 7 << 3
	window2M   = 11 << 3
	window1G   = 20 << 3
)

// TestFramesAsTheHarness holds what is decoded of frames that keep to no
// encoder's ways. What is wanted is what the harness's own loader (rc.8 on Node
// 24, libzstd 1.5.7) took of a log with such a frame after its header.
func TestFramesAsTheHarness(t *testing.T) {
	long := strings.Repeat("a line of the log\n", 200) // 3,600 bytes
	noise := string(fill(make([]byte, 2000)))
	far, farText := []specBlock{raw(noise[:1000]), raw(noise[1000:]), packedBlock("000100e5a7af3210")}, noise+noise[:1000]
	for _, c := range []struct {
		name  string
		frame frameSpec
		want  string // "" with refused or torn: nothing
		code  Code
	}{
		{"a raw block over the window, size stated", frameSpec{window: window1K, size: 3600, wide: 4, blocks: []specBlock{raw(long)}}, long, ""},
		{"a raw block over the window, no size", frameSpec{window: window1K, size: -1, blocks: []specBlock{raw(long)}}, "", CodeZstdFrame},
		{"a window of 1 GiB, size stated", frameSpec{window: window1G, size: 3600, wide: 4, blocks: []specBlock{raw(long)}}, long, ""},
		{"a window of 1 GiB, no size", frameSpec{window: window1G, size: -1, blocks: []specBlock{raw(long)}}, "", CodeZstdFrame},
		{"a window of 1 TiB, size stated", frameSpec{window: 30 << 3, size: 3600, wide: 4, blocks: []specBlock{raw(long)}}, "", CodeZstdFrame},
		{"too large a size, an empty last block", frameSpec{window: window2M, size: 1 << 31, wide: 4, blocks: []specBlock{raw(long), raw("")}}, long, ""},
		{"too large a size", frameSpec{window: window2M, size: 1 << 31, wide: 4, blocks: []specBlock{raw(long)}}, "", CodeZstdFrame},
		{"a wrong size that fits the buffer, an empty last block", frameSpec{window: window2M, size: 3601, wide: 4, blocks: []specBlock{raw(long), raw("")}}, "", CodeZstdFrame},
		{"a size that is said to be unknown", frameSpec{window: window2M, size: -1, wide: 8, blocks: []specBlock{raw(long)}}, long, ""},
		{"a run longer than a block, size stated", frameSpec{window: window1K, size: 200_000, wide: 4, blocks: []specBlock{{blockRLE, 200_000, "\n"}}}, strings.Repeat("\n", 200_000), ""},
		{"a run longer than a block, no size", frameSpec{window: window2M, size: -1, blocks: []specBlock{{blockRLE, 200_000, "\n"}}}, "", CodeZstdFrame},
		{"an empty compressed block, no size", frameSpec{window: window2M, size: -1, blocks: []specBlock{{blockCompressed, 0, ""}, raw(long)}}, long, ""},
		{"an empty compressed block, size stated", frameSpec{window: window2M, size: 3600, wide: 4, blocks: []specBlock{{blockCompressed, 0, ""}, raw(long)}}, "", CodeZstdFrame},
		{"a single segment", frameSpec{window: -1, size: 3600, wide: 2, blocks: []specBlock{raw(long)}}, long, ""},
		{"a match beyond the window, no size", frameSpec{window: window1K, size: -1, blocks: far}, farText, ""},
		{"a match beyond the window, size stated", frameSpec{window: window1K, size: 3000, wide: 4, blocks: far}, farText, ""},
		{"a packed block of the window and 32 bytes, size stated", frameSpec{window: window1K, size: 1056, wide: 4, blocks: runBlock(1056)}, strings.Repeat("a", 1056), ""},
		{"a packed block of the window and 33 bytes, size stated", frameSpec{window: window1K, size: 1057, wide: 4, blocks: runBlock(1057)}, "", CodeZstdFrame},
		{"a packed block of the window, no size", frameSpec{window: window1K, size: -1, blocks: runBlock(1024)}, strings.Repeat("a", 1024), ""},
		{"a packed block of the window and a byte, no size", frameSpec{window: window1K, size: -1, blocks: runBlock(1025)}, "", CodeZstdFrame},
		{"a single segment, too small", frameSpec{window: -1, size: 3599, wide: 2, blocks: []specBlock{raw(long)}}, "", CodeZstdFrame},
		{"dictionary 0", frameSpec{window: window128K, size: -1, dictID: []byte{0, 0}, blocks: []specBlock{raw(long)}}, long, ""},
		{"dictionary 7", frameSpec{window: window128K, size: -1, dictID: []byte{7}, blocks: []specBlock{raw(long)}}, "", CodeZstdFrame},
		{"torn, dictionary 0", frameSpec{window: window128K, size: -1, dictID: []byte{0, 0, 0, 0}, blocks: []specBlock{raw(long)}, tornOff: 7}, long[:3593], ""},
		{"torn, dictionary 7", frameSpec{window: window128K, size: -1, dictID: []byte{7}, blocks: []specBlock{raw(long)}, tornOff: 7}, "", ""},
		{"torn, the size too small", frameSpec{window: window128K, size: 3000, wide: 4, blocks: []specBlock{raw(long)}, tornOff: 7}, "", ""},
		{"torn, the size too large", frameSpec{window: window128K, size: 9000, wide: 4, blocks: []specBlock{raw(long)}, tornOff: 7}, long[:3593], ""},
		{"torn, a block over the window", frameSpec{window: window1K, size: 3600, wide: 4, blocks: []specBlock{raw(long)}, tornOff: 7}, "", ""},
		{"torn, a window of 1 GiB", frameSpec{window: window1G, size: 3600, wide: 4, blocks: []specBlock{raw(long)}, tornOff: 7}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newZstdSource(bufio.NewReader(bytes.NewReader(c.frame.bytes())))
			defer s.close()
			got, err := s.all()
			refusal, _ := errors.AsType[*Refusal](err)
			if (refusal != nil) != (c.code != "") || refusal != nil && refusal.Code != c.code {
				t.Fatalf("got %v, want %q", err, c.code)
			}
			if refusal == nil && got != c.want {
				t.Errorf("%d bytes, want %d", len(got), len(c.want))
			}
		})
	}
}

// fill gives bytes that do not compress.
func fill(b []byte) []byte {
	x := uint32(1)
	for i := range b {
		x = x*1103515245 + 12345
		b[i] = byte(x >> 16)
	}
	return b
}

// runBlock is the block that libzstd makes of this many times "a".
func runBlock(n int) []specBlock {
	return []specBlock{packedBlock(map[int]string{
		1024: "10616101" + "00fb2b8005", 1025: "10616101" + "00fc2b8005", 1056: "10616101" + "001bfc000b", 1057: "10616101" + "001cfc000b",
	}[n])}
}

func packedBlock(payload string) specBlock {
	b, err := hex.DecodeString(payload)
	if err != nil {
		panic(err)
	}
	return specBlock{blockCompressed, len(b), string(b)}
}

// all decodes what is left.
func (s *zstdSource) all() (string, error) {
	var b strings.Builder
	for {
		p, err := s.next()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		b.Write(p.text)
	}
}

// TestHeaderFrame checks that the first frame is the header line, whole and alone.
func TestHeaderFrame(t *testing.T) {
	const header = `{"type":"session","version":0,"id":"s","createdAt":0,"delegationDepth":0}` + "\n"
	frame := func(text string) string {
		return string(frameSpec{window: window128K, size: -1, blocks: []specBlock{raw(text)}}.bytes())
	}
	torn := func(text string) string { return frame(text + "..")[:len(frame(text))] }
	for _, c := range []struct {
		name, log string
		want      Code
	}{
		{"whole", frame(header), ""},
		{"over two frames", frame(header[:9]) + frame(header[9:]), CodeZstdHeaderFrame},
		{"after an empty frame", frame("") + frame(header), CodeZstdHeaderFrame},
		{"with an event", frame(header + "{}\n"), CodeZstdHeaderFrame},
		{"without its end", frame(header[:9]), CodeZstdHeaderFrame},
		{"an empty frame alone", frame(""), CodeZstdHeaderFrame},
		{"its end in a torn frame", frame(header[:9]) + torn(header[9:]), CodeZstdHeaderFrame},
		{"in a torn frame after an empty one", frame("") + torn(header), CodeZstdHeaderFrame},
		{"in a torn frame alone", torn(header), CodeHeaderUnterminated},
	} {
		_, err := NewReader(strings.NewReader(c.log), Options{}).Header()
		refusal, _ := errors.AsType[*Refusal](err)
		if refusal == nil && c.want != "" || refusal != nil && refusal.Code != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestMisnamed checks that the name of a log decides how it is read.
func TestMisnamed(t *testing.T) {
	const header = `{"type":"session","version":0,"id":"s","createdAt":0,"delegationDepth":0}` + "\n"
	packed := string(frameSpec{window: window128K, size: -1, blocks: []specBlock{raw(header)}}.bytes())
	for _, c := range []struct {
		log, name string
		want      Code
	}{
		{header, "session.jsonl", ""},
		{header, "session.jsonl.zstd", CodeEncoding},
		{header, "session.v4.jsonl.zstd", CodeEncoding},
		{header, "copy.jsonl.zstd", ""},
		{header, "session.v04.jsonl.zstd", ""},
		{packed, "session.jsonl.zstd", ""},
		{packed, "session.jsonl", CodeEncoding},
		{packed, "session.jsonl.bak", ""},
		{packed[:3], "session.jsonl", CodeHeaderUnterminated},
		{"not a log", "session.jsonl.zstd", CodeZstdMagic},
		{"", "session.jsonl.zstd", CodeEmpty},
	} {
		_, err := NewReader(strings.NewReader(c.log), Options{FileName: c.name}).Header()
		refusal, _ := errors.AsType[*Refusal](err)
		if refusal == nil && c.want != "" || refusal != nil && refusal.Code != c.want {
			t.Errorf("%.10q as %s: %v, want %q", c.log, c.name, err, c.want)
		}
	}
}

// TestBlankLinesByTheMillion checks that a fault which no line can outrank ends the
// look at lines, not that at frames.
func TestBlankLinesByTheMillion(t *testing.T) {
	blank := frameSpec{window: window2M, size: -1}
	for range 2048 {
		blank.blocks = append(blank.blocks, specBlock{blockRLE, maxBlock, "\n"})
	}
	log := append(headerFrame(t), blank.bytes()...)
	start := time.Now()
	r := NewReader(bytes.NewReader(log), Options{})
	_, err := r.Next()
	refusal, _ := errors.AsType[*Refusal](err)
	if refusal == nil || refusal.Code != CodeLineBlank || refusal.Pos.Line != 2 {
		t.Errorf("%v, want %s at line 2", err, CodeLineBlank)
	}
	if got := r.Stats().Lines; got != 2048*maxBlock+1 {
		t.Errorf("%d lines", got)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	damaged := append(log, "what is no frame"...)
	_, err = NewReader(bytes.NewReader(damaged), Options{}).Next()
	if refusal, _ := errors.AsType[*Refusal](err); refusal == nil || refusal.Code != CodeZstdMagic {
		t.Errorf("%v, want %s, which outranks the line", err, CodeZstdMagic)
	}
}

// TestFrameMemory checks that a frame takes memory by its content, not by the window
// or the size that it states.
func TestFrameMemory(t *testing.T) {
	content := strings.Repeat("a line of the log\n", 3000) // 54,000 bytes
	run := strings.Repeat("\n", maxBlock)
	long := frameSpec{window: 0x88, size: -1} // 128 MiB
	for range 200 {                           // 26 MB: more than is decoded in one go
		long.blocks = append(long.blocks, specBlock{blockRLE, len(run), "\n"})
	}
	for _, c := range []struct {
		name  string
		frame frameSpec
		most  uint64
	}{
		{"a window of 128 MiB", frameSpec{window: 0x88, size: -1, blocks: []specBlock{raw(content)}}, 4 << 20},
		{"a window of 1 GiB, size stated", frameSpec{window: window1G, size: 54_000, wide: 4, blocks: []specBlock{raw(content)}}, 4 << 20},
		{"a size of 128 MiB that is not there", frameSpec{window: -1, size: 1 << 27, wide: 4, blocks: []specBlock{raw(content)}}, 4 << 20},
		{"torn, a window of 128 MiB", frameSpec{window: 0x88, size: -1, blocks: []specBlock{raw(content)}, tornOff: 9}, 4 << 20},
		{"streamed, a window of 128 MiB", long, 72 << 20},
	} {
		file := c.frame.bytes()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := newZstdSource(bufio.NewReader(bytes.NewReader(file)))
		for {
			if _, err := s.next(); err != nil {
				break
			}
		}
		s.close()
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > c.most {
			t.Errorf("%s: %d bytes allocated, want %d at most", c.name, got, c.most)
		}
	}
}

// TestLongLineInTornFrame checks that a line of a torn frame may be longer than what is
// decoded at a time.
func TestLongLineInTornFrame(t *testing.T) {
	event := `{"type":"step/end","seq":0,"time":1,"data":{"turn":1,"step":1}`
	long := frameSpec{window: window2M, size: -1, tornOff: 2, blocks: []specBlock{raw(event)}}
	for range 160 { // 20 MiB: more than is decoded in one go
		long.blocks = append(long.blocks, specBlock{blockRLE, maxBlock, " "})
	}
	long.blocks = append(long.blocks, raw("}\n??"))
	r := NewReader(bytes.NewReader(append(headerFrame(t), long.bytes()...)), Options{})
	for _, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if s := r.Stats(); s.Events != 1 || r.Tail() == nil {
		t.Errorf("%d events, tail %v, want one and a tail", s.Events, r.Tail())
	}
}
