package policy

import (
	"os"
	"path/filepath"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/regular"
)

// FileName is the name under which a policy is found.
const FileName = ".dsh-verify.yaml"

// A Policy is what a file says. Each value knows its line. The zero Policy says
// nothing.
type Policy struct {
	Path        string // as reports call the file; "" is no policy
	Dir         string // its folder, absolute
	Severities  []Severity
	Ignores     []Ignore
	Vocabulary  []Setting // event types
	Images      []Setting
	Attachments []Setting // folders, resolved against Dir
}

// A Severity is the weight of a code.
type Severity struct {
	Code     finding.Code
	Severity finding.Severity
	Line     int
}

// An Ignore accepts findings.
type Ignore struct {
	Code   string // or a group, as audit/*
	Path   string // a pattern; "" matches everything
	Reason string
	Line   int
}

// A Setting is one value. Key is "" in lists.
type Setting struct {
	Key, Value string
	Line       int
}

// maxFile bounds what is read: a policy is written by hand.
const maxFile = 1 << 20

// Load reads the policy in a file.
func Load(path string) (*Policy, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	text, err := regular.ReadFile(path, maxFile)
	if err != nil {
		return nil, err
	}
	p := &Policy{Path: path, Dir: filepath.Dir(abs)}
	return p, p.parse(text)
}

// Find reads the nearest policy upwards from a target: a log, a folder, or "-",
// which stands for the working folder. Without one it returns a Policy that says
// nothing.
func Find(target string) (*Policy, error) {
	if target == "-" || target == "" {
		target = "."
	}
	dir, err := filepath.Abs(target)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	for {
		path := filepath.Join(dir, FileName)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return Load(short(path))
		}
		above := filepath.Dir(dir)
		if above == dir {
			return &Policy{}, nil
		}
		dir = above
	}
}

// short names a file below the working folder from there.
func short(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
