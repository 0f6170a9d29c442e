package recording

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// An Entry is one recorded request: its key, and where its bytes are.
type Entry struct {
	SessionID           string
	Turn, Step, Attempt int64
	Line                int64  // 1-based
	Offset, Length      int64  // of the request's bytes in the file
	loaded              []byte // the bytes, when the line had to be loaded to find them
	lineAt, lineLength  int64
}

// Key returns "turn.step.attempt".
func (e *Entry) Key() string { return fmt.Sprintf("%d.%d.%d", e.Turn, e.Step, e.Attempt) }

// A Malformed is a line that is not a request record.
type Malformed struct {
	Line   int64
	Reason string
}

// A File is an indexed recording.
type File struct {
	Path    string
	Entries []*Entry
	Bad     []Malformed // lines that are no records, in order
	file    *os.File
}

// headLimit is how much of a line is kept to find its keys; the request itself
// is not.
const headLimit = 64 << 10

// wholeLimit bounds the lines that are loaded because their keys do not come
// first.
const wholeLimit = 1 << 29

// Open indexes the recording at path, which must be a regular file.
func Open(path string) (*File, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	file := &File{Path: path, file: f}
	err = file.index()
	if err == nil && len(file.Entries) == 0 && len(file.Bad) > 0 {
		err = errors.New(file.kind())
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("recording %s: %w", path, err)
	}
	return file, nil
}

// kind says what a file without any request record is instead.
func (f *File) kind() string {
	head := make([]byte, 512)
	n, _ := f.file.ReadAt(head, 0)
	head = head[:n]
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")), bytes.HasPrefix(head, []byte("\x1f\x8b")), bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return "the file is compressed; decompress it first"
	case bytes.HasPrefix(head, []byte(`{"type":"session"`)):
		return "the file is a session log, not a recording of requests"
	case bytes.Contains(line, []byte(`"sha256"`)):
		return "the file holds digests, not requests"
	}
	return fmt.Sprintf("no line of the file is a request record (line %d: %s)", f.Bad[0].Line, f.Bad[0].Reason)
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

func (f *File) index() error {
	in := bufio.NewReaderSize(f.file, 1<<20)
	var at, number int64
	head := make([]byte, 0, headLimit)
	for {
		number++
		var length int64
		var last byte // the last byte of the line that is not space
		var lastAt int64
		head = head[:0]
		for {
			chunk, err := in.ReadSlice('\n')
			head = append(head, chunk[:min(len(chunk), headLimit-len(head))]...)
			if trimmed := bytes.TrimRight(chunk, " \t\r\n"); len(trimmed) > 0 {
				last, lastAt = trimmed[len(trimmed)-1], length+int64(len(trimmed))-1
			}
			length += int64(len(chunk))
			if err == nil {
				break
			}
			if errors.Is(err, io.EOF) {
				if length > 0 {
					f.addLine(number, at, length, head, last, lastAt)
				}
				return nil
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return err
			}
		}
		f.addLine(number, at, length, head, last, lastAt)
		at += length
	}
}

func (f *File) addLine(number, at, length int64, head []byte, last byte, lastAt int64) {
	if len(bytes.TrimSpace(head)) == 0 && last == 0 {
		return
	}
	e := &Entry{Line: number, lineAt: at, lineLength: length}
	start, ok := e.readHead(head)
	switch {
	case ok && last == '}' && lastAt > start:
		e.Offset, e.Length = at+start, lastAt-start
	default:
		if reason := f.readWhole(e, at, length); reason != "" {
			f.Bad = append(f.Bad, Malformed{number, reason})
			return
		}
	}
	f.Entries = append(f.Entries, e)
}

