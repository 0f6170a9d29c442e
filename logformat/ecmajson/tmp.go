package ecmajson

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

type Kind uint8

const (
	Absent Kind = iota
	Null
	False
	True
	Number
	String
	Array
	Object
)

type Value []byte

func Check(src []byte) (Form, error) {
	out, err := Append(nil, src)
	if err != nil {
		return 0, err
	}
	if bytes.Equal(out, src) {
		return 0, nil
	}
	f := NonCanonical
	if !utf8.Valid(src) {
		f |= InvalidUTF8
	}
	return f, nil
}

func Canonical(src []byte) ([]byte, Form, error) {
	f, err := Check(src)
	if err != nil || f.Canonical() {
		return src, f, err
	}
	out, err := Append(nil, src)
	return out, f, err
}

type parser struct {
	b     []byte
	at    int
	depth int
}

var errSyntax = errors.New("invalid JSON")

func Append(dst, src []byte) ([]byte, error) {
	p := &parser{b: src}
	p.ws()
	dst, err := p.value(dst)
	if err != nil {
		return nil, err
	}
	p.ws()
	if p.at != len(src) {
		return nil, errSyntax
	}
	return dst, nil
}

func (p *parser) ws() {
	for p.at < len(p.b) && strings.IndexByte(" \t\r\n", p.b[p.at]) >= 0 {
		p.at++
	}
}

type mem struct {
	key, val []byte
	idx      int64
}

func (p *parser) value(dst []byte) ([]byte, error) {
	if p.at >= len(p.b) {
		return nil, errSyntax
	}
	switch c := p.b[p.at]; c {
	case '{':
		p.depth++
		defer func() { p.depth-- }()
		if p.depth > 10000 {
			return nil, errDepth
		}
		p.at++
		var ms []mem
		pos := map[string]int{}
		p.ws()
		if p.at < len(p.b) && p.b[p.at] == '}' {
			p.at++
			return append(dst, "{}"...), nil
		}
		for {
			p.ws()
			if p.at >= len(p.b) || p.b[p.at] != '"' {
				return nil, errSyntax
			}
			k, err := p.str(nil)
			if err != nil {
				return nil, err
			}
			p.ws()
			if p.at >= len(p.b) || p.b[p.at] != ':' {
				return nil, errSyntax
			}
			p.at++
			p.ws()
			v, err := p.value(nil)
			if err != nil {
				return nil, err
			}
			if i, ok := pos[string(k)]; ok {
				ms[i].val = v
			} else {
				pos[string(k)] = len(ms)
				ms = append(ms, mem{k, v, index(k)})
			}
			p.ws()
			if p.at >= len(p.b) {
				return nil, errSyntax
			}
			if p.b[p.at] == ',' {
				p.at++
				continue
			}
			if p.b[p.at] == '}' {
				p.at++
				break
			}
			return nil, errSyntax
		}
		sort.SliceStable(ms, func(i, j int) bool {
			a, b := ms[i].idx, ms[j].idx
			if a >= 0 && b >= 0 {
				return a < b
			}
			return a >= 0 && b < 0
		})
		dst = append(dst, '{')
		for i, m := range ms {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, m.key...)
			dst = append(dst, ':')
			dst = append(dst, m.val...)
		}
		return append(dst, '}'), nil
	case '[':
		p.depth++
		defer func() { p.depth-- }()
		if p.depth > 10000 {
			return nil, errDepth
		}
		p.at++
		p.ws()
		dst = append(dst, '[')
		if p.at < len(p.b) && p.b[p.at] == ']' {
			p.at++
			return append(dst, ']'), nil
		}
		for {
			p.ws()
			var err error
			if dst, err = p.value(dst); err != nil {
				return nil, err
			}
			p.ws()
			if p.at >= len(p.b) {
				return nil, errSyntax
			}
			if p.b[p.at] == ',' {
				dst = append(dst, ',')
				p.at++
				continue
			}
			if p.b[p.at] == ']' {
				p.at++
				return append(dst, ']'), nil
			}
			return nil, errSyntax
		}
	case '"':
		return p.str(dst)
	default:
		for _, w := range []string{"true", "false", "null"} {
			if bytes.HasPrefix(p.b[p.at:], []byte(w)) {
				p.at += len(w)
				return append(dst, w...), nil
			}
		}
		s := p.at
		e := s
		for e < len(p.b) && strings.IndexByte("+-0123456789.eE", p.b[e]) >= 0 {
			e++
		}
		t := string(p.b[s:e])
		if !validNum(t) {
			return nil, errSyntax
		}
		p.at = e
		f, _ := strconv.ParseFloat(t, 64)
		return AppendNumber(dst, f), nil
	}
}

