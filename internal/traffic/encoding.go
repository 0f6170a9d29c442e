package traffic

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// inflate undoes a content encoding, within a budget. Most proxies have done it already.
// Nothing may follow what is compressed: a reader that stops before it has not seen the
// whole body. It is decoded twice, so that nothing is kept of what is too long.
func inflate(data []byte, encoding string, limit *budget) (out []byte, err error) {
	if encoding == "" || encoding == "identity" || startsAsObject(data) {
		return data, nil
	}
	var n int64
	err = decode(data, encoding, func(r io.Reader) error {
		n, err = limit.measure(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = decode(data, encoding, func(r io.Reader) error {
		out, err = limit.keep(r, n)
		return err
	})
	return out, err
}

// maxWindow is the largest window that a body may need (RFC 9659, section 3).
const maxWindow = 8 << 20

// decode passes on what some data decode to. It is an error if that is not all read,
// or if something follows the data.
func decode(data []byte, encoding string, do func(io.Reader) error) error {
	in := bytes.NewReader(data) // a ByteReader: no decoder reads ahead
	r, closer, err := decoder(in, data, encoding)
	if err != nil {
		return err
	}
	defer closer()
	if err := do(r); err != nil {
		return err
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return cmp.Or(err, errors.New("it goes on after its end"))
	}
	if in.Len() > 0 {
		return errors.New("something follows its end")
	}
	return nil
}

func startsAsObject(data []byte) bool {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	return len(trimmed) > 0 && trimmed[0] == '{'
}

func decoder(in *bytes.Reader, data []byte, encoding string) (r io.Reader, closer func(), err error) {
	nothing := func() {}
	switch encoding {
	case "gzip", "x-gzip":
		r, err = gzip.NewReader(in)
		return r, nothing, err
	case "deflate":
		if r, err = zlib.NewReader(in); err != nil {
			in.Reset(data)
			return flate.NewReader(in), nothing, nil
		}
		return r, nothing, nil
	case "zstd":
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, err
		}
		return d, d.Close, nil
	}
	return nil, nil, errors.New("the encoding is not known")
}
