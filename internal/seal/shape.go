package seal

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A member is what an object of a statement must have.
type member struct {
	name string
	kind ecmajson.Kind
	null bool // it may be null
}

var (
	statementShape = []member{
		{name: "kind", kind: ecmajson.String},
		{name: "schemaVersion", kind: ecmajson.Number},
		{name: "tool", kind: ecmajson.String},
		{name: "sessionId", kind: ecmajson.String},
		{name: "formatVersion", kind: ecmajson.Number},
		{name: "headerSha256", kind: ecmajson.String},
		{name: "stored", kind: ecmajson.Object, null: true},
		{name: "tree", kind: ecmajson.Object},
		{name: "requests", kind: ecmajson.Array},
		{name: "objects", kind: ecmajson.Array},
	}
	storedShape = []member{
		{name: "bytes", kind: ecmajson.Number},
		{name: "sha256", kind: ecmajson.String},
	}
	treeShape = []member{
		{name: "events", kind: ecmajson.Number},
		{name: "root", kind: ecmajson.String},
		{name: "blocks", kind: ecmajson.Array},
		{name: "marks", kind: ecmajson.String},
	}
	requestShape = []member{
		{name: "request", kind: ecmajson.String},
		{name: "dispatchSeq", kind: ecmajson.Number},
		{name: "bytes", kind: ecmajson.Number},
		{name: "sha256", kind: ecmajson.String},
	}
)

// checkShape checks that a statement has each member once, of the right kind, and no
// other. What a decoder leaves out, or takes the last of, would pass as sealed.
func checkShape(v ecmajson.Value) error {
	if err := checkObject(v, "it", statementShape); err != nil {
		return err
	}
	if stored := v.Lookup("stored"); stored.Kind() == ecmajson.Object {
		if err := checkObject(stored, "stored", storedShape); err != nil {
			return err
		}
	}
	if err := checkObject(v.Lookup("tree"), "tree", treeShape); err != nil {
		return err
	}
	i := 0
	for request := range v.Lookup("requests").Elements() {
		if err := checkObject(request, fmt.Sprintf("requests[%d]", i), requestShape); err != nil {
			return err
		}
		i++
	}
	for _, list := range []ecmajson.Value{v.Lookup("objects"), v.Lookup("tree").Lookup("blocks")} {
		for e := range list.Elements() {
			if e.Kind() != ecmajson.String {
				return errors.New("one of its objects or blocks is no text")
			}
		}
	}
	return nil
}

func checkObject(v ecmajson.Value, name string, shape []member) error {
	if v.Kind() != ecmajson.Object {
		return fmt.Errorf("%s is no object", name)
	}
	seen := make(map[string]bool, len(shape))
	for key := range v.Members() {
		word := key.Text()
		if seen[word] {
			return fmt.Errorf("%s has %q twice", name, word)
		}
		seen[word] = true
	}
	for _, m := range shape {
		value := v.Lookup(m.name)
		switch kind := value.Kind(); {
		case kind == ecmajson.Absent:
			return fmt.Errorf("%s has no %q", name, m.name)
		case kind != m.kind && !(m.null && kind == ecmajson.Null):
			return fmt.Errorf("%s has %q of another type", name, m.name)
		}
		delete(seen, m.name)
	}
	for key := range v.Members() {
		if word := key.Text(); seen[word] {
			return fmt.Errorf("%s has %q, which no seal has", name, word)
		}
	}
	return nil
}

// agree checks that the parts of a statement go together.
func (s *Statement) agree() error {
	switch t := s.Tree; {
	case !t.whole():
		return fmt.Errorf("it does not have a mark for each of %d events and a block for each %d", t.Events, blockSize)
	case join(t.Blocks) != t.Root:
		return errors.New("its root is not that of its blocks")
	case !objectstore.IsDigest(s.HeaderSHA256):
		return errors.New("headerSha256 is no digest")
	case s.FormatVersion < 0:
		return fmt.Errorf("no format has version %d", s.FormatVersion)
	case s.Stored != nil && (s.Stored.Bytes < 1 || !objectstore.IsDigest(s.Stored.SHA256)):
		return errors.New("stored is no length and digest")
	}
	if err := s.orderly(); err != nil {
		return err
	}
	seen := make(map[string]bool, len(s.Objects))
	for _, id := range s.Objects {
		if seen[id] || !strings.HasPrefix(id, "sha256:") || !objectstore.IsDigest(strings.TrimPrefix(id, "sha256:")) {
			return fmt.Errorf("object %q is no attachment's id, or stands there twice", id)
		}
		seen[id] = true
	}
	return nil
}

// orderly reports what is wrong with the requests.
func (s *Statement) orderly() error {
	last := int64(-1)
	for _, q := range s.Requests {
		if q.DispatchSeq < last || q.DispatchSeq >= s.Tree.Events || q.Request == "" || q.Bytes < 1 || !objectstore.IsDigest(q.SHA256) {
			return fmt.Errorf("request %q is not one of its %d events, in their order, with a length and a digest", q.Request, s.Tree.Events)
		}
		last = q.DispatchSeq
	}
	return nil
}

// whole reports whether there is a mark for each event and a block for each run of them.
func (t *Tree) whole() bool {
	return t.Events >= 0 && int64(len(t.Marks)) == t.Events*markLen && int64(len(t.Blocks)) == (t.Events+blockSize-1)/blockSize
}
