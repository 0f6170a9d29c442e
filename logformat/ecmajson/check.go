package ecmajson

import (
	"bytes"
	"sync"
)

// An open is an array or object whose end is still to come.
//
// Invariants of the check's two stacks: keys[o.keys:] are the keys seen so far
// of the innermost open object o, in order; opening pushes, closing truncates.
type open struct {
	object    bool
	names     bool  // the object has a key that is no array index
	keys      int32 // where its keys start on the key stack
	lastIndex int64 // the largest array index among its keys, -1 before the first
	seen      map[string]struct{}
	node      int32 // in the index, -1 when it is not in it
	lastChild int32 // in the index, 0 before the first
}

// span is a key's bytes in the text, quotes included.
type span struct{ start, end int }

// manyKeys is up to where the keys of an object are compared pairwise; beyond
// it a set is kept, so that checking stays linear.
const manyKeys = 16

// Check reports whether src is one JSON text, with JSON white space around it
// allowed, and what its bytes are like. It does not allocate for ordinary texts.
// The error is a *[SyntaxError].
func Check(src []byte) (Form, error) {
	c := checkers.Get().(*checker)
	c.src, c.form = src, 0
	form, err := c.text()
	c.release()
	return form, err
}

// Canonical returns src itself when its bytes are canonical, otherwise what
// JSON.stringify prints of it.
func Canonical(src []byte) ([]byte, Form, error) {
	form, err := Check(src)
	if err != nil || form.Canonical() {
		return src, form, err
	}
	out, err := Append(make([]byte, 0, len(src)), src)
	return out, form, err
}

// A checker holds the stacks of a check, which are kept from one to the next.
type checker struct {
	src   []byte
	form  Form
	opens []open
	keys  []span

	index   *Index // to fill, or nil
	lastKey span   // the key of the value to come; empty in arrays
	newNode int32  // of the value under way
}

var checkers = sync.Pool{New: func() any { return new(checker) }}

// keptStack is the largest stack, in entries, that is kept.
const keptStack = 1 << 10

func (c *checker) release() {
	c.src = nil
	c.opens, c.keys = c.opens[:0], c.keys[:0]
	if cap(c.opens) > keptStack {
		c.opens = nil
	}
	if cap(c.keys) > keptStack {
		c.keys = nil
	}
	checkers.Put(c)
}

func (c *checker) text() (Form, error) {
	end, err := c.run()
	if err != nil {
		return 0, err
	}
	if at := c.space(end); at != len(c.src) {
		return 0, syntaxError(c.src, at)
	}
	return c.form, nil
}

// space skips white space, which JSON.stringify never prints.
func (c *checker) space(at int) int {
	for at < len(c.src) {
		switch c.src[at] {
		case ' ', '\t', '\n', '\r':
			c.form |= NonCanonical
			at++
		default:
			return at
		}
	}
	return at
}

// run checks one value and returns the offset after it.
func (c *checker) run() (int, error) {
	src := c.src
	at := 0
	for {
		// A value starts here.
		if at < len(src) && src[at] <= ' ' {
			at = c.space(at)
		}
		if at >= len(src) {
			return 0, syntaxError(src, at)
		}
		node := int32(-1)
		if c.index != nil {
			node = c.indexValue(at)
		}
		next, opened, err := c.value(at)
		if err != nil {
			return 0, err
		}
		at = next
		if opened {
			continue
		}
		if node >= 0 {
			c.index.nodes[node].end = at
		}
		// A value ended here: close what closes, up to a comma or the end.
		for {
			if len(c.opens) == 0 {
				return at, nil
			}
			if at < len(src) && src[at] <= ' ' {
				at = c.space(at)
			}
			if at >= len(src) {
				return 0, syntaxError(src, at)
			}
			top := &c.opens[len(c.opens)-1]
			if src[at] == ',' {
				at++
				if top.object {
					if at, err = c.key(at); err != nil {
						return 0, err
					}
				}
				break
			}
			if src[at] != closer(top.object) {
				return 0, syntaxError(src, at)
			}
			at++
			c.close(at)
		}
	}
}

func closer(object bool) byte {
	if object {
		return '}'
	}
	return ']'
}

// indexValue adds the value that starts at src[at] to the index.
func (c *checker) indexValue(at int) int32 {
	key := c.lastKey
	c.lastKey = span{}
	var parent *open
	if n := len(c.opens); n > 0 {
		parent = &c.opens[n-1]
	}
	c.newNode = c.index.open(parent, len(c.opens), key, at)
	return c.newNode
}

