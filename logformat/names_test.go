package logformat_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// TestNamesStandInOnePlace: no code spells an event's name besides its constant, so
// that what handles an event can be found from that.
func TestNamesStandInOnePlace(t *testing.T) {
	names := declaredNames(t)
	for _, v := range logformat.Versions() {
		for _, name := range v.Types() {
			if !names[name] {
				t.Errorf("names.go has no constant for %s", name)
			}
		}
	}
	for _, path := range sources(t) {
		if path == filepath.Join("..", "logformat", "names.go") {
			continue
		}
		for _, found := range literals(t, path) {
			if name := nameIn(found.text, names); name != "" {
				t.Errorf("%s spells the event name %s: use its constant of logformat", found.pos, name)
			}
		}
	}
}

// TestNobodyAsksForAFormat: what differs between formats is known to logformat and
// reconstruct, and elsewhere read from acts.
func TestNobodyAsksForAFormat(t *testing.T) {
	for _, path := range sources(t) {
		if strings.HasPrefix(path, filepath.Join("..", "logformat")) || strings.HasPrefix(path, filepath.Join("..", "reconstruct")) {
			continue
		}
		set, file := parse(t, path)
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch name := sel.Sel.Name; {
			case name == "SeedLength" && filepath.Base(filepath.Dir(path)) != "output", // which prints what a result says
				name == "HasSeedLength",
				strings.HasPrefix(name, "Version") && strings.TrimRight(name, "0123456789") != name,
				name == "Number" && strings.HasSuffix(strings.TrimSuffix(types.ExprString(sel.X), "()"), ".Version"):
				t.Errorf("%s asks for a format by %s", set.Position(n.Pos()), types.ExprString(sel))
			}
			return true
		})
	}
}

// sources are the Go files of the tree except tests.
func sources(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && path != ".."):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	return files
}

func parse(t *testing.T, path string) (*token.FileSet, *ast.File) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return set, file
}

// declaredNames are the values of the constants of names.go.
func declaredNames(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, l := range literals(t, "names.go") {
		names[l.text] = true
	}
	return names
}

// nameIn returns the name that a literal is, or that stands in it as a JSON string.
func nameIn(text string, names map[string]bool) string {
	if names[text] {
		return text
	}
	for i, word := range strings.Split(text, `"`) {
		if i > 0 && names[word] && strings.Contains(text, `"`+word+`"`) {
			return word
		}
	}
	return ""
}

type literal struct{ pos, text string }

// literals returns the string literals of a Go file.
func literals(t *testing.T, path string) (list []literal) {
	t.Helper()
	set, file := parse(t, path)
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, literal{fmt.Sprint(set.Position(lit.Pos())), text})
		return true
	})
	return list
}
