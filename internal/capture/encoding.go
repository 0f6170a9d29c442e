package capture

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// inflate undoes a content encoding. Most proxies have done it already. Nothing may
// follow what is compressed: a reader that stops before it has not seen the whole body.
func inflate(data []byte, encoding string) ([]byte, error) {
	if encoding == "" || encoding == "identity" || startsAsObject(data) {
		return data, nil
	}
	in := bytes.NewReader(data) // a ByteReader: no decoder reads ahead
	r, closer, err := decoder(in, data, encoding)
	if err != nil {
		return nil, err
	}
	defer closer()
	out, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	switch {
	case err != nil:
		return nil, err
	case len(out) > maxBody:
		return nil, errors.New("it inflates to more than 1 GiB")
	case in.Len() > 0:
		return nil, errors.New("something follows its end")
	}
	return out, nil
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
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
		if err != nil {
			return nil, nil, err
		}
		return d, d.Close, nil
	}
	return nil, nil, errors.New("the encoding is not known")
}
