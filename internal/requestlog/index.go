package requestlog

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/strictjson"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// An Entry is one recorded request: its key, and where its bytes are.
type Entry struct {
	SessionID           string
	Turn, Step, Attempt int64
	Line                int64 // 1-based
	Offset, Length      int64 // of the request's bytes in the file
	lineAt, lineLength  int64
	settled             bool   // the whole line was read
	wrong               string // why it is no request record
}

// Key returns "turn.step.attempt".
func (e *Entry) Key() string { return fmt.Sprintf("%d.%d.%d", e.Turn, e.Step, e.Attempt) }

// A Malformed is a line that is not a request record.
type Malformed struct {
	Line   int64
	Reason string
}

// An OddLine is a line with what JSON.parse accepts and no recorder prints.
type OddLine struct {
	Line int64
	strictjson.Oddities
}

// A File is an indexed recording.
type File struct {
	Path    string
	Entries []*Entry
	Bad     []Malformed // lines that are no records, as they were found
	Odd     []OddLine   // of the lines that were read whole
	file    *os.File
	line    []byte // reused
}

// headLimit is how much of a line is kept to find its keys; the request itself
// is not.
const headLimit = 64 << 10

// wholeLimit bounds the lines that are read whole: about V8's longest string.
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
		lastAt := int64(-1)
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
	if lastAt < 0 {
		return // blank
	}
	e := &Entry{Line: number, lineAt: at, lineLength: length}
	if start, ok := e.readHead(head); ok && last == '}' && lastAt > start {
		e.Offset, e.Length = at+start, lastAt-start
	} else if reason := f.Settle(e); reason != "" {
		f.Bad = append(f.Bad, Malformed{number, reason})
		return
	}
	f.Entries = append(f.Entries, e)
}

// errRequest ends the reading of a line's head.
var errRequest = errors.New("the request")

// readHead finds the keys in front of the request, and where the request starts in the
// line. It is not ok when they are not all there, each once: then the line has to be
// read whole. What follows the request is not looked at.
func (e *Entry) readHead(head []byte) (start int64, ok bool) {
	if len(head) == 0 || head[0] != '{' {
		return 0, false
	}
	r := strictjson.NewReaderSize(bytes.NewReader(head), 512)
	seen := 0
	err := r.Object(func(name string) error {
		switch name {
		case "request":
			if kind, err := r.Kind(); err != nil || kind != ecmajson.Object {
				return io.ErrUnexpectedEOF
			}
			start = r.Offset()
			return errRequest
		case "sessionId", "turn", "step", "attempt":
			v, err := r.Value(headLimit)
			if err == nil && e.set(name, v) {
				seen++
			}
			return err
		}
		return nil
	})
	return start, errors.Is(err, errRequest) && seen == 4 && !r.Oddities().Any()
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
	}
	return ok
}

// Differs compares a rope with an entry. It returns the offset of the first byte that
// differs, -1 when they are equal. Bytes that are equal make the line what its head
// says; of any other only [File.Settle] tells.
func (f *File) Differs(rope io.WriterTo, e *Entry) (int64, error) {
	return Compare(rope, f.Section(e))
}

// Settle reads an entry's whole line, once, as JSON.parse does: members may stand
// after the request, or again, and change whose the entry is and where its bytes are.
// The reason says why the line is no request record, "" when it is one.
func (f *File) Settle(e *Entry) (reason string) {
	if !e.settled {
		e.settled, e.wrong = true, f.settle(e)
	}
	return e.wrong
}

func (f *File) settle(e *Entry) (reason string) {
	if e.lineLength > wholeLimit {
		return "it is longer than the longest text that JavaScript holds"
	}
	if int64(cap(f.line)) < e.lineLength {
		f.line = make([]byte, e.lineLength)
	}
	text := f.line[:e.lineLength]
	if _, err := f.file.ReadAt(text, e.lineAt); err != nil && !errors.Is(err, io.EOF) {
		return err.Error()
	}
	v, odd, err := strictjson.Parse(text)
	if err != nil {
		return "it is not JSON: " + err.Error()
	}
	if odd.Any() {
		f.Odd = append(f.Odd, OddLine{e.Line, odd})
	}
	for _, key := range []string{"sessionId", "turn", "step", "attempt"} {
		if !e.set(key, v.Lookup(key)) {
			return "it has no " + key
		}
	}
	start, request, _ := v.Find("/request")
	if request.Kind() != ecmajson.Object {
		return "it has no request"
	}
	e.Offset, e.Length = e.lineAt+int64(bytes.IndexByte(text, '{')+start), int64(len(request))
	return ""
}

// Section returns the recorded bytes of an entry as a stream.
func (f *File) Section(e *Entry) *io.SectionReader {
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
