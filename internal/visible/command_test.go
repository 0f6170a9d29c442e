package visible_test

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/visible"
)

// What the services look for, as their sources have it: actions/runner
// src/Runner.Common/ActionCommand.cs (TryParseV2 trims the line and takes "::" at its
// start, TryParse finds "##[" anywhere), microsoft/azure-pipelines-agent
// src/Microsoft.VisualStudio.Services.Agent/Command.cs ("##vso[" anywhere), TeamCity's
// service messages, and the section markers of GitLab's job logs.
var (
	anywhere = regexp.MustCompile(`##[A-Za-z]*\[|section_(start|end):`)
	atStart  = regexp.MustCompile(`^::`)
)

// command returns the first command in output, "" when there is none.
func command(output string) string {
	for line := range strings.FieldsFuncSeq(output, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if bad := anywhere.FindString(line); bad != "" {
			return bad
		}
		if bad := atStart.FindString(strings.TrimSpace(line)); bad != "" {
			return line
		}
	}
	return ""
}

var commandCases = []struct{ text, want string }{
	{"::error::boo", `:\u{3a}error::boo`},
	{"  \t::stop-commands::x", `  	:\u{3a}stop-commands::x`},
	{"\u3000::error::x", "\u3000:\\u{3a}error::x"},
	{"std::vector and a::b", "std::vector and a::b"},
	{"a\n::b\n\n :::c", "a\n:\\u{3a}b\n\n :\\u{3a}:c"},
	{": :", ": :"},
	{"see ##[error]x", `see ##\u{5b}error]x`},
	{"####[x]", `####\u{5b}x]`},
	{"a ##vso[task.setvariable]", `a ##vso\u{5b}task.setvariable]`},
	{"##TeamCity[x]", `##TeamCity\u{5b}x]`},
	{"## [heading]", "## [heading]"},
	{"#[x] # #[y]", "#[x] # #[y]"},
	{"##1[x]", "##1[x]"},
	{"#\u0301#\U0001d165[x]", "#\u0301#\U0001d165\\u{5b}x]"},
	{"section_start:1560896352:my[collapsed=true]", `section_start\u{3a}1560896352:my[collapsed=true]`},
	{"xsection_section_end:1:my", `xsection_section_end\u{3a}1:my`},
	{"section_started:1", "section_started:1"},
}

func TestCommands(t *testing.T) {
	for _, c := range commandCases {
		keep := []visible.Keep{visible.Newline, visible.Tab}
		if got := visible.Text(c.text, keep...); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.text, got, c.want)
		}
		if bad := command(c.want); bad != "" {
			t.Errorf("%q is a command in what is wanted of %q", bad, c.text)
		}
	}
}

// TestGuard checks that a guard does not mind how output is cut into writes, and that
// pieces which are harmless alone do not meet.
func TestGuard(t *testing.T) {
	for _, c := range commandCases {
		for n := 1; n <= len(c.text); n++ {
			var b bytes.Buffer
			g := visible.NewGuard(&b)
			for rest := c.text; rest != ""; rest = rest[min(n, len(rest)):] {
				g.Write([]byte(rest[:min(n, len(rest))]))
			}
			if b.String() != c.want {
				t.Errorf("%q in pieces of %d: %q, want %q", c.text, n, b.String(), c.want)
			}
		}
	}
	var b bytes.Buffer
	g := visible.NewGuard(&b)
	for _, piece := range []string{"  ", ":", ":error::\n", "#", "#[x", "\n##", "vso", "[y] section_", "end", ":1"} {
		g.Write([]byte(piece))
	}
	if bad := command(b.String()); bad != "" {
		t.Errorf("%q got through: %q", bad, b.String())
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"a":"x"}`, `{"a":"x"}`},
		{"{\n\t\"a\": \"\u061c\u00ad\x7f\u2800\"\n}\n", "{\n\t\"a\": \"\\u061c\\u00ad\\u007f\\u2800\"\n}\n"},
		{"\"\U000e0041\"", `"\udb40\udc41"`},
		{`"##[error] ##vso[x] section_end:1:a"`, `"##\u005berror] ##vso\u005bx] section_end\u003a1:a"`},
		{`["##","[x]","::a"]`, `["##","[x]","::a"]`},
		{"\"\xff\"", `"\ufffd"`},
		{"\"\xe2\x80", `"\ufffd`},
	} {
		if got := string(visible.JSON([]byte(c.text))); got != c.want {
			t.Errorf("JSON(%q) = %s, want %s", c.text, got, c.want)
		}
		for n := 1; n <= len(c.text); n++ {
			var b bytes.Buffer
			w := visible.NewJSONWriter(&b)
			for rest := c.text; rest != ""; rest = rest[min(n, len(rest)):] {
				w.Write([]byte(rest[:min(n, len(rest))]))
			}
			w.Close()
			if b.String() != c.want {
				t.Errorf("%q in pieces of %d: %s, want %s", c.text, n, b.String(), c.want)
			}
		}
	}
}

// TestWriteError checks that a writer that fails is not passed over.
func TestWriteError(t *testing.T) {
	if _, err := visible.NewGuard(failing{}).Write([]byte("x")); err == nil {
		t.Error("the guard hides an error")
	}
	if _, err := visible.NewJSONWriter(failing{}).Write([]byte("x")); err == nil {
		t.Error("the JSON writer hides an error")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }

func BenchmarkGuard(b *testing.B) {
	text := []byte(strings.Repeat("The kiln is warm, and the tide is at 0.4 m; see [the table] ## below.\n", 1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		visible.NewGuard(io.Discard).Write(text)
	}
}

func BenchmarkJSON(b *testing.B) {
	text := []byte(strings.Repeat(`{"text":"The kiln is warm, 潮位は0.4メートル","file":"a/b/session.jsonl"}`+"\n", 1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		visible.JSON(text)
	}
}
