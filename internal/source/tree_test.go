package source

import (
	"archive/zip"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// header is a log that loads: a session of which only the header was stored.
const header = `{"type":"session","version":0,"id":"s","createdAt":1,"cwd":"/home/ada/p","delegationDepth":0}` + "\n"

// A tree is a folder's files by their slash-separated names. A name that ends in a
// slash is an empty folder, and a text that begins with -> a link.
type tree map[string]string

// files makes a tree in which every file is a log.
func files(names ...string) tree {
	t := make(tree)
	for _, name := range names {
		t[name] = header
	}
	return t
}

func (t tree) write(tb testing.TB, dir string) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			tb.Fatal(err)
		}
		target, isLink := strings.CutPrefix(t[name], "->")
		var err error
		switch {
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(to, 0o755)
		case isLink:
			if err = os.Symlink(filepath.FromSlash(target), to); err != nil {
				tb.Skip(err)
			}
		default:
			err = os.WriteFile(to, []byte(t[name]), 0o644)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// pack writes the tree as an archive.
func (t tree) pack(tb testing.TB, to string) {
	f, err := os.Create(to)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		entry, err := w.Create(name)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := entry.Write([]byte(t[name])); err != nil && !strings.HasSuffix(name, "/") {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

// at finds what a path names, and says it in lines without the path.
func at(tb testing.TB, arg string) []string {
	p, err := Find(arg, Spooled{})
	if err != nil {
		if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
			return []string{"error " + string(refusal.Code)}
		}
		return []string{"error " + err.Error()}
	}
	defer p.Close()
	cut := func(name string) string {
		if name == arg {
			return "."
		}
		return filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(name, arg), string(filepath.Separator)))
	}
	var lines []string
	for i, l := range p.Logs {
		lines = append(lines, "log "+cut(l.Name)+about(l, i == 0 && p.Lead && len(p.Logs) > 1))
	}
	for _, l := range p.Absent {
		line := "absent " + cut(l.Name) + " " + l.Absent.Code.String()
		if len(l.Older) > 0 {
			line += " older " + strings.Join(l.Older, " ")
		}
		lines = append(lines, line)
	}
	for _, f := range p.Findings {
		detail, _, _ := strings.Cut(f.Message(), ": ")
		line := f.Code.String() + " " + cut(f.Place.File)
		if detail = strings.ReplaceAll(detail, arg+string(filepath.Separator), ""); f.Code.String() != "input/no-session" {
			line += " (" + filepath.ToSlash(detail) + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// about is what is known of a log besides its name.
func about(l *Log, leads bool) (words string) {
	for _, word := range []struct {
		said bool
		text string
	}{
		{l.StorePath != "", "place " + l.StorePath},
		{len(l.Older) > 0, "older " + strings.Join(l.Older, " ")},
		{l.Newer != "", "newer " + l.Newer},
		{l.Follows, "follows"},
		{leads, "leads"},
		{l.Media != nil, "images"},
	} {
		if word.said {
			words += " " + word.text
		}
	}
	return words
}
