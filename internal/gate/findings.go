package gate

import (
	"bytes"
	"fmt"
	"slices"
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
		f := finding.New(finding.GoldenMore, kinds(rest), finding.Place{Seq: -1})
		f.Count = len(rest)
		found = append(found, f)
	}
	if note {
		found = append(found, finding.New(finding.GoldenNoOldLog, c.opts.Against, finding.Place{Seq: -1}))
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
	all := finding.New(f.Code, detail, f.Place)
	all.Count, all.Requests = f.Count, f.Requests
	for i := range same[:min(len(same), maxTogether)] {
		for _, line := range texts.detail(&same[i]) {
			all.Detail = append(all.Detail, same[i].Type+" "+line)
		}
	}
	if more := len(same) - maxTogether; more > 0 {
		all.Detail = append(all.Detail, fmt.Sprintf("… and %d more", more))
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
	f := finding.New(finding.Golden(change.Kind), subject(change, c.opts.Redactor), place)
	f.Requests = change.Requests
	f.Detail = texts.detail(change)
	f.Count = max(0, len(change.Requests)-1)
	return f
}

// subject names what changed.
func subject(change *golden.Change, redactor *redact.Redactor) string {
	switch change.Kind {
	case golden.SessionChanged:
		return change.Name
	case golden.RequestAdded, golden.RequestRemoved:
		return plural(len(change.Requests), "request")
	case golden.RequestChanged:
		return "request " + change.Requests[0]
	case golden.LinesReordered:
		return ""
	case golden.MessageAdded, golden.MessageChanged, golden.MessageMoved, golden.ReplacedChanged:
		return fmt.Sprintf("message %d (%s)", change.Number, change.Type)
	case golden.MessageRemoved:
		return fmt.Sprintf("message %d of the record (%s)", change.Number, change.Type)
	case golden.HeaderRemoved:
		return fmt.Sprintf("header %d of the record (%s)", change.Number, redactor.Word(change.Type))
	}
	header := fmt.Sprintf("header %d (%s)", change.Number, redactor.Word(change.Type))
	if n := len(change.Headers); n > 0 {
		header += " and " + plural(n, "header") + " after it"
	}
	if change.Name == "" {
		return header
	}
	name := strconv.Quote(change.Name)
	switch {
	case redactor == nil:
	case change.Kind == golden.ConfigChanged:
		if redactor.Member(change.Name) != change.Name {
			name = redactor.Text(change.Name)
		}
	default:
		name = redactor.Text(change.Name)
	}
	return name + " in " + header
}

// Texts are the JSON of parts, by digest.
type texts struct {
	old, new map[string]ecmajson.Value
	redact   *redact.Redactor // nil: texts are quoted
}

// texts collects what the changes show. absent says that the log as it was is
// asked for and not at hand.
func (c *check) texts(changes []golden.Change) (t texts, absent bool) {
	t.redact = c.opts.Redactor
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

// detail shows a change: both sides where both are at hand, else the one that is.
func (t texts) detail(change *golden.Change) []string {
	switch change.Kind {
	case golden.RequestAdded, golden.RequestRemoved, golden.MessageMoved, golden.HeaderAdded, golden.HeaderRemoved:
		return nil
	}
	oldDigest, newDigest := digests(change)
	old, new := t.old[oldDigest], t.new[newDigest]
	if old != nil && new != nil {
		return t.between(old, new)
	}
	return append(t.side("was", change.Old, oldDigest, old, change.OldBytes), t.side("now", change.New, newDigest, new, change.NewBytes)...)
}

// side shows one side of a change.
func (t texts) side(word, value, digest string, text ecmajson.Value, bytes int64) []string {
	switch {
	case value == "":
		return nil
	case digest == "":
		return []string{word + " " + t.excerpt(value)}
	case text != nil:
		return []string{fmt.Sprintf("%s %s: %s", word, plural(len(text), "byte"), t.excerpt(string(text)))}
	case bytes > 0:
		return []string{word + " " + plural(int(bytes), "byte")}
	}
	length, _, _ := strings.Cut(value, ":")
	return []string{word + " " + length + " bytes"}
}

func (t texts) excerpt(text string) string {
	if t.redact != nil {
		return t.redact.Text(text)
	}
	if len(text) > maxExcerpt {
		end := maxExcerpt
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return diffview.Visible(text)
}

// between shows how a text became another.
func (t texts) between(old, new ecmajson.Value) []string {
	var b bytes.Buffer
	p := diffview.Printer{Limit: 5}
	if t.redact != nil {
		p.Redact, p.Path = t.redact.Text, t.redact.Pointer
	}
	p.Changes(&b, diffview.Compare(old, new), "")
	lines := slices.Collect(strings.Lines(b.String()))
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\n")
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("… and %d more lines", more))
	}
	return lines
}
