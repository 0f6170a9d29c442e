package wire

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A HandleForm is how an adapter names an image to the model: by a text before it, and
// by another in the place of one that is omitted. It tells releases apart; the log does
// not name its writer.
type HandleForm string

// The forms. ID is the attachment id, and with a name of the image its JSON string
// and the id in parentheses.
const (
	// NoHandle: release 0.1.0 sends the stored image itself, always inline.
	NoHandle HandleForm = "none"
	// SizeHandle: release 0.1.1, "Image <id>; request image <W>x<H>px."
	SizeHandle HandleForm = "size"
	// PreviewHandle: from release 0.1.2 on, where the harness knows no path of the
	// object, "Image <ID>; request preview <W>x<H>px. It may be …"
	PreviewHandle HandleForm = "preview"
	// PathHandle: from release 0.1.2 on, with the path of the object.
	PathHandle HandleForm = "path"
)

// ParseHandleForm reads a form.
func ParseHandleForm(s string) (HandleForm, error) {
	switch f := HandleForm(s); f {
	case NoHandle, SizeHandle, PreviewHandle, PathHandle:
		return f, nil
	}
	return "", fmt.Errorf("the handle must be none, size, preview or path, not %q", s)
}

// NamesFiles reports whether releases of the form take files, and name them by a text.
func (f HandleForm) NamesFiles() bool { return f.named() }

// named reports whether the form names images by their names, too.
func (f HandleForm) named() bool { return f == PreviewHandle || f == PathHandle }

// transform is how releases of the form fit an image to a route, "" if they do not.
func (f HandleForm) transform() objectstore.Transform {
	switch f {
	case NoHandle:
		return ""
	case SizeHandle:
		return objectstore.TransformV4
	}
	return objectstore.TransformV5
}

// What only one form leaves in a body, in order of the forms that are tried.
var handleMarks = []struct {
	form HandleForm
	mark string
}{
	{PathHandle, pathMark},
	{PathHandle, savedMark},
	{PreviewHandle, uploadedMark},
	{PreviewHandle, previewMark},
	{PreviewHandle, omittedMark},
	{SizeHandle, sizeMark},
}

const (
	sizeMark     = "; request image "
	previewMark  = "; request preview "
	omittedMark  = "[image omitted to fit request image limits; "
	savedMark    = "): verbatim read-only copy saved at "
	uploadedMark = ") was uploaded, but the current execution environment "
	pathMark     = " Normalized copy (read-only; may be resized or re-encoded): "
)

// HandleForms returns the forms that a captured body may have, most likely first.
func HandleForms(captured []byte) (forms []HandleForm) {
	for _, m := range handleMarks {
		if bytes.Contains(captured, []byte(m.mark)) && (len(forms) == 0 || forms[len(forms)-1] != m.form) {
			forms = append(forms, m.form)
		}
	}
	if len(forms) > 0 {
		return forms
	}
	return []HandleForm{NoHandle, SizeHandle}
}

// Handle writes, inside of a string, the text that names an image to the model. There
// is none where the policy's form is [NoHandle].
func (w *Writer) Handle(image ecmajson.Value, pointer string) {
	form := w.builder.policy.Handle
	switch {
	case form == NoHandle:
		return
	case !form.named():
		w.Escaped("Image " + image.Lookup("attachmentId").Text())
		w.Text(sizeMark)
		w.pixels(image, pointer)
		w.Text(`px.`)
		return
	}
	w.Text(`Image `)
	w.identity(image)
	w.Text(previewMark)
	w.pixels(image, pointer)
	w.Text(`px.`)
	if form == PreviewHandle {
		w.Text(` It may be resized or re-encoded; source dimensions, format, and byte size may differ.`)
		return
	}
	w.access(image, pointer)
}

// pixels writes the size of what is sent of an image.
func (w *Writer) pixels(image ecmajson.Value, pointer string) {
	id := image.Lookup("attachmentId").Text()
	ref, failure := objectstore.ParseReference(image)
	if failure != nil {
		w.Hole(Hole{Kind: ImageSize, AttachmentID: id, Pointer: pointer, Reason: failure.Error()})
	} else if p := w.builder.picture(ref); p.pixels != "" {
		w.Text(p.pixels)
	} else {
		w.Hole(Hole{Kind: ImageSize, AttachmentID: id, Pointer: pointer, Reason: p.reason})
	}
}

// identity writes an image's id, and its name before it.
func (w *Writer) identity(image ecmajson.Value) {
	id := image.Lookup("attachmentId").Text()
	if name := image.Lookup("name"); name != nil {
		id = string(name) + " (" + id + ")"
	}
	w.Escaped(id)
}

