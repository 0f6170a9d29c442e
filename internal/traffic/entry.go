package traffic

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/protocol"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A harRequest is what is used of an entry's request.
type harRequest struct {
	method, url ecmajson.Value
	headers     ecmajson.Value
	long        bool // the headers are too long to be kept
	broken      bool // it holds bytes that are not UTF-8
	bodySize    int64
	post        harPost
}

type harPost struct {
	text     ecmajson.Value // absent: not kept
	encoding string
	cut      bool
}

// check checks that what tells requests apart is there as HAR 1.2 has it, or not at all.
func (q *harRequest) check() error {
	for _, m := range []struct {
		name  string
		value ecmajson.Value
		kind  ecmajson.Kind
	}{{"method", q.method, ecmajson.String}, {"url", q.url, ecmajson.String}, {"headers", q.headers, ecmajson.Array}} {
		if kind := m.value.Kind(); kind > ecmajson.Null && kind != m.kind {
			return fmt.Errorf("its member request.%s has a value of another kind than belongs there: %s", m.name, kindNames[kind])
		}
	}
	return nil
}

var kindNames = map[ecmajson.Kind]string{
	ecmajson.False: "bool", ecmajson.True: "bool", ecmajson.Number: "number",
	ecmajson.String: "string", ecmajson.Array: "array", ecmajson.Object: "object",
}

// isChat tells requests to a model from other traffic. Some tools write the method in
// small letters.
func (q *harRequest) isChat() bool {
	path, _, _ := strings.Cut(q.url.Text(), "?")
	path, _, _ = strings.Cut(path, "#")
	return strings.EqualFold(q.method.Text(), "POST") && protocol.ForPath(strings.TrimSuffix(path, "/")) != nil
}

// body returns the body of a chat request.
func (q *harRequest) body(name string, limit *budget) *Body {
	b := &Body{Name: name, limit: limit}
	length := int64(-1)
	for h := range q.headers.Elements() {
		name, value := h.Lookup("name").Text(), h.Lookup("value").Text()
		b.header(name, value)
		if strings.EqualFold(name, "content-length") {
			length = parseLength(value)
		}
	}
	if length < 0 {
		length = q.bodySize
	}
	encoding := b.encoding
	b.encoding = ""
	switch {
	case q.long:
		b.Incomparable = "its headers are longer than 1 MiB, so whose it is was not read"
	case q.post.text.Kind() != ecmajson.String:
		b.Incomparable = "the capture did not keep its body"
	case q.post.cut:
		b.Incomparable = "the capture says that it is truncated"
	default:
		b.keep(&q.post, encoding, length)
	}
	return b
}

// parseLength reads a content-length, -1 when it is none.
func parseLength(value string) int64 {
	n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 62)
	if err != nil {
		return -1
	}
	return int64(n)
}

// keep takes the body from its text, undoing what exporters do to bytes.
func (b *Body) keep(p *harPost, encoding string, length int64) {
	data := p.text.AppendText(nil)
	switch {
	case strings.EqualFold(p.encoding, "base64"):
		raw, err := base64.StdEncoding.AppendDecode(nil, data)
		if err != nil {
			b.Incomparable = "its base64 does not decode"
			return
		}
		data = raw
	case !startsAsObject(data):
		data = unflagged(data, encoding)
	default:
		data = unmapped(data, length)
	}
	raw := len(data)
	data, err := inflate(data, encoding, b.limit)
	if err != nil {
		b.Incomparable = fmt.Sprintf("its %s body does not decode: %v", encoding, err)
		return
	}
	b.data = data
	if encoding == "" || encoding == "identity" {
		b.compareLength(int64(raw), length)
	}
}

// unflagged undoes base64 that an exporter does not mention: of a JSON object, or of
// what content-encoding makes of one.
func unflagged(data []byte, encoding string) []byte {
	raw, err := base64.StdEncoding.AppendDecode(nil, data)
	if err != nil {
		return data
	}
	if decodesToObject(raw, encoding) {
		return raw
	}
	return data
}

// decodesToObject reports whether a body begins as an object once it is decoded.
func decodesToObject(data []byte, encoding string) bool {
	if encoding == "" || encoding == "identity" || startsAsObject(data) {
		return startsAsObject(data)
	}
	r, closer, err := decoder(bytes.NewReader(data), data, encoding)
	if err != nil {
		return false
	}
	defer closer()
	head, err := io.ReadAll(io.LimitReader(r, 4096))
	return err == nil && startsAsObject(head)
}

// unmapped undoes an exporter's mapping of bytes to one character each: then the
// characters, and not the text's bytes, are as many as were sent.
func unmapped(data []byte, length int64) []byte {
	if length < 0 || length >= int64(len(data)) {
		return data
	}
	raw := make([]byte, 0, length)
	for _, c := range string(data) {
		if c > 0xFF {
			return data
		}
		raw = append(raw, byte(c))
	}
	if int64(len(raw)) != length {
		return data
	}
	return raw
}

// compareLength notes where a body has not the length that its headers name: some of
// it is lost, or a proxy changed the body and kept the header.
func (b *Body) compareLength(kept, length int64) {
	if length < 0 || kept == length {
		return
	}
	b.Length = fmt.Sprintf("%d bytes, content-length %d", kept, length)
	switch {
	case length > kept:
		b.Doubt = fmt.Sprintf("the capture kept %d of its %d bytes", kept, length)
	case bytes.Contains(b.data, []byte("\uFFFD")):
		b.Doubt = "the capture has replacement characters where it could not read bytes"
	}
}
