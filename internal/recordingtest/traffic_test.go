package recordingtest

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A folder is one of bodies: the index is nil when there is none.
type folder struct {
	index []byte
	files map[string][]byte
}

func (f *folder) file(r *rand.Rand) string {
	names := slices.Sorted(maps.Keys(f.files))
	return names[r.IntN(len(names))]
}

// line returns the number of the index's line about a file, -1 when there is none.
func (f *folder) line(name string) (lines [][]byte, i int) {
	for line := range bytes.Lines(f.index) {
		lines = append(lines, line)
	}
	return lines, slices.IndexFunc(lines, func(line []byte) bool { return bytes.Contains(line, []byte(`"`+name+`"`)) })
}

// folderOps change a folder.
var folderOps = []struct {
	name string
	do   func(r *rand.Rand, f *folder) string
}{
	{"index", func(r *rand.Rand, f *folder) (what string) {
		f.index, what = mutateText(r, f.index)
		return what
	}},
	{"body", func(r *rand.Rand, f *folder) (what string) {
		name := f.file(r)
		f.files[name], what = mutateText(r, f.files[name])
		return what
	}},
	{"body of members", func(r *rand.Rand, f *folder) (what string) {
		name := f.file(r)
		f.files[name], what = members(r, f.files[name])
		return what
	}},
	{"another, tampered", func(r *rand.Rand, f *folder) string {
		name := f.file(r)
		root := parse(f.files[name])
		if root == nil {
			return ""
		}
		root.tamper(r)
		f.files["x.json"] = root.print(nil)
		lines, i := f.line(name)
		if i < 0 || r.IntN(4) == 0 {
			return "not listed"
		}
		line := bytes.Replace(lines[i], []byte(name), []byte("x.json"), 1)
		kind := "listed"
		switch r.IntN(4) {
		case 0:
			line, kind = bytes.Replace(line, []byte(`"headers":{`), []byte(`"headers":{"x-deepseek-harness-compact":"1",`), 1), "as a compaction"
		case 1:
			line, kind = nameless(line), "of no session"
		}
		f.index = bytes.Join(slices.Insert(lines, i+r.IntN(2), line), nil)
		return kind
	}},
	{"no index", func(_ *rand.Rand, f *folder) string {
		f.index = nil
		return "removed"
	}},
	{"nameless", func(r *rand.Rand, f *folder) string {
		lines, i := f.line(f.file(r))
		if i < 0 {
			return ""
		}
		lines[i] = nameless(lines[i])
		f.index = bytes.Join(lines, nil)
		return "one"
	}},
	{"file gone", func(r *rand.Rand, f *folder) string {
		delete(f.files, f.file(r))
		if len(f.files) == 0 {
			f.files["a.json"] = []byte("{}")
		}
		return "one"
	}},
	{"files swapped", func(r *rand.Rand, f *folder) string {
		a, b := f.file(r), f.file(r)
		f.files[a], f.files[b] = f.files[b], f.files[a]
		return "two"
	}},
	{"compressed", func(r *rand.Rand, f *folder) string {
		name := f.file(r)
		text, encoding, what := compress(r, f.files[name])
		lines, i := f.line(name)
		if i < 0 {
			return ""
		}
		f.files[name] = text
		lines[i] = bytes.Replace(lines[i], []byte(`"headers":{`), []byte(`"headers":{"content-encoding":"`+encoding+`",`), 1)
		f.index = bytes.Join(lines, nil)
		return what
	}},
}

// nameless takes a session's name out of a line or an entry.
func nameless(line []byte) []byte {
	line = bytes.ReplaceAll(line, []byte(`"sessionId":`), []byte(`"sessionName":`))
	return bytes.ReplaceAll(line, []byte(`x-deepseek-harness-session-id`), []byte(`x-deepseek-harness-session`))
}

