package capture

import (
	"bytes"
	"slices"

	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// A sized is a value of some length.
type sized[T any] struct {
	length int64
	value  T
}

// bySize are values in the order of their lengths. What was changed has mostly nearly
// the length that it had, so the nearest are looked at and not all.
type bySize[T any] []sized[T]

func (s bySize[T]) sorted() bySize[T] {
	slices.SortStableFunc(s, func(a, b sized[T]) int { return int(a.length - b.length) })
	return s
}

// near returns the values whose lengths are nearest to a length.
func (s bySize[T]) near(length int64) bySize[T] {
	const each = 4 // to both sides
	i, _ := slices.BinarySearchFunc(s, length, func(a sized[T], length int64) int { return int(a.length - length) })
	return s[max(0, i-each):min(len(s), i+each)]
}

// unknown returns the untaken bodies of a capture that names no sessions, as far
// as they start as a request that is open does.
func (t *Check) unknown() (left []*posted) {
	var open bySize[*reconstruct.Request]
	for _, q := range t.open {
		t.builder.SetPolicy(t.of.Policy)
		if body, err := t.builder.Body(q); err == nil {
			open = append(open, sized[*reconstruct.Request]{body.Len(), q})
		}
	}
	open = open.sorted()
	for _, p := range t.bodies {
		if !p.taken && p.text != nil && slices.ContainsFunc(open.near(int64(len(p.text))), func(q sized[*reconstruct.Request]) bool { return t.startsAs(q.value, p.text) }) {
			left = append(left, p)
		}
	}
	return left
}

// startsAs reports whether a captured body starts as a request's does: up to a message
// of its own, or for more than half of it.
func (t *Check) startsAs(q *reconstruct.Request, text []byte) bool {
	body, at := t.closest(q, text)
	if body == nil {
		return false
	}
	o, ok := body.OriginAt(at.Body)
	return ok && o.Message > 0 || at.Body > body.Len()/2
}

// An own is what is known to be this session's: bodies, and the one-shots that no body
// was found for.
type own struct {
	bodies   bySize[[]byte]
	oneshots [][]byte // up to the instruction, which nobody knows
}

func (t *Check) own() (o own) {
	for _, p := range t.bodies {
		if p.taken && p.text != nil {
			o.add(p.text)
		}
	}
	t.builder.SetPolicy(t.of.Policy)
	for _, q := range t.prepared {
		if body, err := t.builder.Body(q); err == nil {
			o.add(body.Bytes())
		}
	}
	o.bodies = o.bodies.sorted()
	const most = 64 // of one-shots in all their variants
	for _, shot := range t.oneshots {
		if !shot.found && len(o.oneshots) < most {
			for _, body := range t.candidates(shot, nil) {
				before, _, _ := bytes.Cut(body.Bytes(), []byte(instruction))
				o.oneshots = append(o.oneshots, before)
			}
		}
	}
	return o
}

func (o *own) add(text []byte) {
	text = withoutFileIDs(text)
	o.bodies = append(o.bodies, sized[[]byte]{int64(len(text)), text})
}

// alike reports whether a body is nearly one of this session's: what both begin and
// end with is three quarters of it, or it holds one half of a one-shot.
func (o own) alike(text []byte) bool {
	text = withoutFileIDs(text)
	return slices.ContainsFunc(o.bodies.near(int64(len(text))), func(s sized[[]byte]) bool {
		return shared(s.value, text) >= max(len(s.value), len(text))*3/4
	}) || slices.ContainsFunc(o.oneshots, func(known []byte) bool {
		half := len(known) / 2
		return bytes.HasPrefix(text, known[:half]) || bytes.Contains(text, known[half:])
	})
}

// withoutFileIDs takes out what differs from one post of a request to the next.
func withoutFileIDs(text []byte) []byte {
	const name = `"file_id":"`
	if !bytes.Contains(text, []byte(name)) {
		return text
	}
	var out []byte
	for {
		before, rest, ok := bytes.Cut(text, []byte(name))
		out = append(out, before...)
		if !ok {
			return out
		}
		out = append(out, name...)
		text = rest[max(0, bytes.IndexByte(rest, '"')):]
	}
}

// shared is how many bytes two texts begin and end with.
func shared(a, b []byte) int {
	most := min(len(a), len(b))
	n := 0
	for n < most && a[n] == b[n] {
		n++
	}
	m := 0
	for m < most-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return n + m
}
