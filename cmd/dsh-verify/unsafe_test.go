package main

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unsafe names the first thing in a command's output that a terminal or a CI service
// obeys or that a reader does not see, "" when there is none. What it looks for comes from
// Unicode's properties and from the sources of the services, not from this program.
func unsafe(output string) string {
	for at, r := range output {
		if hides(r) || r == utf8.RuneError && !strings.HasPrefix(output[at:], "\ufffd") {
			return fmt.Sprintf("%U in %q", r, output[max(0, at-40):min(len(output), at+40)])
		}
	}
	for line := range strings.Lines(output) {
		if found := workflowCommand.FindString(line); found != "" || strings.HasPrefix(strings.TrimSpace(line), "::") {
			return fmt.Sprintf("a command: %q", line)
		}
	}
	return ""
}

// workflowCommand is what GitHub, Azure, TeamCity and GitLab look for anywhere in a line.
var workflowCommand = regexp.MustCompile(`##[A-Za-z]*\[|section_(start|end):\d`)

func hides(r rune) bool {
	switch {
	case r >= ' ' && r <= '~' || r == '\n' || r == '\t' || r == 0x3000:
		return false
	case r == 0x2800:
		return true
	}
	return unicode.In(r, unicode.C, unicode.Z, unicode.White_Space, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
