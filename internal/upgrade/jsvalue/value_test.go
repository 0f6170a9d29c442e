package jsvalue_test

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// TestPrintsAsJavaScript: what is parsed and printed is what an engine's
// JSON.stringify(JSON.parse(text)) gave, for the table of package ecmajson.
func TestPrintsAsJavaScript(t *testing.T) {
	file, err := os.ReadFile("../../../logformat/ecmajson/testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]*string
	if err := json.Unmarshal(file, &cases); err != nil || len(cases) < 100 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, c := range cases {
		text, err := base64.StdEncoding.DecodeString(*c[0])
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsvalue.Parse(text)
		switch {
		case err != nil && c[1] != nil:
			t.Errorf("%q: %v, the engine printed %s", text, err, *c[1])
		case err == nil && c[1] == nil:
			t.Errorf("%q was parsed, the engine refused it", text)
		case err == nil && string(v.Append(nil)) != *c[1]:
			t.Errorf("%q printed as %s, the engine printed %s", text, v.Append(nil), *c[1])
		}
	}
}

func parse(t *testing.T, text string) *jsvalue.Value {
	t.Helper()
	v, err := jsvalue.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestParse: the rules of ECMA-262 for objects, by examples that Node printed so.
func TestParse(t *testing.T) {
	for _, c := range []struct{ in, out, why string }{
		{`{"b":1,"a":2,"b":3}`, `{"b":3,"a":2}`, "a repeated key keeps its first place"},
		{`{"b":1,"10":2,"9":3,"a":4}`, `{"9":3,"10":2,"b":1,"a":4}`, "array indexes come first"},
		{`{"01":1,"4294967295":2,"0":3}`, `{"0":3,"01":1,"4294967295":2}`, "what is no array index stays"},
		{"[1.0,-0,1e400,\"\\ud800\"]", "[1,0,null,\"\\ud800\"]", "numbers and lone surrogates"},
		{"\"\xff\"", "\"\uFFFD\"", "bytes that are not UTF-8"},
		{" { } ", "{}", "white space"},
	} {
		if got := string(parse(t, c.in).Append(nil)); got != c.out {
			t.Errorf("%s: %s became %s, want %s", c.why, c.in, got, c.out)
		}
	}
}

// TestManyMembers: keys are found and repeated ones resolved in a large object too.
func TestManyMembers(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"first":0`)
	for i := range 200 {
		b.WriteString(`,"k` + strings.Repeat("x", i) + `":1`)
	}
	b.WriteString(`,"first":2}`)
	v := parse(t, b.String())
	if n := len(v.Members()); n != 201 {
		t.Errorf("%d members, want 201", n)
	}
	if f, _ := v.Get("first").Float(); f != 2 || v.Members()[0].Key != "first" {
		t.Errorf("the repeated key has the value %v", f)
	}
	if !jsvalue.Equal(v, parse(t, b.String())) {
		t.Error("a large object does not equal itself")
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		in          string
		safe, count bool
		why         string
	}{
		{"1", true, true, "a count"},
		{"1.0", true, true, "a count in another spelling"},
		{"-0", false, false, "negative zero"},
		{"-1", true, false, "negative"},
		{"1.5", false, false, "a fraction"},
		{"9007199254740991", true, true, "the largest safe integer"},
		{"9007199254740992", false, false, "beyond the safe integers"},
		{`"1"`, false, false, "a string"},
	} {
		v := parse(t, c.in)
		_, safe := v.SafeInt()
		_, count := v.Count()
		if safe != c.safe || count != c.count {
			t.Errorf("%s: %s is safe %v, a count %v", c.why, c.in, safe, count)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		equal, deep bool
		why         string
	}{
		{`{"a":1,"b":[2]}`, `{"b":[2],"a":1}`, true, true, "the order of members does not matter"},
		{`0`, `-0`, true, false, "negative zero"},
		{`[1]`, `[1,2]`, false, false, "length"},
		{`{"a":1}`, `{"a":2}`, false, false, "a member"},
		{`{"a":1}`, `{"b":1}`, false, false, "a key"},
		{`"1"`, `1`, false, false, "kinds"},
		{`null`, `null`, true, true, "null"},
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		if jsvalue.Equal(a, b) != c.equal || jsvalue.DeepEqual(a, b) != c.deep {
			t.Errorf("%s: %s and %s are equal %v, deeply %v", c.why, c.a, c.b, jsvalue.Equal(a, b), jsvalue.DeepEqual(a, b))
		}
	}
	object := parse(t, "{}")
	if jsvalue.Same(object, parse(t, "{}")) || !jsvalue.Same(object, object) || !jsvalue.Same(nil, nil) {
		t.Error("objects are the same only when they are one")
	}
}

func TestBuild(t *testing.T) {
	v := parse(t, `{"a":1,"b":2}`)
	for _, c := range []struct{ got, want string }{
		{string(v.With("a", jsvalue.String("x")).Append(nil)), `{"a":"x","b":2}`},
		{string(v.With("c", jsvalue.Array(jsvalue.Null(), jsvalue.Bool(true))).Append(nil)), `{"a":1,"b":2,"c":[null,true]}`},
		{string(v.With("c", nil).Append(nil)), `{"a":1,"b":2}`},
		{string(v.Without("a").Append(nil)), `{"b":2}`},
		{string(v.Append(nil)), `{"a":1,"b":2}`},
		{string(jsvalue.Object(jsvalue.Member{Key: "x"}, jsvalue.Member{Key: "y", Value: jsvalue.Int(3)}).Append(nil)), `{"y":3}`},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	var absent *jsvalue.Value
	if absent.Kind() != ecmajson.Absent || absent.Get("x") != nil || absent.Item(0) != nil || absent.Filled() {
		t.Error("an absent value has something")
	}
	if jsvalue.Number(math.Inf(1)).Lossless() || parse(t, `{"a":[-0]}`).Lossless() || !v.Lossless() {
		t.Error("what JSON does not hold is not seen")
	}
}

// TestTrim: by what Node trims.
func TestTrim(t *testing.T) {
	for text, want := range map[string]string{" a\n": "a", "\uFEFFa\u2028": "a", "\u0085a": "\u0085a", "\u00a0\u3000": ""} {
		if got := jsvalue.Trim(text); got != want {
			t.Errorf("%q is trimmed to %q, want %q", text, got, want)
		}
	}
}
