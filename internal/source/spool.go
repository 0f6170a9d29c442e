package source

import (
	"fmt"
	"io"
	"os"
)

// A Spooled is input that came through a pipe and can be read at any place. The zero
// value is none.
type Spooled struct {
	io.ReaderAt
	Size int64
	file *os.File
}

// Spool copies what comes through a pipe to a private temporary file, which has no
// name for longer than the system needs, and no more than limit bytes; 0 is no limit.
// A regular file, as with <, is used as it is.
func Spool(r io.Reader, limit int64) (Spooled, error) {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			at, err := f.Seek(0, io.SeekCurrent)
			return Spooled{ReaderAt: io.NewSectionReader(f, at, info.Size()-at), Size: info.Size() - at}, err
		}
	}
	f, err := os.CreateTemp("", "dsh-verify-")
	if err != nil {
		return Spooled{}, err
	}
	os.Remove(f.Name()) // where the system allows it, nobody else can open it
	s := Spooled{ReaderAt: f, file: f}
	src := r
	if limit > 0 {
		src = io.LimitReader(r, limit+1)
	}
	if s.Size, err = io.Copy(f, src); err == nil && limit > 0 && s.Size > limit {
		err = fmt.Errorf("-: standard input is longer than the %d bytes of --max-size", limit)
	}
	if err != nil {
		s.Close()
		return Spooled{}, err
	}
	return s, nil
}

// Close removes the temporary file.
func (s Spooled) Close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}
