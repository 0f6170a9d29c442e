package compare

import (
	"github.com/dsh-verify/dsh-verify/internal/check/origin"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// drift reports where a request and its recording part. A later request that
// drifts in the same part of the log is folded into the first.
func (c *Check) drift(q *reconstruct.Request, entry *requestlog.Entry, at int64) {
	part, inPart := q.PartAt(at)
	cause := origin.Cause(q, part, inPart)
	if i, ok := c.causes[cause]; ok && cause != "" {
		c.found[i].Requests = append(c.found[i].Requests, q.Key())
		c.found[i].Count++
		return
	}
	place := finding.Place{Request: q.Key(), Seq: -1, Line: entry.Line, Offset: at, File: c.file.Path}
	what := "the structure of the request"
	if inPart {
		place.Pointer = part.Pointer
		what = origin.Describe(part)
		place.Seq = origin.Seq(part)
	}
	headline, lines, pointer := c.explain(q, entry, at)
	if pointer != "" {
		place.Pointer = pointer
	}
	f := c.report(finding.RecordingDrift, finding.Say("request %s, byte %d of %d (%d recorded): %s; it should come from %s", q.Key(), at, q.Len(), entry.Length, headline, what), place)
	f.Requests = []string{q.Key()}
	f.Detail = lines
	if inPart {
		f.Cause = origin.Event(c.log.File, q, part)
	}
	c.drifts = append(c.drifts, drift{entry, len(c.found) - 1})
	if cause != "" {
		c.causes[cause] = len(c.found) - 1
	}
}

// diffLimit is the size up to which both sides of a drift are loaded to be
// shown by JSON path; of larger ones only a origin.Width around the byte is.
const diffLimit = 64 << 20

// explain says where two sides part, and shows both around that byte. A side of
// any size is loaded only for its origin.Width, unless it is small enough to be parsed.
func (c *Check) explain(q *reconstruct.Request, entry *requestlog.Entry, at int64) (headline finding.Text, lines []finding.Lines, pointer string) {
	recorded, from := c.recordedWindow(entry, at)
	lines = []finding.Lines{finding.Say("recorded %s", origin.Window(recorded, from, entry.Length))}
	if q.Len() > diffLimit {
		return finding.Plain("the bytes differ"), lines, ""
	}
	rebuilt := q.Bytes()
	start, end := max(0, at-origin.Width), min(q.Len(), at+origin.Width)
	lines = append(lines, finding.Say("log      %s", origin.Window(rebuilt[start:end], start, q.Len())))
	headline, pointer = origin.At(rebuilt, at)
	if c.sameValues(rebuilt, entry) {
		headline = finding.Plain(origin.PrintedAnew)
	}
	return headline, lines, pointer
}

// sameValues reports whether a recorded request is the rebuilt one in another
// spelling or order.
func (c *Check) sameValues(rebuilt []byte, entry *requestlog.Entry) bool {
	if entry.Length > diffLimit {
		return false
	}
	recorded, err := c.file.Bytes(entry)
	return err == nil && origin.SameJSON(recorded, rebuilt)
}

func (c *Check) recordedWindow(entry *requestlog.Entry, at int64) (text []byte, from int64) {
	from = max(0, at-origin.Width)
	text = make([]byte, max(0, min(entry.Length, at+origin.Width)-from))
	n, _ := c.file.Section(entry).ReadAt(text, from)
	return text[:n], from
}
