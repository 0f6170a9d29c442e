// Package origin says where in a log a byte of a request comes from, and shows two sides of
// a request or a body around the byte where they part.
package origin

import (
	"bytes"
	"fmt"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// Width is how many bytes are shown on each side of a differing byte.
const Width = 60

// Cause names the part of a log that a part of a request comes from, "" where ok is false:
// drifts with one cause are one.
func Cause(q *reconstruct.Request, part reconstruct.Part, ok bool) string {
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

// Seq returns the event that a part comes from, -1 for none.
func Seq(part reconstruct.Part) int64 {
	switch {
	case part.Message != nil:
		return part.Message.Seq
	case part.Header != nil:
		return part.Header.Seq
	}
	return -1
}

// Event is the place of the event that a part of a request comes from.
func Event(file string, q *reconstruct.Request, part reconstruct.Part) *finding.Place {
	place := &finding.Place{File: file, Session: q.SessionID, Line: 1, Seq: -1, Request: q.Key()}
	switch {
	case part.Message != nil:
		place.Seq, place.Line = part.Message.Seq, part.Message.Pos.Line
	case part.Header != nil:
		place.Seq, place.Line = part.Header.Seq, part.Header.Pos.Line
	}
	return place
}

// Describe names the event that a part comes from.
func Describe(part reconstruct.Part) string {
	switch {
	case part.Message != nil:
		return fmt.Sprintf("seq %d (%s, line %d)", part.Message.Seq, part.Message.Type, part.Message.Pos.Line)
	case part.Header != nil:
		return fmt.Sprintf("seq %d (request/header, line %d)", part.Header.Seq, part.Header.Pos.Line)
	}
	return "the log's header line"
}

// At names the innermost value that holds a byte of a request, and the
// place in its text when it is a string.
func At(request []byte, at int64) (headline finding.Text, pointer string) {
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

// Window shows a Width of a text of the given length.
func Window(text []byte, from, length int64) finding.Span {
	out := diffview.Visible(text)
	if from > 0 {
		out = "…" + out
	}
	if from+int64(len(text)) < length {
		out += "…"
	}
	return finding.Excerpt(string(text), out)
}

// PrintedAnew is how a recording differs that another program parsed and printed.
const PrintedAnew = "the JSON values are the same and only order or spelling differs, so another program printed the recording again"

// SameJSON reports whether a captured text is JSON of the same value as another one.
func SameJSON(captured, rebuilt []byte) bool {
	if _, err := ecmajson.Check(captured); err != nil {
		return false
	}
	return ecmajson.Equal(bytes.TrimSpace(captured), rebuilt)
}

// Around shows a text around a byte.
func Around(text []byte, at int64) finding.Span {
	at = min(at, int64(len(text)))
	start, end := max(0, at-Width), min(int64(len(text)), at+Width)
	return Window(text[start:end], start, int64(len(text)))
}