func validNum(s string) bool {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	d := func() bool {
		st := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i > st
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if !d() {
		return false
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !d() {
			return false
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !d() {
			return false
		}
	}
	return i == len(s)
}

func AppendNumber(dst []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return append(dst, "null"...)
	}
	if f == 0 {
		return append(dst, '0')
	}
	a := math.Abs(f)
	if a >= 1e21 || a < 1e-6 {
		s := strconv.FormatFloat(f, 'e', -1, 64)
		s = strings.Replace(s, "e-0", "e-", 1)
		s = strings.Replace(s, "e+0", "e+", 1)
		return append(dst, s...)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

func index(k []byte) int64 {
	s := string(k[1 : len(k)-1])
	if s == "" || len(s) > 10 || s[0] == '0' && len(s) > 1 {
		return -1
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return -1
		}
	}
	n, _ := strconv.ParseInt(s, 10, 64)
	if n > 4294967294 {
		return -1
	}
	return n
}

func (p *parser) str(dst []byte) ([]byte, error) {
	p.at++
	var t []byte
	for {
		if p.at >= len(p.b) {
			return nil, errSyntax
		}
		c := p.b[p.at]
		switch {
		case c == '"':
			p.at++
			return AppendString(dst, string(t)), nil
		case c == '\\':
			if p.at+1 >= len(p.b) {
				return nil, errSyntax
			}
			e := p.b[p.at+1]
			p.at += 2
			if i := strings.IndexByte(`"\/bfnrt`, e); i >= 0 {
				t = append(t, "\"\\/\b\f\n\r\t"[i])
				continue
			}
			if e != 'u' || p.at+4 > len(p.b) {
				return nil, errSyntax
			}
			u, err := strconv.ParseUint(string(p.b[p.at:p.at+4]), 16, 16)
			if err != nil {
				return nil, errSyntax
			}
			p.at += 4
			t = appendUnit(t, rune(u))
		case c < 0x20:
			return nil, errSyntax
		default:
			r, n := utf8.DecodeRune(p.b[p.at:])
			if r == utf8.RuneError && n == 1 {
				n = maximal(p.b[p.at:])
				t = append(t, "\uFFFD"...)
			} else {
				t = append(t, p.b[p.at:p.at+n]...)
			}
			p.at += n
		}
	}
}

func maximal(b []byte) int {
	c := b[0]
	need, lo, hi := 0, byte(0x80), byte(0xBF)
	switch {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			lo = 0xA0
		}
		if c == 0xED {
			hi = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			lo = 0x90
		}
		if c == 0xF4 {
			hi = 0x8F
		}
	default:
		return 1
	}
	n := 1
	for n <= need && n < len(b) && b[n] >= lo && b[n] <= hi {
		n++
		lo, hi = 0x80, 0xBF
	}
	return n
}

func appendUnit(t []byte, u rune) []byte {
	if u >= 0xDC00 && u <= 0xDFFF && len(t) >= 3 {
		q := t[len(t)-3:]
		if q[0] == 0xED && q[1] >= 0xA0 && q[1] <= 0xAF {
			hi := rune(0xD000) | rune(q[1]&0x3F)<<6 | rune(q[2]&0x3F)
			return utf8.AppendRune(t[:len(t)-3], 0x10000+(hi-0xD800)<<10+(u-0xDC00))
		}
	}
	if u >= 0xD800 && u <= 0xDFFF {
		return append(t, 0xED, 0x80|byte(u>>6&0x3F), 0x80|byte(u&0x3F))
	}
	return utf8.AppendRune(t, u)
}

func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20:
			if j := strings.IndexByte("\b\f\n\r\t", c); j >= 0 {
				dst = append(dst, '\\', "bfnrt"[j])
			} else {
				dst = append(dst, `\u00`...)
				dst = append(dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
			}
		case c == 0xED && i+2 < len(s) && s[i+1] >= 0xA0:
			u := uint64(0xD000) | uint64(s[i+1]&0x3F)<<6 | uint64(s[i+2]&0x3F)
			dst = append(dst, `\u`...)
			dst = strconv.AppendUint(dst, u, 16)
			i += 2
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

func (v Value) Kind() Kind {
	if len(v) == 0 {
		return Absent
	}
	switch v[0] {
	case 'n':
		return Null
	case 't':
		return True
	case 'f':
		return False
	case '"':
		return String
	case '[':
		return Array
	case '{':
		return Object
	}
	return Number
}

func Skip(src []byte, at int) int {
	switch src[at] {
	case '"':
		for i := at + 1; ; i++ {
			if src[i] == '\\' {
				i++
			} else if src[i] == '"' {
				return i + 1
			}
		}
	case '{', '[':
		d := 0
		for i := at; ; i++ {
			switch src[i] {
			case '"':
				i = Skip(src, i) - 1
			case '{', '[':
				d++
			case '}', ']':
				d--
				if d == 0 {
					return i + 1
				}
			}
		}
	}
	i := at
	for i < len(src) && strings.IndexByte(",]} \t\r\n:", src[i]) < 0 {
		i++
	}
	return i
}

func sk(b []byte, i int) int {
	for i < len(b) && strings.IndexByte(" \t\r\n", b[i]) >= 0 {
		i++
	}
	return i
}

func (v Value) Members() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if v.Kind() != Object {
			return
		}
		i := sk(v, 1)
		for v[i] != '}' {
			e := Skip(v, i)
			k := v[i:e:e]
			i = sk(v, e)
			i = sk(v, i+1)
			e = Skip(v, i)
			if !yield(k, v[i:e:e]) {
				return
			}
			i = sk(v, e)
			if v[i] == ',' {
				i = sk(v, i+1)
			}
		}
	}
}

