package ecmajson

// Equal reports whether two values are the same to JavaScript's eyes: key order
// does not matter, numbers compare as doubles, strings by their UTF-16 units, and
// of a repeated key the last value counts. Absent equals only absent.
func Equal(a, b Value) bool {
	kind := a.Kind()
	if kind != b.Kind() {
		return false
	}
	if string(a) == string(b) {
		return true
	}
	switch kind {
	case Number:
		x, _ := a.Float()
		y, _ := b.Float()
		return x == y
	case String:
		return a.Text() == b.Text()
	case Array:
		return equalArrays(a, b)
	case Object:
		return equalObjects(a, b)
	}
	return true
}

func equalArrays(a, b Value) bool {
	others := make([]Value, 0, 8)
	for v := range b.Elements() {
		others = append(others, v)
	}
	i := 0
	for v := range a.Elements() {
		if i >= len(others) || !Equal(v, others[i]) {
			return false
		}
		i++
	}
	return i == len(others)
}

func equalObjects(a, b Value) bool {
	x, y := lastValues(a), lastValues(b)
	if len(x) != len(y) {
		return false
	}
	for key, v := range x {
		if other, ok := y[key]; !ok || !Equal(v, other) {
			return false
		}
	}
	return true
}

func lastValues(v Value) map[string]Value {
	values := make(map[string]Value)
	for key, value := range v.Members() {
		values[key.Text()] = value
	}
	return values
}
