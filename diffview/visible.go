package diffview

import "github.com/dsh-verify/dsh-verify/internal/visible"

// Keep names characters that [Visible] treats otherwise.
type Keep = visible.Keep

// What can be kept: a line feed and a tab as they are, and every backslash doubled, so
// that the result has one reading only.
const (
	Newline   = visible.Newline
	Tab       = visible.Tab
	Backslash = visible.Backslash
)

// Visible returns s in a form that can drive neither a terminal nor a CI job and hides
// nothing from a reader: \n \r \t, \u{1b} for any other character that is not seen as
// itself, \xff for a byte that is not UTF-8. Everything else stays as it is.
func Visible[T string | []byte](s T, keep ...Keep) string { return visible.Text(s, keep...) }
