package sqlitesnapshot

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Still reports whether what was read belongs together: no page that was read has
// moved before. If it cannot be found out, it may have.
func (s *Snapshot) Still() bool {
	if s.moved.Load() || !isFile(s.path, s.main) {
		return false
	}
	if hot, err := hot(s.path + "-journal"); err != nil || hot {
		return false
	}
	if s.wal.file == nil || len(s.wal.head) == 0 {
		return s.logAbsent() && s.untouched()
	}
	return isFile(s.path+"-wal", s.wal.file) && s.sameLog() && s.nothingCopied()
}

// isFile reports whether a path leads to an open file.
func isFile(path string, f *os.File) bool {
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(there, open)
}

// logAbsent reports whether there still is no log, or an empty one.
func (s *Snapshot) logAbsent() bool {
	info, err := os.Stat(s.path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}

// untouched reports whether the database file is as it was.
func (s *Snapshot) untouched() bool {
	var own header
	info, err := s.main.Stat()
	if err != nil || info.Size() != s.info.Size() || !info.ModTime().Equal(s.info.ModTime()) {
		return false
	}
	_, err = s.main.ReadAt(own[:], 0)
	return ignoreEnd(err) == nil && own == s.own
}

// sameLog reports whether the log has not begun again, and its commits are those
// that were read.
func (s *Snapshot) sameLog() bool {
	head := make([]byte, walHeader)
	n, err := s.wal.file.ReadAt(head, 0)
	if ignoreEnd(err) != nil || !bytes.Equal(head[:n], s.wal.head) {
		return false
	}
	if s.wal.frames == nil {
		return true
	}
	var last [frameHeader]byte
	_, err = s.wal.file.ReadAt(last[:], s.wal.end-int64(frameHeader+s.pageSize))
	return err == nil && last == s.wal.last
}

// nothingCopied reports whether no page that was read from the database held a later
// image, which a checkpoint had copied from the log. A log that SQLite ignores has
// none.
func (s *Snapshot) nothingCopied() bool {
	if s.wal.size == 0 {
		return s.untouched()
	}
	image := make([]byte, s.pageSize)
	for f, err := range s.wal.later(s.wal.end) {
		if err != nil || f.pages != 0 && f.pages < s.pages {
			return false // it may be cut off, too
		}
		if f.page < 1 || f.page > uint32(len(s.read)) {
			continue
		}
		digest := s.read[f.page-1].Load()
		if digest == 0 {
			continue
		}
		if _, err := s.wal.file.ReadAt(image, f.at); err == io.EOF {
			continue // it is still being written
		} else if err != nil || s.digest(image) == digest {
			return false
		}
		// It may have been read half old, half new: then it is another one now.
		if err := readFull(s.main, image, int64(f.page-1)*int64(s.pageSize)); err != nil || s.digest(image) != digest {
			return false
		}
	}
	return true
}
