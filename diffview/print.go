package diffview

import (
	"fmt"
	"io"

	"github.com/fatih/color"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Printer shows diffs.
type Printer struct {
	// Colour marks old and new by colour as well.
	Colour bool
	// Redact, when set, replaces text of the compared values.
	Redact func(string) string
	// Path, when set, replaces the paths of values, which are RFC 6901 pointers.
	Path func(pointer string) string
	// Limit is how many changes are shown; 0: 20.
	Limit int
}

// Print writes the headline, the level and the changes.
func (p Printer) Print(w io.Writer, d *Diff) {
	fmt.Fprintf(w, "%s\n", p.Headline(d))
	if d.Level == Equal {
		return
	}
	fmt.Fprintf(w, "level: %s\n", d.Level)
	p.Changes(w, d, "")
}

// Changes writes the changes alone, each line after an indentation.
func (p Printer) Changes(w io.Writer, d *Diff, indent string) {
	if d.Level == Bytes {
		for _, line := range p.text(string(d.Old), string(d.New)) {
			p.line(w, indent, line)
		}
		return
	}
	limit := p.Limit
	if limit == 0 {
		limit = 20
	}
	for i, c := range d.Changes {
		if i == limit {
			break
		}
		p.change(w, c, indent)
	}
	if more := d.More + max(0, len(d.Changes)-limit); more > 0 {
		fmt.Fprintf(w, "%s… and %d more changes\n", indent, more)
	}
}

func (p Printer) change(w io.Writer, c Change, indent string) {
	fmt.Fprintf(w, "%s%s: %s\n", indent, orRequest(p.readable(c.Path)), c.Kind)
	below := indent + "  "
	switch c.Kind {
	case Added:
		p.line(w, below, "+ "+p.value(c.New))
	case Removed:
		p.line(w, below, "- "+p.value(c.Old))
	case Reorder, KeyOrder:
		p.line(w, below, "- "+p.order(c.Old))
		p.line(w, below, "+ "+p.order(c.New))
	default:
		if c.Old.Kind() == ecmajson.String && c.New.Kind() == ecmajson.String {
			for _, line := range p.text(c.Old.Text(), c.New.Text()) {
				p.line(w, below, line)
			}
			return
		}
		p.line(w, below, "- "+p.value(c.Old))
		p.line(w, below, "+ "+p.value(c.New))
	}
}

func (p Printer) readable(pointer string) string {
	if p.Path != nil {
		pointer = p.Path(pointer)
	}
	return Readable(pointer)
}

func (p Printer) text(old, new string) []string {
	if p.Redact != nil {
		prefix, _ := commonEnds(old, new)
		return []string{
			fmt.Sprintf("  first difference at byte %d", prefix),
			"- " + p.Redact(old), "+ " + p.Redact(new),
		}
	}
	return textDiff(old, new)
}

func (p Printer) value(v ecmajson.Value) string {
	if p.Redact != nil {
		return p.Redact(string(v))
	}
	return clip(Visible([]byte(v[:min(len(v), 1000)])), 300)
}

// order lists names or keys, whose order is what changed.
func (p Printer) order(v ecmajson.Value) string {
	var list []string
	if v.Kind() == ecmajson.Object {
		list, _ = members(v)
	} else {
		list = names(elements(v))
	}
	out := ""
	for i, name := range list {
		if i > 0 {
			out += ", "
		}
		if p.Redact != nil {
			name = p.Redact(name)
		}
		out += Visible(name)
	}
	return clip(out, 600)
}

func (p Printer) line(w io.Writer, indent, line string) {
	if p.Colour && len(line) > 0 {
		switch line[0] {
		case '-':
			line = paint(color.FgRed, line)
		case '+':
			line = paint(color.FgGreen, line)
		case '~':
			line = paint(color.FgYellow, line)
		}
	}
	fmt.Fprintf(w, "%s%s\n", indent, line)
}

func paint(attribute color.Attribute, s string) string {
	c := color.New(attribute)
	c.EnableColor()
	return c.Sprint(s)
}
