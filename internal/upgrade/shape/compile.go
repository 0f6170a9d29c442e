package shape

import (
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// A field is one member of an object's shape.
type field struct {
	name     string
	optional bool
	check    check
}

// object compiles the members of an object. It panics on text that is no shape: the
// shapes are part of the program.
func object(text string) check {
	p := &reader{text: text}
	fields := p.fields()
	if p.at != len(p.text) {
		p.fail()
	}
	return exactly(fields)
}

// exactly checks an object of these members and no other. Unknown members come first, then
// missing ones, then the values, as in the harness.
func exactly(fields []field) check {
	known := make(map[string]bool, len(fields))
	for _, f := range fields {
		known[f.name] = true
	}
	return func(c *context, v *jsvalue.Value) *Fault {
		if !v.IsObject() {
			return &Fault{Want: "an object", Got: v}
		}
		for _, m := range v.Members() {
			if !known[m.Key] {
				return (&Fault{Want: Unknown, Got: m.Value}).under(m.Key)
			}
		}
		for _, f := range fields {
			member := v.Get(f.name)
			if member == nil && f.optional {
				continue
			}
			if fault := f.check(c, member); fault != nil {
				return fault.under(f.name)
			}
		}
		return nil
	}
}

// A reader reads the notation of the package comment.
type reader struct {
	text string
	at   int
}

func (p *reader) fail() { panic("shape: " + p.text[:p.at] + "<here>" + p.text[p.at:]) }

func (p *reader) fields() (fields []field) {
	for p.at < len(p.text) && p.text[p.at] != '}' {
		name := p.until(":")
		p.at++
		name, optional := strings.CutSuffix(name, "?")
		fields = append(fields, field{name, optional, p.type_()})
		for p.at < len(p.text) && p.text[p.at] == ' ' {
			p.at++
		}
	}
	return fields
}

// until reads up to one of the bytes, or to the end.
func (p *reader) until(ends string) string {
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(ends, rune(p.text[p.at])) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *reader) type_() check {
	inner := p.plain()
	if strings.HasPrefix(p.text[p.at:], "|null") {
		p.at += len("|null")
		return func(c *context, v *jsvalue.Value) *Fault {
			if jsvalue.Same(v, jsvalue.Null()) {
				return nil
			}
			return inner(c, v)
		}
	}
	return inner
}

func (p *reader) plain() check {
	if p.at == len(p.text) {
		p.fail()
	}
	switch p.text[p.at] {
	case '[':
		return p.array()
	case '{':
		p.at++
		fields := p.fields()
		p.at++
		return exactly(fields)
	case '=':
		p.at++
		return oneOf(strings.Split(p.until(" ]}"), "|"))
	case '@':
		p.at++
		return named(p.until(" ]}|"))
	}
	name := p.until(" ]}|")
	switch {
	case name == "seqs":
		return seqList
	case name == "seqs+":
		return sized(seqList, "+")
	case scalars[name].ok == nil:
		p.fail()
	}
	s := scalars[name]
	return func(c *context, v *jsvalue.Value) *Fault {
		if !s.ok(c, v) {
			return &Fault{Want: s.want, Got: v}
		}
		return nil
	}
}

func (p *reader) array() check {
	p.at++
	inner := p.type_()
	p.at++ // the bracket
	all := func(c *context, v *jsvalue.Value) *Fault {
		if !v.IsArray() {
			return &Fault{Want: "an array", Got: v}
		}
		for i, item := range v.Items() {
			if fault := inner(c, item); fault != nil {
				return element(fault, i)
			}
		}
		return nil
	}
	for _, size := range []string{"+", "1"} {
		if strings.HasPrefix(p.text[p.at:], size) {
			p.at++
			return sized(all, size)
		}
	}
	return all
}

func element(fault *Fault, i int) *Fault { return fault.under(strconv.Itoa(i)) }

// sized checks an array that also has a size.
func sized(inner check, size string) check {
	return func(c *context, v *jsvalue.Value) *Fault {
		fault := inner(c, v)
		switch n := len(v.Items()); {
		case fault != nil:
			return fault
		case size == "+" && n == 0:
			return &Fault{Want: "an array that is not empty", Got: v}
		case size == "1" && n != 1:
			return &Fault{Want: "an array of one element", Got: v}
		}
		return nil
	}
}

// oneOf checks a value against a list; true and numbers stand for themselves.
func oneOf(texts []string) check {
	values := make([]*jsvalue.Value, len(texts))
	for i, text := range texts {
		values[i] = jsvalue.String(text)
		if n, err := strconv.Atoi(text); err == nil {
			values[i] = jsvalue.Int(int64(n))
		} else if text == "true" {
			values[i] = jsvalue.Bool(true)
		}
	}
	want := strings.Join(texts, " or ")
	return func(_ *context, v *jsvalue.Value) *Fault {
		for _, value := range values {
			if jsvalue.Same(v, value) {
				return nil
			}
		}
		return &Fault{Want: want, Got: v}
	}
}

// named returns a check that is looked up when it runs, because shapes contain each other.
func named(name string) check {
	return func(c *context, v *jsvalue.Value) *Fault { return shapes[name](c, v) }
}
