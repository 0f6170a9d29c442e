package visible_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-verify/dsh-verify/internal/visible"
)

// hides is the table as Unicode's own properties give it. The exceptions stand apart.
var hides = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Cc", unicode.Cc},
	{"Cf", unicode.Cf},
	{"Co", unicode.Co},
	{"Cs", unicode.Cs},
	{"Zl", unicode.Zl},
	{"Zp", unicode.Zp},
	{"Zs", unicode.Zs},
	{"White_Space", unicode.White_Space},
	{"Bidi_Control", unicode.Bidi_Control},
	{"Join_Control", unicode.Join_Control},
	{"Variation_Selector", unicode.Variation_Selector},
	// Default_Ignorable_Code_Point is this and parts of Cf and Variation_Selector.
	{"Other_Default_Ignorable_Code_Point", unicode.Other_Default_Ignorable_Code_Point},
	{"Deprecated formats", &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x206a, Hi: 0x206f, Stride: 1}}}},
	{"Noncharacter_Code_Point", unicode.Noncharacter_Code_Point},
}

// shown are the characters of those properties that do not hide.
const shown = " \u3000"

// blank are the characters that no property names and whose glyph in the code charts of
// Unicode is empty: U+2800 BRAILLE PATTERN BLANK, EGYPTIAN HIEROGLYPH FULL BLANK and
// HALF BLANK, KHITAN SMALL SCRIPT FILLER, MUSICAL SYMBOL NULL NOTEHEAD.
const blank = "\u2800\U00013441\U00013442\U00016fe4\U0001d159"

// TestHidden compares the table with the properties, for every code point.
func TestHidden(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want, why := expected(r)
		if got := visible.Hidden(r); got != want {
			t.Errorf("%U hidden: %v, want %v (%s)", r, got, want, why)
		}
	}
}

func expected(r rune) (hidden bool, why string) {
	if strings.ContainsRune(shown, r) {
		return false, "as wide as what is around it"
	}
	for _, p := range hides {
		if unicode.Is(p.table, r) {
			return true, p.name
		}
	}
	if strings.ContainsRune(blank, r) {
		return true, "blank"
	}
	if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) {
		return true, "unassigned"
	}
	return false, "a letter, mark, number, punctuation or symbol"
}

// known are characters that were used to deceive, by their names.
var known = map[string]rune{
	"NULL": 0, "BACKSPACE": 8, "ESCAPE": 0x1b, "DELETE": 0x7f, "NEXT LINE": 0x85, "CONTROL SEQUENCE INTRODUCER": 0x9b,
	"NO-BREAK SPACE": 0xa0, "SOFT HYPHEN": 0xad, "COMBINING GRAPHEME JOINER": 0x34f, "ARABIC LETTER MARK": 0x61c,
	"HANGUL CHOSEONG FILLER": 0x115f, "HANGUL JUNGSEONG FILLER": 0x1160, "OGHAM SPACE MARK": 0x1680,
	"KHMER VOWEL INHERENT AQ": 0x17b4, "KHMER VOWEL INHERENT AA": 0x17b5, "MONGOLIAN FREE VARIATION SELECTOR ONE": 0x180b,
	"MONGOLIAN VOWEL SEPARATOR": 0x180e, "MONGOLIAN FREE VARIATION SELECTOR FOUR": 0x180f, "EN QUAD": 0x2000, "ZERO WIDTH SPACE": 0x200b,
	"ZERO WIDTH NON-JOINER": 0x200c, "ZERO WIDTH JOINER": 0x200d, "LEFT-TO-RIGHT MARK": 0x200e, "RIGHT-TO-LEFT MARK": 0x200f,
	"LINE SEPARATOR": 0x2028, "PARAGRAPH SEPARATOR": 0x2029, "LEFT-TO-RIGHT EMBEDDING": 0x202a, "POP DIRECTIONAL FORMATTING": 0x202c, "RIGHT-TO-LEFT OVERRIDE": 0x202e,
	"NARROW NO-BREAK SPACE": 0x202f, "MEDIUM MATHEMATICAL SPACE": 0x205f, "WORD JOINER": 0x2060, "INVISIBLE PLUS": 0x2064,
	"LEFT-TO-RIGHT ISOLATE": 0x2066, "POP DIRECTIONAL ISOLATE": 0x2069, "INHIBIT SYMMETRIC SWAPPING": 0x206a, "BRAILLE PATTERN BLANK": 0x2800,
	"HANGUL FILLER": 0x3164, "private use": 0xe000, "VARIATION SELECTOR-16": 0xfe0f, "ZERO WIDTH NO-BREAK SPACE": 0xfeff,
	"HALFWIDTH HANGUL FILLER": 0xffa0, "INTERLINEAR ANNOTATION ANCHOR": 0xfff9, "noncharacter": 0xffff,
	"SHORTHAND FORMAT LETTER OVERLAP": 0x1bca0, "MUSICAL SYMBOL BEGIN BEAM": 0x1d173, "LANGUAGE TAG": 0xe0001, "TAG LATIN SMALL LETTER A": 0xe0061,
	"VARIATION SELECTOR-17": 0xe0100, "plane 15": 0xf0000,
}

