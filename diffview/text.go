package diffview

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// The bounds of a text comparison: what lies beyond them is shown as a window
// around the first difference, so that no input can stall it.
const (
	maxTextLines  = 2_000
	maxTextBytes  = 256 << 10
	maxInlineRune = 2_000
	windowBytes   = 80
	contextLines  = 1
)

// textDiff returns the lines that show how two texts differ. Lines start with a
// space (equal), - (old), + (new), or ~ (changed within: [-old-]{+new+}).
func textDiff(old, new string) []string {
	if len(old) > maxTextBytes || len(new) > maxTextBytes || strings.Count(old, "\n")+strings.Count(new, "\n") > maxTextLines {
		return window(old, new)
	}
	old, new = Visible(old, Newline|Tab), Visible(new, Newline|Tab)
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // bounded by size, never by a clock
	a, b, lines := dmp.DiffLinesToChars(old, new)
	diffs := dmp.DiffCharsToLines(dmp.DiffMain(a, b, false), lines)
	var out []string
	for i := 0; i < len(diffs); i++ {
		part := split(diffs[i].Text)
		switch {
		case diffs[i].Type == diffmatchpatch.DiffEqual:
			out = append(out, fold(part, i == 0, i == len(diffs)-1)...)
		case diffs[i].Type == diffmatchpatch.DiffDelete && i+1 < len(diffs) && diffs[i+1].Type == diffmatchpatch.DiffInsert:
			out = append(out, replaced(part, split(diffs[i+1].Text))...)
			i++
		case diffs[i].Type == diffmatchpatch.DiffDelete:
			out = append(out, prefixed("- ", part)...)
		default:
			out = append(out, prefixed("+ ", part)...)
		}
	}
	return out
}

func split(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func prefixed(prefix string, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = prefix + clip(line, 400)
	}
	return out
}

// fold shows the ends of a run of equal lines.
func fold(lines []string, first, last bool) []string {
	head, tail := contextLines, contextLines
	if first {
		head = 0
	}
	if last {
		tail = 0
	}
	if len(lines) <= head+tail+1 {
		return prefixed("  ", lines)
	}
	out := prefixed("  ", lines[:head])
	out = append(out, fmt.Sprintf("  … %d equal lines", len(lines)-head-tail))
	return append(out, prefixed("  ", lines[len(lines)-tail:])...)
}

// replaced shows lines that took others' place, by character where they pair up.
func replaced(old, new []string) []string {
	if len(old) != len(new) {
		return append(prefixed("- ", old), prefixed("+ ", new)...)
	}
	var out []string
	for i := range old {
		line, ok := inline(old[i], new[i])
		if ok {
			out = append(out, "~ "+line)
			continue
		}
		out = append(out, prefixed("- ", old[i:i+1])...)
		out = append(out, prefixed("+ ", new[i:i+1])...)
	}
	return out
}

// inline marks what changed inside a line, when it is little enough to be read so.
func inline(old, new string) (string, bool) {
	prefix, suffix := commonEnds(old, new)
	oldMiddle, newMiddle := old[prefix:len(old)-suffix], new[prefix:len(new)-suffix]
	if len(oldMiddle) > maxInlineRune || len(newMiddle) > maxInlineRune || prefix+suffix == 0 && len(old) > 0 && len(new) > 0 {
		return "", false
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0
	diffs := dmp.DiffCleanupSemantic(dmp.DiffMain(oldMiddle, newMiddle, false))
	var b strings.Builder
	b.WriteString(clipLeft(old[:prefix], windowBytes))
	for _, d := range diffs {
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			b.WriteString(d.Text)
		case diffmatchpatch.DiffDelete:
			b.WriteString("[-" + d.Text + "-]")
		case diffmatchpatch.DiffInsert:
			b.WriteString("{+" + d.Text + "+}")
		}
	}
	b.WriteString(clip(old[len(old)-suffix:], windowBytes))
	return b.String(), true
}

// commonEnds returns the lengths of what two strings share at both ends, at
// character boundaries.
func commonEnds(a, b string) (prefix, suffix int) {
	n := min(len(a), len(b))
	for prefix < n && a[prefix] == b[prefix] {
		prefix++
	}
	for prefix > 0 && prefix < len(a) && !utf8.RuneStart(a[prefix]) {
		prefix--
	}
	for suffix < n-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	for suffix > 0 && !utf8.RuneStart(a[len(a)-suffix]) {
		suffix--
	}
	return prefix, suffix
}

// window shows both texts around their first difference.
func window(old, new string) []string {
	prefix, suffix := commonEnds(old, new)
	show := func(text string) string {
		end := max(prefix, len(text)-suffix)
		start := max(0, prefix-windowBytes)
		s := Visible(text[start:min(len(text), end+windowBytes, prefix+4*windowBytes)])
		if start > 0 {
			s = "…" + s
		}
		if prefix+4*windowBytes < len(text) || end+windowBytes < len(text) {
			s += "…"
		}
		return s
	}
	return []string{
		fmt.Sprintf("  first difference at byte %d; the texts have %d and %d bytes", prefix, len(old), len(new)),
		"- " + show(old), "+ " + show(new),
	}
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func clipLeft(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return "…" + s[at:]
}
