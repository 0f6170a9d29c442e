package finding_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// TestSay holds what stands in a text, open and redacted. In want, ‹s› is what stands for
// the text s.
func TestSay(t *testing.T) {
	r := redact.New([]byte{1})
	digest := "sha256:" + strings.Repeat("0a", 32)
	lamp := finding.Span{Kind: finding.Quoted, Text: "lamp"}
	for _, c := range []struct {
		name       string
		text       finding.Text
		open, want string
	}{
		{"own words", finding.Say("turn %d of %s, %5.1f %%", 3, "file.jsonl", 0.25), "turn 3 of file.jsonl,   0.2 %", "turn 3 of file.jsonl,   0.2 %"},
		{"an error", finding.Say("%v", errors.New("no room")), "no room", "no room"},
		{"a quotation", finding.Say("it says %q.", "a \"b\"\x1b"), `it says "a \"b\"\x1b".`, "it says ‹a \"b\"\x1b›."},
		{"a span", finding.Say("it has %s and %s", lamp, lamp), "it has lamp and lamp", "it has ‹lamp› and ‹lamp›"},
		{"a text in a text", finding.Say("%s; more", finding.Say("call %q", "c1")), `call "c1"; more`, "call ‹c1›; more"},
		{"a mark in a text", finding.Say("%s|%q", "a\x00b", "c\x00"), "a\x00b|\"c\\x00\"", "a\x00b|‹c\x00›"},
		{"a verb in an argument", finding.Say("%s %q", "%d", "%s"), `%d "%s"`, "%d ‹%s›"},
		{"an excerpt", finding.Say("recorded %s", finding.Excerpt("secret", "…cre…")), "recorded …cre…", "recorded ‹secret›"},
		{"an empty quotation", finding.Say("%q", ""), `""`, "‹›"},
		{"no name", finding.Say("[%s]", finding.Span{Kind: finding.Name}), "[]", "[]"},
		{"a name", finding.Say("[%s]", finding.Span{Kind: finding.Name, Text: "bash"}), "[bash]", "[‹bash›]"},
		{"a member of requests", finding.Say("%s", finding.Span{Kind: finding.Member, Text: "model", Shown: `"model"`}), `"model"`, `"model"`},
		{"another member", finding.Say("%s", finding.Span{Kind: finding.Member, Text: "lamp", Shown: `"lamp"`}), `"lamp"`, "‹lamp›"},
		{"a word of the formats", finding.Say("(%s)", finding.Span{Kind: finding.Word, Text: "resume"}), "(resume)", "(resume)"},
		{"another word", finding.Say("(%s)", finding.Span{Kind: finding.Word, Text: "lamp"}), "(lamp)", "(‹lamp›)"},
		{"a pointer", finding.Say("%s differs", finding.At("/messages/0/content")), "messages[0].content differs", "messages[0].content differs"},
		{"an attachment", finding.Say("%s", finding.Span{Kind: finding.AttachmentID, Text: digest}), digest, digest},
		{"a text in an attachment's place", finding.Say("%s", finding.Span{Kind: finding.AttachmentID, Text: "lamp"}), "lamp", "‹lamp›"},
		{"what is private", finding.Text{{Kind: finding.Private, Text: "lamp"}}, "lamp", ""},
		{"a list", finding.Join([]finding.Text{finding.Plain("a"), {lamp}, finding.Plain("b")}, "; "), "a; lamp; b", "a; ‹lamp›; b"},
		{"nothing", finding.Plain(""), "", ""},
	} {
		if got := c.text.String(); got != c.open {
			t.Errorf("%s: open %q, want %q", c.name, got, c.open)
		}
		want := c.want
		if _, rest, ok := strings.Cut(want, "‹"); ok {
			quoted, _, _ := strings.Cut(rest, "›")
			want = strings.ReplaceAll(want, "‹"+quoted+"›", r.Text(quoted))
		}
		redacted := c.text.Redact(r)
		if got := redacted.String(); got != want {
			t.Errorf("%s: redacted %q, want %q", c.name, got, want)
		}
		if again := redacted.Redact(redact.New([]byte{2})).String(); again != want {
			t.Errorf("%s: redacted twice %q, want %q", c.name, again, want)
		}
		if c.text.String() != c.open || c.text.Redact(nil).String() != c.open {
			t.Errorf("%s: redaction changed the text itself", c.name)
		}
	}
}

