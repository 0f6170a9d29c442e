package verify

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/recording"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// drift reports where a request and its recording part. A later request that
// drifts in the same part of the log is folded into the first.
func (c *comparison) drift(q *reconstruct.Request, entry *recording.Entry, at int64) {
	part, inPart := q.PartAt(at)
	cause := causeOf(q, part, inPart)
	if i, ok := c.causes[cause]; ok && cause != "" {
		c.found[i].Requests = append(c.found[i].Requests, q.Key())
		c.found[i].Count++
		return
	}
	place := finding.Place{Request: q.Key(), Seq: -1, Line: entry.Line, Offset: at, File: c.file.Path}
	what := "the structure of the request"
	if inPart {
		place.Pointer = part.Pointer
		what = describePart(part)
		place.Seq = seqOf(part)
	}
	headline, lines, pointer := c.explain(q, entry, at)
	if pointer != "" {
		place.Pointer = pointer
	}
	f := c.report(finding.RecordingDrift, finding.Say("request %s, byte %d of %d (%d recorded): %s; it should come from %s", q.Key(), at, q.Len(), entry.Length, headline, what), place)
	f.Requests = []string{q.Key()}
	f.Detail = lines
	if inPart {
		f.Cause = eventOf(c.log.File, q, part)
	}
	c.drifts = append(c.drifts, drift{entry, len(c.found) - 1})
	if cause != "" {
		c.causes[cause] = len(c.found) - 1
	}
}

func causeOf(q *reconstruct.Request, part reconstruct.Part, ok bool) string {
	switch {
	case !ok:
		return ""
	case part.Message != nil:
		return fmt.Sprintf("message %d", part.Message.Seq)
	case part.Header != nil:
		return fmt.Sprintf("%s %d", part.Pointer, part.Header.Seq)
	}
	return part.Pointer
}

func seqOf(part reconstruct.Part) int64 {
	switch {
	case part.Message != nil:
		return part.Message.Seq
	case part.Header != nil:
		return part.Header.Seq
	}
	return -1
}

// eventOf is the place of the event that a part of a request comes from.
func eventOf(file string, q *reconstruct.Request, part reconstruct.Part) *finding.Place {
	place := &finding.Place{File: file, Session: q.SessionID, Line: 1, Seq: -1, Request: q.Key()}
	switch {
	case part.Message != nil:
		place.Seq, place.Line = part.Message.Seq, part.Message.Pos.Line
	case part.Header != nil:
		place.Seq, place.Line = part.Header.Seq, part.Header.Pos.Line
	}
	return place
}

// describePart names the event that a part comes from.
func describePart(part reconstruct.Part) string {
	switch {
	case part.Message != nil:
		return fmt.Sprintf("seq %d (%s, line %d)", part.Message.Seq, part.Message.Type, part.Message.Pos.Line)
	case part.Header != nil:
		return fmt.Sprintf("seq %d (request/header, line %d)", part.Header.Seq, part.Header.Pos.Line)
	}
	return "the log's header line"
}

// diffLimit is the size up to which both sides of a drift are loaded to be
// shown by JSON path; of larger ones only a window around the byte is.
const diffLimit = 64 << 20

const window = 60 // bytes shown on each side of a differing byte

// explain says where two sides part, and shows both around that byte. A side of
// any size is loaded only for its window, unless it is small enough to be parsed.
func (c *comparison) explain(q *reconstruct.Request, entry *recording.Entry, at int64) (headline finding.Text, lines []finding.Lines, pointer string) {
	recorded, from := c.recordedWindow(entry, at)
	lines = []finding.Lines{finding.Say("recorded %s", elide(recorded, from, entry.Length))}
	if q.Len() > diffLimit {
		return finding.Plain("the bytes differ"), lines, ""
	}
	rebuilt := q.Bytes()
	start, end := max(0, at-window), min(q.Len(), at+window)
	lines = append(lines, finding.Say("log      %s", elide(rebuilt[start:end], start, q.Len())))
	headline, pointer = whereAt(rebuilt, at)
	if c.sameValues(rebuilt, entry) {
		headline = finding.Plain(printedAnew)
	}
	return headline, lines, pointer
}

// sameValues reports whether a recorded request is the rebuilt one in another
// spelling or order.
func (c *comparison) sameValues(rebuilt []byte, entry *recording.Entry) bool {
	if entry.Length > diffLimit {
		return false
	}
	recorded, err := c.file.Bytes(entry)
	return err == nil && sameJSON(recorded, rebuilt)
}

func (c *comparison) recordedWindow(entry *recording.Entry, at int64) (text []byte, from int64) {
	from = max(0, at-window)
	text = make([]byte, max(0, min(entry.Length, at+window)-from))
	n, _ := c.file.Section(entry).ReadAt(text, from)
	return text[:n], from
}

// whereAt names the innermost value that holds a byte of a request, and the
// place in its text when it is a string.
func whereAt(request []byte, at int64) (headline finding.Text, pointer string) {
	if at >= int64(len(request)) {
		return finding.Plain("the recording goes on where the request ends"), ""
	}
	pointer, start, leaf := ecmajson.Value(request).Locate(int(at))
	where := finding.At(pointer)
	if into := int(at) - start; leaf.Kind() == ecmajson.String && into >= 1 {
		return finding.Say("%s differs at byte %d of %d", where, into-1, len(leaf)-2), pointer
	}
	if pointer == "" {
		return finding.Plain("the request differs"), pointer
	}
	return finding.Say("%s differs", where), pointer
}

// elide shows a window of a text of the given length.
func elide(text []byte, from, length int64) finding.Span {
	out := diffview.Visible(text)
	if from > 0 {
		out = "…" + out
	}
	if from+int64(len(text)) < length {
		out += "…"
	}
	return finding.Excerpt(string(text), out)
}