func (c *checker) close(end int) {
	top := &c.opens[len(c.opens)-1]
	if top.node >= 0 && c.index != nil {
		c.index.nodes[top.node].end = end
	}
	if top.object {
		c.keys = c.keys[:top.keys]
		top.seen = nil
	}
	c.opens = c.opens[:len(c.opens)-1]
}

// value consumes a scalar, an empty array or object, or the start of another
// one up to its first value.
func (c *checker) value(at int) (next int, opened bool, err error) {
	src := c.src
	switch b := src[at]; {
	case b == '"':
		end, form, ok := ConsumeString(src, at)
		c.form |= form
		if !ok {
			return 0, false, syntaxError(src, end)
		}
		return end, false, nil
	case b == '{' || b == '[':
		return c.openAt(at, b == '{')
	case b == '-' || b >= '0' && b <= '9':
		end, form, ok := ConsumeNumber(src, at)
		c.form |= form
		if !ok {
			return 0, false, syntaxError(src, end)
		}
		return end, false, nil
	case b == 't':
		return c.literal(at, "true")
	case b == 'f':
		return c.literal(at, "false")
	case b == 'n':
		return c.literal(at, "null")
	}
	return 0, false, syntaxError(src, at)
}

func (c *checker) literal(at int, word string) (int, bool, error) {
	for i := range len(word) {
		if at+i >= len(c.src) || c.src[at+i] != word[i] {
			return 0, false, syntaxError(c.src, at+i)
		}
	}
	return at + len(word), false, nil
}

func (c *checker) openAt(at int, object bool) (next int, opened bool, err error) {
	if len(c.opens) == MaxDepth {
		return 0, false, &SyntaxError{Offset: int64(at), cause: ErrDepth}
	}
	at++
	if at < len(c.src) && c.src[at] <= ' ' {
		at = c.space(at)
	}
	if at < len(c.src) && c.src[at] == closer(object) {
		return at + 1, false, nil
	}
	c.opens = append(c.opens, open{object: object, keys: int32(len(c.keys)), lastIndex: -1, node: c.newNode})
	if object {
		at, err = c.key(at)
	}
	return at, true, err
}

// key consumes a key and its colon.
func (c *checker) key(at int) (int, error) {
	src := c.src
	if at < len(src) && src[at] <= ' ' {
		at = c.space(at)
	}
	if at >= len(src) || src[at] != '"' {
		return 0, syntaxError(src, at)
	}
	end, form, ok := ConsumeString(src, at)
	c.form |= form
	if !ok {
		return 0, syntaxError(src, end)
	}
	c.order(at, end)
	c.lastKey = span{at, end}
	at = end
	if at < len(src) && src[at] <= ' ' {
		at = c.space(at)
	}
	if at >= len(src) || src[at] != ':' {
		return 0, syntaxError(src, at)
	}
	return at + 1, nil
}

// order notes a key and whether it stands where JSON.stringify would put it.
// Comparing spellings is enough: a spelling that is not canonical makes the
// text non-canonical anyway, and canonical spellings are unique.
func (c *checker) order(start, end int) {
	top := &c.opens[len(c.opens)-1]
	key := c.src[start:end]
	if index, ok := arrayIndex(key); ok {
		if top.names || index <= top.lastIndex {
			c.form |= NonCanonical
		}
		top.lastIndex = max(top.lastIndex, index)
	} else {
		top.names = true
	}
	if c.repeated(top, key) {
		c.form |= NonCanonical | DuplicateKey
		return
	}
	c.keys = append(c.keys, span{start, end})
}

func (c *checker) repeated(top *open, key []byte) bool {
	keys := c.keys[top.keys:]
	if top.seen == nil {
		for _, k := range keys {
			if k.end-k.start == len(key) && bytes.Equal(c.src[k.start:k.end], key) {
				return true
			}
		}
		if len(keys) < manyKeys {
			return false
		}
		top.seen = make(map[string]struct{}, 4*manyKeys)
		for _, k := range keys {
			top.seen[string(c.src[k.start:k.end])] = struct{}{}
		}
	}
	if _, ok := top.seen[string(key)]; ok {
		return true
	}
	top.seen[string(key)] = struct{}{}
	return false
}

// arrayIndex reports whether a key, in quotes, is an array index: the canonical
// decimal form of a number from 0 to 2^32-2 (ECMA-262, section 6.1.7).
func arrayIndex(key []byte) (int64, bool) {
	digits := key[1 : len(key)-1]
	if len(digits) == 0 || len(digits) > 10 || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	n := int64(0)
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int64(d-'0')
	}
	return n, n <= 1<<32-2
}
