package ecmajson

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// An engineCase is what a JavaScript engine makes of a text; see testdata/make.mjs.
type engineCase struct {
	input  []byte
	output string
	valid  bool
}

func engineCases(tb testing.TB) []engineCase {
	tb.Helper()
	data, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		tb.Fatal(err)
	}
	var raw [][2]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		tb.Fatal(err)
	}
	cases := make([]engineCase, len(raw))
	for i, r := range raw {
		var encoded string
		if err := json.Unmarshal(r[0], &encoded); err != nil {
			tb.Fatal(err)
		}
		c := &cases[i]
		if c.input, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			tb.Fatal(err)
		}
		if c.valid = string(r[1]) != "null"; c.valid {
			c.output = outputOf(r[1])
		}
	}
	return cases
}

// outputOf reads the literal that holds an output. Outputs contain lone
// surrogates only as escapes, so this package's own rules are not needed.
func outputOf(literal []byte) string {
	var s string
	if err := json.Unmarshal(literal, &s); err != nil {
		panic(err)
	}
	return s
}

func TestEngineCases(t *testing.T) {
	cases := engineCases(t)
	if len(cases) < 2000 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		form, err := Check(c.input)
		if (err == nil) != c.valid {
			t.Errorf("Check(%q): error %v, the engine parses it: %v", c.input, err, c.valid)
			continue
		}
		out, err := Append(nil, c.input)
		if (err == nil) != c.valid {
			t.Errorf("Append(%q): error %v, the engine parses it: %v", c.input, err, c.valid)
		}
		if !c.valid {
			continue
		}
		if string(out) != c.output {
			t.Errorf("Append(%q) = %q, the engine prints %q", c.input, out, c.output)
		}
		if want := string(c.input) == c.output; form.Canonical() != want {
			t.Errorf("Check(%q): canonical %v, want %v", c.input, form.Canonical(), want)
		}
	}
}

// TestCutAndFlipped checks that damage is never a panic, and that Check and
// Append agree on what is JSON.
func TestCutAndFlipped(t *testing.T) {
	for _, c := range engineCases(t) {
		if len(c.input) > 300 {
			continue
		}
		for at := range c.input {
			agree(t, c.input[:at])
			flipped := bytes.Clone(c.input)
			flipped[at] ^= 1 << (at % 8)
			agree(t, flipped)
		}
	}
}

func agree(t testing.TB, src []byte) {
	form, err := Check(src)
	out, appendErr := Append(nil, src)
	if (err == nil) != (appendErr == nil) {
		t.Fatalf("%q: Check says %v, Append says %v", src, err, appendErr)
	}
	if err != nil {
		return
	}
	again, err := Check(out)
	if err != nil || !again.Canonical() {
		t.Fatalf("%q prints %q, which is not canonical: %v", src, out, err)
	}
	if form.Canonical() != bytes.Equal(src, out) {
		t.Fatalf("%q: canonical %v, and prints %q", src, form.Canonical(), out)
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct {
		text string
		want Form
	}{
		{`{"a":1}`, 0},
		{` {"a":1}`, NonCanonical},
		{`-0`, NonCanonical | NegativeZero},
		{`-0.0e1`, NonCanonical | NegativeZero},
		{`1e999`, NonCanonical | Overflow},
		{`"\ud800"`, LoneSurrogate},
		{`"\uD800"`, NonCanonical | LoneSurrogate},
		{`"\u0000"`, NUL},
		{`{"a":1,"a":2}`, NonCanonical | DuplicateKey},
		{"\"\xff\"", NonCanonical | InvalidUTF8},
		{`{"1":0,"a":0}`, 0},
		{`{"a":0,"1":0}`, NonCanonical},
	} {
		form, err := Check([]byte(c.text))
		if err != nil || form != c.want {
			t.Errorf("Check(%q) = %b, %v; want %b", c.text, form, err, c.want)
		}
	}
}

func TestDepth(t *testing.T) {
	deep := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, err := Check(deep(MaxDepth)); err != nil {
		t.Errorf("%d levels: %v", MaxDepth, err)
	}
	if _, err := Append(nil, append(deep(MaxDepth), ' ')); err != nil {
		t.Errorf("%d levels with a space: %v", MaxDepth, err)
	}
	if _, err := Check(deep(MaxDepth + 1)); !IsDepth(err) {
		t.Errorf("%d levels: %v", MaxDepth+1, err)
	}
	if _, err := Check([]byte(strings.Repeat(`{"a":`, 1<<20))); !IsDepth(err) {
		t.Errorf("a million open objects: %v", err)
	}
}

// TestManyKeys checks that objects of many keys are checked in linear time: were
// it quadratic, this test would take hours.
func TestManyKeys(t *testing.T) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range 300_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"key`)
		b.Write(AppendNumber(nil, float64(i)))
		b.WriteString(`":0`)
	}
	b.WriteByte('}')
	if form, err := Check(b.Bytes()); err != nil || !form.Canonical() {
		t.Fatal(form, err)
	}
	if !Equal(b.Bytes(), append([]byte{}, b.Bytes()...)) {
		t.Fatal("not equal to itself")
	}
}
