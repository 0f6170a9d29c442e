package visible

import "unicode"

// Hidden reports whether a reader does not see that r is there, or what it is, or
// whether a terminal obeys it. It is what Unicode calls
//
//	Cc Cf Co Cs Cn   controls, formats, private use, surrogates, unassigned code points
//	Zl Zp Zs         separators, and all spaces except U+0020 and U+3000
//	Default_Ignorable_Code_Point, Bidi_Control
//
// and what has no property and yet no ink. U+3000 is as wide as the characters around
// it and does not hide.
func Hidden(r rune) bool {
	switch {
	case r < 0x7f:
		return r < 0x20
	case r == 0x3000:
		return false
	}
	return isInkless(r) || !unicode.IsPrint(r)
}

// isInkless tells the letters, marks and symbols that have no ink; the test of this
// package compares them with Unicode's properties.
func isInkless(r rune) bool {
	switch {
	case r == 0x034f, // combining grapheme joiner
		r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, // Hangul fillers
		r == 0x17b4, r == 0x17b5, // Khmer inherent vowels
		r >= 0x180b && r <= 0x180f, // Mongolian selectors
		r == 0x2800,                // Braille pattern blank
		r >= 0xfe00 && r <= 0xfe0f, // variation selectors
		r == 0x13441, r == 0x13442, // Egyptian hieroglyph full and half blank
		r == 0x16fe4,                 // Khitan small script filler
		r == 0x1d159,                 // musical symbol null notehead
		r >= 0xe0000 && r <= 0xe0fff: // tags and variation selectors
		return true
	}
	return false
}
