package seal

import (
	"encoding/base64"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A decoder takes members of a statement whose shape was checked. It keeps the first
// fault.
type decoder struct{ err error }

// decode returns the statement that a value of its shape states.
func decode(v ecmajson.Value) (*Statement, error) {
	d := new(decoder)
	s := &Statement{
		Kind: kind, SchemaVersion: SchemaVersion, Tool: v.Lookup("tool").Text(), SessionID: v.Lookup("sessionId").Text(),
		FormatVersion: d.integer(v, "formatVersion"), HeaderSHA256: v.Lookup("headerSha256").Text(), Tree: d.tree(v.Lookup("tree")),
		Requests: []Request{}, Objects: []string{},
	}
	if stored := v.Lookup("stored"); stored.Kind() == ecmajson.Object {
		s.Stored = &Stored{Bytes: d.integer(stored, "bytes"), SHA256: stored.Lookup("sha256").Text()}
	}
	for q := range v.Lookup("requests").Elements() {
		s.Requests = append(s.Requests, Request{
			Request: q.Lookup("request").Text(), DispatchSeq: d.integer(q, "dispatchSeq"), Bytes: d.integer(q, "bytes"), SHA256: q.Lookup("sha256").Text(),
		})
	}
	for id := range v.Lookup("objects").Elements() {
		s.Objects = append(s.Objects, id.Text())
	}
	return s, d.err
}

func (d *decoder) tree(v ecmajson.Value) Tree {
	t := Tree{Events: d.integer(v, "events"), Root: d.hash(v.Lookup("root")), Blocks: []tlog.Hash{}, Marks: d.bytes(v.Lookup("marks"))}
	for b := range v.Lookup("blocks").Elements() {
		t.Blocks = append(t.Blocks, d.hash(b))
	}
	return t
}

func (d *decoder) integer(v ecmajson.Value, name string) int64 {
	n, ok := v.Lookup(name).SafeInt()
	if !ok {
		d.fail("%q is no whole number", name)
	}
	return n
}

func (d *decoder) hash(v ecmajson.Value) (h tlog.Hash) {
	if b := d.bytes(v); len(b) == len(h) {
		copy(h[:], b)
	} else {
		d.fail("a hash has %d bytes", len(b))
	}
	return h
}

func (d *decoder) bytes(v ecmajson.Value) []byte {
	b, err := base64.StdEncoding.Strict().AppendDecode([]byte{}, v.AppendText(nil))
	if err != nil {
		d.fail("what should be base64 is not")
	}
	return b
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}
