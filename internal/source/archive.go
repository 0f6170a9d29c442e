package source

import (
	"io"
	"path"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/exportzip"
)

// inArchive adds the sessions of an archive, folder by folder, as if it were unpacked.
// An export's own session comes first, and the others belong to it.
func (p *Place) inArchive(a *exportzip.Archive, name string) {
	roots, modified := newRoots(), lastWritten(name)
	for _, folder := range a.Folders() {
		s := Choose(a.Files(folder))
		dir := strings.TrimSuffix(name+"/"+folder, "/")
		at, inRoot := inPath(strings.TrimSuffix(folder, "/"))
		if inRoot {
			roots.note(p, path.Dir(path.Dir(dir)), dir, &s)
		}
		if s.Absent != "" || inRoot && len(s.Logs) == 0 {
			l := absent(dir, a.Files(folder), &s)
			l.StorePath, l.Modified = at.storePath, modified
			p.Absent = append(p.Absent, l)
			continue
		}
		for _, file := range s.Logs {
			l := archived(a, folder, file)
			l.Name, l.StorePath, l.judged = dir+"/"+file, at.storePath, at.judged
			l.Modified, l.Older = modified, s.Older
			p.Logs = append(p.Logs, l)
		}
		p.beside(dir, a.Files(folder), &s)
	}
	roots.finish(p)
	root, hasRoot := a.Root()
	p.Lead = hasRoot && len(Choose(a.Files(root)).Logs) == 1 || len(p.Logs) == 1
}

// archived is a log in a folder of an archive.
func archived(a *exportzip.Archive, folder, file string) *Log {
	l := &Log{Media: a.Images(folder), open: func(opts logformat.Options) (*logformat.Reader, io.Closer, error) {
		rc, err := a.OpenSession(folder + file)
		if err != nil {
			return nil, nil, err
		}
		opts.FileName = file
		opts.Again = func() (io.ReadCloser, error) { return a.OpenSession(folder + file) }
		return logformat.NewReader(rc, opts), rc, nil
	}}
	return l
}
