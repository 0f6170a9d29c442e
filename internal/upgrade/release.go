package upgrade

import "github.com/dsh-verify/dsh-verify/logformat"

// A Release is a release whose loader this package follows.
type Release struct {
	Name   string
	Writes int64    // the format that it writes, and the newest that it reads
	unborn []string // types of that format that only later releases know
}

// The releases that were compared with this package.
var (
	Release015 = &Release{Name: "0.1.5-rc.1", Writes: 3, unborn: []string{logformat.TypeImageOffload, logformat.TypeWorkspaceChanges}}
	Release021 = &Release{Name: "0.2.1-rc.2", Writes: 4}
)

// Releases returns the releases that a log can be checked for, oldest first.
func Releases() []*Release { return []*Release{Release015, Release021} }

// NotTried are releases of formats 2 to 4 that were not compared with this package, oldest
// first. What they do with a log is not known.
var NotTried = []string{
	"0.1.3-alpha.1", "0.1.3-alpha.2", "0.1.5-alpha.1", "0.1.5-alpha.2", "0.1.6-alpha.1", "0.1.6-alpha.2", "0.1.7-alpha.1",
	"0.1.7-alpha.2", "0.1.7-rc.1", "0.1.7-rc.2", "0.2.0-rc.2", "0.2.1-alpha.2", "0.2.1-rc.5", "0.2.2", "0.2.3",
}
