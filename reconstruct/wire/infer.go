package wire

import "bytes"

// Infer returns the policies that a captured body suggests: whether its images
// went inline, as files or not at all, how they are named to the model, and how many
// are left. Settings that are fixed, by the names of [Assumption], stay as they are.
func Infer(p Policy, fixed map[string]bool, captured []byte) []Policy {
	inline := bytes.Count(captured, []byte(`"type":"image_url"`))
	files := bytes.Count(captured, []byte(`"type":"file"`))
	var list []Policy
	for _, mode := range imageModes(inline, files) {
		if fixed["images"] && mode != p.Images {
			continue
		}
		next := p
		next.Images = mode
		if mode == TextOnly {
			list = append(list, next)
			continue
		}
		for _, form := range handleForms(captured) {
			if !fixed["picture-handle"] {
				next.Handle = form
			}
			list = append(list, next)
			if !fixed["omit"] {
				shown := next
				shown.Shown, shown.ShownFixed = inline+files, true
				list = append(list, shown)
			}
			if fixed["picture-handle"] {
				break
			}
		}
	}
	return list
}

func imageModes(inline, files int) []ImageMode {
	switch {
	case inline > 0:
		return []ImageMode{Inline}
	case files > 0:
		return []ImageMode{Files}
	}
	return []ImageMode{TextOnly, Files, Inline}
}
