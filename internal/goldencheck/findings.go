package goldencheck

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/golden"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// The bounds of what is shown: a report of many changes is still read by a person.
const (
	maxShown   = 20  // changes of one transcript
	maxLines   = 12  // of the text of a change
	maxExcerpt = 160 // bytes of a text without its other side
)

// findings turns changes into findings, the first causes in full and the others
// as a count.
func (c *check) findings(changes []golden.Change) []finding.Finding {
	var shown [][]golden.Change
	rest := changes
	for len(rest) > 0 && len(shown) < maxShown {
		n := run(rest)
		shown, rest = append(shown, rest[:n]), rest[n:]
	}
	texts, note := c.texts(changes[:len(changes)-len(rest)])
	found := make([]finding.Finding, 0, len(shown)+2)
	for _, same := range shown {
		f := c.finding(&same[0], texts)
		if len(same) > 1 {
			f = together(f, same, texts)
		}
		found = append(found, f)
	}
	if len(rest) > 0 {
		f := finding.New(finding.GoldenMore, finding.Plain(kinds(rest)), finding.Place{Seq: -1})
		f.Count = len(rest)
		found = append(found, f)
	}
	if note {
		found = append(found, finding.New(finding.GoldenNoOldLog, finding.Plain(c.opts.Against), finding.Place{Seq: -1}))
	}
	return found
}

// run returns how many changes from the first on are one to a reader: messages in
// a row that all came or all went.
func run(changes []golden.Change) int {
	first := &changes[0]
	if first.Kind != golden.MessageAdded && first.Kind != golden.MessageRemoved {
		return 1
	}
	n := 1
	for n < len(changes) && changes[n].Kind == first.Kind && changes[n].Number == first.Number+n {
		n++
	}
	return n
}

// maxTogether is how many messages of a run are shown.
const maxTogether = 5

// together makes the finding of a run's first change that of the run.
func together(f finding.Finding, same []golden.Change, texts texts) finding.Finding {
	last := &same[len(same)-1]
	detail := fmt.Sprintf("messages %d to %d", same[0].Number, last.Number)
	if last.Kind == golden.MessageRemoved {
		detail += " of the record"
	}
	all := finding.New(f.Code, finding.Plain(detail), f.Place)
	all.Count, all.Requests = f.Count, f.Requests
	for i := range same[:min(len(same), maxTogether)] {
		for _, lines := range texts.detail(&same[i]) {
			all.Detail = append(all.Detail, typed{same[i].Type, lines})
		}
	}
	if more := len(same) - maxTogether; more > 0 {
		all.Detail = append(all.Detail, finding.Say("… and %d more", more))
	}
	return all
}

// kinds counts changes by kind.
func kinds(changes []golden.Change) string {
	count := make(map[golden.Kind]int)
	var order []golden.Kind
	for _, change := range changes {
		if count[change.Kind]++; count[change.Kind] == 1 {
			order = append(order, change.Kind)
		}
	}
	parts := make([]string, 0, len(order))
	for _, kind := range order {
		parts = append(parts, fmt.Sprintf("%d %s", count[kind], kind))
	}
	return strings.Join(parts, ", ")
}

func (c *check) finding(change *golden.Change, texts texts) finding.Finding {
	place := finding.Place{Seq: change.Place.Seq, Line: change.Place.LogLine}
	if len(change.Requests) > 0 {
		place.Request = change.Requests[0]
	}
	f := finding.New(finding.Golden(change.Kind), subject(change), place)
	f.Requests = change.Requests
	f.Detail = texts.detail(change)
	f.Count = max(0, len(change.Requests)-1)
	return f
}

// subject names what changed.
func subject(change *golden.Change) finding.Text {
	switch change.Kind {
	case golden.SessionChanged:
		return finding.Plain(change.Name)
	case golden.RequestAdded, golden.RequestRemoved:
		return finding.Plain(plural(len(change.Requests), "request"))
	case golden.RequestChanged:
		return finding.Say("request %s", change.Requests[0])
	case golden.LinesReordered:
		return nil
	case golden.MessageAdded, golden.MessageChanged, golden.MessageMoved, golden.ReplacedChanged:
		return finding.Say("message %d (%s)", change.Number, change.Type)
	case golden.MessageRemoved:
		return finding.Say("message %d of the record (%s)", change.Number, change.Type)
	}
	reason := finding.Span{Kind: finding.Word, Text: change.Type}
	if change.Kind == golden.HeaderRemoved {
		return finding.Say("header %d of the record (%s)", change.Number, reason)
	}
	header := finding.Say("header %d (%s)", change.Number, reason)
	if n := len(change.Headers); n > 0 {
		header = finding.Say("%s and %s after it", header, plural(n, "header"))
	}
	if change.Name == "" {
		return header
	}
	name := finding.Quote(change.Name)
	if change.Kind == golden.ConfigChanged {
		name.Kind = finding.Member
	}
	return finding.Say("%s in %s", name, header)
}

