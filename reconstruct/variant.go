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
	ShapeRecorded                    // a recording of the lifetime fits it
	ShapeChosen                      // it was chosen where the log was opened, and the log does not tell
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

// Settle says that the request was sent in the shape of one of its variants, as a
// recording shows. Later requests of the same lifetime have that shape too: a lifetime has
// one writer.
func (q *Request) Settle(fit *Request) {
	if q.shapeSource != ShapeAssumed {
		return
	}
	q.layout, q.length, q.digest, q.summed = fit.layout, fit.length, fit.digest, fit.summed
	q.variants, q.shapeSource = nil, ShapeRecorded
	q.shaped.shape, q.shaped.source = fit.Shape(), ShapeRecorded
}

// A shaped lifetime is one whose requests have the same shape.
type shaped struct {
	shape  string // "" where nothing tells it
	source ShapeSource
}

// A writer is who wrote the lifetime of a log that a session is in.
type writer struct {
	lifetimes []logformat.Lifetime // from the next one on
	chosen    string               // the shape where the log does not tell it
	current   *shaped
}

func newWriter(header *logformat.SessionHeader) writer {
	w := writer{lifetimes: header.Lifetimes, chosen: header.Chosen}
	w.current = w.begin("")
	return w
}

// begin is a lifetime of which the log tells a shape, "" where it tells none.
func (w *writer) begin(logged string) *shaped {
	switch {
	case logged != "":
		return &shaped{logged, ShapeLogged}
	case w.chosen != "":
		return &shaped{w.chosen, ShapeChosen}
	}
	return &shaped{source: ShapeAssumed}
}

// snapshot goes to the lifetime that a header begins, if it begins one.
func (w *writer) snapshot(h *EpochHeader) {
	if len(w.lifetimes) > 0 && w.lifetimes[0].Seq == h.Seq {
		w.current, w.lifetimes = w.begin(w.lifetimes[0].Shape), w.lifetimes[1:]
	}
}

// shape gives a request its layout: that of its lifetime, if it is known, and otherwise
// that which is assumed, with the others beside it.
func (s *Session) shape(q *Request, layouts []*layout) {
	q.layout = layouts[0]
	if len(layouts) == 1 {
		return
	}
	q.shaped = s.writer.current
	q.shapeSource = q.shaped.source
	for _, l := range layouts {
		switch {
		case l.shape == q.shaped.shape:
			q.layout = l
		case q.shapeSource == ShapeAssumed && l != q.layout:
			q.variants = append(q.variants, variant{layout: l})
		}
	}
}
