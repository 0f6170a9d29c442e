package main

import (
	"errors"
	"io"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	escape "github.com/dsh-verify/dsh-verify/internal/visible"
)

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// visible is what every text that may quote a log goes through.
func visible(s string) string { return escape.Text(s) }

// rawFlag is the flag of commands that print exact bytes.
func rawFlag() cli.Flag {
	return &cli.BoolFlag{Name: "raw", Usage: "print exact bytes on a terminal too, whatever they do to it; a pipe or a file always gets them"}
}

// exact passes exact bytes, which are JSON, to standard output: as they are, but on a
// terminal with escapes for what hides or commands something there, unless --raw is
// given. What passes must end with the last byte of a character.
func (a *app) exact(cmd *cli.Command) io.Writer {
	if a.terminal && !cmd.Bool("raw") {
		return escape.NewJSONWriter(a.out)
	}
	return a.out
}

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
