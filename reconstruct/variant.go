package reconstruct

// A variant is a request in another shape of its format.
type variant struct {
	layout *layout
	digest Digest
	summed bool
}

// Shape returns the name of the request's shape, "" where its format has only one.
func (q *Request) Shape() string { return q.layout.shape }

// Variants returns the request in each shape of its format, itself first: where the
// log does not tell which of them its writer sent, a recording decides. They are valid
// as long as the request is.
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
