package traffic

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/strictjson"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

func openFolder(dir string) (*File, error) {
	file := &File{Path: dir}
	index, err := regular.Open(filepath.Join(dir, "index.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		if file.Bodies, err = unindexed(dir, nil); err == nil && len(file.Bodies) == 0 {
			err = fmt.Errorf("%s: no bodies here: neither index.jsonl nor *.json", dir)
		}
		file.limit()
		return file, err
	}
	if err != nil {
		return nil, err
	}
	defer index.Close()
	if err := file.readIndex(dir, index.Name(), index); err != nil {
		return nil, err
	}
	err = file.readUnlisted(dir)
	file.limit()
	return file, err
}

// limit gives the bodies of a folder their common budget. A file counts once, however
// often the index lists it: what is listed again is not read again.
func (f *File) limit() {
	var stored int64
	seen := make(map[string]bool)
	for _, b := range f.Bodies {
		if path := filepath.Clean(b.path); !seen[path] {
			seen[path] = true
			stored += b.stored
		} else if b.Incomparable == "" {
			b.Incomparable = "the index lists its file twice"
		}
	}
	limit := newBudget(stored)
	for _, b := range f.Bodies {
		b.limit = limit
	}
}

// maxLine bounds a line of an index.
const maxLine = 16 << 20

// readIndex reads the bodies that an index lists.
func (f *File) readIndex(dir, name string, index io.Reader) error {
	lines := bufio.NewScanner(index)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.Trim(lines.Bytes(), " \t\r\n")) == 0 {
			continue
		}
		where := fmt.Sprintf("%s, line %d", name, n)
		v, odd, err := strictjson.Parse(bytes.TrimPrefix(lines.Bytes(), []byte("\xef\xbb\xbf")))
		if err != nil {
			return fmt.Errorf("%s: it is not JSON: %w", where, err)
		}
		f.oddities(fmt.Sprintf("line %d", n), odd)
		b, err := listed(dir, v)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if b.Second != "" {
			f.flaw(TwoNames, b.Name)
		}
		f.Bodies = append(f.Bodies, b)
	}
	return lines.Err()
}

// listed returns the body that a line of an index lists.
func listed(dir string, line ecmajson.Value) (*Body, error) {
	name := line.Lookup("file").Text()
	if name == "" || !filepath.IsLocal(name) {
		return nil, fmt.Errorf("it names no file of this folder as its file: %q", name)
	}
	b := &Body{Name: name, path: filepath.Join(dir, name), size: -1, Compact: line.Lookup("purpose").Is("compaction")}
	if id := line.Lookup("sessionId"); id.Kind() > ecmajson.Null && id.Kind() != ecmajson.String {
		return nil, errors.New("its sessionId is no text")
	}
	b.session(line.Lookup("sessionId").Text())
	for key, value := range line.Lookup("headers").Members() {
		b.header(key.Text(), value.Text())
	}
	if n, ok := line.Lookup("bytes").SafeInt(); ok {
		b.size = n
	}
	b.sum = line.Lookup("sha256").Text()
	b.look()
	return b, nil
}

// look notes why a body's file cannot be read.
func (b *Body) look() {
	if info, err := os.Stat(b.path); err != nil {
		b.Incomparable = "the file is not there"
	} else if !info.Mode().IsRegular() {
		b.Incomparable = (&regular.NotFile{Mode: info.Mode()}).Error()
	} else {
		b.stored = info.Size()
	}
}

// readUnlisted adds the bodies that lie in the folder and that its index does not list.
func (f *File) readUnlisted(dir string) error {
	names := make(map[string]bool)
	for _, b := range f.Bodies {
		names[filepath.Clean(b.Name)] = true
	}
	more, err := unindexed(dir, names)
	for _, b := range more {
		f.flaw(Unlisted, b.Name)
	}
	f.Bodies = slices.Concat(f.Bodies, more)
	return err
}

// unindexed takes the JSON files of a folder for bodies, in the order of names, except
// those that are known.
func unindexed(dir string, known map[string]bool) ([]*Body, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var bodies []*Body
	for _, e := range entries {
		b := &Body{Name: e.Name(), path: filepath.Join(dir, e.Name()), size: -1}
		info, err := os.Stat(b.path)
		if filepath.Ext(e.Name()) != ".json" || known[e.Name()] || err == nil && info.IsDir() {
			continue
		}
		b.look()
		if b.Incomparable != "" || looksLikeBody(b.path) {
			bodies = append(bodies, b)
		}
	}
	sort.Slice(bodies, func(i, j int) bool { return bodies[i].Name < bodies[j].Name })
	return bodies, nil
}

// looksLikeBody reports whether a file may be a chat body, or what is left of one.
func looksLikeBody(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return true // it will be said why it cannot be read
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 64<<10))
	return slices.ContainsFunc([]string{`"messages"`, `"model"`, `"stream"`}, func(name string) bool { return bytes.Contains(head, []byte(name)) })
}
