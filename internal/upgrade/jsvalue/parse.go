package jsvalue

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Parse reads one JSON text as JSON.parse does: keys that are array indexes come first in
// an object, ascending; a repeated key keeps its first place and takes its last value;
// bytes that are not UTF-8 are replaced first. The error is that of [ecmajson.Check].
// It costs time and memory linear in the text.
func Parse(text []byte) (*Value, error) {
	form, err := ecmajson.Check(text)
	if err != nil {
		return nil, err
	}
	if form&ecmajson.InvalidUTF8 != 0 {
		if text, err = ecmajson.AppendParsed(nil, text); err != nil {
			return nil, err
		}
	}
	p := parser{text: text}
	return p.value(), nil
}

// A parser walks a text that ecmajson accepted, so it meets no error.
type parser struct {
	text []byte
	at   int
	keys map[string]string // keys seen, so that each is kept once
}

func (p *parser) space() byte {
	for {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return c
		}
	}
}

func (p *parser) value() *Value {
	switch p.space() {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return String(p.string())
	case 't':
		p.at += len("true")
		return yes
	case 'f':
		p.at += len("false")
		return no
	case 'n':
		p.at += len("null")
		return null
	}
	start := p.at
	p.at, _, _ = ecmajson.ConsumeNumber(p.text, p.at)
	f, _ := ecmajson.Value(p.text[start:p.at]).Float()
	return Number(f)
}

func (p *parser) string() string {
	start := p.at
	p.at, _, _ = ecmajson.ConsumeString(p.text, p.at)
	return ecmajson.Value(p.text[start:p.at]).Text()
}

// more consumes what stands after an element, and reports whether another one follows.
func (p *parser) more() bool {
	c := p.space()
	p.at++
	return c == ','
}

// empty consumes an opening bracket, and the closing one where nothing is between them.
func (p *parser) empty(closing byte) bool {
	p.at++
	if p.space() == closing {
		p.at++
		return true
	}
	return false
}

func (p *parser) array() *Value {
	v := &Value{kind: ecmajson.Array}
	if p.empty(']') {
		return v
	}
	for more := true; more; more = p.more() {
		v.items = append(v.items, p.value())
	}
	return v
}

func (p *parser) object() *Value {
	v := &Value{kind: ecmajson.Object}
	if p.empty('}') {
		return v
	}
	var places map[string]int
	indexes := false
	for more := true; more; more = p.more() {
		p.space()
		key := p.key()
		p.space()
		p.at++ // the colon
		value := p.value()
		at := v.place(key, places)
		if at >= 0 {
			v.members[at].Value = value
			continue
		}
		v.members = append(v.members, Member{key, value})
		_, index := arrayIndex(key)
		indexes = indexes || index
		if len(v.members) > manyMembers {
			places = v.remember(places)
		}
	}
	if indexes {
		slices.SortStableFunc(v.members, byIndex)
	}
	return v
}

// manyMembers is from how many members on an object's keys are looked up in a map while
// it is read, so that reading stays linear.
const manyMembers = 24

func (v *Value) place(key string, places map[string]int) int {
	if places != nil {
		if at, ok := places[key]; ok {
			return at
		}
		return -1
	}
	return slices.IndexFunc(v.members, func(m Member) bool { return m.Key == key })
}

func (v *Value) remember(places map[string]int) map[string]int {
	if places == nil {
		places = make(map[string]int)
		for i, m := range v.members {
			places[m.Key] = i
		}
		return places
	}
	places[v.members[len(v.members)-1].Key] = len(v.members) - 1
	return places
}

func (p *parser) key() string {
	key := p.string()
	if p.keys == nil {
		p.keys = make(map[string]string)
	}
	if known, ok := p.keys[key]; ok {
		return known
	}
	if len(p.keys) < 4096 {
		p.keys[key] = key
	}
	return key
}

// arrayIndex returns the number of a key that is an array index: a canonical decimal
// number from 0 to 2^32-2 (ECMA-262, section 6.1.7).
func arrayIndex(key string) (uint64, bool) {
	if key == "" || len(key) > 10 || key[0] == '0' && len(key) > 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(key, 10, 64)
	return n, err == nil && n < 1<<32-1
}

// byIndex orders the keys that are array indexes before the others.
func byIndex(a, b Member) int {
	na, oka := arrayIndex(a.Key)
	nb, okb := arrayIndex(b.Key)
	switch {
	case oka && okb:
		return cmp.Compare(na, nb)
	case oka:
		return -1
	case okb:
		return 1
	}
	return 0
}
