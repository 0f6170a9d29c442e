package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// A cursor consumes a line from the front.
type cursor struct {
	src    []byte
	at     int
	form   ecmajson.Form
	failed bool
}

// literal consumes text if it is next.
func (c *cursor) literal(text string) bool {
	if len(c.src)-c.at < len(text) || string(c.src[c.at:c.at+len(text)]) != text {
		return false
	}
	c.at += len(text)
	return true
}

// natural consumes a plain integer of at most 15 digits; -1 when none is next.
func (c *cursor) natural() int64 {
	start := c.at
	n := int64(0)
	for c.at < len(c.src) && c.src[c.at]-'0' <= 9 {
		n = n*10 + int64(c.src[c.at]-'0')
		c.at++
	}
	digits := c.at - start
	if digits == 0 || digits > 15 || digits > 1 && c.src[start] == '0' || c.at < len(c.src) && isNumberByte(c.src[c.at]) {
		c.failed = true
		return -1
	}
	return n
}

// isNumberByte reports whether a number goes on with b after its integer digits.
func isNumberByte(b byte) bool { return b == '.' || b|0x20 == 'e' }

func (c *cursor) number(v *ecmajson.Value) bool {
	start := c.at
	if c.natural() < 0 {
		return false
	}
	*v = c.src[start:c.at:c.at]
	return true
}

// text consumes a canonical string.
func (c *cursor) text() bool {
	if c.at >= len(c.src) || c.src[c.at] != '"' {
		return false
	}
	end, form, ok := ecmajson.ConsumeString(c.src, c.at)
	if !ok || !form.Canonical() {
		return false
	}
	c.form |= form
	c.at = end
	return true
}

func (c *cursor) string(v *ecmajson.Value) bool {
	start := c.at
	if !c.text() {
		return false
	}
	*v = c.src[start:c.at:c.at]
	return true
}
