// Package capture reads captured HTTP traffic: a folder of request bodies, with or
// without an index.jsonl, and HAR 1.2 files from any proxy. It yields the bodies
// that were posted, byte for byte where the capture kept them so, and says of the
// others why they cannot be compared.
//
// Secrets that a capture may hold (authorization, cookies) are never kept.
package capture

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-verify/dsh-verify/internal/jsonerror"
	"github.com/dsh-verify/dsh-verify/internal/regular"
)

// The headers that tell what a body belongs to.
const (
	SessionHeader = "x-deepseek-harness-session-id"
	CompactHeader = "x-deepseek-harness-compact"
)

// A Body is one captured request body.
type Body struct {
	Name      string // of the file, or entry and number in a HAR
	SessionID string // "": not known
	Compact   bool   // a compaction one-shot, by its header
	// Incomparable says why the bytes are not those that were sent; "" when they are.
	Incomparable string

	path string // of a file that is read when needed
	data []byte
}

// maxBody bounds a body, maxCapture a HAR file.
const (
	maxBody    = 1 << 30
	maxCapture = 2 << 30
)

// Bytes returns the body.
func (b *Body) Bytes() ([]byte, error) {
	if b.path == "" {
		return b.data, nil
	}
	f, err := regular.Open(b.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBody+1))
	if err == nil && len(data) > maxBody {
		err = fmt.Errorf("%s: longer than 1 GiB", b.path)
	}
	return data, err
}

// Is reports whether a path may be a capture: a folder, or a file that starts as
// JSON with a log member.
func Is(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		return true
	}
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	dec := json.NewDecoder(io.LimitReader(f, 1<<16))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return strings.EqualFold(filepath.Ext(path), ".har")
	}
	t, _ := dec.Token()
	return t == "log" || strings.EqualFold(filepath.Ext(path), ".har")
}

// Open reads the capture at path.
func Open(path string) ([]*Body, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return openFolder(path)
	}
	return openHAR(path, info.Size())
}

// An indexLine describes a body of a folder.
type indexLine struct {
	File      string            `json:"file"`
	SessionID string            `json:"sessionId"`
	Purpose   string            `json:"purpose"`
	Headers   map[string]string `json:"headers"`
}

func openFolder(dir string) ([]*Body, error) {
	f, err := regular.Open(filepath.Join(dir, "index.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return unindexed(dir)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var bodies []*Body
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e indexLine
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s, line %d: it does not describe a body: %s", f.Name(), n, jsonerror.Reason(err))
		}
		if e.File == "" || !filepath.IsLocal(e.File) {
			return nil, fmt.Errorf("%s, line %d: %q is no file of this folder", f.Name(), n, e.File)
		}
		b := &Body{Name: e.File, SessionID: e.SessionID, Compact: e.Purpose == "compaction", path: filepath.Join(dir, e.File)}
		for name, value := range e.Headers {
			b.header(name, value)
		}
		if info, err := os.Stat(b.path); err != nil {
			b.Incomparable = "the file is not there"
		} else if !info.Mode().IsRegular() {
			b.Incomparable = (&regular.NotFile{Mode: info.Mode()}).Error()
		}
		bodies = append(bodies, b)
	}
	return bodies, lines.Err()
}

// unindexed takes every JSON file of a folder for a body, in the order of names.
func unindexed(dir string) ([]*Body, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var bodies []*Body
	for _, e := range entries {
		b := &Body{Name: e.Name(), path: filepath.Join(dir, e.Name())}
		info, err := os.Stat(b.path)
		if filepath.Ext(e.Name()) != ".json" || err == nil && info.IsDir() {
			continue
		}
		if err == nil && !info.Mode().IsRegular() {
			b.Incomparable = (&regular.NotFile{Mode: info.Mode()}).Error()
		}
		if b.Incomparable != "" || looksLikeBody(b.path) {
			bodies = append(bodies, b)
		}
	}
	sort.Slice(bodies, func(i, j int) bool { return bodies[i].Name < bodies[j].Name })
	if len(bodies) == 0 {
		return nil, fmt.Errorf("%s: no bodies here: neither index.jsonl nor *.json", dir)
	}
	return bodies, nil
}

// looksLikeBody reports whether a file starts as a chat body does.
func looksLikeBody(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return true // it will be said why it cannot be read
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 64<<10))
	return bytes.Contains(head, []byte(`"messages"`))
}

func (b *Body) header(name, value string) {
	switch strings.ToLower(name) {
	case SessionHeader:
		b.SessionID = value
	case CompactHeader:
		b.Compact = value == "1"
	}
}

