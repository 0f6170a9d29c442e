package exportzip

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
)

// The bounds of an archive's directory.
const (
	MaxEntries   = 1<<16 - 1 // of an archive, as many as a directory counts without extensions
	maxDirectory = 32 << 20  // bytes that are read to know them
)

var errDirectory = errors.New("the directory is too long")

// A directoryReader stops a reader that looks for ever more entries: how many there
// are is known only once they are all read.
type directoryReader struct {
	io.ReaderAt
	left int64 // bytes; negative: no bound any more
}

func (d *directoryReader) ReadAt(p []byte, at int64) (int, error) {
	if d.left < 0 {
		return d.ReaderAt.ReadAt(p, at)
	}
	if int64(len(p)) > d.left {
		return 0, errDirectory
	}
	n, err := d.ReaderAt.ReadAt(p, at)
	d.left -= int64(n)
	return n, err
}

// readDirectory reads an archive's directory, if it is no longer than an archive of
// sessions can have it, and no two of its entries share bytes. The error is a
// *logformat.Refusal.
func readDirectory(r io.ReaderAt, size int64) (*zip.Reader, error) {
	bounded := &directoryReader{r, maxDirectory}
	zr, err := zip.NewReader(bounded, size)
	switch {
	case errors.Is(err, errDirectory):
		return nil, refuse(CodeMany, "")
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return nil, refuse(CodeDamaged, err.Error())
	case len(zr.File) > MaxEntries:
		return nil, refuse(CodeMany, fmt.Sprintf("%d entries", len(zr.File)))
	}
	bounded.left = -1
	if a, b := overlap(zr.File); a != nil {
		return nil, refuse(CodeOverlap, fmt.Sprintf("entries %.200q and %.200q", a.Name, b.Name))
	}
	return zr, nil
}

// overlap returns two entries that share bytes, nil when there are none. Entries whose
// own header cannot be read are left to whoever opens them.
func overlap(files []*zip.File) (a, b *zip.File) {
	type span struct {
		start, end int64
		file       *zip.File
	}
	spans := make([]span, 0, len(files))
	for _, f := range files {
		start, err := f.DataOffset()
		if err != nil || f.CompressedSize64 == 0 {
			continue
		}
		spans = append(spans, span{start, start + int64(min(f.CompressedSize64, 1<<62)), f})
	}
	slices.SortFunc(spans, func(x, y span) int { return cmp.Compare(x.start, y.start) })
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			return spans[i-1].file, spans[i].file
		}
	}
	return nil, nil
}
