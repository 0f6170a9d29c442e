package main

import "strings"

// shellQuote quotes a word for a shell. One that a terminal must not get as it is has
// its bytes spelled out, which bash, zsh, ksh and POSIX since 2024 understand.
func shellQuote(s string) string {
	if visible(s) == s {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range []byte(s) {
		if isPlain(c) {
			b.WriteByte(c)
		} else {
			// Three octal digits end where they end, whatever follows.
			b.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// shellWord quotes what a shell would take apart.
func shellWord(s string) string {
	for _, c := range []byte(s) {
		if !isPlain(c) {
			return shellQuote(s)
		}
	}
	return s
}

// isPlain tells the characters that a shell takes as they are.
func isPlain(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("/._-+", c) >= 0
}
