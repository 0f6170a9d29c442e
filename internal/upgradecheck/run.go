package upgradecheck

import (
	"io"
	"path"
	"path/filepath"

	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/upgrade"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// Options say what is asked.
type Options struct {
	Releases []*upgrade.Release // none: all
	MaxSize  int64              // of a decoded log, in bytes; 0: no limit
	Redactor *redact.Redactor   // of what is quoted from logs; nil: none
	Progress func(done, all int)
}

// Run asks what releases do with each log.
func Run(logs []*source.Log, opts Options) *Report {
	if len(opts.Releases) == 0 {
		opts.Releases = upgrade.Releases()
	}
	report := &Report{SchemaVersion: 1, Sessions: []*Session{}, NotTried: upgrade.NotTried}
	for _, release := range opts.Releases {
		report.Counts = append(report.Counts, &Count{Release: release.Name, Reasons: []Reason{}})
	}
	families := familiesOf(logs, opts)
	for i, log := range logs {
		if opts.Progress != nil {
			opts.Progress(i, len(logs))
		}
		s := session(log, families, opts)
		report.Sessions = append(report.Sessions, s)
		for k, count := range report.Counts {
			var r *Release
			if k < len(s.Releases) {
				r = s.Releases[k]
			}
			count.count(r)
		}
	}
	for _, count := range report.Counts {
		count.sort()
	}
	return report
}

// A family is a session in a store root.
type family struct{ root, id string }

// familiesOf reads the subagents of each session.
func familiesOf(logs []*source.Log, opts Options) map[family][]upgrade.Child {
	families := make(map[family][]upgrade.Child)
	for _, log := range logs {
		child, parent, err := upgrade.ReadChild(logOf(log, opts))
		if err != nil || parent == "" {
			continue // what cannot be read is said where it is checked
		}
		at := family{log.Root, parent}
		families[at] = append(families[at], child)
	}
	return families
}

func session(log *source.Log, families map[family][]upgrade.Child, opts Options) *Session {
	s := &Session{File: log.Name, ID: log.SessionID(), Releases: []*Release{}}
	asked := logOf(log, opts)
	asked.Children = families[family{log.Root, s.ID}]
	for _, release := range opts.Releases {
		v, err := upgrade.Check(release, asked)
		if err != nil {
			s.Failure, s.Releases = err.Error(), []*Release{}
			return s
		}
		s.Format = v.From
		s.Releases = append(s.Releases, newRelease(v, opts.Redactor))
	}
	return s
}

// logOf returns a found log as upgrades read it.
func logOf(log *source.Log, opts Options) upgrade.Log {
	return upgrade.Log{
		Name: path.Base(filepath.ToSlash(log.Name)),
		Open: func() (*logformat.Reader, io.Closer, error) {
			return log.Open(logformat.Options{MaxSize: opts.MaxSize})
		},
	}
}
