package source

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/exportzip"
	"github.com/dsh-verify/dsh-verify/logformat/container/sqlitestore"
)

func isDatabase(name string) bool {
	switch filepath.Ext(name) {
	case ".db", ".sqlite", ".sqlite3":
		return true
	}
	return false
}

func isArchive(name string) bool { return strings.EqualFold(filepath.Ext(name), ".zip") }

func isContainer(name string) bool { return isDatabase(name) || isArchive(name) }

// database adds the sessions of a store below a walked folder; other databases
// are left alone.
func (w *walker) database(path string) {
	ours, err := sqlitestore.Claims(path)
	if err != nil {
		w.unreadable(path, err)
		return
	}
	if !ours {
		return
	}
	inner, err := store(path)
	if err != nil {
		w.unreadable(path, err)
		return
	}
	w.add(inner)
}

// archive adds the sessions of an export archive below a walked folder; other
// archives are left alone. An archive is opened for each read, as there may be
// more of them than files can be open.
func (w *walker) archive(path string) {
	f, err := regular.Open(path)
	if err != nil {
		w.unreadable(path, err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !exportzip.IsArchive(f) {
		return
	}
	inner, err := archive(path, onDemand(path), info.Size(), nil)
	ours := mentions(f, info.Size())
	refusal, refused := errors.AsType[*logformat.Refusal](err)
	switch {
	case err == nil && (ours || len(inner.Logs)+len(inner.Absent) > 0):
		w.add(inner)
	case refused && refusal.Code == exportzip.CodeNoSession || err == nil:
	case ours:
		w.unreadable(path, err)
	case refused:
		w.find(finding.InputForeignArchive, refusal.Detail, path)
	}
}

// An onDemand reads a file that is open only while it is read.
type onDemand string

// ReadAt reads from the file as it is now.
func (path onDemand) ReadAt(p []byte, off int64) (int, error) {
	f, err := regular.Open(string(path))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(p, off)
}

var logName = regexp.MustCompile(`(?i)session[^/\x00]{0,99}\.jsonl`)

// mentions reports whether the start or the end of a file, where an archive names
// its entries, holds the name of a log, or one that is nearly a log's.
func mentions(f *os.File, size int64) bool {
	buf := make([]byte, 64<<10)
	for _, off := range []int64{0, max(0, size-int64(len(buf)))} {
		n, _ := f.ReadAt(buf, off)
		if logName.Match(buf[:n]) {
			return true
		}
	}
	return false
}

// add takes over what a file of the folder holds.
func (w *walker) add(inner *Place) {
	w.Logs = append(w.Logs, inner.Logs...)
	w.Absent = append(w.Absent, inner.Absent...)
	w.Findings = append(w.Findings, inner.Findings...)
	w.closers = append(w.closers, inner.closers...)
}
