package reconstruct

import "github.com/dsh-verify/dsh-verify/logformat"

// A variant is a request in another shape of its format.
type variant struct {
	layout *layout
	digest Digest
	summed bool
}

// ShapeSource says how the shape of a request is known.
type ShapeSource uint8

// The sources.
const (
	ShapeOfFormat ShapeSource = iota // the format has only one
	ShapeLogged                      // the log bears a sign of its writer
	ShapeChosen                      // Options say it, and the log does not
	ShapeAssumed                     // nothing says it
)

// Shape returns the name of the request's shape, "" where its format has only one.
func (q *Request) Shape() string { return q.layout.shape }

// ShapeSource says how the request's shape is known.
func (q *Request) ShapeSource() ShapeSource { return q.shapeSource }

// Variants returns the request in each shape that it may have had, itself first: where
// nothing tells which of them its writer sent, a recording decides. They are valid as
// long as the request is.
func (q *Request) Variants() []*Request {
	list := []*Request{q}
	for _, v := range q.variants {
		other := *q
		other.layout, other.variants = v.layout, nil
		other.length += int64(len(v.layout.prefix) + len(v.layout.suffix) - len(q.layout.prefix) - len(q.layout.suffix))
		other.digest, other.summed = v.digest, v.summed
		list = append(list, &other)
	}
	return list
}

// A writer is who wrote the lifetime of a log that a session is in.
type writer struct {
	lifetimes []logformat.Lifetime // from the current one on; the first may not have begun
	shape     string               // of its requests, "" where the log does not tell
}

// snapshot goes to the lifetime that a header begins, if it begins one.
func (w *writer) snapshot(h *EpochHeader) {
	if len(w.lifetimes) > 0 && w.lifetimes[0].Seq == h.Seq {
		w.shape, w.lifetimes = w.lifetimes[0].Shape, w.lifetimes[1:]
	}
}

// shape gives a request its layout: that of its writer, if the log or the options tell,
// and otherwise that which is assumed, with the others beside it.
func (s *Session) shape(q *Request, layouts []*layout) {
	q.layout = layouts[0]
	if len(layouts) == 1 {
		return
	}
	name := s.opts.Shape
	q.shapeSource = ShapeChosen
	if s.writer.shape != "" {
		name, q.shapeSource = s.writer.shape, ShapeLogged
	}
	if name == "" {
		q.shapeSource = ShapeAssumed
		for _, other := range layouts[1:] {
			q.variants = append(q.variants, variant{layout: other})
		}
		return
	}
	for _, l := range layouts {
		if l.shape == name {
			q.layout = l
		}
	}
}