func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		i := sk(v, 1)
		for v[i] != ']' {
			e := Skip(v, i)
			if !yield(v[i:e:e]) {
				return
			}
			i = sk(v, e)
			if v[i] == ',' {
				i = sk(v, i+1)
			}
		}
	}
}

func (v Value) Lookup(key string) (out Value) {
	for k, m := range v.Members() {
		if k.Is(key) {
			out = m
		}
	}
	return
}

func (v Value) Len() (n int) {
	for range v.Elements() {
		n++
	}
	for range v.Members() {
		n++
	}
	return
}

func (v Value) Is(s string) bool {
	if v.Kind() != String {
		return false
	}
	if len(v)-2 == len(s) && string(v[1:len(v)-1]) == s && bytes.IndexByte(v, '\\') < 0 {
		return true
	}
	return bytes.IndexByte(v, '\\') >= 0 && v.Text() == s
}

func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	p := &parser{b: v}
	p.at++
	var t []byte
	for {
		c := p.b[p.at]
		if c == '"' {
			return string(t)
		}
		if c == '\\' {
			e := p.b[p.at+1]
			p.at += 2
			if i := strings.IndexByte(`"\/bfnrt`, e); i >= 0 {
				t = append(t, "\"\\/\b\f\n\r\t"[i])
				continue
			}
			u, _ := strconv.ParseUint(string(p.b[p.at:p.at+4]), 16, 16)
			p.at += 4
			t = appendUnit(t, rune(u))
			continue
		}
		t = append(t, c)
		p.at++
	}
}
func (v Value) AppendText(dst []byte) []byte { return append(dst, v.Text()...) }
func (v Value) Float() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, _ := strconv.ParseFloat(string(v), 64)
	return f, true
}

func (v Value) SafeInt() (int64, bool) {
	f, ok := v.Float()
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53-1 {
		return 0, false
	}
	return int64(f), true
}

func (v Value) IsNegativeZero() bool {
	f, ok := v.Float()
	return ok && f == 0 && math.Signbit(f)
}

func Equal(a, b Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case Number:
		x, _ := a.Float()
		y, _ := b.Float()
		return x == y
	case String:
		return a.Text() == b.Text()
	case Array:
		x, y := slices.Collect(a.Elements()), slices.Collect(b.Elements())
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !Equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case Object:
		if a.Len() != b.Len() {
			return false
		}
		for k, x := range a.Members() {
			if y := b.Lookup(k.Text()); y == nil || !Equal(x, y) {
				return false
			}
		}
	}
	return true
}
