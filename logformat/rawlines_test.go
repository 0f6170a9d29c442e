package logformat_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// TestLines: complete lines come as they are stored, and what follows the last line feed is
// left out; a log without a whole first line is damaged.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		text  string
		lines []string
		code  logformat.Code
	}{
		{"{}\n\n[1]\n", []string{"{}", "", "[1]"}, ""},
		{"not json\ntorn", []string{"not json"}, ""},
		{"torn", nil, logformat.CodeHeaderUnterminated},
		{"", nil, logformat.CodeEmpty},
	} {
		var lines []string
		var code logformat.Code
		for line, err := range logformat.NewReader(strings.NewReader(c.text), logformat.Options{}).Lines() {
			if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
				code = refusal.Code
				break
			}
			if line.Pos.Line != int64(len(lines)+1) || line.Whole {
				t.Errorf("%q: line %d is said to be %+v", c.text, len(lines)+1, line.Pos)
			}
			lines = append(lines, string(line.Text))
		}
		if !slices.Equal(lines, c.lines) || code != c.code {
			t.Errorf("%q gave %q and %q, want %q and %q", c.text, lines, code, c.lines, c.code)
		}
	}
}