// Texts are the JSON of parts, by digest.
type texts struct {
	old, new map[string]ecmajson.Value
}

// texts collects what the changes show. absent says that the log as it was is
// asked for and not available.
func (c *check) texts(changes []golden.Change) (t texts, absent bool) {
	wantOld, wantNew := make(map[string]bool), make(map[string]bool)
	for i := range changes {
		old, new := digests(&changes[i])
		wantOld[old], wantNew[new] = true, true
	}
	delete(wantOld, "")
	delete(wantNew, "")
	if in := c.before(c.transcript); in != nil {
		var there bool
		t.old, there = c.collect(in, wantOld)
		absent = !there
	}
	t.new, _ = c.collect(onDisk(c.transcript.dir), wantNew)
	return t, absent
}

// digests returns the digests that a change names, "" where it names values.
func digests(change *golden.Change) (old, new string) {
	switch change.Kind {
	case golden.ConfigChanged:
		return longValue(change.Old), longValue(change.New)
	case golden.SystemChanged, golden.ToolAdded, golden.ToolRemoved, golden.ToolChanged, golden.ToolsChanged,
		golden.MessageAdded, golden.MessageRemoved, golden.MessageChanged:
		return change.Old, change.New
	}
	return "", ""
}

// longValue returns the digest of a config's value that is BYTES:DIGEST; no JSON
// looks so.
func longValue(value string) string {
	length, digest, ok := strings.Cut(value, ":")
	if _, err := strconv.Atoi(length); !ok || err != nil {
		return ""
	}
	return digest
}

func (c *check) collect(in folder, wanted map[string]bool) (map[string]ecmajson.Value, bool) {
	log, err := open(in, c.transcript.log, c.opts.Authored, c.opts.Read)
	if err != nil {
		return nil, false
	}
	defer log.closer.Close()
	found, _ := golden.Texts(log.reader, wanted)
	return found, true
}

// detail shows a change: both sides where both are available, else the one that is.
func (t texts) detail(change *golden.Change) []finding.Lines {
	switch change.Kind {
	case golden.RequestAdded, golden.RequestRemoved, golden.MessageMoved, golden.HeaderAdded, golden.HeaderRemoved:
		return nil
	}
	oldDigest, newDigest := digests(change)
	old, new := t.old[oldDigest], t.new[newDigest]
	if old != nil && new != nil {
		return []finding.Lines{difference{diffview.Compare(old, new)}}
	}
	return append(side("was", change.Old, oldDigest, old, change.OldBytes), side("now", change.New, newDigest, new, change.NewBytes)...)
}

// side shows one side of a change.
func side(word, value, digest string, text ecmajson.Value, bytes int64) []finding.Lines {
	switch {
	case value == "":
		return nil
	case digest == "":
		return []finding.Lines{finding.Say("%s %s", word, excerpt(value))}
	case text != nil:
		return []finding.Lines{finding.Say("%s %s: %s", word, plural(len(text), "byte"), excerpt(string(text)))}
	case bytes > 0:
		return []finding.Lines{finding.Say("%s %s", word, plural(int(bytes), "byte"))}
	}
	length, _, _ := strings.Cut(value, ":")
	return []finding.Lines{finding.Say("%s %s bytes", word, length)}
}

func excerpt(text string) finding.Span {
	shown := text
	if len(shown) > maxExcerpt {
		end := maxExcerpt
		for end > 0 && !utf8.RuneStart(shown[end]) {
			end--
		}
		shown = shown[:end] + "…"
	}
	return finding.Excerpt(text, diffview.Visible(shown))
}

// A difference is how a text became another.
type difference struct{ *diffview.Diff }

// Lines prints the difference.
func (d difference) Lines(r *redact.Redactor) []finding.Text {
	var b bytes.Buffer
	p := diffview.Printer{Limit: 5}
	if r != nil {
		p.Redact, p.Path = r.Text, r.Pointer
	}
	p.Changes(&b, d.Diff, "")
	var lines []finding.Text
	for line := range strings.Lines(b.String()) {
		lines = append(lines, finding.Plain(strings.TrimSuffix(line, "\n")))
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], finding.Say("… and %d more lines", more))
	}
	return lines
}

// typed are lines that each begin with the type of the message that they are about.
type typed struct {
	message string
	of      finding.Lines
}

// Lines puts the type before each line.
func (t typed) Lines(r *redact.Redactor) (lines []finding.Text) {
	for _, line := range t.of.Lines(r) {
		lines = append(lines, finding.Say("%s %s", t.message, line))
	}
	return lines
}
