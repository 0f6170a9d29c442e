package chat

import (
	"bytes"

	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// Infer tells from a captured body whether its images
// went inline, as files or not at all, how they are named to the model, and how many
// are left.
func (protocol) Infer(p wire.Policy, fixed map[string]bool, captured []byte) []wire.Policy {
	inline := bytes.Count(captured, []byte(`"type":"image_url"`))
	files := bytes.Count(captured, []byte(`"type":"file"`))
	var list []wire.Policy
	for _, mode := range imageModes(inline, files) {
		if fixed["images"] && mode != p.Images {
			continue
		}
		next := p
		next.Images = mode
		if mode == wire.TextOnly {
			if form := wire.HandleForms(captured)[0]; !fixed["picture-handle"] && form.NamesFiles() {
				next.Handle = form
			}
			list = append(list, next)
			continue
		}
		for _, form := range wire.HandleForms(captured) {
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

func imageModes(inline, files int) []wire.ImageMode {
	switch {
	case inline > 0:
		return []wire.ImageMode{wire.Inline}
	case files > 0:
		return []wire.ImageMode{wire.Files}
	}
	return []wire.ImageMode{wire.TextOnly, wire.Files, wire.Inline}
}