// access writes where the model's tools find an image.
func (w *Writer) access(image ecmajson.Value, pointer string) {
	w.Text(pathMark)
	digest := digestOf(image)
	w.path(image, pointer, "objects", digest[:min(2, len(digest))], digest)
	w.Text(` (`)
	w.Value(orNull(image.Lookup("width")))
	w.Text(`x`)
	w.Value(orNull(image.Lookup("height")))
	mediaType := image.Lookup("mediaType").Text()
	w.Escaped("px, " + mediaType + "). Source dimensions, format, and byte size may differ. Copy to a writable path ending in " + extension(mediaType) + " before editing.")
}

// path writes the path of what lies in an attachment store, as a JSON string inside of one.
func (w *Writer) path(attachment ecmajson.Value, pointer string, below ...string) {
	w.Text(`\"`)
	if root := w.builder.policy.Root; root != "" {
		quoted := ecmajson.AppendString(nil, pathBelow(root, below))
		w.Escaped(string(quoted[1 : len(quoted)-1]))
	} else {
		id := attachment.Lookup("attachmentId").Text()
		w.Hole(Hole{Kind: ObjectPath, AttachmentID: id, Pointer: pointer, Reason: "the folder of the attachment store is not in the log", below: below})
	}
	w.Text(`\"`)
}

// digestOf is the digest that an attachment's id names.
func digestOf(attachment ecmajson.Value) string {
	return strings.TrimPrefix(attachment.Lookup("attachmentId").Text(), "sha256:")
}

// File writes, inside of a string, the text in place of a file: where the model's tools
// find it, if the harness knows a path.
func (w *Writer) File(file ecmajson.Value, pointer string) {
	digest, name := digestOf(file), orNull(file.Lookup("name"))
	short := digest[:min(8, len(digest))]
	w.Escaped("[File " + string(name) + " (" + string(orNull(file.Lookup("bytes"))) + " bytes, sha256:" + short)
	if w.builder.policy.Handle != PathHandle {
		w.Text(uploadedMark + `cannot access a readable path. Report that limitation if its contents are needed; do not claim to have read it.]`)
		return
	}
	w.Text(savedMark)
	w.path(file, pointer, "files", digest[:min(2, len(digest))], digest, file.Lookup("name").Text())
	w.Text(`. Read that path with your file tools when its contents are needed; copy it to a writable location before modifying it.` +
		` When delegating file work, include this saved path in the delegation prompt; only subagents sharing this execution environment can read it.]`)
}

func orNull(v ecmajson.Value) ecmajson.Value {
	if v == nil {
		return ecmajson.Value("null")
	}
	return v
}

func extension(mediaType string) string {
	if mediaType == "image/jpeg" {
		return ".jpg"
	}
	return "." + strings.TrimPrefix(mediaType, "image/")
}

// pathBelow is where something lies below the folder of an attachment store.
func pathBelow(root string, below []string) string {
	sep := "/"
	if !strings.Contains(root, "/") {
		sep = `\`
	}
	return root + sep + strings.Join(below, sep)
}

// rootOf is the folder of the store in which path is the place of what lies below.
func rootOf(path string, below []string) (root string, ok bool) {
	for _, sep := range []string{"/", `\`} {
		root, ok = strings.CutSuffix(path, sep+strings.Join(below, sep))
		if ok && pathBelow(root, below) == path {
			return root, isAbsolute(root)
		}
	}
	return "", false
}

// isAbsolute reports whether a path is absolute where a harness runs, and one that
// a person could have typed.
func isAbsolute(path string) bool {
	for _, r := range path {
		if r < ' ' || r == 0x7f {
			return false
		}
	}
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1] == ':' && path[2] == '\\'
}

// TextOnly writes, inside of a string, the text in place of an image for a model that
// takes text only.
func (w *Writer) TextOnly(image ecmajson.Value) {
	digest := strings.TrimPrefix(image.Lookup("attachmentId").Text(), "sha256:")
	w.Escaped("[image omitted because this model accepts text only; attachment sha256:" + digest[:min(8, len(digest))] + "]")
}

// Omitted writes, inside of a string, the text in place of an image that the bounds
// leave out.
func (w *Writer) Omitted(image ecmajson.Value, pointer string) {
	policy := &w.builder.policy
	switch {
	case policy.Handle.named():
		w.Text(omittedMark)
		w.identity(image)
		w.Text(`.`)
		if policy.Handle == PathHandle {
			w.access(image, pointer)
		} else {
			w.Text(` No local normalized image path is available; ask the user to attach it again if needed.`)
		}
		w.Text(`]`)
	case policy.OmissionText != "":
		w.Escaped(policy.OmissionText)
	default:
		id := image.Lookup("attachmentId").Text()
		w.Hole(Hole{Kind: OmissionText, AttachmentID: id, Pointer: pointer, Reason: "the adapter's text in place of an omitted image is not known"})
	}
}
