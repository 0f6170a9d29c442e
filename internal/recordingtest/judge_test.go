package recordingtest

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A judge says of a mutant why it is not what was recorded, "" when it is. This one reads
// JSON into maps, which have names in their case and the last of those that stand twice.

// judge reads a mutant as JavaScript does.
func (b *base) judge(m *mutant) string {
	if m.Kind == "requests" {
		return b.judgeRequests(m.Path)
	}
	read := readHAR
	if m.Kind == "folder" {
		read = readFolder
	}
	bodies, err := read(m.Path)
	if err != nil {
		return err.Error()
	}
	return b.judgeBodies(bodies)
}

// judgeRequests checks that a recording has the entries that it had, and else only what
// a process lost between two lifetimes.
func (b *base) judgeRequests(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	var got []entry
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		var o map[string]json.RawMessage
		if err := json.Unmarshal(line, &o); err != nil || o == nil {
			return fmt.Sprintf("line %d is no object", i+1)
		}
		id, ok := str(o["sessionId"])
		if ok && id == b.Session {
			got = append(got, entry{Key: num(o["turn"]) + "." + num(o["step"]) + "." + num(o["attempt"]), Text: string(o["request"])})
		}
	}
	return b.judgeEntries(got)
}

func (b *base) judgeEntries(got []entry) string {
	want := slices.Clone(b.Requests)
	places := make(map[int][]int) // of a lifetime's entries
	var left []int
	for i, e := range got {
		j := slices.IndexFunc(want, func(w entry) bool { return w.Key == e.Key && w.Text == e.Text })
		if j < 0 {
			left = append(left, i)
			continue
		}
		places[want[j].Life] = append(places[want[j].Life], i)
		want = slices.Delete(want, j, j+1)
	}
	for _, w := range want {
		if !b.Prepared[w.Key] {
			return "request " + w.Key + " is gone"
		}
	}
	for _, i := range left {
		if !b.lost(got[i].Key, i, places) {
			return fmt.Sprintf("entry %d, request %s, is no recorded one", i+1, got[i].Key)
		}
	}
	return ""
}

// lost reports whether an entry that was not recorded may be one that a process lost: its
// number is of a later lifetime, and it lies between the entries of those before and it.
func (b *base) lost(key string, at int, places map[int][]int) bool {
	i := slices.IndexFunc(b.Requests, func(e entry) bool { return e.Key == key })
	if i < 0 || b.Requests[i].Life == 0 {
		return false
	}
	for life, list := range places {
		for _, place := range list {
			if life < b.Requests[i].Life && place > at || life == b.Requests[i].Life && place < at {
				return false
			}
		}
	}
	return true
}

func str(raw json.RawMessage) (string, bool) {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return "", false
	}
	s, ok := v.(string)
	return s, ok
}

func num(raw json.RawMessage) string {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return "?"
	}
	return fmt.Sprint(v)
}

// A posted body, as it is read.
type posted struct {
	ids   []string
	bytes []byte
	err   error
}

const sessionHeader = "x-deepseek-harness-session-id"

// readFolder reads a folder of bodies: those that its index lists, and the others.
func readFolder(dir string) (list []posted, err error) {
	listed := make(map[string]bool)
	index, err := os.ReadFile(filepath.Join(dir, "index.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for i, line := range bytes.Split(bytes.TrimPrefix(index, []byte("\xef\xbb\xbf")), []byte("\n")) {
		if len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		var o map[string]any
		if err := json.Unmarshal(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), &o); err != nil || o == nil {
			return nil, fmt.Errorf("line %d of the index is no object", i+1)
		}
		name, _ := o["file"].(string)
		p := posted{}
		p.bytes, p.err = os.ReadFile(filepath.Join(dir, name))
		listed[filepath.Clean(name)] = true
		p.name(o["sessionId"])
		headers, _ := o["headers"].(map[string]any)
		for key, value := range headers {
			p.header(key, value)
		}
		list = append(list, p)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, file := range files {
		if !listed[filepath.Base(file)] {
			text, err := os.ReadFile(file)
			list = append(list, posted{bytes: text, err: err})
		}
	}
	return list, nil
}

func (p *posted) name(id any) {
	if s, ok := id.(string); ok && strings.TrimSpace(s) != "" {
		p.ids = append(p.ids, strings.TrimSpace(s))
	}
}

func (p *posted) header(name string, value any) {
	switch s, _ := value.(string); strings.ToLower(name) {
	case sessionHeader:
		p.name(value)
	case "content-encoding":
		p.inflate(strings.ToLower(strings.TrimSpace(s)))
	}
}

// inflate undoes a compression, if it is one.
func (p *posted) inflate(encoding string) {
	if bytes.HasPrefix(bytes.TrimLeft(p.bytes, " \t\r\n"), []byte("{")) {
		return
	}
	in := bytes.NewReader(p.bytes)
	var r io.Reader
	var err error
	switch encoding {
	case "gzip":
		r, err = gzip.NewReader(in)
	case "deflate":
		r, err = zlib.NewReader(in)
	default:
		return
	}
	if err == nil {
		p.bytes, err = io.ReadAll(r)
	}
	if err == nil && in.Len() > 0 {
		err = errors.New("more follows")
	}
	p.err = err
}

// readHAR reads the chat bodies of a HAR file.
func readHAR(path string) (list []posted, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var o map[string]any
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &o); err != nil {
		return nil, err
	}
	log, _ := o["log"].(map[string]any)
	entries, ok := log["entries"].([]any)
	if !ok {
		return nil, errors.New("no entries")
	}
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		request, _ := entry["request"].(map[string]any)
		method, _ := request["method"].(string)
		url, _ := request["url"].(string)
		url, _, _ = strings.Cut(url, "?")
		url, _, _ = strings.Cut(url, "#")
		if strings.ToUpper(method) == "POST" && strings.HasSuffix(strings.TrimSuffix(url, "/"), "/chat/completions") {
			list = append(list, harBody(request))
		}
	}
	return list, nil
}

