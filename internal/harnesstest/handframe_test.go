package harnesstest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"github.com/klauspost/compress/zstd"
)

// Frames by hand say what no encoder says: windows and sizes that are wrong or larger
// than need be, blocks longer than a block may be, blocks that are empty.

type handBlock struct {
	kind    uint32 // 0 raw, 1 a run, 2 compressed
	size    int
	payload []byte
}

// handFrame writes text as one frame.
func handFrame(r *rand.Rand, text []byte) []byte {
	blocks := handBlocks(r, text)
	if r.IntN(4) == 0 {
		blocks = append(blocks, handBlock{kind: uint32(r.IntN(2)) * 2})
	}
	for range r.IntN(4) * r.IntN(2) {
		i := r.IntN(len(blocks) + 1)
		empty := handBlock{kind: uint32(r.IntN(3))}
		if empty.kind == 1 {
			empty.payload = []byte{'\n'}
		}
		blocks = append(blocks[:i:i], append([]handBlock{empty}, blocks[i:]...)...)
	}
	checksum := checksumOf(text)
	descriptor, fields := handHeader(r, len(text))
	if r.IntN(2) == 0 {
		descriptor |= 4
	}
	out := append([]byte("\x28\xb5\x2f\xfd"), descriptor)
	out = append(out, fields...)
	for i, b := range blocks {
		h := uint32(b.size)<<3 | b.kind<<1
		if i == len(blocks)-1 {
			h |= 1
		}
		out = append(append(out, byte(h), byte(h>>8), byte(h>>16)), b.payload...)
	}
	if len(blocks) == 0 {
		out = append(out, 1, 0, 0)
	}
	if descriptor&4 != 0 {
		out = append(out, checksum...)
	}
	return out
}

// handHeader returns a descriptor and the fields after it.
func handHeader(r *rand.Rand, length int) (descriptor byte, fields []byte) {
	size := handSize(r, length)
	flag := r.IntN(4)
	if r.IntN(8) > 0 { // a width that it fits, or none
		flag = 2 * r.IntN(2)
	}
	width := 1 << flag
	switch single := r.IntN(3) == 0 && (flag > 0 || size < 256); {
	case single:
		descriptor |= 0x20
	case flag == 0:
		width = 0
	}
	if descriptor == 0 {
		fields = append(fields, handWindow(r))
	}
	if r.IntN(5) == 0 {
		kind := 1 + r.IntN(3)
		id := make([]byte, []int{0, 1, 2, 4}[kind])
		if r.IntN(5) == 0 {
			id[r.IntN(len(id))] = 7
		}
		descriptor, fields = descriptor|byte(kind), append(fields, id...)
	}
	if width == 2 {
		size -= 256
	}
	return descriptor | byte(flag)<<6, append(fields, binary.LittleEndian.AppendUint64(nil, size)[:width]...)
}

func handWindow(r *rand.Rand) byte {
	switch r.IntN(6) {
	case 0:
		return []byte{0, 1, 7, 0x88, 0x89, 0x90, 0xA0, 0xAF, 0xB0, 0xFF}[r.IntN(10)]
	case 1:
		return byte(r.IntN(256))
	}
	return []byte{0x38, 0x50, 0x58, 0x88, 0x90}[r.IntN(5)]
}

// handSize returns the content size to state, mostly the right one.
func handSize(r *rand.Rand, length int) uint64 {
	switch r.IntN(12) {
	case 0:
		return uint64(length + r.IntN(5) - 2)
	case 1:
		sizes := []uint64{0, 1, 255, 256, 1 << 10, 1 << 16, 1 << 20, 1<<20 + 1, 2 << 20, 1 << 27, 1<<27 + 1, 1<<27 + 2, 1 << 31, 1 << 40, 1<<64 - 1, 1<<64 - 2}
		return sizes[r.IntN(len(sizes))]
	}
	return uint64(length)
}

// handBlocks cuts text into blocks of any kind.
func handBlocks(r *rand.Rand, text []byte) (blocks []handBlock) {
	for len(text) > 0 {
		n := min(len(text), 1<<20+r.IntN(1<<20))
		if r.IntN(3) > 0 {
			n = min(n, 1+r.IntN(len(text)))
		}
		run := 1
		for run < n && text[run] == text[0] {
			run++
		}
		switch {
		case run > 3:
			n = run
			blocks = append(blocks, handBlock{1, n, text[:1]})
		case r.IntN(3) == 0:
			blocks = append(blocks, compressedBlocks(text[:n])...)
		default:
			blocks = append(blocks, handBlock{0, n, text[:n]})
		}
		text = text[n:]
	}
	return blocks
}

// compressedBlocks returns the blocks of an encoder's frame.
func compressedBlocks(text []byte) (blocks []handBlock) {
	frame := encoder(false).EncodeAll(text, nil)
	b := frame[6:]
	if frame[4]&0x20 != 0 {
		b = frame[5:]
	}
	b = b[map[byte]int{0: int(frame[4]>>5) & 1, 1: 2, 2: 4, 3: 8}[frame[4]>>6]:]
	for len(b) >= 3 {
		h := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		k := handBlock{kind: h >> 1 & 3, size: int(h >> 3)}
		n := k.size
		if k.kind == 1 {
			n = 1
		}
		k.payload = b[3 : 3+n]
		blocks, b = append(blocks, k), b[3+n:]
	}
	return blocks
}

func checksumOf(text []byte) []byte {
	frame := encoder(true).EncodeAll(text, nil)
	return frame[len(frame)-4:]
}

// encoders are those without and with a checksum.
var encoders = [2]*zstd.Encoder{newEncoder(false), newEncoder(true)}

func encoder(checksum bool) *zstd.Encoder {
	if checksum {
		return encoders[1]
	}
	return encoders[0]
}

func newEncoder(checksum bool) *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(checksum), zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithZeroFrames(true))
	if err != nil {
		panic(err)
	}
	return w
}

// padded gives a line white space that makes it as long as no other: frames of more
// than a megabyte are decoded in another way.
func padded(r *rand.Rand, text []byte) []byte {
	end := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n')
	if end < 0 {
		return text
	}
	pad := bytes.Repeat([]byte{' '}, 1<<20-r.IntN(8000)+r.IntN(3)<<19)
	return append(append(append([]byte(nil), text[:end]...), pad...), text[end:]...)
}
