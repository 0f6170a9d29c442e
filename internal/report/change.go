package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// A Change is what a request does to the one before it.
type Change struct {
	Against  Link
	Words    string
	Kept     string
	Sentence string
	Replaces []Replace
	Diff     *Diff // of the header; nil: it is the same
}

// A Replace is a replace of history between two requests.
type Replace struct {
	By      string
	Message Link
	Span    string
}

// A Diff is two texts side by side.
type Diff struct {
	Left, Right string // what the columns hold
	Level       string
	Rows        []DiffRow
	More        string
}

// A DiffRow is one difference.
type DiffRow struct {
	Path, Kind string
	Old, New   []Span
	Lines      []DiffLine // of a text of several lines, instead of Old and New
}

// A Span is a piece of text, marked where it differs.
type Span struct {
	Text   string
	Marked bool
}

// A DiffLine is a line of text: same, old, new or changed within.
type DiffLine struct{ Class, Text string }

// The bounds of one diff.
const (
	maxDiffRows    = 24
	maxDiffText    = 1_200
	diffContext    = 90
	maxDiffRequest = 16 << 20 // of a request that is compared with a recording
)

// change compares a request with the one sent before it.
func (c *collector) change(q *reconstruct.Request) *Change {
	r := q.Relation
	if q.Prepared || c.before == nil || r.Inherited {
		return nil
	}
	key := c.before.Key()
	ch := &Change{Against: c.requestLink(key, key), Kept: percent(r.KeptBytes, q.Len())}
	ch.Sentence = fmt.Sprintf("It starts with the first %s of %s bytes of request %s and keeps %s of %s; %s new.",
		number(r.KeptBytes), number(r.PreviousBytes), key, number(r.KeptMessages), counted(c.before.Count(), "message", "messages"),
		counted(q.Count()-r.KeptMessages, "message is", "messages are"))
	for _, m := range r.Replaces {
		rep := Replace{By: string(m.By), Message: c.seqLink(m.Seq)}
		if m.By == reconstruct.ByOther {
			rep.By = "replace"
		}
		if n := len(m.Shadowed); n > 0 {
			rep.Span = fmt.Sprintf("%s, seq %d to %d in surface order", counted(n, "event", "events"), m.Shadowed[0], m.Shadowed[n-1])
		}
		ch.Replaces = append(ch.Replaces, rep)
	}
	if len(r.Parts) > 0 {
		d := &Diff{Left: "request " + key, Right: "request " + q.Key()}
		for _, part := range r.Parts {
			old, new := headerPart(c.before, part), headerPart(q, part)
			c.compare(d, "/"+string(part), old, new)
		}
		ch.Diff = d
	}
	return ch
}

func headerPart(q *reconstruct.Request, part reconstruct.HeaderPart) ecmajson.Value {
	switch part {
	case reconstruct.PartSystem:
		return q.Header.System
	case reconstruct.PartTools:
		return q.Header.Tools
	}
	return q.Config.Config
}

// A Drift is a recorded request that is not the rebuilt one.
type Drift struct {
	Same Link // the first request that drifts for the same reason
	Note string
	Diff *Diff
}

func (c *collector) drift(q *reconstruct.Request) *Drift {
	first := c.drifts[q.Key()]
	if first != "" && first != q.Key() {
		return &Drift{Same: c.requestLink(first, first)}
	}
	entry := c.entries[q.Key()]
	switch {
	case c.recording == nil:
		return &Drift{Note: "The findings show where it differs from what was captured."}
	case entry == nil:
		return &Drift{Note: "The recording does not hold this request."}
	case entry.Length > maxDiffRequest || q.Len() > maxDiffRequest:
		return &Drift{Note: "It is too large to be shown side by side; the findings show the first difference."}
	}
	recorded, err := c.recording.Bytes(entry)
	if err != nil {
		return &Drift{Note: "The recording could not be read: " + c.ink.line(err.Error())}
	}
	d := &Diff{Left: "recorded", Right: "the log"}
	c.compare(d, "", recorded, q.Bytes())
	return &Drift{Diff: d}
}

