package ecmajson

import "testing"

// TestIndex compares the index of every engine case with the value's own way
// through the bytes.
func TestIndex(t *testing.T) {
	var x Index
	for _, c := range engineCases(t) {
		if !c.valid {
			continue
		}
		if form, err := x.Check([]byte(c.output)); err != nil || !form.Canonical() {
			t.Fatalf("%q: %v, %v", c.output, form, err)
		}
		sameAs(t, x.Root(), Value(c.output), 0)
	}
	if _, err := x.Check([]byte(`{"a":`)); err == nil {
		t.Error("half an object passes")
	}
}

func sameAs(t *testing.T, n Node, v Value, depth int) {
	t.Helper()
	if string(n.Value()) != string(v) || n.Kind() != v.Kind() {
		t.Fatalf("node %q, value %q", n.Value(), v)
	}
	if depth == indexDepth {
		return
	}
	for key, member := range v.Members() {
		sameAs(t, n.Lookup(string(key[1:len(key)-1])), member, depth+1)
	}
	var elements []Value
	for e := range v.Elements() {
		if e.Kind() != Number {
			elements = append(elements, e)
		}
	}
	i := 0
	for child := range n.Children() {
		if v.Kind() == Array {
			sameAs(t, child, elements[i], depth+1)
		}
		i++
	}
	if v.Kind() == Array && i != len(elements) {
		t.Fatalf("%q has %d children, want %d", v, i, len(elements))
	}
	if v.Kind() == Object && i != v.Len() {
		t.Fatalf("%q has %d members, want %d", v, i, v.Len())
	}
}
