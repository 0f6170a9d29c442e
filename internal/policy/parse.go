package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
)

// parse reads the text of a policy. The first fault is the error, with its line.
func (p *Policy) parse(text []byte) error {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil // only comments
	case err != nil:
		return fmt.Errorf("%s:%s", p.Path, strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "line "))
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: it holds more than one document", p.Path)
	}
	root := doc.Content[0]
	if root.Tag == "!!null" {
		return nil
	}
	return p.mapping(root, "", map[string]func(*yaml.Node) error{
		"severities":  p.severities,
		"ignore":      func(n *yaml.Node) error { return p.each(n, "ignore", p.ignore) },
		"vocabulary":  func(n *yaml.Node) error { return p.list(n, "vocabulary", &p.Vocabulary) },
		"images":      p.images,
		"attachments": p.attachments,
	})
}

func (p *Policy) fault(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.Path, n.Line, fmt.Sprintf(format, args...))
}

// mapping walks a mapping whose keys are those of read.
func (p *Policy) mapping(n *yaml.Node, name string, read map[string]func(*yaml.Node) error) error {
	return p.entries(n, name, func(key, value *yaml.Node) error {
		of := read[key.Value]
		if of == nil {
			return p.fault(key, "unknown key %q%s; %s", key.Value, in(name), suggest(key.Value, keys(read)))
		}
		return of(value)
	})
}

// entries walks any mapping.
func (p *Policy) entries(n *yaml.Node, name string, read func(key, value *yaml.Node) error) error {
	if n = resolve(n); n.Kind != yaml.MappingNode {
		return p.fault(n, "%s must be a mapping of keys to values", subject(name))
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolve(n.Content[i+1])
		if key.Kind != yaml.ScalarNode {
			return p.fault(key, "a key%s must be text", in(name))
		}
		if seen[key.Value] {
			return p.fault(key, "the key %q stands twice%s", key.Value, in(name))
		}
		seen[key.Value] = true
		if err := read(key, value); err != nil {
			return err
		}
	}
	return nil
}

// each walks a sequence.
func (p *Policy) each(n *yaml.Node, name string, read func(*yaml.Node) error) error {
	if n.Kind != yaml.SequenceNode {
		return p.fault(n, "%s must be a list, each entry after a dash", name)
	}
	for _, element := range n.Content {
		if err := read(resolve(element)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Policy) list(n *yaml.Node, name string, to *[]Setting) error {
	return p.each(n, name, func(element *yaml.Node) error {
		text, err := p.text(element, "an entry of "+name)
		*to = append(*to, Setting{Value: text, Line: element.Line})
		return err
	})
}

// text returns a scalar that is not empty.
func (p *Policy) text(n *yaml.Node, name string) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || strings.TrimSpace(n.Value) == "" {
		return "", p.fault(n, "%s must be text, and not empty", name)
	}
	return n.Value, nil
}

func (p *Policy) severities(n *yaml.Node) error {
	return p.entries(n, "severities", func(key, value *yaml.Node) error {
		code, ok := finding.Parse(key.Value)
		if !ok {
			return p.fault(key, "no finding has the code %q; %s", key.Value, suggest(key.Value, codes()))
		}
		if isFixed(code) {
			return p.fault(key, "the severity of %s is fixed; it can only be ignored, for a reason", key.Value)
		}
		for _, s := range []finding.Severity{finding.Note, finding.Warning, finding.Error} {
			if value.Value == s.String() {
				p.Severities = append(p.Severities, Severity{code, s, key.Line})
				return nil
			}
		}
		return p.fault(value, "the severity of %s must be note, warning or error, not %q; what is accepted goes under ignore, with a reason", key.Value, value.Value)
	})
}

func (p *Policy) ignore(n *yaml.Node) error {
	entry := Ignore{Line: n.Line}
	into := func(to *string, name string) func(*yaml.Node) error {
		return func(value *yaml.Node) (err error) {
			*to, err = p.text(value, name)
			return err
		}
	}
	err := p.mapping(n, "an entry of ignore", map[string]func(*yaml.Node) error{
		"code": into(&entry.Code, "code"), "path": into(&entry.Path, "path"), "reason": into(&entry.Reason, "reason"),
	})
	switch {
	case err != nil:
		return err
	case entry.Code == "":
		return p.fault(n, "an entry of ignore needs a code")
	case !isKnown(entry.Code):
		return p.fault(n, "no finding has the code %q; %s", entry.Code, suggest(entry.Code, codes()))
	case entry.Reason == "":
		return p.fault(n, "an entry of ignore needs a reason, for those who read the reports")
	}
	for segment := range strings.SplitSeq(entry.Path, "/") {
		if _, err := path.Match(segment, ""); err != nil {
			return p.fault(n, "the path %q is no pattern: %v", entry.Path, err)
		}
	}
	p.Ignores = append(p.Ignores, entry)
	return nil
}

// ImageKeys are the keys under images.
var ImageKeys = []string{"mode", "pixels", "bytes", "count", "files", "inline", "omit", "omission-text", "handle", "root", "file-ids"}

func (p *Policy) images(n *yaml.Node) error {
	read := make(map[string]func(*yaml.Node) error)
	for _, key := range ImageKeys {
		read[key] = func(value *yaml.Node) error {
			text, err := p.text(value, "images."+key)
			if key == "file-ids" {
				text = p.resolve(text)
			}
			p.Images = append(p.Images, Setting{key, text, value.Line})
			return err
		}
	}
	return p.mapping(n, "images", read)
}

func (p *Policy) attachments(n *yaml.Node) error {
	if err := p.list(n, "attachments", &p.Attachments); err != nil {
		return err
	}
	for i := range p.Attachments {
		p.Attachments[i].Value = p.resolve(p.Attachments[i].Value)
	}
	return nil
}

// resolve returns a path of the file as the process finds it.
func (p *Policy) resolve(name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(p.Path), name)
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// isFixed tells the codes that say that a log or an input could not be used at all.
func isFixed(code finding.Code) bool {
	switch (finding.Finding{Code: code, Severity: finding.Error}).Imposes() {
	case finding.Refused, finding.Unreadable:
		return true
	}
	return false
}

func isKnown(code string) bool {
	for _, known := range codes() {
		if matchCode(code, known) {
			return true
		}
	}
	return false
}

func codes() (list []string) {
	for _, e := range finding.Catalogue() {
		list = append(list, e.Code)
	}
	return list
}

func in(name string) string {
	if name == "" {
		return ""
	}
	return " in " + name
}

func subject(name string) string {
	if name == "" {
		return "a policy"
	}
	return name
}
