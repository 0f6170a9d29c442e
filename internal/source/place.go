package source

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// unreadable reports what could not be opened, by its own code where it has one.
func (p *Place) unreadable(path string, err error) {
	if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
		f := finding.FromRefusal(refusal)
		f.Place.File = path
		p.Findings = append(p.Findings, f)
		return
	}
	p.find(finding.InputUnreadable, reason(path, err), path)
}

// reason says why a file could not be opened.
func reason(path string, err error) string {
	inner, ok := errors.AsType[*fs.PathError](err)
	switch {
	case !ok:
		return err.Error()
	case inner.Path != path: // what lies beside it
		return filepath.Base(inner.Path) + ": " + inner.Err.Error()
	}
	return inner.Err.Error()
}

func (p *Place) find(code finding.Code, detail, path string) {
	p.Findings = append(p.Findings, finding.New(code, finding.Plain(detail), finding.Place{Seq: -1, File: path}))
}
