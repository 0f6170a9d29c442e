package diffview_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-verify/dsh-verify/diffview"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		level          diffview.Level
		headline       string
		changes        []string
	}{
		{"equal", `{"a":1}`, `{"a":1}`, diffview.Equal, "equal", nil},
		{"spelling only", `{"a":1}`, `{"a":1.0}`, diffview.Bytes, "byte 6 differs", nil},
		{"no JSON", `hello`, `hallo`, diffview.Bytes, "byte 1 differs", nil},
		{"key order", `{"a":1,"b":2}`, `{"b":2,"a":1}`, diffview.Order, "the whole differs in order only (keys in order)", []string{"keys in order "}},
		{"tool order", `{"tools":[{"name":"x"},{"name":"y"}]}`, `{"tools":[{"name":"y"},{"name":"x"}]}`, diffview.Order, "tools differs in order only (reordered)", []string{"reordered /tools"}},
		{"a tool's text", `{"tools":[{"name":"x","description":"one"},{"name":"y"}]}`, `{"tools":[{"name":"y"},{"name":"x","description":"two"}]}`, diffview.Values, "tools[0].name differs at byte 0 of 1", []string{"edited /tools/0/description", "reordered /tools"}},
		{"text", `{"m":[{"t":"abc"},{"t":"déf"}]}`, `{"m":[{"t":"abc"},{"t":"déF"}]}`, diffview.Values, "m[1].t differs at byte 3 of 4", []string{"edited /m/1/t"}},
		{"appended", `{"m":[1]}`, `{"m":[1,2]}`, diffview.Values, "equal up to m[1], which is new", []string{"added /m/1"}},
		{"inserted", `[1,2,3]`, `[1,9,2,3]`, diffview.Values, "[1] differs", []string{"added /1"}},
		{"another message", `[{"id":"a","t":1}]`, `[{"id":"b","t":1}]`, diffview.Values, "[0].id differs at byte 0 of 1", []string{"removed /0", "added /0"}},
		{"a key with a slash", `{"a/b":1}`, `{"a/b":2}`, diffview.Values, "a/b differs", []string{"edited /a~1b"}},
	} {
		d := diffview.Compare([]byte(c.old), []byte(c.new))
		var changes []string
		for _, change := range d.Changes {
			changes = append(changes, string(change.Kind)+" "+change.Path)
		}
		if d.Level != c.level || strings.TrimPrefix(d.Headline(), "") != c.headline {
			t.Errorf("%s: level %s, headline %q", c.name, d.Level, d.Headline())
		}
		if diff := cmp.Diff(c.changes, changes); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestPrint(t *testing.T) {
	old := `{"text":"one\ntwo\nthree\nfour\nfive\nsix"}`
	new := `{"text":"one\ntwo\nthree\nfour\n\u001b[31mfive\nsix"}`
	var b strings.Builder
	diffview.Printer{}.Print(&b, diffview.Compare([]byte(old), []byte(new)))
	want := `text differs at byte 23 of 32
level: JSON values
text: edited
    … 3 equal lines
    four
  ~ {+\u{1b}[31m+}five
    six
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestHostile checks that neither long strings nor deep nesting stall a diff, and
// that nothing in it drives a terminal.
func TestHostile(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 50<<20)
	edited := append([]byte(nil), long...)
	edited[30<<20] = '\u202e' & 0x7f
	deep := strings.Repeat("[", 9_000) + "1" + strings.Repeat("]", 9_000)
	for name, pair := range map[string][2]string{
		"a 50 MB string":        {`{"t":"` + string(long) + `"}`, `{"t":"` + string(edited) + `"}`},
		"9,000 nested arrays":   {`{"t":` + deep + `}`, `{"t":` + strings.Replace(deep, "1", "2", 1) + `}`},
		"many lines":            {`{"t":"` + strings.Repeat(`a\n`, 90_000) + `"}`, `{"t":"` + strings.Repeat(`b\n`, 90_000) + `"}`},
		"many elements":         {"[" + strings.Repeat("1,", 5_000) + "1]", "[" + strings.Repeat("2,", 5_000) + "2]"},
		"escapes and overrides": {`{"t":"\u001b]0;x\u0007"}`, "{\"t\":\"\u202e\u009b31m\u2066\"}"},
	} {
		var b bytes.Buffer
		diffview.Printer{}.Print(&b, diffview.Compare([]byte(pair[0]), []byte(pair[1])))
		if b.Len() == 0 || b.Len() > 64<<10 {
			t.Errorf("%s: the output has %d bytes", name, b.Len())
		}
		for _, r := range b.String() {
			if r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x2066 {
				t.Errorf("%s: the output holds %U", name, r)
				break
			}
		}
	}
}

func ExampleCompare() {
	d := diffview.Compare([]byte(`{"system":"Be kind."}`), []byte(`{"system":"Be brief."}`))
	fmt.Println(d.Headline())
	// Output: system differs at byte 3 of 8
}
