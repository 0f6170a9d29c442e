package diffview

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Level is how deep a difference goes.
type Level string

// The levels, from none to all.
const (
	Equal  Level = "equal"       // the same bytes
	Order  Level = "order only"  // the same JSON values, object keys or tools in another order
	Values Level = "JSON values" // different JSON values
	Bytes  Level = "bytes"       // the same JSON values spelled otherwise, or no JSON
)

// ChangeKind is what happened to a value.
type ChangeKind string

// The kinds of change.
const (
	Edited   ChangeKind = "edited"
	Added    ChangeKind = "added"
	Removed  ChangeKind = "removed"
	Reorder  ChangeKind = "reordered"     // array elements
	KeyOrder ChangeKind = "keys in order" // object members
)

// A Change is one difference between two JSON texts.
type Change struct {
	Kind ChangeKind
	Path string         // RFC 6901, in the new text for what was added, else in the old
	Old  ecmajson.Value // nil when added
	New  ecmajson.Value // nil when removed
}

// A Diff is how two texts differ.
type Diff struct {
	Level          Level
	Offset         int // of the first differing byte
	Old, New       []byte
	Changes        []Change // at most maxChanges, in the order of the old text
	More           int      // changes beyond those
	firstPath      string
	firstInto      int // byte in the string at firstPath, -1 when it is none
	firstLeafBytes int
}

// maxChanges bounds how many changes are listed.
const maxChanges = 200

// Compare compares two texts.
func Compare(old, new []byte) *Diff {
	d := &Diff{Old: old, New: new, Level: Equal, firstInto: -1}
	if bytes.Equal(old, new) {
		return d
	}
	d.Level = Bytes
	d.Offset = firstDifference(old, new)
	if !isJSON(old) || !isJSON(new) {
		return d
	}
	d.place()
	d.compare("", ecmajson.Value(bytes.TrimSpace(old)), ecmajson.Value(bytes.TrimSpace(new)))
	switch {
	case len(d.Changes) == 0:
	case d.onlyOrder():
		d.Level = Order
	default:
		d.Level = Values
	}
	return d
}

func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func isJSON(text []byte) bool {
	_, err := ecmajson.Check(text)
	return err == nil
}

// place finds the innermost value of the old text that holds the first
// differing byte.
func (d *Diff) place() {
	if d.Offset >= len(d.Old) {
		return
	}
	lead := len(d.Old) - len(bytes.TrimLeft(d.Old, " \t\r\n"))
	if d.Offset < lead {
		return
	}
	path, start, leaf := ecmajson.Value(bytes.TrimSpace(d.Old)).Locate(d.Offset - lead)
	d.firstPath = path
	if into := d.Offset - lead - start - 1; leaf.Kind() == ecmajson.String && into >= 0 {
		d.firstInto, d.firstLeafBytes = into, len(leaf)-2
	}
}

func (d *Diff) onlyOrder() bool {
	for _, c := range d.Changes {
		if c.Kind != Reorder && c.Kind != KeyOrder {
			return false
		}
	}
	return d.More == 0
}

func (d *Diff) add(c Change) {
	if len(d.Changes) >= maxChanges {
		d.More++
		return
	}
	d.Changes = append(d.Changes, c)
}

// Path returns the path of the first difference in the old text.
func (d *Diff) Path() string { return d.firstPath }

// Headline says in one line where and on what level the texts differ.
func (d *Diff) Headline() string { return Printer{}.Headline(d) }

// Headline is that of the diff, with the printer's paths.
func (p Printer) Headline(d *Diff) string {
	switch {
	case d.Level == Equal:
		return "equal"
	case d.Level == Order:
		return fmt.Sprintf("%s differs in order only (%s)", orRequest(p.readable(d.Changes[0].Path)), d.Changes[0].Kind)
	case d.firstInto >= 0:
		return fmt.Sprintf("%s differs at byte %d of %d", orRequest(p.readable(d.firstPath)), d.firstInto, d.firstLeafBytes)
	case len(d.Changes) > 0 && d.Changes[0].Kind == Added && parent(d.Changes[0].Path) == d.firstPath:
		return fmt.Sprintf("equal up to %s, which is new", p.readable(d.Changes[0].Path))
	case d.firstPath != "":
		return fmt.Sprintf("%s differs", p.readable(d.firstPath))
	}
	return fmt.Sprintf("byte %d differs", d.Offset)
}

func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

func orRequest(path string) string {
	if path == "" {
		return "the whole"
	}
	return path
}

// Readable turns /messages/5/content/0/text into messages[5].content[0].text.
func Readable(pointer string) string {
	var b strings.Builder
	for i, token := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		case i > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return Visible(b.String())
}

// compare adds the changes between two values that stand at the same place.
func (d *Diff) compare(path string, old, new ecmajson.Value) {
	if bytes.Equal(old, new) {
		return
	}
	kind := old.Kind()
	switch {
	case kind == ecmajson.Object && new.Kind() == kind:
		d.object(path, old, new)
	case kind == ecmajson.Array && new.Kind() == kind:
		d.array(path, old, new)
	case !ecmajson.Equal(old, new):
		d.add(Change{Edited, path, old, new})
	}
}

func (d *Diff) object(path string, old, new ecmajson.Value) {
	oldKeys, oldMembers := members(old)
	newKeys, newMembers := members(new)
	var common []string
	for _, key := range oldKeys {
		below := path + "/" + ecmajson.EscapeToken(key)
		if v, ok := newMembers[key]; ok {
			common = append(common, key)
			d.compare(below, oldMembers[key], v)
		} else {
			d.add(Change{Removed, below, oldMembers[key], nil})
		}
	}
	i := 0
	moved := false
	for _, key := range newKeys {
		if _, ok := oldMembers[key]; !ok {
			d.add(Change{Added, path + "/" + ecmajson.EscapeToken(key), nil, newMembers[key]})
			continue
		}
		moved = moved || common[i] != key
		i++
	}
	if moved {
		d.add(Change{KeyOrder, path, old, new})
	}
}

func members(v ecmajson.Value) (keys []string, values map[string]ecmajson.Value) {
	values = make(map[string]ecmajson.Value)
	for key, value := range v.Members() {
		k := key.Text()
		if _, ok := values[k]; !ok {
			keys = append(keys, k)
		}
		values[k] = value
	}
	return keys, values
}
