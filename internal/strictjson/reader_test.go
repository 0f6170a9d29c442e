package strictjson_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dsh-verify/dsh-verify/internal/strictjson"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// texts are JSON and what is nearly JSON. The check of package ecmajson, which is tested
// against a JavaScript engine, says which.
var texts = []string{
	`{}`, `[]`, `""`, `0`, `null`, `true`, `false`, ` { "a" : [ 1 , -2.5e+10 , "x\u00e9\n" ] } `,
	`{"a":{"b":{"c":[[[]]]}}}`, `"\ud800"`, `"é漢😀"`, "\"\xff\"", "\"\xe6\xbc\"", "\"a\xf0\x9f\x98\"", `{"a":1,"a":2}`,
	``, ` `, `{`, `[`, `"`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `[1`, `[1,`, `{"a":1}}`, `[] []`, `{}x`, `nul`, `tru`, `nulll`,
	`01`, `-`, `-0`, `1.`, `1.e3`, `1e`, `1e+`, `.5`, `+1`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\u00:0"`, "\"\t\"", "\"\n\"", `{a:1}`, `{"a" 1}`, `[1 2]`, `{,}`, `[,]`, `[1,]`, `{"a":1,}`,
	`'a'`, `NaN`, `Infinity`, "[1]\x00", "\xef\xbb\xbf[1]", "\u00a0[1]", `/**/1`,
}

// check checks that a reader agrees with the check of a whole text.
func check(t *testing.T, text []byte) {
	t.Helper()
	body := bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	form, wrong := ecmajson.Check(body)
	for _, in := range []io.Reader{bytes.NewReader(text), iotest.OneByteReader(bytes.NewReader(text))} {
		r := strictjson.NewReader(in)
		v, err := r.Value(1 << 20)
		if err == nil {
			err = r.End()
		}
		if (err == nil) != (wrong == nil) {
			t.Fatalf("%q: the reader says %v, the check %v", text, err, wrong)
		}
		if err != nil {
			syntax, ok := errors.AsType[*strictjson.Error](err)
			if !ok || syntax.Early != errors.Is(wrong, io.ErrUnexpectedEOF) {
				t.Fatalf("%q: the reader says %v, the check %v", text, err, wrong)
			}
			return
		}
		if !bytes.Equal(v, bytes.TrimSpace(body)) {
			t.Fatalf("%q is read as %q", text, v)
		}
		if got, want := r.Oddities().NotUTF8 > 0, form&ecmajson.InvalidUTF8 != 0; got != want {
			t.Fatalf("%q: bytes that are not UTF-8: %v, want %v", text, got, want)
		}
	}
}

func TestReaderAgrees(t *testing.T) {
	for _, text := range texts {
		check(t, []byte(text))
	}
}

func FuzzReader(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) < 1<<20 {
			check(t, text)
		}
	})
}

// TestWalk reads members by name, in their case and by their meaning, and takes the
// last of those that stand twice.
func TestWalk(t *testing.T) {
	text := `{"x":{"log":1},"log":{"entries":[1]},"Log":{"entries":[2]},"l\u006fg":{"entries":[3,4],"other":[{"entries":[5]}]}} `
	var got []string
	r := strictjson.NewReader(iotest.OneByteReader(strings.NewReader(text)))
	err := r.Object(func(name string) error {
		if name != "log" {
			return nil
		}
		got = nil
		return r.Object(func(name string) error {
			if name != "entries" {
				return nil
			}
			return r.Array(func() error {
				v, err := r.Value(10)
				got = append(got, string(v))
				return err
			})
		})
	})
	if err == nil {
		err = r.End()
	}
	if err != nil || fmt.Sprint(got) != "[3 4]" {
		t.Errorf("%v, %v", got, err)
	}
	if odd := r.Oddities(); odd.Duplicates != 1 || odd.Name != "log" || text[odd.NameAt] != '"' {
		t.Errorf("oddities are %+v", odd)
	}
}

// TestLimit skips what is too long to be kept, and reads on after it.
func TestLimit(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	r := strictjson.NewReader(strings.NewReader(`["` + long + `",[` + strings.Repeat("0,", 1<<20) + `0],"short"]`))
	var got []string
	if err := r.Array(func() error {
		v, err := r.Value(1000)
		if errors.Is(err, strictjson.ErrTooLong) {
			got, err = append(got, "too long"), nil
			return err
		}
		got = append(got, string(v))
		return err
	}); err != nil || fmt.Sprint(got) != `[too long too long "short"]` {
		t.Errorf("%v, %v", got, err)
	}
}

// TestFailedStream passes on what a stream fails with.
func TestFailedStream(t *testing.T) {
	wrong := errors.New("the disk is gone")
	for n := range len(`{"a":[1,"b"]}`) {
		r := strictjson.NewReader(io.MultiReader(strings.NewReader(`{"a":[1,"b"]}`[:n]), iotest.ErrReader(wrong)))
		if err := r.Skip(); !errors.Is(err, wrong) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, odd string }{
		{`{"a":1,"b":[{"a":1}]}`, ""},
		{`{"a":1,"\u0061":2}`, `"a" stands twice in one object`},
		{`{"c":[{"a":1,"a":2}],"b":{"b":0,"b":1}}`, `"a" stands twice in one object, and 1 more members`},
		{"{\"a\":\"\ufffd\xff\"}", "byte 10 is part of no character"},
	} {
		v, odd, err := strictjson.Parse([]byte(" " + c.text + "\n"))
		if err != nil || string(v) != c.text || odd.String() != c.odd {
			t.Errorf("%s: %s, %q, %v", c.text, v, odd, err)
		}
	}
	if _, _, err := strictjson.Parse([]byte(`{"a":1} {}`)); err == nil {
		t.Error("what follows a text is taken for part of it")
	}
}

func BenchmarkSkip(b *testing.B) {
	text := []byte(`["` + strings.Repeat(`He said \"so\" and went on for a while.\n`, 1<<16) + `"]`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := strictjson.NewReader(bytes.NewReader(text)).Skip(); err != nil {
			b.Fatal(err)
		}
	}
}
