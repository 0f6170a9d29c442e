package ecmajson

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func FuzzCheck(f *testing.F) {
	for _, c := range engineCases(f) {
		if len(c.input) < 4096 {
			f.Add(c.input)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		agree(t, src)
		_, err := Check(src)
		if utf8.Valid(src) && (err == nil) != json.Valid(src) && !IsDepth(err) {
			t.Fatalf("%q: Check says %v, encoding/json says %v", src, err, json.Valid(src))
		}
	})
}

// FuzzValue walks whatever Check accepts.
func FuzzValue(f *testing.F) {
	for _, c := range engineCases(f) {
		if c.valid && len(c.input) < 4096 {
			f.Add(c.input, 3)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, offset int) {
		out, err := Append(nil, src)
		if err != nil || offset < 0 || offset >= len(out) {
			return
		}
		v := Value(out)
		pointer, leaf := v.PointerAt(offset)
		if at, ok := v.At(pointer); !ok || string(at) != string(leaf) {
			t.Fatalf("%q: byte %d has pointer %q, which leads to %q, not to %q", out, offset, pointer, at, leaf)
		}
		form, _ := Check(src)
		if !Equal(v, v) || form&Overflow == 0 && !Equal(trim(src), v) {
			t.Fatalf("%q is not equal to what it prints, %q", src, out)
		}
		if _, err := Check(AppendString(nil, v.Text())); err != nil {
			t.Fatal(err)
		}
	})
}

func trim(src []byte) Value {
	start, end := 0, len(src)
	for src[start] <= ' ' {
		start++
	}
	for src[end-1] <= ' ' {
		end--
	}
	return src[start:end]
}
