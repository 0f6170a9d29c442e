package golden

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A SyntaxError says where a sum file is not one.
type SyntaxError struct {
	Line   int // 1-based
	Reason string
}

// Error returns the place and the reason.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Parse reads a sum file. What Format prints of the result is the file, except for
// carriage returns. The error is a [*SyntaxError] or a failure to read.
func Parse(r io.Reader) (*Sum, error) {
	p := &parser{sum: new(Sum), in: bufio.NewReader(r)}
	for {
		err := p.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if p.number < 2 {
		return nil, p.fault("the file ends before the session's line")
	}
	return p.sum, nil
}

type parser struct {
	sum    *Sum
	in     *bufio.Reader
	number int    // of the line
	rest   string // of the line
	open   *Header
}

func (p *parser) fault(format string, args ...any) error {
	return &SyntaxError{p.number, fmt.Sprintf(format, args...)}
}

func (p *parser) line() error {
	text, err := p.in.ReadString('\n')
	if errors.Is(err, io.EOF) && text == "" {
		return io.EOF
	}
	p.number++
	if errors.Is(err, io.EOF) {
		return p.fault("the last line has no line feed: the file was cut")
	}
	if err != nil {
		return err
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	p.rest = text
	switch {
	case p.number == 1 && text == firstLine:
		return nil
	case p.number == 1 && strings.HasPrefix(text, "dsh-verify requests.sum "):
		return p.fault("%q is a format that this release does not know", text)
	case p.number == 1:
		return p.fault("it does not start with %q", firstLine)
	case p.number == 2:
		return p.session(text)
	}
	return p.entry(text)
}

func (p *parser) session(text string) error {
	s := &p.sum.Session
	ok := p.word("session ") && p.quoted(&s.ID) && p.word(" format ") && p.number64(&s.Format)
	if ok && p.rest != "" {
		s.Fork = true
		ok = p.word(" parent ") && p.quoted(&s.Parent) && p.word(" seed ") && p.number64(&s.Seed)
	}
	return p.end(ok, string(bytes.TrimSuffix(s.append(nil), []byte("\n"))), text)
}

// entry parses a line after the second.
func (p *parser) entry(text string) error {
	var ok bool
	var canonical []byte
	switch {
	case p.word("  "):
		if p.open == nil {
			return p.fault("a part of a header that stands after no header")
		}
		parts := new(Parts)
		ok = p.part(parts)
		canonical = parts.append(nil)
		if ok && !p.open.Parts.take(parts) {
			return p.fault("the parts of a header are not in order: config, system, tools")
		}
		return p.end(ok, string(bytes.TrimSuffix(canonical, []byte("\n"))), text)
	case p.word("header "):
		h, number := p.header()
		ok, canonical = h != nil, nil
		if ok {
			ok = number == int64(len(p.sum.Headers)+1)
			p.sum.Headers = append(p.sum.Headers, *h)
			bare := Header{Reason: h.Reason, As: h.As}
			canonical = bare.append(nil, int(number))
			p.open = &p.sum.Headers[len(p.sum.Headers)-1]
			if h.As > 0 {
				p.open = nil
			}
		}
	case p.word("message "):
		m := p.message()
		if ok = m != nil; ok {
			p.sum.Messages, canonical, p.open = append(p.sum.Messages, *m), m.append(nil), nil
		}
	case p.word("request "), p.word("prepared "):
		q := p.request(strings.HasPrefix(text, "prepared"))
		if ok = q != nil; ok {
			p.sum.Requests, canonical, p.open = append(p.sum.Requests, *q), q.append(nil), nil
		}
	}
	return p.end(ok, string(bytes.TrimSuffix(canonical, []byte("\n"))), text)
}

// end checks that a line was read whole and is spelled in the one way that
// Format spells it.
func (p *parser) end(ok bool, canonical, text string) error {
	if !ok || p.rest != "" || canonical != text {
		return p.fault("%q is no line of a sum file", text[:min(len(text), 80)])
	}
	return nil
}

func (p *parser) header() (*Header, int64) {
	h := &Header{Line: p.number, Place: nowhere}
	var number, as int64
	if !p.number64(&number) || !p.word(" ") || !p.quoted(&h.Reason) {
		return nil, 0
	}
	if p.rest == "" {
		return h, number
	}
	if !p.word(" as ") || !p.number64(&as) || as < 1 || as > int64(len(p.sum.Headers)) || p.sum.Headers[as-1].As != 0 {
		return nil, 0
	}
	h.As, h.Parts = int(as), p.sum.Headers[as-1].Parts
	return h, number
}

func (p *parser) part(parts *Parts) bool {
	switch {
	case p.word("config "):
		var f Field
		if !p.quoted(&f.Key) || !p.word(" ") {
			return false
		}
		f.Value, p.rest = p.rest, ""
		parts.Config = append(parts.Config, f)
		return validField(f.Value)
	case p.word("system"):
		return p.digest(&parts.System) && parts.System.Digest != ""
	case p.word("tools"):
		return p.digest(&parts.Whole) && parts.Whole.Digest != ""
	case p.word("tool "):
		var t Tool
		ok := p.quoted(&t.Name) && p.digest(&t.Part) && t.Digest != ""
		parts.Tools = append(parts.Tools, t)
		return ok
	}
	return false
}

// validField tells JSON that is short enough, or BYTES:DIGEST.
func validField(value string) bool {
	if form, err := ecmajson.Check([]byte(value)); err == nil {
		return form.Canonical() && len(value) <= maxInline
	}
	length, digest, ok := strings.Cut(value, ":")
	n, err := strconv.ParseInt(length, 10, 64)
	return ok && err == nil && n > maxInline && isDigest(digest)
}

// take adds one part after the others; false when it may not follow them.
func (p *Parts) take(part *Parts) bool {
	switch {
	case part.Config != nil:
		p.Config = append(p.Config, part.Config...)
		return p.System == (Part{}) && p.Tools == nil && p.Whole == (Part{})
	case part.System != (Part{}):
		ok := p.System == (Part{}) && p.Tools == nil && p.Whole == (Part{})
		p.System = part.System
		return ok
	case part.Tools != nil:
		p.Tools = append(p.Tools, part.Tools...)
		return p.Whole == (Part{})
	}
	ok := p.Tools == nil && p.Whole == (Part{})
	p.Whole = part.Whole
	return ok
}

func (p *parser) message() *Message {
	m := &Message{Line: p.number, Place: nowhere}
	var ok bool
	if m.Type, p.rest, ok = strings.Cut(p.rest, " "); !ok || m.Type == "" {
		return nil
	}
	p.rest = " " + p.rest
	if !p.digest(&m.Part) || m.Digest == "" && m.Bytes != 0 {
		return nil
	}
	if p.rest == "" {
		return m
	}
	var first, last int64
	if !p.word(" replaces ") || !p.number64(&first) || !p.word("-") || !p.number64(&last) {
		return nil
	}
	earlier := int64(len(p.sum.Messages))
	if first < 1 || last < 1 || first > earlier || last > earlier {
		return nil
	}
	m.First, m.Last = int(first), int(last)
	return m
}

func (p *parser) request(prepared bool) *Request {
	q := &Request{Prepared: prepared, Line: p.number, Place: nowhere}
	var header, config, messages int64
	if !p.place(q) || !p.word(" header ") || !p.number64(&header) {
		return nil
	}
	config = header
	if p.word(" config ") && !p.number64(&config) {
		return nil
	}
	if !p.word(" messages ") || !p.number64(&messages) || !p.word(" bytes") || !p.digest(&q.Part) || q.Digest == "" {
		return nil
	}
	if !p.isHeader(header) || !p.isHeader(config) || messages < 0 || messages > int64(len(p.sum.Messages)) {
		return nil
	}
	q.Header, q.Config, q.Messages = int(header), int(config), int(messages)
	return q
}

// place parses "TURN.STEP.ATTEMPT".
func (p *parser) place(q *Request) bool {
	return p.number64(&q.Turn) && p.word(".") && p.number64(&q.Step) && p.word(".") && p.number64(&q.Attempt)
}

// isHeader reports whether a number is that of a header before the line.
func (p *parser) isHeader(n int64) bool { return n >= 1 && n <= int64(len(p.sum.Headers)) }

func (p *parser) word(w string) bool {
	rest, ok := strings.CutPrefix(p.rest, w)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *parser) number64(n *int64) bool {
	end := 0
	for end < len(p.rest) && (p.rest[end] >= '0' && p.rest[end] <= '9' || end == 0 && p.rest[end] == '-') {
		end++
	}
	var err error
	*n, err = strconv.ParseInt(p.rest[:end], 10, 64)
	p.rest = p.rest[end:]
	return err == nil
}

func (p *parser) quoted(s *string) bool {
	if !strings.HasPrefix(p.rest, `"`) {
		return false
	}
	end, _, ok := ecmajson.ConsumeString([]byte(p.rest), 0)
	if !ok {
		return false
	}
	*s, p.rest = ecmajson.Value(p.rest[:end]).Text(), p.rest[end:]
	return true
}

// digest parses " BYTES DIGEST".
func (p *parser) digest(part *Part) bool {
	if !p.word(" ") || !p.number64(&part.Bytes) || !p.word(" ") || part.Bytes < 0 {
		return false
	}
	if p.word("-") {
		return true
	}
	end := min(len(p.rest), 64)
	part.Digest, p.rest = p.rest[:end], p.rest[end:]
	return isDigest(part.Digest)
}

func isDigest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
