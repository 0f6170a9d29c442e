package visible

import (
	"bytes"
	"strings"
)

// commands finds, byte by byte, where the mark of a CI service's command is complete.
// Its zero value is at the start of a line.
//
// GitHub's runner trims white space before it looks for "::" and finds "##[" anywhere;
// Azure's agent finds "##vso[" anywhere. Both compare as a language does, so that
// characters without weight between the two do not count. Of the white space, only
// U+3000 gets as far as this, and of the characters without weight only some marks: all
// bytes of no ASCII character are passed over, which errs on the safe side.
type commands struct {
	line   lineState
	hashes hashState
	tail   []byte // of the text before: as much as a mark can need
}

type lineState uint8

const (
	lineBlank lineState = iota // nothing in it but white space
	lineColon                  // and one colon
	lineText
)

type hashState uint8

const (
	noHash hashState = iota
	oneHash
	twoHashes // and letters after them
)

// completes takes the byte of a text at i, the ones before it having been taken, and
// reports whether a command's mark ends with it.
func (c *commands) completes(text []byte, i int) bool {
	b := text[i]
	if b >= 0x80 || c.line == lineText && c.hashes == noHash && b != '#' && b != ':' && b > '\r' {
		return false
	}
	// Each must see the byte.
	colons, brackets := c.colons(b), c.brackets(b)
	return colons || brackets || b == ':' && c.section(text[:i])
}

func (c *commands) colons(b byte) bool {
	switch {
	case b == '\n' || b == '\r':
		c.line = lineBlank
	case b == ':' && c.line == lineColon:
		c.line = lineText
		return true
	case b == ':' && c.line == lineBlank:
		c.line = lineColon
	case b > ' ' || c.line == lineColon:
		c.line = lineText
	}
	return false
}

func (c *commands) brackets(b byte) bool {
	switch {
	case b == '#' && c.hashes == noHash:
		c.hashes = oneHash
	case b == '#':
		c.hashes = twoHashes
	case c.hashes == twoHashes && b|0x20 >= 'a' && b|0x20 <= 'z':
	default:
		found := c.hashes == twoHashes && b == '['
		c.hashes = noHash
		return found
	}
	return false
}

// longest is the length of the longest word before a colon.
const longest = len("section_start")

func (c *commands) section(before []byte) bool {
	if len(before) < longest {
		before = append(append(make([]byte, 0, 2*longest), c.tail...), before...)
	}
	return bytes.HasSuffix(before, []byte("section_start")) || bytes.HasSuffix(before, []byte("section_end"))
}

// end keeps of a text what the next one may go on with.
func (c *commands) end(text []byte) {
	if len(text) < longest {
		text = append(append(make([]byte, 0, 2*longest), c.tail...), text...)
	}
	c.tail = append(c.tail[:0], text[max(0, len(text)-longest):]...)
}

// disarm escapes the last character of each command's mark in a text that starts a
// line.
func disarm(s string) string {
	if !strings.Contains(s, "::") && !strings.Contains(s, "#") && !strings.Contains(s, "section_") {
		return s
	}
	return string((&commands{}).disarm([]byte(s)))
}

// disarm returns text with the last character of each mark as an escape, text itself
// when it has none.
func (c *commands) disarm(text []byte) []byte {
	var out []byte
	from := 0
	defer c.end(text)
	for i, b := range text {
		if c.completes(text, i) {
			out = appendCodePoint(append(out, text[from:i]...), rune(b))
			from = i + 1
		}
	}
	if from == 0 {
		return text
	}
	return append(out, text[from:]...)
}
