package policy

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// Apply weighs a log's findings by the policy, and settles the verdict again.
func (p *Policy) Apply(log *result.Log) {
	if p.Path == "" {
		return
	}
	log.Policy = p.Path
	var before, after finding.Verdict // that the findings impose
	changed := false
	for i := range log.Findings {
		f := &log.Findings[i]
		old := *f
		p.weigh(f, log.File)
		changed = changed || f.Severity != old.Severity || f.Suppressed != old.Suppressed
		was, is := old.Imposes(), f.Imposes()
		before = finding.Worse(before, was)
		after = finding.Worse(after, is)
		if was != is && finding.Worse(is, was) == was {
			after = finding.Worse(after, setAside(was))
		}
	}
	if changed {
		log.Verdict = finding.Worse(rest(log, before), after)
	}
}

// rest is the verdict without what findings impose: the log's own where it is no
// worse than good, or worse than they say.
func rest(log *result.Log, imposed finding.Verdict) finding.Verdict {
	switch {
	case log.Verdict == finding.Verified || log.Verdict == finding.Sealed || log.Verdict == finding.Rebuilt:
		return log.Verdict
	case finding.Worse(imposed, log.Verdict) != imposed:
		return log.Verdict
	case log.Counts.Verified > 0 && log.Counts.Drifted == 0:
		return finding.Verified
	}
	return finding.Rebuilt
}

// setAside is what is left of a verdict that a policy takes back: never that a
// log verifies, and of one that was not rebuilt, that nothing is known.
func setAside(v finding.Verdict) finding.Verdict {
	switch v {
	case finding.Refused, finding.Unreadable, finding.Nothing:
		return finding.Unverifiable
	}
	return finding.Rebuilt
}

// weigh changes one finding.
func (p *Policy) weigh(f *finding.Finding, log string) {
	for _, s := range p.Severities {
		if s.Code == f.Code {
			f.Severity = s.Severity
		}
	}
	for _, entry := range p.Ignores {
		if f.Suppressed == "" && matchCode(entry.Code, f.Code.String()) && (p.matchPath(entry.Path, log) || p.matchPath(entry.Path, f.Place.File)) {
			f.Suppressed = entry.Reason
		}
	}
}

// matchCode matches a code, or a group as audit/*.
func matchCode(pattern, code string) bool {
	if group, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(code, group+"/")
	}
	return pattern == code
}

// matchPath matches a file, or a folder above it, relative to the policy's.
func (p *Policy) matchPath(pattern, file string) bool {
	if pattern == "" {
		return true
	}
	if file == "" {
		return false
	}
	name := file
	if file != "-" {
		abs, err := filepath.Abs(file)
		if err != nil {
			return false
		}
		if name, err = filepath.Rel(p.Dir, abs); err != nil {
			return false
		}
	}
	segments := strings.Split(strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/"), "/")
	return matchSegments(segments, strings.Split(filepath.ToSlash(name), "/"))
}

// matchSegments matches a path, or the first segments of it.
func matchSegments(pattern, name []string) bool {
	if len(pattern) == 0 {
		return true
	}
	if pattern[0] == "**" {
		for i := range len(name) + 1 {
			if matchSegments(pattern[1:], name[i:]) && (len(pattern) > 1 || i < len(name)) {
				return true
			}
		}
		return false
	}
	if len(name) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return err == nil && ok && matchSegments(pattern[1:], name[1:])
}