func TestKnown(t *testing.T) {
	for name, r := range known {
		if !visible.Hidden(r) {
			t.Errorf("%s (%U) passes", name, r)
		}
		text, quoted := "a"+string(r)+"b", `"a`+string(r)+`b"`
		if got := visible.Text(text); strings.ContainsRune(got, r) || got == "ab" {
			t.Errorf("%s (%U): Text gives %q", name, r, got)
		}
		if got := visible.JSON([]byte(quoted)); strings.ContainsRune(string(got), r) {
			t.Errorf("%s (%U): JSON gives %q", name, r, got)
		}
	}
	for _, plain := range []string{"Grüße, 世界 　 กำลัง မြန်မာ हिन्दी עברית ۱۲۳ 🫖 é ½ €"} {
		if got := visible.Text(plain); got != plain {
			t.Errorf("Text(%q) = %q", plain, got)
		}
		if got := visible.JSON([]byte(plain)); string(got) != plain {
			t.Errorf("JSON(%q) = %q", plain, got)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		text, want string
		keep       []visible.Keep
	}{
		{"", "", nil},
		{"a\\b", `a\b`, nil},
		{"a\\b\x1b", `a\\b\u{1b}`, []visible.Keep{visible.Backslash}},
		{"a\r\n\tb\x1b[31m", `a\r\n\tb\u{1b}[31m`, nil},
		{"a\r\n\tb", "a\\r\n\tb", []visible.Keep{visible.Newline, visible.Tab}},
		{"\xff\xed\xa0\xbd\xc3", `\xff\u{d83d}\xc3`, nil},
		{"\U000e0041\U0010ffff\x00", `\u{e0041}\u{10ffff}\u{0}`, nil},
	} {
		if got := visible.Text(c.text, c.keep...); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// FuzzText checks that nothing hidden is left, that the text stays as it is the second
// time, and that JSON keeps its value.
func FuzzText(f *testing.F) {
	for _, s := range []string{"a\u202eb", "\u3000::x", "##\u034f[x]", "\xff\x1b", "section_start:1:a\r\x1b[0K", "\U0001d165##[", "#\n#[", "::a\n ::b"} {
		f.Add(s, uint8(0))
	}
	f.Fuzz(func(t *testing.T, s string, keep uint8) {
		k := visible.Keep(keep & 3)
		got := visible.Text(s, k)
		if !utf8.ValidString(got) || visible.Text(got, k) != got {
			t.Errorf("%q gives %q, which is not settled", s, got)
		}
		for _, r := range got {
			if visible.Hidden(r) && !(r == '\n' && k&visible.Newline != 0) && !(r == '\t' && k&visible.Tab != 0) {
				t.Errorf("%q gives %q: %U is left", s, got, r)
			}
		}
		if bad := command(got); bad != "" {
			t.Errorf("%q gives %q, in which %q is a command", s, got, bad)
		}
		checkJSON(t, s)
	})
}

// checkJSON holds a string's JSON, escaped, to its value.
func checkJSON(t *testing.T, s string) {
	quoted, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var was, is string
	escaped := visible.JSON(quoted)
	if json.Unmarshal(quoted, &was) != nil || json.Unmarshal(escaped, &is) != nil || was != is {
		t.Errorf("%q: JSON gives %s, the value is another", s, escaped)
	}
	if bad := command(string(escaped)); bad != "" {
		t.Errorf("%q: JSON gives %s, in which %q is a command", s, escaped, bad)
	}
}
