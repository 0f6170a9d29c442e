package logformat

import (
	"bufio"
	"bytes"
	"io"
)

// FirstFrame returns the Zstandard frame with which data begins; what follows it is
// left alone, as the harness leaves it in a compressed value of its store. The error is
// a *[Refusal], or io.ErrUnexpectedEOF when the frame is not complete.
func FirstFrame(data []byte) ([]byte, error) {
	w := frameWalker{in: bufio.NewReader(bytes.NewReader(data))}
	f, err := w.next()
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case err != nil || !f.complete:
		return nil, io.ErrUnexpectedEOF
	}
	return data[:len(f.bytes)], nil
}