// compress compresses a body, and sometimes puts something after its end.
func compress(r *rand.Rand, text []byte) (out []byte, encoding, what string) {
	var b bytes.Buffer
	encoding = "gzip"
	if r.IntN(2) == 0 {
		w := gzip.NewWriter(&b)
		w.Write(text)
		w.Close()
	} else {
		encoding = "deflate"
		w := zlib.NewWriter(&b)
		w.Write(text)
		w.Close()
	}
	switch what = encoding; r.IntN(3) {
	case 0:
		b.WriteString(pieces[r.IntN(len(pieces))])
		what += ", and more"
	case 1:
		b.Truncate(b.Len() - 1 - r.IntN(8))
		what += ", cut"
	}
	return b.Bytes(), encoding, what
}

// mutateText changes bytes or lines of a text, or members of one of its lines.
func mutateText(r *rand.Rand, text []byte) ([]byte, string) {
	return []func(*rand.Rand, []byte) ([]byte, string){mutateBytes, mutateLines, mutateLineMembers}[r.IntN(3)](r, text)
}

// entries returns the list of a HAR file's entries, nil when there is none.
func entries(root *node) *node {
	if root == nil {
		return nil
	}
	for _, name := range []string{`"log"`, `"entries"`} {
		i := slices.IndexFunc(root.children, func(m *member) bool { return string(m.key) == name })
		if i < 0 {
			return nil
		}
		root = root.children[i].value
	}
	return root
}

// harOps change a HAR file.
var harOps = []struct {
	name string
	do   func(r *rand.Rand, text []byte) ([]byte, string)
}{
	{"text", mutateBytes},
	{"members", members},
	{"entries", func(r *rand.Rand, text []byte) ([]byte, string) {
		root := parse(text)
		list := entries(root)
		if list == nil || len(list.children) == 0 {
			return text, ""
		}
		op := memberOps[r.IntN(8)] // those that need no name
		op.do(r, list, r.IntN(len(list.children)))
		return root.print(nil), op.name
	}},
	{"one entry", func(r *rand.Rand, text []byte) ([]byte, string) {
		root := parse(text)
		list := entries(root)
		if list == nil || len(list.children) == 0 {
			return text, ""
		}
		i := r.IntN(len(list.children))
		changed, what := members(r, list.children[i].value.print(nil))
		list.children[i].value = &node{text: changed}
		return root.print(nil), what
	}},
	{"lists twice", func(r *rand.Rand, text []byte) ([]byte, string) {
		root := parse(text)
		list := entries(root)
		if list == nil {
			return text, ""
		}
		at := root
		if r.IntN(2) == 0 {
			at = root.children[0].value
		}
		if len(at.children) == 0 {
			return text, ""
		}
		op := memberOps[1+r.IntN(5)]
		op.do(r, at, len(at.children)-1)
		return root.print(nil), op.name
	}},
	{"nameless", func(_ *rand.Rand, text []byte) ([]byte, string) { return nameless(text), "all" }},
	{"one nameless", func(r *rand.Rand, text []byte) ([]byte, string) {
		root := parse(text)
		list := entries(root)
		if list == nil || len(list.children) == 0 {
			return text, ""
		}
		m := list.children[r.IntN(len(list.children))]
		m.value = &node{text: nameless(m.value.print(nil))}
		return root.print(nil), "one"
	}},
	{"encoded", func(r *rand.Rand, text []byte) ([]byte, string) {
		parts := strings.SplitAfter(string(text), `"text":`)
		if len(parts) < 2 {
			return text, ""
		}
		i := 1 + r.IntN(len(parts)-1)
		end, form, ok := ecmajson.ConsumeString([]byte(parts[i]), 0)
		if !ok || form&ecmajson.InvalidUTF8 != 0 {
			return text, ""
		}
		body, what := []byte(ecmajson.Value(parts[i][:end]).Text()), "base64"
		flag := `,"encoding":"base64"`
		if r.IntN(3) == 0 {
			var encoding string
			body, encoding, what = compress(r, body)
			parts[0] = strings.Replace(parts[0], `"headers":[`, `"headers":[{"name":"content-encoding","value":"`+encoding+`"},`, 1)
		} else if r.IntN(3) == 0 {
			flag, what = "", "base64 without its flag"
		}
		parts[i] = fmt.Sprintf("%q%s%s", base64.StdEncoding.EncodeToString(body), flag, parts[i][end:])
		return []byte(strings.Join(parts, "")), what
	}},
}