// readHead finds the keys in front of the request, and where the request
// starts in the line. It is not ok when the request does not come last.
func (e *Entry) readHead(head []byte) (start int64, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(head))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return 0, false
	}
	seen := 0
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return 0, false
		}
		key, _ := t.(string)
		at := dec.InputOffset()
		if key == "request" {
			rest := head[at:]
			colon := bytes.IndexByte(rest, ':')
			if colon < 0 {
				return 0, false
			}
			brace := bytes.IndexByte(rest[colon:], '{')
			if brace < 0 || len(bytes.TrimSpace(rest[colon+1:colon+brace])) > 0 {
				return 0, false
			}
			return at + int64(colon+brace), seen == 4
		}
		if t, err = dec.Token(); err != nil {
			return 0, false
		}
		if _, nested := t.(json.Delim); nested {
			return 0, false
		}
		raw := bytes.TrimLeft(head[at:dec.InputOffset()], ": \t\r\n")
		if e.set(key, raw) {
			seen++
		}
	}
	return 0, false
}

func (e *Entry) set(key string, v ecmajson.Value) bool {
	if key == "sessionId" {
		e.SessionID = v.Text()
		return v.Kind() == ecmajson.String
	}
	n, ok := v.SafeInt()
	switch key {
	case "turn":
		e.Turn = n
	case "step":
		e.Step = n
	case "attempt":
		e.Attempt = n
	default:
		return false
	}
	return ok
}

// Reparse finds an entry's request by parsing its whole line, and reports whether
// that made a difference: indexing takes a request to reach to the end of its line.
func (f *File) Reparse(e *Entry) bool {
	if e.loaded != nil {
		return false
	}
	old := e.Length
	return f.readWhole(e, e.lineAt, e.lineLength) == "" && e.Length != old
}

// Differs compares a rope with an entry. It returns the offset of the first byte that
// differs, -1 when they are equal.
func (f *File) Differs(rope Rope, e *Entry) (int64, error) {
	at, err := Compare(rope, f.Section(e))
	if err == nil && at == rope.Len() && f.Reparse(e) {
		// Something follows the request in its line, and was taken for part of it.
		at, err = Compare(rope, f.Section(e))
	}
	return at, err
}

// A Rope is a request that is compared with an entry.
type Rope interface {
	io.WriterTo
	Len() int64
}

// readWhole loads a line whose members come in another order.
func (f *File) readWhole(e *Entry, at, length int64) (reason string) {
	if length > wholeLimit {
		return "its keys do not come before the request, and it is too long to load"
	}
	text := make([]byte, length)
	if _, err := f.file.ReadAt(text, at); err != nil && !errors.Is(err, io.EOF) {
		return err.Error()
	}
	trimmed := bytes.TrimSpace(text)
	if _, err := ecmajson.Check(trimmed); err != nil {
		return "it is not JSON: " + err.Error()
	}
	v := ecmajson.Value(trimmed)
	for _, key := range []string{"sessionId", "turn", "step", "attempt"} {
		if !e.set(key, v.Lookup(key)) {
			return "it has no " + key
		}
	}
	request := v.Lookup("request")
	if request.Kind() != ecmajson.Object {
		return "it has no request"
	}
	e.loaded, e.Length = request, int64(len(request))
	return ""
}

// Section returns the recorded bytes of an entry as a stream.
func (f *File) Section(e *Entry) *io.SectionReader {
	if e.loaded != nil {
		return io.NewSectionReader(bytes.NewReader(e.loaded), 0, e.Length)
	}
	return io.NewSectionReader(f.file, e.Offset, e.Length)
}

// Bytes loads the recorded bytes of an entry.
func (f *File) Bytes(e *Entry) ([]byte, error) {
	b := make([]byte, e.Length)
	_, err := io.ReadFull(f.Section(e), b)
	return b, err
}

// Digest returns the SHA-256 of the recorded bytes.
func (f *File) Digest(e *Entry) (d [sha256.Size]byte, err error) {
	h := sha256.New()
	if _, err := io.Copy(h, f.Section(e)); err != nil {
		return d, err
	}
	h.Sum(d[:0])
	return d, nil
}
