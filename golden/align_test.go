package golden_test

import (
	"fmt"
	"testing"

	"github.com/dsh-verify/dsh-verify/golden"
)

// TestAlign shows alignments as a reader would draw them.
func TestAlign(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"abc", "abc", "aa bb cc"},
		{"abc", "ac", "aa b. cc"},
		{"ac", "abc", "aa .b cc"},
		{"abc", "axc", "aa bx cc"},
		{"abc", "aXc", "aa .X b. cc"},         // of another kind: no edit
		{"abcd", "acbd", "aa .c bb c. dd"},    // moved
		{"abcde", "axcye", "aa bx cc dy ee"},  // two edits around an anchor
		{"aaa", "aa", "aa aa a."},             // repeated keys
		{"abXcd", "aycd", "aa by X. cc dd"},   // edited and removed
		{"abc", "xyz", "ax by cz"},            // all edited
		{"abcd", "cdab", ".c .d aa bb c. d."}, // a block moved
		{"abab", "baba", "ab ba ab ba"},       // nothing unique
		{"abcdefg", "xbcdefgh", "ax bb cc dd ee ff gg .h"},
	} {
		got := ""
		for i, p := range golden.Align(c.old, c.new) {
			if i > 0 {
				got += " "
			}
			got += at(c.old, p[0]) + at(c.new, p[1])
		}
		if got != c.want {
			t.Errorf("%s → %s: %s, want %s", c.old, c.new, got, c.want)
		}
	}
}

func at(s string, i int) string {
	if i < 0 {
		return "."
	}
	return s[i : i+1]
}

// TestAlignIsWhole aligns all small lists: each item is in one pair, in order but
// for nothing.
func TestAlignIsWhole(t *testing.T) {
	var lists []string
	for n := 0; n <= 4; n++ {
		for code := range 1 << (2 * n) {
			s := ""
			for i := range n {
				s += "abcX"[code>>(2*i)&3:][:1]
			}
			lists = append(lists, s)
		}
	}
	for _, old := range lists {
		for _, new := range lists {
			i, j := 0, 0
			for _, p := range golden.Align(old, new) {
				if p[0] >= 0 {
					if p[0] != i {
						t.Fatal(fmt.Sprint(old, new, p))
					}
					i++
				}
				if p[1] >= 0 {
					if p[1] != j {
						t.Fatal(fmt.Sprint(old, new, p))
					}
					j++
				}
			}
			if i != len(old) || j != len(new) {
				t.Fatalf("%s → %s: %d and %d items", old, new, i, j)
			}
		}
	}
}