func harBody(request map[string]any) (p posted) {
	post, _ := request["postData"].(map[string]any)
	text, ok := post["text"].(string)
	if !ok {
		p.err = errors.New("no text")
	}
	p.bytes = []byte(text)
	if encoding, _ := post["encoding"].(string); strings.ToLower(encoding) == "base64" {
		p.bytes, p.err = base64.StdEncoding.DecodeString(text)
	} else if raw, err := base64.StdEncoding.DecodeString(text); err == nil && len(raw) > 0 {
		p.bytes = raw // an exporter that does not say so
	}
	headers, _ := request["headers"].([]any)
	for _, h := range headers {
		header, _ := h.(map[string]any)
		name, _ := header["name"].(string)
		p.header(name, header["value"])
	}
	return p
}

// judgeBodies checks that every request's body is there, and that every body that names
// the session, or is nearly one of its, is one that was posted.
func (b *base) judgeBodies(list []posted) string {
	for _, want := range b.Bodies {
		if !want.Oneshot && !b.Prepared[want.Key] && !slices.ContainsFunc(list, func(p posted) bool { return p.err == nil && want.is(p.bytes) }) {
			return fmt.Sprintf("a body of %d bytes is gone", len(want.Text))
		}
	}
	for i, p := range list {
		is := p.err == nil && slices.ContainsFunc(b.Bodies, func(want body) bool { return want.is(p.bytes) })
		switch {
		case is:
		case slices.Contains(p.ids, b.Session):
			return fmt.Sprintf("body %d is none that was posted (%v)", i+1, p.err)
		case len(p.ids) == 0 && slices.ContainsFunc(b.Bodies, func(want body) bool { return !want.Untold && want.near(p.bytes) }):
			return fmt.Sprintf("body %d, of no session, is nearly one that was posted", i+1)
		}
	}
	return ""
}

// fileID is what the provider names an image: only a capture tells it.
var fileID = regexp.MustCompile(`"file_id":"[!#-\[\]-~]{1,512}"`)

// is reports whether a body is the posted one, except for what no log holds: file ids,
// a compaction's instruction, and members that plugins append.
func (want body) is(text []byte) bool {
	t, w := withoutIDs(string(text)), withoutIDs(want.Text)
	if t == w || isExtended(t, w) {
		return true
	}
	head, tail := withoutIDs(want.Head), strings.TrimSuffix(want.Tail, "}")
	if tail == "" || !strings.HasPrefix(t, head) {
		return false
	}
	for at := len(head); ; at++ {
		i := strings.Index(t[at:], tail)
		if i < 0 {
			return false
		}
		at += i
		var s string
		rest := t[at+len(tail):]
		if (rest == "}" || isExtended(rest, "}")) && json.Unmarshal([]byte(`"`+t[len(head):at]+`"`), &s) == nil {
			return true
		}
	}
}

func withoutIDs(text string) string { return fileID.ReplaceAllString(text, "id") }

// names are the members that the adapter writes.
var adapterNames = []string{"model", "messages", "stream", "stream_options", "thinking", "reasoning_effort", "tools", "temperature", "max_tokens", "stop"}

// isExtended reports whether a body is another one with members after its last.
func isExtended(text, want string) bool {
	base := strings.TrimSuffix(want, "}")
	if !strings.HasPrefix(text, base+",") {
		return false
	}
	var o map[string]any
	if json.Unmarshal([]byte("{"+text[len(base)+1:]), &o) != nil || len(o) == 0 || strings.TrimSpace(text) != text {
		return false
	}
	for name := range o {
		if slices.Contains(adapterNames, name) {
			return false
		}
	}
	return true
}

// near reports whether a body differs from the posted one in a tenth or less, in one
// place.
func (want body) near(text []byte) bool {
	a, b := want.Text, string(text)
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	m := 0
	for m < min(len(a), len(b))-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return (n+m)*10 >= max(len(a), len(b))*9
}
