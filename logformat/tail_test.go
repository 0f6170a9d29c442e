package logformat

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestTailIsLookedThrough checks that a tail of plain text is given up for the first
// turn/end in it, whatever stands around it and however its name is spelled.
func TestTailIsLookedThrough(t *testing.T) {
	const (
		header = `{"type":"session","version":0,"id":"s","createdAt":0,"delegationDepth":0}` + "\n"
		end    = `{"type":"turn/end","seq":7,"time":1,"data":{"turn":1,"reason":{"kind":"completed"}}}`
	)
	for _, c := range []struct {
		name, tail string
		refused    bool
		lines      int64
	}{
		{"nothing", "\n\n\n", false, 4},
		{"a turn/end", "\n\n" + end + "\n", true, 4},
		{"an escape in its name", "\n" + strings.Replace(end, "/", `\u002f`, 1) + "\n", true, 3},
		{"a slash that is escaped", "\n" + strings.Replace(end, "/", `\/`, 1) + "\n\n", true, 4},
		{"its name in a text", "\n" + `{"type":"x","text":"turn/end"}` + "\n", false, 3},
		{"its name in what does not parse", "\nturn/end\n" + `\` + "\n\n", false, 5},
		{"one without its line feed", "\n" + end, false, 2},
		{"one after many lines", strings.Repeat("\n \n{}\n", 100_000) + end + "\n\n", true, 300_003},
	} {
		for _, slow := range []bool{false, true} {
			var in io.Reader = strings.NewReader(header + c.tail)
			if slow {
				in = iotest.HalfReader(in)
			}
			r := NewReader(in, Options{})
			_, err := r.Next()
			refusal, refused := errors.AsType[*Refusal](err)
			if refused != c.refused || refused && (refusal.Code != CodeLineBlank || refusal.Pos.Line != 2) {
				t.Errorf("%s: %v", c.name, err)
			}
			if got := r.Stats().Lines; got != c.lines {
				t.Errorf("%s: %d lines, want %d", c.name, got, c.lines)
			}
		}
	}
}
