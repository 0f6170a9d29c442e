package wire

import "bytes"

// Infer returns the policies that a captured body suggests: whether its images
// went inline, as files or not at all, and how many are left. Settings that are
// fixed, by the names of [Assumption], stay as they are.
func Infer(p Policy, fixed map[string]bool, captured []byte) []Policy {
	inline := bytes.Count(captured, []byte(`"type":"image_url"`))
	files := bytes.Count(captured, []byte(`"type":"file"`))
	var list []Policy
	add := func(images ImageMode) {
		if fixed["images"] && images != p.Images {
			return
		}
		next := p
		next.Images = images
		list = append(list, next)
		if images != TextOnly && !fixed["omit"] {
			next.Shown = inline + files
			next.ShownFixed = true
			list = append(list, next)
		}
	}
	switch {
	case inline > 0:
		add(Inline)
	case files > 0:
		add(Files)
	default:
		add(TextOnly)
		add(Files)
	}
	return list
}
