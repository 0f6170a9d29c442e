package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// This file looks at the members of objects, and writes objects.

func has(v ecmajson.Value, key string) bool { return v.Lookup(key) != nil }

// onlyKeys reports whether v is an object with every required key, and no key
// besides those and the optional ones.
func onlyKeys(v ecmajson.Value, required []string, optional ...string) bool {
	if v.Kind() != ecmajson.Object {
		return false
	}
	found := 0
	for key := range v.Members() {
		switch {
		case containsKey(required, key):
			found++
		case !containsKey(optional, key):
			return false
		}
	}
	return found == len(required)
}

func containsKey(keys []string, key ecmajson.Value) bool {
	for _, k := range keys {
		if key.Is(k) {
			return true
		}
	}
	return false
}

// objectBuilder writes a canonical object member by member.
type objectBuilder struct{ b []byte }

// objectFrom starts from the members of v except for the dropped keys.
func objectFrom(v ecmajson.Value, dropped ...string) *objectBuilder {
	b := new(objectBuilder)
	for key, value := range v.Members() {
		if !containsKey(dropped, key) {
			b.raw(key, value)
		}
	}
	return b
}

func (o *objectBuilder) raw(key, v ecmajson.Value) *objectBuilder {
	if len(o.b) == 0 {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, key...)
	o.b = append(o.b, ':')
	o.b = append(o.b, v...)
	return o
}

func (o *objectBuilder) member(key string, v ecmajson.Value) *objectBuilder {
	return o.raw(ecmajson.AppendString(nil, key), v)
}

func (o *objectBuilder) string(key, text string) *objectBuilder {
	return o.member(key, ecmajson.AppendString(nil, text))
}

// set gives key the value v in its place if it is there already, else at the end.
func (o *objectBuilder) set(key string, v ecmajson.Value) *objectBuilder {
	built := o.value()
	if built.Lookup(key) == nil {
		return o.member(key, v)
	}
	out := new(objectBuilder)
	for k, old := range built.Members() {
		if k.Is(key) {
			old = v
		}
		out.raw(k, old)
	}
	return out
}

func (o *objectBuilder) value() ecmajson.Value {
	if len(o.b) == 0 {
		return ecmajson.Value("{}")
	}
	return append(o.b[:len(o.b):len(o.b)], '}')
}
