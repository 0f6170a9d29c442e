package shape

import (
	"math"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A Fault is why data has not the shape that an upgrade admits.
type Fault struct {
	Pointer string         // RFC 6901, from the data
	Want    string         // what should be there, in words
	Got     *jsvalue.Value // what is there; nil when it is absent
}

// Unknown is what [Fault.Want] says of a member that the release does not know.
const Unknown = "no member of this name"

// under returns the fault with a token before its pointer.
func (f *Fault) under(token string) *Fault {
	if f != nil {
		f.Pointer = "/" + ecmajson.EscapeToken(token) + f.Pointer
	}
	return f
}

// Known reports whether events of a type occur in a format that upgrades read, 0 to 2.
func Known(eventType string, version int) bool {
	_, ok := lookup(eventType, version)
	return ok
}

// Check compares the data of an event with what the upgrade from a format admits. seq is
// the event's number. The result is nil when the data is admitted. The type must be known.
func Check(eventType string, data *jsvalue.Value, seq int64, version int) *Fault {
	e, _ := lookup(eventType, version)
	c := &context{seq: seq, version: version}
	if fault := e.data(c, data); fault != nil {
		return fault
	}
	if e.more != nil {
		return e.more(c, data)
	}
	return nil
}

// Block compares a content block with what the upgrade from format 2 admits.
func Block(block *jsvalue.Value) *Fault {
	return checkBlock(&context{version: 2}, block)
}

// BlockKind reports whether the upgrade from format 2 knows a kind of content block.
func BlockKind(kind *jsvalue.Value) bool {
	_, ok := blocks.cases[kind.Text()]
	return kind.IsString() && (ok || kind.Is("file"))
}

// Message compares a message with what the upgrade from format 2 admits of a message of
// the role user.
func Message(message *jsvalue.Value) *Fault {
	return checkMessage(&context{version: 3}, message, asUser)
}

// A context is what a check needs to know besides the value.
type context struct {
	seq     int64
	version int
}

// A check compares one value with a shape.
type check func(c *context, v *jsvalue.Value) *Fault

// scalars are the types without parts.
var scalars = map[string]struct {
	want string
	ok   func(c *context, v *jsvalue.Value) bool
}{
	"s":   {"a string", func(_ *context, v *jsvalue.Value) bool { return v.IsString() }},
	"s+":  {"a string that is not empty", func(_ *context, v *jsvalue.Value) bool { return v.Filled() }},
	"n":   {"a count", func(_ *context, v *jsvalue.Value) bool { _, ok := v.Count(); return ok }},
	"n+":  {"a count from 1", func(_ *context, v *jsvalue.Value) bool { n, ok := v.Count(); return ok && n > 0 }},
	"i":   {"a safe integer", func(_ *context, v *jsvalue.Value) bool { _, ok := v.SafeInt(); return ok }},
	"f":   {"a finite number", func(_ *context, v *jsvalue.Value) bool { return finite(v) }},
	"f0":  {"a finite number that is not negative", func(_ *context, v *jsvalue.Value) bool { f, _ := v.Float(); return finite(v) && f >= 0 }},
	"b":   {"true or false", func(_ *context, v *jsvalue.Value) bool { return v.IsBool() }},
	"any": {"a value", func(_ *context, v *jsvalue.Value) bool { return v != nil }},
	"obj": {"an object", func(_ *context, v *jsvalue.Value) bool { return v.IsObject() }},
	"seq": {"the number of an earlier event", func(c *context, v *jsvalue.Value) bool { n, ok := v.Count(); return ok && n < c.seq }},
}

func finite(v *jsvalue.Value) bool {
	f, ok := v.Float()
	return ok && !math.IsInf(f, 0) && v.Lossless()
}

// seqList is the type seqs.
func seqList(c *context, v *jsvalue.Value) *Fault {
	if !v.IsArray() {
		return &Fault{Want: "an array of event numbers", Got: v}
	}
	seen := make(map[int64]bool, len(v.Items()))
	for i, item := range v.Items() {
		n, ok := item.Count()
		if !ok || n >= c.seq {
			return element(&Fault{Want: "the number of an earlier event", Got: item}, i)
		}
		if seen[n] {
			return element(&Fault{Want: "an event number that is not there already", Got: item}, i)
		}
		seen[n] = true
	}
	return nil
}
