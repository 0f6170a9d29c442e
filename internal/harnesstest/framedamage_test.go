package harnesstest

import (
	"bytes"
	"math/rand/v2"
)

// fileDamage spoils the bytes of a compressed log.
var fileDamage = []damage{
	{"flip a bit of the file", flip},
	{"cut the file", cut},
	{"append to the file", func(r *rand.Rand, b []byte) []byte {
		return append(b, pick(r, "\x00", "\x28", "\x28\xb5", "\x28\xb5\x2f", "\x28\xb5\x2f\xfd", "\x28\xb5\x2f\xfd\x04", "abcd", "\x50\x2a\x4d\x18\x00\x00\x00\x00",
			"\x28\xb5\x2f\xfd\x00\x58\x01\x00\x00", "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00")...)
	}},
	{"remove a frame", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte { return append(f[:i], f[i+1:]...) })},
	{"duplicate a frame", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte { return insert(f, i, f[i]) })},
	{"swap frames", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte {
		j := r.IntN(len(f))
		f[i], f[j] = f[j], f[i]
		return f
	})},
	{"cut a frame", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte {
		f[i] = f[i][:r.IntN(len(f[i]))]
		return f
	})},
	{"cut the last frame", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte {
		last := len(f) - 1
		f[last] = f[last][:r.IntN(len(f[last]))]
		return f
	})},
	{"flip a bit of a frame's head", onFrames(func(r *rand.Rand, f [][]byte, i int) [][]byte {
		f[i] = append([]byte(nil), f[i]...)
		f[i][r.IntN(min(9, len(f[i])))] ^= 1 << r.IntN(8)
		return f
	})},
}

func onFrames(do func(r *rand.Rand, frames [][]byte, i int) [][]byte) func(*rand.Rand, []byte) []byte {
	return func(r *rand.Rand, b []byte) []byte {
		frames := splitFrames(b)
		if len(frames) == 0 {
			return b
		}
		return bytes.Join(do(r, frames, r.IntN(len(frames))), nil)
	}
}

// splitFrames cuts before every frame magic, which is exact enough to spoil.
func splitFrames(b []byte) (frames [][]byte) {
	magic := []byte("\x28\xb5\x2f\xfd")
	for len(b) > 0 {
		next := -1
		if len(b) > 4 {
			next = bytes.Index(b[4:], magic)
		}
		if next < 0 {
			return append(frames, b)
		}
		frames, b = append(frames, b[:next+4:next+4]), b[next+4:]
	}
	return frames
}

// reframe writes an undamaged text in frames by hand, and often cuts the last.
func reframe(r *rand.Rand, text []byte) (file []byte, how string) {
	head := bytes.IndexByte(text, '\n') + 1
	if r.IntN(10) == 0 {
		text = padded(r, text)
	}
	file = encoder(true).EncodeAll(text[:head], nil)
	text = text[head:]
	for cuts := r.IntN(3); len(text) > 0; cuts-- {
		n := len(text)
		if cuts > 0 {
			n = 1 + bytes.IndexByte(text[r.IntN(n):], '\n') + r.IntN(n)
			n = min(n, len(text))
		}
		frame := handFrame(r, text[:n])
		if text = text[n:]; len(text) == 0 && r.IntN(2) == 0 {
			return append(file, frame[:r.IntN(len(frame))]...), "frames by hand, the last cut"
		}
		file = append(file, frame...)
	}
	return file, "frames by hand"
}

// compress writes text as the harness does, a frame for the header line and one for
// each batch; now and then a batch ends inside a line, or a frame is made by hand.
func compress(r *rand.Rand, text []byte) (file []byte) {
	byHand := r.IntN(3) == 0
	if byHand && r.IntN(12) == 0 {
		text = padded(r, text)
	}
	w := encoder(r.IntN(8) > 0)
	frame := func(text []byte) []byte {
		if byHand && r.IntN(3) == 0 {
			return handFrame(r, text)
		}
		return w.EncodeAll(text, nil)
	}
	head := bytes.IndexByte(text, '\n') + 1
	if r.IntN(100) == 0 {
		head = r.IntN(head + 1)
	}
	file = frame(text[:head])
	for text = text[head:]; len(text) > 0; {
		n := min(len(text), 1+r.IntN(1+len(text)))
		if end := bytes.IndexByte(text[n:], '\n'); end >= 0 && r.IntN(10) > 0 {
			n += end + 1
		}
		file, text = append(file, frame(text[:n])...), text[n:]
	}
	return file
}
