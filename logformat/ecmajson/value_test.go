package ecmajson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

func ExampleCanonical() {
	out, form, err := ecmajson.Canonical([]byte(`{"b": 1.0, "2": "\u00e9", "b": 1e3}`))
	fmt.Println(string(out), form.Canonical(), err)
	// Output: {"2":"é","b":1000} false <nil>
}

func ExampleValue_Lookup() {
	v := ecmajson.Value(`{"message":{"id":"m1","content":[{"type":"text"}]}}`)
	fmt.Println(v.Lookup("message").Lookup("id").Text(), v.Lookup("absent").Lookup("id").Kind() == ecmajson.Absent)
	// Output: m1 true
}

func ExampleValue_PointerAt() {
	v := ecmajson.Value(`{"messages":[{"text":"hello"}]}`)
	pointer, leaf := v.PointerAt(strings.Index(string(v), "hello"))
	fmt.Println(pointer, string(leaf))
	// Output: /messages/0/text "hello"
}

func TestPointers(t *testing.T) {
	v := ecmajson.Value(`{"a/b":{"m~n":[10, {"x":"y"}]},"a":1}`)
	for pointer, want := range map[string]string{
		"":                 string(v),
		"/a~1b/m~0n/0":     "10",
		"/a~1b/m~0n/1/x":   `"y"`,
		"/a":               "1",
		"/a~1b/m~0n/01":    "",
		"/a~1b/m~0n/2":     "",
		"/a~1b/m~0n/1/x/0": "",
		"a":                "",
	} {
		got, ok := v.At(pointer)
		if string(got) != want || ok != (want != "") {
			t.Errorf("At(%q) = %q, %v; want %q", pointer, got, ok, want)
		}
	}
	// Every byte leads to a value that holds it or whose key does.
	for offset := range v {
		pointer, leaf := v.PointerAt(offset)
		if at, ok := v.At(pointer); !ok || string(at) != string(leaf) {
			t.Errorf("byte %d: pointer %q leads to %q, not to %q", offset, pointer, at, leaf)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[2]}`, `{"b":[2.0],"a":1e0}`, true},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`"\u0061"`, `"a"`, true},
		{`-0`, `0`, true},
		{`1e400`, `1e999`, true},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,2]`, false},
		{`null`, `false`, false},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
		{`"\ud800"`, `"\uD800"`, true},
	} {
		if got := ecmajson.Equal(ecmajson.Value(c.a), ecmajson.Value(c.b)); got != c.want {
			t.Errorf("Equal(%s, %s) = %v", c.a, c.b, got)
		}
	}
}

func TestSafeInt(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "-0": 0, "1.0": 1, "1e3": 1000, "-12": -12, "9007199254740991": 1<<53 - 1, "-9007199254740991": -(1<<53 - 1)} {
		if got, ok := ecmajson.Value(text).SafeInt(); !ok || got != want {
			t.Errorf("SafeInt(%s) = %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"9007199254740992", "1.5", "1e400", `"1"`, "null", ""} {
		if got, ok := ecmajson.Value(text).SafeInt(); ok {
			t.Errorf("SafeInt(%s) = %d", text, got)
		}
	}
}

func TestMembersOfAnySpelling(t *testing.T) {
	v := ecmajson.Value("{ \"a\\u0062\" : [ 1 , \"]\" ] ,\n\"c\":{\"d\":\"}\"} }")
	var got []string
	for key, value := range v.Members() {
		got = append(got, key.Text()+"="+string(value))
	}
	if want := `ab=[ 1 , "]" ]|c={"d":"}"}`; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
	if !v.Lookup("ab").Lookup("x").IsNegativeZero() && v.Len() != 2 {
		t.Errorf("Len is %d", v.Len())
	}
}

// TestFind checks that a value is where Find says, and that Locate leads back.
func TestFind(t *testing.T) {
	text := ecmajson.Value(` { "a" : [ 1 , {"b/c":"x","b/c":"y"} ] , "":{"~":null} }`)
	text = text[1:]
	for pointer, want := range map[string]string{
		"": string(text), "/a": `[ 1 , {"b/c":"x","b/c":"y"} ]`, "/a/0": "1", "/a/1/b~1c": `"y"`, "//~0": "null",
	} {
		start, value, ok := text.Find(pointer)
		if !ok || string(value) != want || string(text[start:start+len(value)]) != want {
			t.Errorf("Find(%q) is %d, %q, %v", pointer, start, value, ok)
		}
		if got, at, _ := text.Locate(start); pointer != "" && (got != pointer && !strings.HasPrefix(got, pointer+"/") || at < start) {
			t.Errorf("Locate(%d) is %q at %d, want %q", start, got, at, pointer)
		}
	}
	for _, pointer := range []string{"a", "/b", "/a/2", "/a/00", "/a/-1", "/a/0/x"} {
		if _, _, ok := text.Find(pointer); ok {
			t.Errorf("Find(%q) finds something", pointer)
		}
	}
}
