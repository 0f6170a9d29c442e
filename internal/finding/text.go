package finding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/redact"
)

// A Text is what a finding says, with all that it quotes kept apart from the tool's own
// words: so it can be redacted where it is printed, and nowhere else. It is printed as
// its spans, one after the other, in one line.
type Text []Span

// A Span is a part of a text.
type Span struct {
	Kind Kind
	Text string // what is redacted: all of what is quoted
	// Shown is what is printed where nothing is redacted, if that is not the text itself,
	// as an excerpt.
	Shown string
}

// A Kind says what a span holds, and so what redaction makes of it.
type Kind int

// The kinds.
const (
	Own          Kind = iota // words and numbers of this tool, file names, requests' numbers: they stay
	Quoted                   // text of a log, a recording or a body
	Name                     // the name of a tool, the id of a call and the like; none stays none
	Member                   // the name of a JSON member; those of requests and bodies stay
	Word                     // a type, role, kind or reason; those that the formats know stay
	Pointer                  // a JSON pointer; names in it are redacted as members are
	AttachmentID             // an attachment's id; a digest stays
	Private                  // what only an unredacted text says: left out
)

// Quote returns a text in quotation marks.
func Quote(s string) Span { return Span{Kind: Quoted, Text: s, Shown: strconv.Quote(s)} }

// Excerpt returns a text of which something shorter is shown.
func Excerpt(text, shown string) Span { return Span{Kind: Quoted, Text: text, Shown: shown} }

// At returns a JSON pointer into a request or a body, as a person reads it.
func At(pointer string) Span { return Span{Kind: Pointer, Text: pointer} }

// Plain returns the tool's own words.
func Plain(s string) Text {
	if s == "" {
		return nil
	}
	return Text{{Text: s}}
}

// Say formats a text. A string that is formatted with %q is a quotation of the log, and
// is redacted as one; a [Span] or a [Text] among the arguments keeps its kind; every other
// argument is the tool's own word.
func Say(format string, args ...any) Text {
	if false {
		_ = fmt.Sprintf(format, args...) // so that vet checks the calls
	}
	var spans []Text
	held := make([]any, len(args))
	for i, arg := range args {
		held[i] = slot{arg, &spans}
	}
	var t Text
	for i, own := range strings.Split(fmt.Sprintf(format, held...), slotMark) {
		if i > 0 {
			t = append(t, spans[i-1]...)
		}
		t = append(t, Plain(own)...)
	}
	return t.merged()
}

// slotMark stands in a formatted text where an argument goes. No format has it.
const slotMark = "\x00"

// A slot takes an argument's place while a text is formatted.
type slot struct {
	arg   any
	spans *[]Text
}

// Format notes what the argument is, and leaves a mark.
func (s slot) Format(state fmt.State, verb rune) {
	var t Text
	switch arg := s.arg.(type) {
	case Span:
		t = Text{arg}
	case Text:
		t = arg
	case string:
		if t = Plain(fmt.Sprintf(fmt.FormatString(state, verb), arg)); verb == 'q' {
			t = Text{Quote(arg)}
		}
	default:
		t = Plain(fmt.Sprintf(fmt.FormatString(state, verb), arg))
	}
	*s.spans = append(*s.spans, t)
	fmt.Fprint(state, slotMark)
}

// merged joins neighbours that are the tool's own.
func (t Text) merged() Text {
	out := t[:0]
	for _, span := range t {
		if n := len(out); n > 0 && span.Kind == Own && out[n-1].Kind == Own {
			out[n-1].Text += span.Text
			continue
		}
		out = append(out, span)
	}
	return out
}

// Join joins texts.
func Join(list []Text, by string) Text {
	var t Text
	for i, one := range list {
		if i > 0 {
			t = append(t, Span{Text: by})
		}
		t = append(t, one...)
	}
	return t.merged()
}

// String returns the text as it is printed where nothing is redacted.
func (t Text) String() string {
	var b strings.Builder
	for _, span := range t {
		b.WriteString(span.String())
	}
	return b.String()
}

// String returns what is printed of a span where nothing is redacted.
func (s Span) String() string {
	switch {
	case s.Shown != "":
		return s.Shown
	case s.Kind == Pointer:
		return diffview.Readable(s.Text)
	}
	return s.Text
}

// Redact returns the text with all that it quotes replaced. A nil redactor replaces
// nothing.
func (t Text) Redact(r *redact.Redactor) Text {
	if r == nil {
		return t
	}
	out := make(Text, 0, len(t))
	for _, span := range t {
		switch span.Kind {
		case Own:
			out = append(out, span)
		default:
			out = append(out, Plain(span.redacted(r))...)
		}
	}
	return out.merged()
}

func (s Span) redacted(r *redact.Redactor) string {
	switch s.Kind {
	case Name:
		return r.Name(s.Text)
	case Member:
		if shown := r.Member(s.Text); shown != s.Text || s.Shown == "" {
			return shown
		}
		return s.Shown
	case Word:
		return r.Word(s.Text)
	case Pointer:
		return diffview.Readable(r.Pointer(s.Text))
	case AttachmentID:
		return r.Object(s.Text)
	case Private:
		return ""
	}
	return r.Text(s.Text)
}

// replace returns the text with a word of the tool's own replaced, as the name of a
// folder that is none of the tool's business to tell.
func (t Text) replace(old, current string) Text {
	out := slices.Clone(t)
	for i := range out {
		if out[i].Kind == Own {
			out[i].Text = strings.ReplaceAll(out[i].Text, old, current)
		}
	}
	return out
}

// Lines are lines for a person that follow a finding's sentence. Some are others where
// texts are redacted, as the difference of two texts is: word by word it would tell what
// they hold.
type Lines interface {
	// Lines returns the lines; a redactor, when there is one, has replaced what they quote.
	Lines(*redact.Redactor) []Text
}

// Lines returns the text as one line.
func (t Text) Lines(r *redact.Redactor) []Text { return []Text{t.Redact(r)} }
