package golden

import (
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

const firstLine = "dsh-verify requests.sum v1"

// Format returns the text of a sum file.
func Format(s *Sum) []byte {
	b := append([]byte(nil), firstLine+"\n"...)
	b = s.Session.append(b)
	headers, messages, requests := s.Headers, s.Messages, s.Requests
	for number := 1; ; {
		line := nextLine(headers, messages, requests)
		switch {
		case line == 0:
			return b
		case len(headers) > 0 && headers[0].Line == line:
			b = headers[0].append(b, number)
			headers = headers[1:]
			number++
		case len(messages) > 0 && messages[0].Line == line:
			b = messages[0].append(b)
			messages = messages[1:]
		default:
			b = requests[0].append(b)
			requests = requests[1:]
		}
	}
}

// nextLine returns the lowest line that is left, 0 when none is.
func nextLine(headers []Header, messages []Message, requests []Request) (line int) {
	lower := func(at int) {
		if line == 0 || at < line {
			line = at
		}
	}
	if len(headers) > 0 {
		lower(headers[0].Line)
	}
	if len(messages) > 0 {
		lower(messages[0].Line)
	}
	if len(requests) > 0 {
		lower(requests[0].Line)
	}
	return line
}

func (s Session) append(b []byte) []byte {
	b = append(b, "session "...)
	b = ecmajson.AppendString(b, s.ID)
	b = appendInt(b, " format ", s.Format)
	if s.Fork {
		b = append(b, " parent "...)
		b = ecmajson.AppendString(b, s.Parent)
		b = appendInt(b, " seed ", s.Seed)
	}
	return append(b, '\n')
}

func (h *Header) append(b []byte, number int) []byte {
	b = appendInt(b, "header ", int64(number))
	b = append(b, ' ')
	b = ecmajson.AppendString(b, h.Reason)
	if h.As > 0 {
		return append(appendInt(b, " as ", int64(h.As)), '\n')
	}
	return h.Parts.append(append(b, '\n'))
}

// append is the text of the parts. It is also what tells whether two snapshots
// have the same.
func (p *Parts) append(b []byte) []byte {
	for _, f := range p.Config {
		b = append(b, "  config "...)
		b = ecmajson.AppendString(b, f.Key)
		b = append(b, ' ')
		b = append(b, f.Value...)
		b = append(b, '\n')
	}
	if p.System != (Part{}) {
		b = append(p.System.append(append(b, "  system"...)), '\n')
	}
	for _, t := range p.Tools {
		b = append(b, "  tool "...)
		b = ecmajson.AppendString(b, t.Name)
		b = append(t.Part.append(b), '\n')
	}
	if p.Whole != (Part{}) {
		b = append(p.Whole.append(append(b, "  tools"...)), '\n')
	}
	return b
}

func (m *Message) append(b []byte) []byte {
	b = append(b, "message "...)
	b = append(b, m.Type...)
	b = m.Part.append(b)
	if m.First > 0 {
		b = appendInt(b, " replaces ", int64(m.First))
		b = appendInt(b, "-", int64(m.Last))
	}
	return append(b, '\n')
}

func (q *Request) append(b []byte) []byte {
	keyword := "request "
	if q.Prepared {
		keyword = "prepared "
	}
	b = append(b, keyword...)
	b = append(b, q.Key()...)
	b = appendInt(b, " header ", int64(q.Header))
	if q.Config != q.Header {
		b = appendInt(b, " config ", int64(q.Config))
	}
	b = appendInt(b, " messages ", int64(q.Messages))
	b = append(b, " bytes"...)
	return append(q.Part.append(b), '\n')
}

func (p Part) append(b []byte) []byte {
	b = appendInt(b, " ", p.Bytes)
	if p.Digest == "" {
		return append(b, " -"...)
	}
	return append(append(b, ' '), p.Digest...)
}

func appendInt(b []byte, before string, n int64) []byte {
	return strconv.AppendInt(append(b, before...), n, 10)
}
