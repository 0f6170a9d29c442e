package jsvalue

import (
	"strings"
	"unicode"
)

// Trim returns text without the white space and line ends around it, as
// String.prototype.trim does (ECMA-262, section 22.1.3.32).
func Trim(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r) })
}
