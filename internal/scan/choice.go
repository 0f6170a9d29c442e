package scan

import (
	"strings"
	"time"

	"github.com/dsh-verify/dsh-verify/internal/source"
)

// A Choice says which of the sessions that were found are checked. The zero Choice
// leaves all.
type Choice struct {
	// Since leaves sessions whose log was written then or later, and those of which it
	// is not known. Zero: all.
	Since time.Time
	// Project leaves sessions whose project folder has it in its name.
	Project string
	// Words say how the choice was made, for the report that it leaves nothing.
	Words []string
}

// String says how the choice was made.
func (c *Choice) String() string { return strings.Join(c.Words, " and ") }

func (c *Choice) has(log *source.Log) bool {
	if !c.Since.IsZero() && log.Modified > 0 && log.Modified < c.Since.UnixMilli() {
		return false
	}
	if c.Project == "" {
		return true
	}
	folder, _, _ := strings.Cut(strings.ReplaceAll(log.StorePath, `\`, "/"), "/")
	return strings.Contains(folder, c.Project)
}
