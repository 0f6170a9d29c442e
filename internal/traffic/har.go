package traffic

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/protocol"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/strictjson"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A harReader reads the entries of a HAR file, one at a time.
type harReader struct {
	*strictjson.Reader
	file   *File
	others map[string]int // what else was requested, by method and address
	total  int
	limit  *budget
}

func openHAR(path string, size int64) (*File, error) {
	if size > maxCapture {
		return nil, fmt.Errorf("%s: longer than 2 GiB", path)
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readHAR(path, f, size)
}

func readHAR(path string, in io.Reader, size int64) (*File, error) {
	h := &harReader{Reader: strictjson.NewReader(in), file: &File{Path: path}, others: make(map[string]int), limit: newBudget(size)}
	if err := h.read(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	h.file.oddities("", h.Oddities())
	h.describeOthers()
	return h.file, nil
}

// read reads the file. That it ends early, or goes on after its end, are flaws of it.
func (h *harReader) read() error {
	found := false
	err := h.Object(func(name string) error {
		if name != "log" {
			return nil
		}
		h.reset()
		found = false
		return h.ifObject(func(name string) error {
			if name != "entries" {
				return nil
			}
			h.reset()
			kind, err := h.Kind()
			if err != nil {
				return err
			}
			if found = kind == ecmajson.Array; !found {
				return h.Skip()
			}
			return h.Array(h.entry)
		})
	})
	if err == nil {
		err = h.End()
	}
	return h.judge(err, found)
}

// ifObject reads an object, and skips any other value.
func (h *harReader) ifObject(member func(string) error) error {
	kind, err := h.Kind()
	switch {
	case err != nil:
		return err
	case kind != ecmajson.Object:
		return h.Skip()
	}
	return h.Object(member)
}

// reset forgets the entries: of lists that stand twice the last counts.
func (h *harReader) reset() {
	h.file.Bodies, h.total = nil, 0
	clear(h.others)
	h.file.Flaws = slices.DeleteFunc(h.file.Flaws, func(f Flaw) bool { return f.Kind == TwoNames })
}

// judge tells flaws of a HAR file from what is none.
func (h *harReader) judge(err error, found bool) error {
	after := "in front of its first entry"
	if h.total > 0 {
		after = fmt.Sprintf("after entry %d", h.total)
	}
	syntax, ok := errors.AsType[*strictjson.Error](err)
	switch {
	case err == nil && !found:
		return errors.New("it is no HAR file: it has no log.entries")
	case err == nil:
		return nil
	case !ok:
		return err
	case syntax.Early && found:
		h.file.flaw(EndsEarly, fmt.Sprintf("%s, at byte %d", after, syntax.Offset))
		return nil
	case syntax.Behind && found:
		h.file.flaw(Behind, fmt.Sprintf("%s, at byte %d", after, syntax.Offset))
		return nil
	case !found:
		return fmt.Errorf("it is no HAR file: %w", err)
	}
	return fmt.Errorf("%w, %s", err, after)
}

// entry reads an entry.
func (h *harReader) entry() error {
	var q harRequest
	err := h.ifObject(func(name string) error {
		if name != "request" {
			return nil
		}
		q = harRequest{bodySize: -1}
		before := h.Oddities().NotUTF8
		err := h.ifObject(func(name string) error { return h.request(&q, name) })
		q.broken = h.Oddities().NotUTF8 > before
		return err
	})
	if err != nil {
		return err
	}
	h.total++
	if err := q.check(); err != nil {
		return fmt.Errorf("entry %d is not as HAR 1.2 has it: %w", h.total, err)
	}
	if !q.isChat() {
		h.others[q.address()]++
		return nil
	}
	b := q.body(fmt.Sprintf("entry %d", h.total), h.limit)
	if q.broken {
		b.Incomparable = "the capture holds bytes there that are not UTF-8, so it does not say what was sent"
	}
	if b.Second != "" {
		h.file.flaw(TwoNames, b.Name)
	}
	h.file.Bodies = append(h.file.Bodies, b)
	return nil
}

// request reads a member of a request.
func (h *harReader) request(q *harRequest, name string) (err error) {
	switch name {
	case "method":
		q.method, err = h.value(maxHeaders)
	case "url":
		q.url, err = h.value(maxHeaders)
	case "headers":
		q.headers, err = h.Value(maxHeaders)
		if q.long = errors.Is(err, strictjson.ErrTooLong); q.long {
			err = nil
		}
	case "bodySize":
		var v ecmajson.Value
		v, err = h.value(maxHeaders)
		q.bodySize = -1
		if n, ok := v.SafeInt(); ok {
			q.bodySize = n
		}
	case "postData":
		q.post = harPost{}
		return h.ifObject(func(name string) error { return h.postData(&q.post, name) })
	}
	return err
}

func (h *harReader) postData(p *harPost, name string) (err error) {
	switch name {
	case "text":
		p.text, err = h.value(maxBody)
	case "encoding":
		var v ecmajson.Value
		v, err = h.value(maxHeaders)
		p.encoding = v.Text()
	case "_truncated", "_isIncomplete":
		// Proxies that cut long bodies say so in a member of their own.
		var v ecmajson.Value
		v, err = h.value(maxHeaders)
		p.cut = p.cut || v.Kind() == ecmajson.True
	}
	return err
}

// maxHeaders bounds what is kept of an entry next to its body.
const maxHeaders = 1 << 20 // bytes

// value reads a value; one that is too long reads as absent.
func (h *harReader) value(limit int) (ecmajson.Value, error) {
	v, err := h.Value(limit)
	if errors.Is(err, strictjson.ErrTooLong) {
		return nil, nil
	}
	return v, err
}

// describeOthers says what a HAR file without any body holds.
func (h *harReader) describeOthers() {
	if len(h.file.Bodies) > 0 || h.total == 0 {
		return
	}
	const shown = 3
	names := make([]string, 0, len(h.others))
	for name := range h.others {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if n := h.others[b] - h.others[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for i, name := range names[:min(shown, len(names))] {
		names[i] = fmt.Sprintf("%d × %s", h.others[name], name)
	}
	h.file.Others = fmt.Sprintf("of %d entries none is a POST to %s (%s)", h.total, protocol.Paths(), strings.Join(names[:min(shown, len(names))], ", "))
}

// address is where a request went, without what may be secret in it.
func (q *harRequest) address() string {
	u, err := url.Parse(q.url.Text())
	if err != nil || q.url == nil {
		return "what has no URL"
	}
	return fmt.Sprintf("%.20s %.200s", q.method.Text(), (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String())
}