func TestSettle(t *testing.T) {
	r := redact.New([]byte{1})
	make := func() finding.Finding {
		f := finding.New(finding.RecordingDrift, finding.Say("request 1.1.1 in /home/ada/lamps says %q", "/home/ada/lamps"), finding.Place{Seq: -1, Pointer: "/lamp", Object: "lamp"})
		f.Detail = []finding.Lines{finding.Say("recorded %q", "lamp"), twoForms{}}
		f.Remark = " (accepted)"
		return f
	}
	meaning := finding.RecordingDrift.Entry().Meaning
	for _, c := range []struct {
		name    string
		r       *redact.Redactor
		message string
		lines   string
		pointer string
	}{
		{"open", nil, `request 1.1.1 in /home/ada/lamps says "/home/ada/lamps": ` + meaning + " (accepted)", "recorded \"lamp\"\nopen one\nopen two", "/lamp"},
		{
			"redacted", r, "request 1.1.1 in " + r.Text("/home/ada/lamps") + " says " + r.Text("/home/ada/lamps") + ": " + meaning + " (accepted)",
			"recorded " + r.Text("lamp") + "\nredacted", "/" + r.Text("lamp"),
		},
	} {
		f := make()
		f.Settle(c.r, "/home/ada/lamps")
		if got := f.Message(); got != c.message {
			t.Errorf("%s: %s, want %s", c.name, got, c.message)
		}
		if got := strings.Join(f.Lines(), "\n"); got != c.lines {
			t.Errorf("%s: %s, want %s", c.name, got, c.lines)
		}
		if f.Place.Pointer != c.pointer || f.Place.Object != r.Text("lamp") && c.r != nil {
			t.Errorf("%s: at %+v", c.name, f.Place)
		}
	}
}

// twoForms are lines that are others where texts are redacted.
type twoForms struct{}

func (twoForms) Lines(r *redact.Redactor) []finding.Text {
	if r != nil {
		return []finding.Text{finding.Plain("redacted")}
	}
	return []finding.Text{finding.Plain("open one"), finding.Plain("open two")}
}

// TestRefusalQuotes checks that a redacted refusal says only what its code means: the value
// that it refuses is the log's.
func TestRefusalQuotes(t *testing.T) {
	f := finding.FromRefusal(&logformat.Refusal{Code: logformat.CodeVersionNewer, Detail: "the header says version lamp"})
	f.Settle(redact.New(nil), "")
	if want := logformat.CodeVersionNewer.Info().Meaning; f.Message() != want {
		t.Errorf("%q, want %q", f.Message(), want)
	}
}

// TestFindingAsJSON holds the members of a finding in reports, which programs read.
func TestFindingAsJSON(t *testing.T) {
	f := finding.New(finding.CaptureHole, finding.Say("%d × %q", 2, "<lamp>"), finding.Place{Seq: -1})
	text, err := json.Marshal(f)
	want := `{"code":"capture/not-determined","severity":"note","message":"2 × \"\u003clamp\u003e\": ` + finding.CaptureHole.Entry().Meaning + `","place":{"seq":-1}}`
	if err != nil || string(text) != want {
		t.Errorf("%s, want %s (%v)", text, want, err)
	}
	f.Detail = []finding.Lines{finding.Plain("one"), twoForms{}}
	f.Cause, f.Suppressed, f.Count = &finding.Place{File: "f", Seq: 3}, "known", 1
	f.Requests, f.Action, f.Means = []string{"1.1.1"}, "Look.", "something"
	text, err = json.Marshal(f)
	want = `{"code":"capture/not-determined","severity":"note","message":"2 × \"\u003clamp\u003e\": something","place":{"seq":-1},"action":"Look.",` +
		`"requests":["1.1.1"],"detail":["one","open one","open two"],"count":1,"cause":{"file":"f","seq":3},"suppressed":"known"}`
	if err != nil || string(text) != want {
		t.Errorf("%s, want %s (%v)", text, want, err)
	}
}
