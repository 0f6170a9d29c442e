package requestlog

import (
	"bytes"
	"errors"
	"io"
)

// Compare compares a rope with a recorded stream, without loading either. It
// returns the offset of the first differing byte, -1 when they are equal; a
// stream that is a prefix of the other differs at its end.
func Compare(rope io.WriterTo, recorded io.Reader) (int64, error) {
	c := &comparer{recorded: recorded, buf: make([]byte, 64<<10)}
	_, err := rope.WriteTo(c)
	switch {
	case errors.Is(err, errDiffers):
		return c.at, nil
	case err != nil:
		return 0, err
	}
	// What is left of the recording is what the rope lacks.
	n, err := io.ReadFull(recorded, c.buf[:1])
	if n > 0 {
		return c.at, nil
	}
	if errors.Is(err, io.EOF) {
		return -1, nil
	}
	return 0, err
}

var errDiffers = errors.New("recording: bytes differ")

type comparer struct {
	recorded io.Reader
	buf      []byte
	at       int64 // bytes that were equal
}

func (c *comparer) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		n := min(len(p), len(c.buf))
		got, err := io.ReadFull(c.recorded, c.buf[:n])
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return written, err
		}
		if !bytes.Equal(c.buf[:got], p[:got]) {
			c.at += int64(firstDifference(c.buf[:got], p[:got]))
			return written, errDiffers
		}
		c.at += int64(got)
		written += got
		if got < n {
			return written, errDiffers
		}
		p = p[n:]
	}
	return written, nil
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
