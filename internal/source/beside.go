package source

import (
	"path/filepath"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// Beside returns what is to be said of the generations that lie beside a log. unusable
// says that the log itself was refused or could not be read.
func (l *Log) Beside(unusable bool) (found []finding.Finding) {
	place := finding.Place{Seq: -1, File: l.Name}
	if l.Newer != "" {
		found = append(found, finding.New(finding.StoreNewer, finding.Plain(l.Newer), place))
	}
	if len(l.Older) > 0 {
		code := finding.StoreOlder
		if unusable {
			code = finding.StoreNoFallback
		}
		found = append(found, finding.New(code, finding.Plain(listed(l.Older, 5)), place))
		own := filepath.Base(l.Name)
		if other := otherEncoding(own, l.Older); other != "" {
			found = append(found, finding.New(finding.StoreTwoEncodings, finding.Plain(own+" and "+other), place))
		}
	}
	return found
}

// otherEncoding returns the first of some files that is stored in the other encoding than
// the one of that name, "" if there is none.
func otherEncoding(own string, names []string) string {
	_, compressed, ok := logformat.ParseFileName(own)
	for _, name := range names {
		if _, other, named := logformat.ParseFileName(standsFor(name)); ok && named && other != compressed {
			return name
		}
	}
	return ""
}

// absent is the session of a folder in which the session's log is not.
func absent(dir string, files []string, s *Files) *Log {
	place := finding.Place{Seq: -1, File: dir}
	l := &Log{Name: dir, Older: s.Older}
	switch {
	case s.Absent != "":
		l.Absent = finding.New(finding.StorePlaceholder, finding.Plain(s.Absent), place)
	case len(files) > 0:
		l.Absent = finding.New(finding.StoreNoLog, finding.Plain("it holds "+listed(files, 5)), place)
	default:
		l.Absent = finding.New(finding.StoreNoLog, finding.Plain("it holds no file"), place)
	}
	return l
}

// beside reports what lies in a folder besides what is read, and looks as if it could be.
func (p *Place) beside(dir string, files []string, s *Files) {
	// Of one log and its older generations [Log.Beside] tells.
	if plain, compressed := s.Encodings(); len(s.Logs) != 1 && plain != "" && compressed != "" {
		p.find(finding.StoreTwoEncodings, "both "+plain+" and "+compressed, dir)
	}
	if len(s.Logs) > 0 {
		for _, name := range s.Leftovers {
			p.find(finding.StoreLeftover, name, filepath.Join(dir, name))
		}
	}
	if logformat.IsProjectFolder(filepath.Base(dir)) {
		for _, name := range files {
			if isFlat(name) {
				p.find(finding.StoreFlatFile, name, filepath.Join(dir, name))
			}
		}
		return
	}
	if len(s.Copies) > 0 {
		p.find(finding.StoreNoGeneration, listed(s.Copies, 5), dir)
	}
}

// isFlat recognises, in a project's folder, a file of the layout that was given up.
func isFlat(name string) bool {
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.zstd")
}