// A harEntry is what is used of an entry of a HAR file.
type harEntry struct {
	Request struct {
		Method   string
		URL      string `json:"url"`
		Headers  []struct{ Name, Value string }
		BodySize *int64
		PostData *struct {
			Text     *string
			Encoding string
			// Proxies that cut long bodies say so in a member of their own.
			Truncated  bool `json:"_truncated"`
			Incomplete bool `json:"_isIncomplete"`
			Size       *int64
			Comment    string
		}
	}
}

func openHAR(path string, size int64) ([]*Body, error) {
	if size > maxCapture {
		return nil, fmt.Errorf("%s: longer than 2 GiB", path)
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReaderSize(skipBOM(f), 1<<20))
	if err := seekEntries(dec); err != nil {
		return nil, fmt.Errorf("%s: not a HAR file: %s", path, jsonerror.Reason(err))
	}
	var bodies []*Body
	for n := 1; dec.More(); n++ {
		var e harEntry
		if err := dec.Decode(&e); err != nil {
			return nil, fmt.Errorf("%s: entry %d is not as HAR 1.2 has it: %s", path, n, jsonerror.Reason(err))
		}
		if b := e.body(n); b != nil {
			bodies = append(bodies, b)
		}
	}
	return bodies, nil
}

func skipBOM(f *os.File) io.Reader {
	r := bufio.NewReader(f)
	if head, _ := r.Peek(3); string(head) == "\xef\xbb\xbf" {
		r.Discard(3)
	}
	return r
}

// seekEntries moves the decoder into log.entries.
func seekEntries(dec *json.Decoder) error {
	for _, key := range []string{"log", "entries"} {
		if t, err := dec.Token(); err != nil || t != json.Delim('{') {
			return errors.New("no " + key)
		}
		for {
			if !dec.More() {
				return errors.New("no " + key)
			}
			t, err := dec.Token()
			if err != nil {
				return err
			}
			if t == key {
				break
			}
			var skip json.RawMessage
			if err := dec.Decode(&skip); err != nil {
				return err
			}
		}
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return errors.New("entries is no list")
	}
	return nil
}

// body returns the chat body of an entry, nil when it is other traffic.
func (e *harEntry) body(n int) *Body {
	r := &e.Request
	path, _, _ := strings.Cut(r.URL, "?")
	if r.Method != "POST" || !strings.HasSuffix(strings.TrimSuffix(path, "/"), "/chat/completions") {
		return nil
	}
	b := &Body{Name: fmt.Sprintf("entry %d", n)}
	encoding := ""
	length := int64(-1)
	for _, h := range r.Headers {
		b.header(h.Name, h.Value)
		switch strings.ToLower(h.Name) {
		case "content-encoding":
			encoding = strings.ToLower(strings.TrimSpace(h.Value))
		case "content-length":
			fmt.Sscanf(h.Value, "%d", &length)
		}
	}
	if r.PostData == nil || r.PostData.Text == nil {
		b.Incomparable = "the capture did not keep its body"
		return b
	}
	p := r.PostData
	b.data = []byte(*p.Text)
	if p.Truncated || p.Incomplete {
		b.Incomparable = "the capture says that it is truncated"
		return b
	}
	if p.Encoding == "base64" {
		data, err := base64.StdEncoding.DecodeString(*p.Text)
		if err != nil {
			b.Incomparable = "its base64 does not decode"
			return b
		}
		b.data = data
	}
	if length < 0 && r.BodySize != nil {
		length = *r.BodySize
	}
	raw := int64(len(b.data))
	if err := b.inflate(encoding); err != nil {
		b.Incomparable = fmt.Sprintf("its %s body does not decode: %v", encoding, err)
		return b
	}
	if length > raw && raw == int64(len(b.data)) && encoding == "" {
		b.Incomparable = fmt.Sprintf("the capture kept %d of its %d bytes", raw, length)
	}
	return b
}

// inflate undoes a content encoding. Most proxies have done it already.
func (b *Body) inflate(encoding string) error {
	trimmed := bytes.TrimLeft(b.data, " \t\r\n")
	if encoding == "" || encoding == "identity" || len(trimmed) > 0 && trimmed[0] == '{' {
		return nil
	}
	var r io.Reader
	var err error
	switch in := bytes.NewReader(b.data); encoding {
	case "gzip", "x-gzip":
		r, err = gzip.NewReader(in)
	case "deflate":
		if r, err = zlib.NewReader(in); err != nil {
			r, err = flate.NewReader(bytes.NewReader(b.data)), nil
		}
	case "zstd":
		var d *zstd.Decoder
		if d, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody)); err == nil {
			defer d.Close()
			r = d
		}
	default:
		return errors.New("the encoding is not known")
	}
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil {
		return err
	}
	if len(data) > maxBody {
		return errors.New("it inflates to more than 1 GiB")
	}
	b.data = data
	return nil
}
