package housetest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// plainer are words that have a plainer one. What a user or a stranger reads has the
// plainer one: comments, messages, docs.
var plainer = []struct {
	word  *regexp.Regexp
	plain string
}{
	{regexp.MustCompile(`(?i)\bat hand\b`), "available"},
	{regexp.MustCompile(`(?i)\banew\b`), "again"},
	{regexp.MustCompile(`(?i)\b(all|nothing) but\b`), "all except, only"},
	{regexp.MustCompile(`(?i)\b(but|save) for\b`), "except for"},
	{regexp.MustCompile(`(?i)\b(held|holds? [^.;:()"]{1,60}) against\b`), "compare with"},
	{regexp.MustCompile(`(?i)\btold apart\b`), "distinguish"},
	{regexp.MustCompile(`(?i)\b(told|tell) (one |it |them )?by\b`), "recognise by"},
	{regexp.MustCompile(`(?i)\b(hence|thus|thereby|whereby|wherein|thereof|hitherto|lest|whilst|amongst|nought|whence)\b`), "a word of today"},
}

// TestPlainWords: the tree is written in plain words.
func TestPlainWords(t *testing.T) {
	for _, suffix := range []string{".go", ".md", ".txtar"} {
		for _, file := range paths(t, suffix) {
			if strings.HasPrefix(file, "fixtures/") || strings.HasSuffix(file, "housetest/words_test.go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				for _, p := range plainer {
					if word := p.word.FindString(line); word != "" {
						t.Errorf("%s:%d: %q: say %s", file, i+1, word, p.plain)
					}
				}
			}
		}
	}
}