// compare adds the differences of two JSON texts to a diff. Either may be absent.
func (c *collector) compare(d *Diff, at string, old, new ecmajson.Value) {
	if old == nil || new == nil {
		kind := diffview.Added
		if new == nil {
			kind = diffview.Removed
		}
		c.diffRow(d, at, diffview.Change{Kind: kind, Old: old, New: new})
		return
	}
	diff := diffview.Compare(old, new)
	d.Level = string(diff.Level)
	more := diff.More
	switch {
	case diff.Level == diffview.Bytes && len(diff.Changes) == 0:
		d.Rows = append(d.Rows, DiffRow{Path: "the bytes", Kind: string(diffview.Edited), Old: c.spans(string(old), string(new)), New: c.spans(string(new), string(old))})
	default:
		for _, change := range diff.Changes {
			if len(d.Rows) >= maxDiffRows {
				more++
				continue
			}
			c.diffRow(d, at, change)
		}
	}
	if more > 0 {
		d.More = counted(more, "more difference", "more differences")
	}
}

func (c *collector) diffRow(d *Diff, at string, change diffview.Change) {
	row := DiffRow{Path: c.ink.at(at + change.Path), Kind: string(change.Kind)}
	if row.Path == "" {
		row.Path = "the request"
	}
	old, new := textOf(change.Old), textOf(change.New)
	switch {
	case change.Kind == diffview.Added:
		row.New = []Span{{c.ink.line(clip(new, maxDiffText)), true}}
	case change.Kind == diffview.Removed:
		row.Old = []Span{{c.ink.line(clip(old, maxDiffText)), true}}
	case change.Kind == diffview.Reorder || change.Kind == diffview.KeyOrder,
		change.Old.Kind() == ecmajson.String && change.New.Kind() == ecmajson.String && strings.Contains(old+new, "\n"):
		row.Lines = c.lines(change)
	default:
		row.Old, row.New = c.spans(old, new), c.spans(new, old)
	}
	d.Rows = append(d.Rows, row)
}

// lines shows a change as the command line does.
func (c *collector) lines(change diffview.Change) (lines []DiffLine) {
	p := diffview.Printer{}
	if c.ink.redactor != nil {
		p.Redact, p.Path = c.ink.redactor.Text, c.ink.redactor.Pointer
	}
	var out bytes.Buffer
	p.Changes(&out, &diffview.Diff{Level: diffview.Values, Changes: []diffview.Change{change}}, "")
	_, body, _ := strings.Cut(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, line := range strings.Split(body, "\n") {
		line = strings.TrimPrefix(line, "  ")
		class := map[byte]string{'-': "old", '+': "new", '~': "within"}[(line + " ")[0]]
		lines = append(lines, DiffLine{class, line})
	}
	return lines
}

// spans returns a text with the part marked in which it differs from another.
func (c *collector) spans(text, other string) []Span {
	if c.ink.redactor != nil {
		return []Span{{c.ink.redactor.Text(text), true}}
	}
	prefix, suffix := commonEnds(text, other)
	var spans []Span
	head := text[:prefix]
	if n := len(head) - diffContext; n > 0 {
		for n < len(head) && head[n]&0xC0 == 0x80 {
			n++
		}
		head = head[n:]
		spans = append(spans, Span{Text: "…"})
	}
	spans = append(spans, Span{Text: c.ink.line(head)})
	spans = append(spans, Span{Text: c.ink.line(clip(text[prefix:len(text)-suffix], maxDiffText)), Marked: true})
	return append(spans, Span{Text: c.ink.line(clip(text[len(text)-suffix:], diffContext))})
}

// commonEnds returns what two strings share at both ends, at boundaries of
// characters.
func commonEnds(a, b string) (prefix, suffix int) {
	n := min(len(a), len(b))
	for prefix < n && a[prefix] == b[prefix] {
		prefix++
	}
	for prefix > 0 && prefix < len(a) && a[prefix]&0xC0 == 0x80 {
		prefix--
	}
	for suffix < n-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	for suffix > 0 && a[len(a)-suffix]&0xC0 == 0x80 {
		suffix--
	}
	return prefix, suffix
}
